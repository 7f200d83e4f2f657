"""The model's own host, played inside a network namespace: `python tests/model_host.py FOLDER PROGRAM ...`

It puts names (a hosts file) and a certificate authority of its own over the machine's, in this mount
namespace alone, answers HTTPS on port 443 of an address that only this network has, and runs a program
meanwhile. What it is asked goes to FOLDER/asked.jsonl, a line each: method, host, path, key. As a model that
echoes would, it says the key back, plain and in base64. For `unshare --mount --net`, as root.
"""

from __future__ import annotations

import base64
import json
import ssl
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))
from rungs import loopback

HOSTS = ("api.anthropic.com", "api.openai.com")
ADDRESS = "203.0.113.7"  # RFC 5737. srt refuses names that lead to loopback or to an interface of its own
BUNDLE = Path("/etc/ssl/certs/ca-certificates.crt")


def anthropic(said: str, model: str) -> list[dict[str, Any]]:
    usage = {"input_tokens": 3, "output_tokens": 4}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": model}
    return [
        {"type": "message_start", "message": {**message, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": said}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": usage,
        },
        {"type": "message_stop"},
    ]


def openai(said: str, model: str) -> list[dict[str, Any]]:
    text = {"type": "output_text", "text": said, "annotations": []}
    item = {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": [text]}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    usage = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7, **details}
    response = {"id": "r1", "object": "response", "created_at": 1, "model": model}
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    ended = {**response, "status": "completed", "output": [item], "usage": usage}
    return [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": ended},
    ]


class Api(BaseHTTPRequestHandler):
    asked: Path
    protocol_version = "HTTP/1.1"  # with the length said: a client may take a mere end for a broken line

    def do_HEAD(self) -> None:
        self.whole(200, b"")

    def do_GET(self) -> None:
        self.note("")
        self.whole(404, b"")

    def do_POST(self) -> None:
        self.body()
        bearer = (self.headers["authorization"] or "").removeprefix("Bearer ")
        key = self.headers["x-api-key"] or bearer
        self.note(key)
        said = f"The key is {base64.b64encode(key.encode()).decode()} and also {key}."
        made = (openai if "/responses" in self.path else anthropic)(said, "a-model")
        self.whole(200, "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in made).encode())

    def body(self) -> bytes:
        """Whole, or in chunks: a client without a proxy may send either."""
        if self.headers["transfer-encoding"] != "chunked":
            return self.rfile.read(int(self.headers["content-length"] or 0))
        found = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            found += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return found

    def whole(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def note(self, key: str) -> None:
        line = {"method": self.command, "host": self.headers["host"], "path": self.path, "key": key}
        with self.asked.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def log_message(self, format: str, *args: object) -> None:
        pass


def certificates(folder: Path) -> ssl.SSLContext:
    """An authority of our own, added to the machine's, and a certificate for the hosts."""
    made = {"key": folder / "host.key", "crt": folder / "host.crt"}
    names = ",".join(f"DNS:{host}" for host in HOSTS)
    ask = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=stand-in"]
    ask += ["-addext", f"subjectAltName={names}", "-keyout", str(made["key"]), "-out", str(made["crt"])]
    subprocess.run(ask, check=True, capture_output=True)
    (folder / "bundle.crt").write_bytes(BUNDLE.read_bytes() + made["crt"].read_bytes())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made["crt"], made["key"])
    return context


def main() -> None:
    folder, program = Path(sys.argv[1]), sys.argv[2:]
    loopback.up()
    (folder / "hosts").write_text("127.0.0.1 localhost\n" + "".join(f"{ADDRESS} {h}\n" for h in HOSTS))
    context = certificates(folder)
    for own, place in ((folder / "hosts", "/etc/hosts"), (folder / "bundle.crt", str(BUNDLE))):
        own.chmod(0o644)
        subprocess.run(["mount", "--bind", own, place], check=True)
    subprocess.run(["ip", "route", "add", "local", f"{ADDRESS}/32", "dev", "lo"], check=True)
    server = ThreadingHTTPServer((ADDRESS, 443), type("Own", (Api,), {"asked": folder / "asked.jsonl"}))
    # The handshake is the handler's: a connection that only waits must not keep the others waiting.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.exit(subprocess.run(program, check=False).returncode)


if __name__ == "__main__":
    main()
