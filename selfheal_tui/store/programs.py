"""Programs that were run in this session, by the hash of their normalised text, over all branches."""

from __future__ import annotations

from dataclasses import dataclass

from .session_db import SessionDB


@dataclass(frozen=True, slots=True)
class KnownProgram:
    """A program with its tests that was run before."""

    report_ref: str
    where: str
    """`iteration 2 on main`: where it was run first."""


class Programs:
    """The program table of a session's file."""

    def __init__(self, db: SessionDB, branch: str = "main") -> None:
        self._db = db
        self.branch = branch
        """The branch that runs now; the session sets it."""

    async def find(self, key: str) -> KnownProgram | None:
        """Return where a program was run; None when it never was."""
        rows = await self._db.rows("select report_ref, branch, iteration from program where key=?", (key,))
        return KnownProgram(str(rows[0][0]), _where(rows[0][2], rows[0][1])) if rows else None

    def here(self, iteration: int) -> str:
        """Return the name of an iteration of the branch that runs now."""
        return _where(iteration, self.branch)

    async def add(self, key: str, report_ref: str, iteration: int) -> None:
        """Remember a program's run; the first one counts."""
        await self._db.write("insert or ignore into program values(?,?,?,?)", (key, report_ref, self.branch, iteration))


def _where(iteration: object, branch: object) -> str:
    """Name an iteration; what holds the moments of an undone answer never got a name from anybody."""
    undone = str(branch).startswith("undone-")
    return f"iteration {iteration} (undone since)" if undone else f"iteration {iteration} on {branch}"
