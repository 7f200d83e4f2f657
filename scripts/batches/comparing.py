"""Whether a batch's configurations may be compared at all: what was lost, was it lost alike in both?

A model server that goes away after one configuration's trials must not read as an effect. The rule is that of
kit/claims.py, which also withholds the sentence; here it decides batch.py's exit code.
"""

from __future__ import annotations

from pathlib import Path

from kit import claims, documents
from kit.layout import BENCHMARK


def uneven(batch: Path) -> str | None:
    """What was lost unevenly between treatments and control, in words."""
    configurations = documents.read(batch / BENCHMARK.path, "benchmark/1")["configurations"]
    if not claims.comparisons(configurations):
        return None
    return "; ".join(claims.uneven(configurations)) or None
