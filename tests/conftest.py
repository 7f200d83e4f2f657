"""Fixtures that several test files share: the real tools, and a clean environment."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from kit import tools as tool_places


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that the environment happens to hold is never used."""
    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_AUTH_TOKEN", "_OAUTH_TOKEN"))]:
        monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def tools() -> Iterator[tool_places.Tools]:
    """The installed srt, Node, client and cargo-agents; `make test` installs them first."""
    yield tool_places.find()


ROOT = Path(__file__).parents[1]
