"""A second session with all that a first one holds: its file as it is now, in a folder of its own."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing

from selfheal_tui.errors import SessionError

from .readable import readable_uri
from .sessions import DB_NAME, SessionStore


def duplicate(store: SessionStore, session_id: str) -> str:
    """Copy a session, also while it is driven; return the copy's id.

    What the user allowed the tests of the first one does not hold for the copy. Raises: InputError when there is none
    or nothing can be written, SessionError when it is damaged.
    """
    source = store.folder(session_id)
    copy_id, folder = store.create_folder(store.row(session_id).title)
    try:
        with (
            readable_uri(source / DB_NAME) as uri,
            closing(sqlite3.connect(uri, uri=True, timeout=5)) as original,
            closing(sqlite3.connect(folder / DB_NAME)) as copied,
        ):
            original.backup(copied)
    except (sqlite3.Error, OSError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise SessionError(f"Session {session_id} cannot be copied ({error}).") from error
    return copy_id
