"""kit.uids: every trial has a uid that is nobody else's (I04)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kit import uids
from kit.contract import Exit, Stop

ROOT = os.geteuid() == 0
needs_root = pytest.mark.skipif(not ROOT, reason="only root gives uids")
SCRIPTS = Path(uids.__file__).parents[1]
FIRST = 61900  # in the default range


@pytest.fixture(autouse=True)
def own_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(uids, "LOCKS", tmp_path / "uids")
    yield
    for uid in list(uids._held):
        uids.release(uid)


@pytest.mark.skipif(ROOT, reason="root gets one")
def test_without_root_there_is_no_uid_to_give() -> None:
    assert uids.claim(FIRST, FIRST + 9) is None


@needs_root
def test_two_claims_never_share() -> None:
    assert uids.claim(FIRST, FIRST + 1) != uids.claim(FIRST, FIRST + 1)
    with pytest.raises(Stop, match="none is free") as stop:
        uids.claim(FIRST, FIRST + 1)
    assert stop.value.code is Exit.UNAVAILABLE


@needs_root
def test_another_process_gets_another_until_this_one_is_dead(tmp_path: Path) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(SCRIPTS)!r})\nfrom pathlib import Path\nfrom kit import uids\n"
        f"uids.LOCKS = Path({str(uids.LOCKS)!r})\n"
        f"print(uids.claim({FIRST}, {FIRST + 1}), flush=True)\ninput()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with other:
        assert other.stdout
        theirs = int(other.stdout.readline())
        assert uids.claim(FIRST, FIRST + 1) == FIRST + FIRST + 1 - theirs
        with pytest.raises(Stop):
            uids.claim(theirs, theirs)
        other.kill()
    assert uids.claim(theirs, theirs) == theirs


@needs_root
def test_a_later_step_of_the_same_process_takes_the_same() -> None:
    uid = uids.claim(FIRST, FIRST + 9)
    assert uid
    assert uids.claim(uid, uid) == uid


@needs_root
def test_an_account_is_never_taken() -> None:
    with pytest.raises(Stop):
        uids.claim(0, 0)


@needs_root
def test_a_uid_that_somebody_runs_as_is_passed_over() -> None:
    with subprocess.Popen(["sleep", "60"], user=FIRST) as left_over:
        claimed = uids.claim(FIRST, FIRST + 1)
        left_over.kill()
    assert claimed == FIRST + 1


@needs_root
def test_the_uid_unused_for_longest_comes_first() -> None:
    """What a kept run left is its uid's: the next trial should be another."""
    seen = []
    for _ in range(4):
        uid = uids.claim(FIRST, FIRST + 2)
        assert uid
        seen.append(uid)
        uids.release(uid)
    assert seen == [FIRST, FIRST + 1, FIRST + 2, FIRST]
