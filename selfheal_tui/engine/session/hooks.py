"""The user's hooks: commands that are told what a session does, beside the run; `before_apply` may refuse.

A hook that fails or is slow harms no run: what went wrong is one sentence. Hooks run one after another, in order. One
that ran out of time is not started again.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from selfheal_tui.errors import InputError
from selfheal_tui.hook_run import BLOCKS, run_hook
from selfheal_tui.hook_settings import BEFORE_APPLY, Hook
from selfheal_tui.text import plural

from ..moment.snapshot import Snapshot
from .hook_story import SessionPlace, apply_story, change_of

_MOST_WAITING = 50
"""Hooks that wait for their turn; what comes then is left out and told."""


def _as_it_is(told: Any) -> Any:
    return told


@dataclass(frozen=True, slots=True)
class HookOptions:
    """How hooks are run."""

    commands: Mapping[str, Hook]
    time_s: float = 10.0
    """The longest that one may take."""
    flags: str = ""
    """What commands need to find the session: ` --sessions FOLDER`, else empty."""
    with_diff: bool = False
    """Whether they are told the change too."""
    clean: Callable[[Any], Any] = field(default=_as_it_is)
    """Takes secrets out of plain JSON."""


class Hooks:
    """Runs the hooks of one process."""

    def __init__(self, options: HookOptions) -> None:
        self._options = options
        self._waiting: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        self._troubles: asyncio.Queue[str] = asyncio.Queue()
        self._worker: asyncio.Task[None] | None = None
        self._given_up: set[str] = set()
        self._left_out = 0

    @property
    def flags(self) -> str:
        """What commands need to find the sessions."""
        return self._options.flags

    def over(self, sessions: Path) -> Hooks:
        """Return such hooks for another sessions folder."""
        return Hooks(replace(self._options, flags=f" --sessions {shlex.quote(str(sessions))}"))

    def has(self, name: str) -> bool:
        """Tell whether the user named a command for a hook."""
        return name in self._options.commands and name not in self._given_up

    def tell(self, story: Mapping[str, Any], snapshot: Snapshot | None) -> None:
        """Let a hook be told, in its turn; waits for nothing. In a running event loop."""
        name = str(story["hook"])
        if not self.has(name):
            return
        if self._waiting.qsize() >= _MOST_WAITING:
            self._left_out += 1
            return
        self._waiting.put_nowait((name, self._as_text(story, snapshot)))
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work())

    async def troubles(self) -> AsyncGenerator[str, None]:
        """Yield a sentence for each hook that failed, as it comes, without end."""
        while True:
            yield await self._troubles.get()

    def ask_before_apply(self, place: SessionPlace, snapshot: Snapshot, writes: Mapping[str, Any]) -> str:
        """Ask the hook whether files may be written now. Blocks. Return what went wrong with it, one sentence or empty.

        Raises: InputError with the hook's own words where it says no.
        """
        if (hook := self._options.commands.get(BEFORE_APPLY)) is None:
            return ""
        story = apply_story(replace(place, flags=self.flags), snapshot, writes)
        ran = run_hook(hook, self._as_text(story, snapshot), self._options.time_s, os.environ)
        if ran.exit_code == BLOCKS:
            raise InputError(
                f"Your hook {BEFORE_APPLY} refused: {_sentence(ran.said) or 'it did not say why.'}",
                "Nothing was written. The hook stands in your settings: selfheal config.",
            )
        return (
            f"The hook {BEFORE_APPLY} {ran.trouble}; it did not refuse, so the files are written."
            if ran.trouble
            else ""
        )

    async def aclose(self) -> list[str]:
        """Wait for hooks that were told, in all as long as one may take; return what went wrong and was not said."""
        if self._worker is not None:
            try:
                await asyncio.wait_for(asyncio.shield(self._worker), self._options.time_s)
            except TimeoutError:
                self._left_out += self._waiting.qsize()
                self._drop()
                await self._worker  # the one that runs ends within its own time limit
        if self._left_out:
            self._troubles.put_nowait(f"{plural(self._left_out, 'hook')} had no time to run.")
        return [self._troubles.get_nowait() for _ in range(self._troubles.qsize())]

    def _drop(self) -> None:
        while not self._waiting.empty():
            self._waiting.get_nowait()

    async def _work(self) -> None:
        while not self._waiting.empty():
            name, told = self._waiting.get_nowait()
            if not self.has(name):
                continue
            ran = await asyncio.to_thread(
                run_hook, self._options.commands[name], told, self._options.time_s, os.environ
            )
            if not ran.in_time:
                self._given_up.add(name)
            if ran.trouble:
                again = "" if ran.in_time else "; it is not started again"
                self._troubles.put_nowait(f"The hook {name} {ran.trouble}{again}. The run is not harmed.")

    def _as_text(self, story: Mapping[str, Any], snapshot: Snapshot | None) -> str:
        told = dict(story)
        if self._options.with_diff and snapshot is not None:
            told["diff"] = change_of(str(story["hook"]), snapshot)
        return json.dumps(self._options.clean(told)) + "\n"


def place_of(session: Path, title: str, folder: Path | None) -> SessionPlace:
    """Return the place of a session whose own folder is `session`."""
    return SessionPlace(session.name, title, session.parent, folder)


def _sentence(words: str) -> str:
    """End words as a sentence does: another one follows."""
    return words if not words or words.rstrip().endswith((".", "!", "?")) else f"{words.rstrip()}."
