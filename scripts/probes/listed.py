"""The probes. Adding one is adding an entry to one of the lists."""

from __future__ import annotations

from probes import files, kernel, routes, works

PROBES = [*works.PROBES, *routes.PROBES, *files.PROBES, *kernel.PROBES]
