"""What is installed: the entry points of other packages, read from their metadata. Nothing of them is imported.

Only what is installed beside selfheal is looked at, never a file of the program that is healed.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from selfheal_tui.text import one_line

if TYPE_CHECKING:
    from importlib.metadata import Distribution

GROUPS = {
    "operator": "selfheal_tui.operators",
    "provider": "selfheal_tui.providers",
    "advisor": "selfheal_tui.advisors",
    "suite": "selfheal_tui.suites",
    "metric": "selfheal_tui.metrics",
    "exporter": "selfheal_tui.exporters",
}
"""Kind of a plug-in -> the group of its entry points."""


_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,59}", re.ASCII)
"""A name can be written in a list with commas, and be the end of a file's name; any other is no plug-in's."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """One entry point of a package."""

    kind: str
    """A key of GROUPS."""
    name: str
    package: str
    version: str
    target: str
    """`module:object`."""
    digest: str = ""
    """Of the package's modules as its installer recorded them; empty where it did not, as for an editable one."""

    @property
    def group(self) -> str:
        """The group of its entry point."""
        return GROUPS[self.kind]

    @property
    def origin(self) -> str:
        """Where it comes from: `my-rules 1.2`; foreign text made safe."""
        return one_line(f"{self.package} {self.version}", 100)

    @property
    def words(self) -> str:
        """What it is and where it comes from: `the operator 'swap' of my-rules 1.2`."""
        return f"the {self.kind} {one_line(self.name, 60)!r} of {self.origin}"


def installed() -> tuple[Plugin, ...]:
    """Return every plug-in that is installed, sorted by kind, name and package."""
    from importlib.metadata import distributions  # takes 20 ms, and few commands ask

    kinds = {group: kind for kind, group in GROUPS.items()}
    # `python -m` and notebooks import from the folder one stands in, which may be a stranger's.
    here = os.path.realpath(os.curdir)
    places = [place for place in sys.path if place and os.path.realpath(place) != here]
    plugins: list[Plugin] = []
    seen: set[str] = set()
    for found in distributions(path=places):
        points = [point for point in found.entry_points if point.group in kinds]
        package = plain_package(found.name or "") if points else ""
        if not points or package in seen:
            # The first one on the path is the one that is imported.
            continue
        seen.add(package)
        digest = _digest(found)
        plugins += [
            Plugin(kinds[point.group], point.name, package, found.version or "?", point.value, digest)
            for point in points
            if _NAME.fullmatch(point.name)
        ]
    return tuple(sorted(plugins, key=lambda one: ([*GROUPS].index(one.kind), one.name, one.package)))


def plain_package(name: str) -> str:
    """Return a package's name as all its spellings are compared (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _digest(found: Distribution) -> str:
    recorded = sorted(
        f"{file} {file.hash.mode}={file.hash.value}"
        for file in found.files or ()
        if file.suffix == ".py" and file.hash is not None and ".." not in file.parts
    )
    return hashlib.sha256("\n".join(recorded).encode()).hexdigest()[:12] if recorded else ""
