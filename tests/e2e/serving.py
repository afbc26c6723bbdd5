"""`selfheal serve` in a process of its own, over a session whose model is a script; and who is left of it."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.store.sessions import SessionStore
from tests.engine.driving import DIAGNOSIS, FIXED, options, repair_reply, script, shop_task

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 90.0


class Served(NamedTuple):
    """A running server."""

    process: asyncio.subprocess.Process
    address: str
    """As it was printed: it ends with the token and a slash."""
    home: Path
    session_id: str
    """Waits to be opened; asks for a diagnosis, then for a repair."""

    @property
    def outcome(self) -> str:
        """How the session stands on disk."""
        return SessionStore(self.home).row(self.session_id).outcome


@asynccontextmanager
async def served(folder: Path, *flags: str) -> AsyncIterator[Served]:
    """Serve one session on a free port; the server is killed at the end if it still runs."""
    home = folder / "sessions"
    model = script(
        folder / "replies.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "reply": repair_reply(FIXED)},
    )
    workbench = Workbench(home)
    session_id = await workbench.create(shop_task(), options(model))
    await workbench.aclose()
    command = [sys.executable, "-m", "selfheal_tui", "serve", "--port", "0", "--sessions", str(home), *flags]
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert process.stdout is not None
    try:
        address = (await asyncio.wait_for(process.stdout.readline(), PATIENCE_S)).decode().strip()
        yield Served(process, address, home, session_id)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def alive(pids: set[int]) -> set[int]:
    """Return those that still run; the dead that nobody has waited for do not."""
    states = {pid: _state(pid) for pid in pids}
    return {pid for pid, state in states.items() if state not in ("", "Z")}


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""
