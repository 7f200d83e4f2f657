"""The pytest that runs inside the sandbox: the harness's own, the files that it loads, with their bytecode.

Found once by running it, copied for each grading: the harness's packages themselves may lie below a closed
home, and hold far more than a submission should find. Not installed is the machine's fault.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from graders import Infrastructure

LOADED = """
import json, sys, pytest
sys.path.insert(0, "")
pytest.main(["-q", "-pno:cacheprovider", "-c", "/dev/null", "--assert=plain", "--rootdir=.", "test_it.py"])
print(json.dumps([getattr(m, "__file__", None) for m in list(sys.modules.values())]))
"""
TEST = """
import pytest
@pytest.mark.parametrize("x", [1])
def test_it(x, tmp_path, monkeypatch, capsys, recwarn, caplog):
    assert x == pytest.approx(1.0)
def test_wrong():
    raise AssertionError
"""


@functools.cache
def files() -> tuple[tuple[str, Path], ...]:
    """Each file of pytest's and of what it needs: its place, and where it is."""
    spec = importlib.util.find_spec("pytest")
    if spec is None or spec.origin is None:
        raise Infrastructure("pytest: not installed beside agent-eval; run `make tools`, or use unittest")
    site = Path(spec.origin).parents[1]
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_it.py").write_text(TEST)
        done = subprocess.run(
            [sys.executable, "-c", LOADED], cwd=folder, env=env, capture_output=True, text=True
        )
    try:
        named = json.loads(done.stdout.strip().rpartition("\n")[2])
    except ValueError as error:
        raise Infrastructure(f"pytest: cannot be run: {done.stderr.strip()[-300:]}") from error
    inside = {Path(name) for name in named if name and Path(name).is_relative_to(site)}
    cached = {
        file: Path(importlib.util.cache_from_source(str(file))) for file in inside if file.suffix == ".py"
    }
    whole = [*sorted(inside), *(cache for cache in cached.values() if cache.is_file())]
    return tuple((str(file.relative_to(site)), file) for file in whole)


def copy(into: Path) -> None:
    for place, source in files():
        target = into / place
        for folder in (target.parent, *target.parent.parents):
            if not folder.is_relative_to(into):
                break
            folder.mkdir(mode=0o755, parents=True, exist_ok=True)
            folder.chmod(0o755)
        shutil.copy2(source, target)  # with its time, or the bytecode beside it would not be believed
        target.chmod(0o644)
