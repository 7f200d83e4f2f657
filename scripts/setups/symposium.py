"""The treatment: Symposium as after `cargo agents init`, with the task's plugins as its registry.

Never syncs: whether the first session installs the skills is what is evaluated. Never changes a plugin but
for the one adaptation that 0.5.1 needs: its manifest under both spellings, with absolute script paths. What
Symposium does not do as it should before launch is a failed check.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from kit import snapshot
from kit.plugins import MANIFESTS, PLACEHOLDER
from setups import Before, Check, Plugin, Said, folders

PUTS_SKILLS = False
CONFIGURATION: Sequence[str] = ("home/.symposium/config.toml",)
RECORDS = b"EVAL_EVIDENCE_DIR"  # a plugin that names it writes records of its own
CONFIG = """auto-sync = true
hook-scope = "global"
auto-update = "off"

[defaults]
symposium-recommendations = false
user-plugins = false

[[registry]]
name = "{name}"
path = {registry}

[logging]
level = "debug"
"""  # debug: the only place where a plugin hook's exit status appears


def populate(before: Before) -> dict[str, Plugin]:
    before.run.registry.mkdir(mode=0o755)
    (before.run.bin / "cargo-agents").symlink_to(before.stage["symposium"]["path"])
    config = before.run.home / ".symposium/config.toml"
    config.parent.mkdir()
    config.write_text(expected_config(before), "utf-8")
    return {name: put(before, name) for name in before.task["plugins"]}


def expected_config(before: Before) -> str:
    return CONFIG.format(name="eval", registry=json.dumps(str(before.run.registry)))


def put(before: Before, name: str) -> Plugin:
    """Copy one plugin; hash what evals/ holds, adapted as its copy is, with <run> for the run's path."""
    into, records = before.run.registry / name, False
    hashes: dict[str, str] = {}
    for path, data, program in folders.files(before.evals / "plugins" / name):
        adapted = str(path) in MANIFESTS
        records = records or RECORDS in data
        for spelling in MANIFESTS if adapted else (str(path),):
            if not (into / spelling).exists():  # a file system that ignores case holds one file for both
                folders.put(into / spelling, with_folder(data, into) if adapted else data, program=program)
            shown = with_folder(data, Path("<run>") / into.relative_to(before.run.root)) if adapted else data
            hashes[spelling] = hashlib.sha256(shown).hexdigest()
    return Plugin(hashes, records)


def with_folder(manifest: bytes, folder: Path) -> bytes:
    return manifest.replace(PLACEHOLDER.encode(), str(folder).encode())


def commands(before: Before) -> Sequence[Sequence[str]]:
    return [
        ["cargo-agents", "init", "--add-agent", before.client_name],
        ["cargo-agents", "--json", "plugin", "list"],
    ]


def checks(before: Before, said: Sequence[Said]) -> Iterator[Check]:
    init, listing = said
    yield Check("init", init.exit == 0, init.summary)
    unread = [answer.summary for answer in said if "failed to parse" in answer.stderr + answer.stdout]
    yield Check("config_parsed", not unread, unread[0] if unread else "no `failed to parse` in what it said")
    yield config_kept(before)
    yield plugins_listed(before, listing)
    yield hooks_registered(before)


def config_kept(before: Before) -> Check:
    """init rewrites the file: what we wrote must still be in it (hook-scope goes, being the default)."""
    file = before.run.home / ".symposium/config.toml"
    wanted, kept = tomllib.loads(expected_config(before)), parsed(file)
    del wanted["hook-scope"]
    lost = [key for key in wanted if not holds(kept.get(key), wanted[key])]
    detail = f"after init without our {', '.join(lost)}" if lost else "after init with all that we wrote"
    return Check("config_kept", not lost, f"{file}: {detail}")


def parsed(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def holds(kept: object, wanted: object) -> bool:
    """Whether all of wanted is in kept, which may say more."""
    if isinstance(wanted, dict):
        return isinstance(kept, dict) and all(holds(kept.get(key), value) for key, value in wanted.items())
    if isinstance(wanted, list):
        return isinstance(kept, list) and len(kept) == len(wanted) and all(map(holds, kept, wanted))
    return kept == wanted


def plugins_listed(before: Before, listing: Said) -> Check:
    """A manifest that this version does not read is silent: its plugin is then missing here."""
    wanted = {
        parsed(before.run.registry / name / MANIFESTS[0]).get("name", name) for name in before.task["plugins"]
    }
    listed = {plugin for provider in providers(listing.stdout) for plugin in provider.get("plugins", ())}
    missing = ", ".join(sorted(wanted - listed))
    detail = f"without {missing}" if missing else "with every plugin of the task"
    return Check(
        "plugins_listed", not missing, f"plugin list: {', '.join(sorted(listed)) or 'empty'}: {detail}"
    )


def providers(text: str) -> list[dict[str, Any]]:
    try:
        said = json.loads(text)
    except ValueError:
        return []
    return [provider for provider in said if isinstance(provider, dict)] if isinstance(said, list) else []


def hooks_registered(before: Before) -> Check:
    wanted = re.compile(
        rb"(cargo[- ]agents|symposium)\s+hook\s+%s\s+session-start" % before.client_name.encode()
    )
    for name in snapshot.take(before.run.root, before.client.CONFIGURATION):
        if (file := before.run.root / name).is_file() and wanted.search(file.read_bytes()):
            return Check("hooks_registered", True, f"{file}: SessionStart calls Symposium")
    looked = ", ".join(before.client.CONFIGURATION)
    return Check("hooks_registered", False, f"{looked}: none calls Symposium at SessionStart after init")
