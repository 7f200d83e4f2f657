"""Flat rows as the bytes of a file: CSV, or Parquet where pyarrow (an extra) is installed.

It writes what rows.py made, column by column, and nothing else. A file that a reader reads as other values is
this module's fault.
"""

from __future__ import annotations

import csv
import importlib
import io
import sys
from collections.abc import Callable, Sequence
from typing import Any

from kit.contract import Exit, Stop
from kit.documents import Document
from reports import rows

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would compute a text that begins so


def as_csv(found: Sequence[Document]) -> bytes:
    """UTF-8, a head line, \\n; null is an empty cell, a text that a spreadsheet would compute gets a '."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(rows.columns())
    for row in found:
        writer.writerow([cell(row[name]) for name in rows.columns()])
    return file.getvalue().encode("utf-8", "backslashreplace")


def cell(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def as_parquet(found: Sequence[Document]) -> bytes:
    try:
        arrow: Any = importlib.import_module("pyarrow")
        parquet: Any = importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        install = f"{sys.executable} -m pip install pyarrow"
        raise Stop(
            Exit.UNAVAILABLE, f"pyarrow: not installed, and --to parquet needs it; `{install}`"
        ) from error
    types = {
        "string": arrow.string(),
        "integer": arrow.int64(),
        "number": arrow.float64(),
        "boolean": arrow.bool_(),
    }
    fields = [
        arrow.field(name, types[kind], metadata={"description": meaning})
        for name, (kind, meaning) in rows.columns().items()
    ]
    held = [{name: row[name] for name in rows.columns()} for row in found]
    sink = io.BytesIO()
    parquet.write_table(arrow.Table.from_pylist(held, schema=arrow.schema(fields)), sink)
    return sink.getvalue()


WRITERS: dict[str, Callable[[Sequence[Document]], bytes]] = {"csv": as_csv, "parquet": as_parquet}
