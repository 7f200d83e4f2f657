#!/usr/bin/env python3
"""A model that calls the tools it is told to, for tests of the adapter alone (Messages protocol, streamed).

Usage: model.py CALLS.json (a list of {"name", "input"}); it prints its port, answers each request that offers
tools with the next call, and then says "done". It knows nothing of rehearsals or of the gateway.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

CALLS = iter(json.loads(Path(sys.argv[1]).read_text("utf-8")))
NUMBERS = itertools.count(1)
USAGE = {
    "input_tokens": 11,
    "cache_creation_input_tokens": 7,
    "cache_read_input_tokens": 5,
    "output_tokens": 22,
}


def events(model: object, call: dict[str, Any] | None) -> Iterator[dict[str, Any]]:
    number = next(NUMBERS)
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": model, "content": []}
    yield {"type": "message_start", "message": {**message, "usage": {**USAGE, "output_tokens": 1}}}
    if call:
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": call["name"], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call["input"])}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    stop = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": USAGE}
    yield {"type": "message_stop"}


class Handler(BaseHTTPRequestHandler):
    def do_HEAD(self) -> None:
        self.send_response(200)
        self.end_headers()

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        call = next(CALLS, None) if request.get("tools") else None
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in events(request["model"], call):
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
