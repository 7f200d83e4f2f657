"""The pytest that runs inside the sandbox: the harness's own, as one archive that Python imports from.

The harness's packages themselves may lie below a closed home, and hold more than a submission should find.
Not installed is the machine's fault.
"""

from __future__ import annotations

import functools
import importlib.util
import io
import sys
import zipfile
from pathlib import Path

from graders import Infrastructure, interpreter

# pytest, and what it needs; of these the modules that importing it loads, and the whole of its own.
PACKAGES = ("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments")
OF_OLD_PYTHONS = ("exceptiongroup", "tomli", "typing_extensions")


@functools.cache
def archive() -> bytes:
    """A zip file: bytecode where the sandbox's interpreter is of our version, else sources."""
    try:
        import pytest
    except ImportError as error:
        raise Infrastructure("pytest: not installed beside agent-eval; run `make tools`") from error
    site, wanted = Path(pytest.__file__).parents[1], (*PACKAGES, *OF_OLD_PYTHONS)
    loaded = [module for name, module in sys.modules.items() if name.partition(".")[0] in wanted]
    files = {Path(file) for module in loaded if (file := getattr(module, "__file__", None))}
    files = {file for file in files | {*(site / "_pytest").rglob("*.py")} if file.is_relative_to(site)}
    same = interpreter.version().startswith("Python {}.{}.".format(*sys.version_info))
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as packed:
        for file in sorted(files):
            cached = Path(importlib.util.cache_from_source(str(file)))
            compiled = same and cached.is_file()
            packed.write(cached if compiled else file, f"{file.relative_to(site)}{'c' * compiled}")
    return whole.getvalue()
