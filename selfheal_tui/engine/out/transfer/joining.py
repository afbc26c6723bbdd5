"""A branch that went on in a copy of its session comes home: its rows are put beside those that are there.

The copy's file is a stranger's letter until it is read whole (reading.py). Of its rows only those of the branch are
taken, and those that any branch may add to: bodies, paid replies, programs that were run (`store/joining.py`).
"""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from selfheal_tui.errors import InputError
from selfheal_tui.store.joining import Joined, StrangeBranch
from selfheal_tui.store.session_db import SessionDB
from selfheal_tui.store.sessions import SessionStore

from ...moment.state import GRAPH_VERSION
from .form import from_json
from .lines import read_lines, refuse
from .reading import read_session
from .rewriting import renamed
from .writing import write_session

_HELD = {"checkpoints": "checkpoint", "writes": "value"}
"""LangGraph's tables -> the column that holds what LangGraph saved."""


def send_away(folder: Path) -> tuple[bytes, Mapping[str, str]]:
    """Return a session as a file for a copy elsewhere, and the hashes that are others there.

    Raises: InputError where a key would have to be taken out of it: the copy would go on with another program.
    """
    target = io.BytesIO()
    exported = write_session(folder, target, os.environ, "")
    if exported.redacted:
        raise InputError(
            f"The session holds a key, which never leaves this machine: {', '.join(exported.redacted)}.",
            "Run the race here, or take the key out of the files.",
        )
    return target.getvalue(), exported.refs


class Joining:
    """Brings one branch home, as often as the copy has sent it. One at a time for each session."""

    def __init__(self, db: SessionDB, branch: str, refs: Mapping[str, str]) -> None:
        """`refs`: hash of a body in the copy -> the one that it has here."""
        self._branch, self._refs = branch, refs
        self._joined = Joined(db, branch)

    async def begin(self) -> None:
        """Note what the copy starts with. Call it when the copy was made, before anything else is written."""
        await self._joined.begin()

    async def take(self, session: bytes) -> list[str]:
        """Take what is new of the branch, all of it or nothing; return its new checkpoints, oldest first.

        Raises: InputError for a file that is not, whole, a copy of this session with this branch; SessionError.
        """
        with tempfile.TemporaryDirectory(prefix="selfheal-lane-") as name:
            path = Path(name) / "lane.selfheal"
            path.write_bytes(session)
            await read_session(SessionStore(Path(name) / "read", GRAPH_VERSION), path)
            try:
                return await self._joined.take(self._bodies(path), self._rows(path))
            except StrangeBranch:
                refuse(path, f"holds moments that are not of branch {self._branch!r}")

    def _bodies(self, path: Path) -> Iterator[tuple[str, str]]:
        """Yield ref and text of each body that is the same here: together they may be most of the file."""
        for line in read_lines(path):
            if line.get("table") == "blob" and line["row"]["ref"] not in self._refs:
                yield line["row"]["ref"], line["row"]["text"]

    def _rows(self, path: Path) -> dict[str, list[dict[str, Any]]]:
        """Return the other rows by table, with the hashes of here."""
        rows: dict[str, list[dict[str, Any]]] = {}
        for line in read_lines(path):
            if "table" in line and (table := line["table"]) != "blob":
                row = renamed(line["row"], self._refs)
                if held := _HELD.get(table):
                    row[held] = from_json(row[held])
                rows.setdefault(table, []).append(row)
        return rows
