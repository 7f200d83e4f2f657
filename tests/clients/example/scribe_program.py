#!/usr/bin/env python3
"""The program of the example client: it asks a model for shell commands, runs them, and prints each."""

import json
import os
import subprocess
import sys
import urllib.request

SH = {"type": "function", "name": "sh", "parameters": {"type": "object"}}


def tell(**event: object) -> None:
    print(json.dumps(event), flush=True)


def ask(model: str, items: list[dict[str, object]]) -> list[dict[str, str]]:
    body = json.dumps({"model": model, "input": items, "tools": [SH]}).encode()
    headers = {"content-type": "application/json", "authorization": f"Bearer {os.environ['SCRIBE_API_KEY']}"}
    request = urllib.request.Request(f"{os.environ['SCRIBE_URL']}/v1/responses", body, headers)
    with urllib.request.urlopen(request) as reply:
        return list(json.load(reply)["output"])


def session(model: str, prompt: str) -> None:
    items: list[dict[str, object]] = [{"role": "user", "content": prompt}]
    tell(type="start")
    while True:
        output = ask(model, items)
        items += [dict(item) for item in output]
        calls = [item for item in output if item["type"] == "function_call"]
        for call in calls:
            text = json.loads(call["arguments"])["text"]
            done = subprocess.run(["sh", "-c", text], capture_output=True, text=True)
            tell(type="command", text=text, exit=done.returncode, output=done.stdout + done.stderr)
            items.append({"type": "function_call_output", "call_id": call["call_id"], "output": done.stdout})
        if not calls:
            tell(type="end", text="done")
            return


if __name__ == "__main__":
    if "--version" in sys.argv:
        print("scribe 1.0.0")
    else:
        session(sys.argv[2], sys.argv[-1])
