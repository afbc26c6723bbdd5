"""Replies of models that several sessions of one task share, beside their files: paid by the first, used by all.

A file for each reply in a folder for each task, named by the hash of the request. It is on disk before anything uses
it, so a kill loses none. Unlike the ledger it also has replies that could not be read: they were paid as well.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from selfheal_tui.errors import SessionError
from selfheal_tui.llm.base import Completion, Request, Usage
from selfheal_tui.walled import read_below
from selfheal_tui.whole_file import write_whole

from .ledger import request_key
from .own_files import check_folder

_MOST_BYTES = 50_000_000


class SharedReplies:
    """The shared replies of one task."""

    def __init__(self, folder: Path, payer: str) -> None:
        """`payer` names who asks, and so pays for what nobody has asked before."""
        self._folder = folder
        self._payer = payer

    async def find(self, provider: str, request: Request) -> Completion | None:
        """Return the whole reply that was paid for this very request; None when nobody has asked it."""
        return await asyncio.to_thread(self._find, request_key(provider, request))

    def _find(self, key: str) -> Completion | None:
        # The folder of all tasks is the wall: a link in the place of this task's leads out of it.
        row = _read(self._folder.parent, f"{self._folder.name}/{key}.json")
        return (
            None if row is None else Completion(**{**row["completion"], "usage": Usage(**row["completion"]["usage"])})
        )

    async def keep(self, provider: str, request: Request, completion: Completion) -> None:
        """Write a reply down that was paid now; one that is there stays. Raises: SessionError."""
        key = request_key(provider, request)
        row = {
            "paid_by": self._payer,
            "role": request.role,
            "model": f"{provider}:{request.model}",
            "completion": asdict(completion),
        }
        # A thread goes on where its caller is cancelled: what was paid gets to the disk.
        await asyncio.to_thread(self._keep, f"{key}.json", row)

    def _keep(self, name: str, row: dict[str, Any]) -> None:
        path = self._folder / name
        try:
            if not path.exists():
                check_folder(self._folder)
                self._folder.mkdir(parents=True, exist_ok=True)
                write_whole(path, json.dumps(row).encode("utf-8"))
        except OSError as error:
            raise SessionError(f"{path} cannot be written ({error.strerror}).") from error


def read_payments(folder: Path) -> Iterator[tuple[str, Usage]]:
    """Yield who paid and what, for each reply below a folder that holds the folders of tasks."""
    for path in sorted(folder.glob("*/*.json")):
        row = _read(folder, str(path.relative_to(folder)))
        if row is not None:
            yield str(row["paid_by"]), Usage(**row["completion"]["usage"])


def _read(folder: Path, name: str) -> dict[str, Any] | None:
    """Return a reply's file; None where there is none. Raises: SessionError for one that is damaged."""
    try:
        row = json.loads(read_below(folder, Path(name), _MOST_BYTES))
        Completion(**{**row["completion"], "usage": Usage(**row["completion"]["usage"])})
        str(row["paid_by"])
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SessionError(f"{folder / name} cannot be read ({error.strerror}).") from error
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise SessionError(
            f"{folder / name} is damaged: it holds no reply.", "Delete that file: its call is then made again."
        ) from error
    return dict(row)
