"""A bug that ends a run leaves its traceback in the run's folder: nobody may read the terminal of a run of hours."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from selfheal_tui.errors import SelfHealError
from selfheal_tui.store.clock import now_at

FILE_NAME = "crash.txt"


@contextmanager
def reason_kept(folder: Path) -> Iterator[None]:
    """Add what is raised to a file in a folder, unless it is told in a sentence or is the user's own end."""
    ended = False
    try:
        yield
        ended = True
    except (SelfHealError, KeyboardInterrupt, GeneratorExit):
        ended = True
        raise
    finally:
        if not ended:
            with suppress(OSError), (folder / FILE_NAME).open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(f"{now_at()}\n{traceback.format_exc()}\n")
