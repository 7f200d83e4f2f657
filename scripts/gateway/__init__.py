"""The recording model route: the trial's only network, outside the sandbox."""

HOST = "model.gw.test"  # an invented, dotted name: a real API host changes the client's behaviour
BASE_URL = f"http://{HOST}"
