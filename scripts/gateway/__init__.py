"""The recording model route: the trial's only network, outside the sandbox.

It records every request and answer where the agent cannot reach, and answers from a rehearsal or from the
model API, whose key only it holds. It never starts a client and never judges. What the agent asks for is
data; a folder that cannot hold its socket is Stop(UNAVAILABLE); a record that cannot be written is an error
of the runner.

    from gateway import rehearsal, wires
    from gateway.server import Gateway
    from gateway.upstream import Upstream

    script = rehearsal.load(evals / "tasks" / task / "rehearsals" / f"{name}.yaml")
    source = rehearsal.Rehearsed(script, lambda turn: client.tool(turn, places), client.REHEARSAL_MODEL)
    # or: source = Upstream(client.UPSTREAM, key)
    with Gateway(run.socket, folder.path(EXCHANGES), wires.load(client.WIRE), source) as gateway:
        process.run(...)
    gateway.counts()  # {"turns": 3, "refused": 0, "upstream_errors": 0}
    gateway.crashes  # our own faults while answering (also in the record): [], or this trial proves nothing

The socket's folder must let only the sandbox's uid in (the socket itself is open to all who get that far).
"""

HOST = "model.gw.test"  # an invented, dotted name: a real API host changes the client's behaviour
BASE_URL = f"http://{HOST}"
