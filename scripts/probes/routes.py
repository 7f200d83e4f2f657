"""What leaves the sandbox: the model's route answers, and nothing else is reached."""

from __future__ import annotations

from probes import Probe


def request(host: str) -> str:
    """An HTTP request by hand (a trial may have no curl) through srt's proxy, which wants its token."""
    script = (
        "u=${HTTP_PROXY#http://}; t=${u%@*}; t=${t//%3D/=}; exec 3<>/dev/tcp/localhost/3128; "
        f'printf "GET http://{host}/ HTTP/1.1\\r\\nHost: {host}\\r\\nProxy-Authorization: Basic %s\\r\\n'
        'Connection: close\\r\\n\\r\\n" "$(printf %s "$t" | base64 -w0)" >&3; '
        'read -r _ status rest <&3; echo "$status"; [ "$status" = 200 ]'
    )
    return f"bash -c '{script}'"


def ask(where: str) -> str:
    """A question over a socket of the machine's own (socat is one of srt's requirements)."""
    return f"printf 'x\\n\\n' | socat -t1 - {where} | grep -q 200"


PROBES = [
    Probe("model-answers", "the model's route answers", request("model.gw.test"), True, slow=True),
    Probe("other-hosts", "no other host is reached", request("elsewhere.test"), False, "model-answers"),
    Probe(
        "other-ports",
        "no other port of the model's host is reached",
        request("model.gw.test:8080"),
        False,
        "model-answers",
    ),
    Probe(
        "addresses",
        "no address is reached through the proxy",
        request("127.0.0.1:$PORT"),
        False,
        "model-answers",
    ),
    Probe(
        "direct-tcp",
        "no connection goes around the proxy",
        "bash -c ': <>/dev/tcp/127.0.0.1/$PORT'",
        False,
        "runner",
    ),
    Probe(
        "direct-udp",
        "no datagram, a question to DNS say, goes around the proxy",
        "bash -c 'printf x > /dev/udp/127.0.0.1/$UDP'; sleep 0.05",
        False,
        "runner",
        lands="DATAGRAM",
    ),
    Probe(
        "abstract-socket",
        "the machine's abstract sockets are closed",
        ask("ABSTRACT-CONNECT:$ABSTRACT"),
        False,
        "runner",
    ),
    Probe(
        "path-socket",
        "no Unix socket can be used, even one in its own folder",
        ask('UNIX-CONNECT:"$PROJECT/probe.sock"'),
        False,
        "trial",
    ),
    Probe(
        "vsock",
        "no socket leads out of a virtual machine",
        '"$PERL" -e "socket(S, $VSOCK, 1, 0) or die"',
        False,
        "machine",
    ),
]
