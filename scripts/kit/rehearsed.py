"""Did a rehearsal lead where it says it leads? Compares its `expect` with the trial's result.json.

A pure function of two documents. It reads no file and judges no trial: a difference means that the rehearsal,
the pipeline or a tool is not as its author thought.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def differences(expect: Mapping[str, Any], result: Mapping[str, Any]) -> list[str]:
    """What `expect` names and `result` does not hold, each with its path; [] when all is there.

    Tables are compared key by key, and `result` may hold more. Everything else, lists too, must be equal as
    JSON: true is not 1, null is not an absent key.
    """
    return _differences(expect, result, "")


def _differences(expect: Mapping[str, Any], result: Mapping[str, Any], above: str) -> list[str]:
    found = []
    for key, wanted in expect.items():
        path = f"{above}.{key}" if above else str(key)
        if key not in result:
            found.append(f"{path}: expected {_shown(wanted)}, and it is absent")
        elif isinstance(wanted, Mapping) and isinstance(result[key], Mapping):
            found += _differences(wanted, result[key], path)
        elif _shown(wanted) != _shown(result[key]):
            found.append(f"{path}: expected {_shown(wanted)}, and it is {_shown(result[key])}")
    return found


def _shown(value: Any) -> str:
    """As JSON, where 1, 1.0 and true differ as little or as much as they do there."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
