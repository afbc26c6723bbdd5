"""Writing a result into a folder, when the caller says so: the way of `selfheal sessions apply`."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

from selfheal_tui.cli.compose import build_hooks
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.out.applying import plan_writing, write
from selfheal_tui.engine.out.before_apply import permit_for
from selfheal_tui.engine.session.hook_story import SessionPlace
from selfheal_tui.walled import named_output

from .run_settings import settings_of
from .session import look_into

if TYPE_CHECKING:
    from selfheal_tui.engine.history.saved_session import SavedSession


def write_result(session: Path, checkpoint: str, folder: str | os.PathLike[str] | None) -> list[Path]:
    """Write the program of a moment to where it came from, or into a folder; return what was written.

    Raises: InputError, and nothing is written then.
    """
    output = named_output(Path(folder)) if folder is not None else None

    async def moment(saved: SavedSession) -> tuple[Snapshot, Path | None]:
        return await saved.snapshot(checkpoint), await saved.root()

    snapshot, root = look_into(session, moment)
    writing = plan_writing(snapshot, root, session.name, output=output)
    hooks = build_hooks(settings_of({"sessions": session.parent}, None, trust=False))
    permit = permit_for(hooks, SessionPlace(session.name, snapshot.title, session.parent, root), snapshot, writing)
    if permit.trouble:
        logging.getLogger(__name__).warning(permit.trouble)
    return write(writing, session, snapshot.branch, permit)
