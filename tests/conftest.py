"""Fixtures that several test files share: the real tools, and a clean environment."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

from kit import tools as tool_places

settings.register_profile("any machine", deadline=None)  # how long an example takes says nothing of a rule
settings.load_profile("any machine")


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that the environment happens to hold is never used."""
    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_AUTH_TOKEN", "_OAUTH_TOKEN"))]:
        monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def tools() -> tool_places.Tools:
    """The installed srt, Node, client and cargo-agents; `make test` installs them first."""
    return tool_places.find()
