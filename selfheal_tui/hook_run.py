"""Running the command of a hook: no shell, no keys, no terminal, a time limit; what it is told stands on its stdin."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from selfheal_tui.hook_settings import Hook
from selfheal_tui.provider_variables import FOREIGN_ADDRESSES, VENDORS, secrets
from selfheal_tui.text import one_line, whole_sentences

BLOCKS = 2
"""The exit code of `before_apply` that says no."""
_MOST_SAID = 4_000
"""Bytes of a hook's stderr that are read."""
_KEYS = "_API_KEY"


@dataclass(frozen=True, slots=True)
class HookRan:
    """What came of a hook."""

    exit_code: int | None
    """None where it could not be started or ran out of time."""
    said: str
    """What it wrote to stderr, as one safe line; empty for nothing."""
    trouble: str
    """What went wrong, to go on with "The hook NAME"; empty when it ended with 0."""
    in_time: bool = True


def run_hook(hook: Hook, told: str, time_s: float, environ: Mapping[str, str]) -> HookRan:
    """Run a hook to its end, or to its time limit. Blocks.

    Its stdout leads nowhere. What it starts and leaves behind goes on when it ends in time, and is killed when not.
    """
    # Files and no pipes: neither a hook that does not read nor a program that it leaves behind can hold us up.
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said:
        given.write(told.encode())
        given.seek(0)
        try:
            process = subprocess.Popen(
                hook.words,
                stdin=given,
                stdout=subprocess.DEVNULL,
                stderr=said,
                cwd=hook.folder,
                env=hook_environment(environ),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            missing = "" if hook.folder.is_dir() else f": the folder {hook.folder} is not there"
            return HookRan(None, "", f"could not be started ({one_line(why, 120)}{missing})")
        try:
            exit_code = process.wait(time_s)
        except subprocess.TimeoutExpired:
            _kill(process)
            return HookRan(None, "", f"took longer than {time_s:g} s and was ended", in_time=False)
        except BaseException:
            _kill(process)
            raise
        said.seek(0)
        words = _sentence(said.read(_MOST_SAID).decode("utf-8", "replace"))
    if exit_code == 0:
        return HookRan(0, words, "")
    how = f"failed with exit code {exit_code}" if exit_code > 0 else f"was ended by signal {-exit_code}"
    return HookRan(exit_code, words, f"{how}: {words}" if words else how)


def hook_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without what is meant for model providers: keys, headers, and addresses with passwords.

    What else ends with `_API_KEY` is left out too; a hook's own secret has another name.
    """
    taken = {*secrets(), *FOREIGN_ADDRESSES, *(name for vendor in VENDORS.values() for name in vendor.names)}
    return {name: value for name, value in environ.items() if name not in taken and not name.upper().endswith(_KEYS)}


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _sentence(text: str) -> str:
    """Return the last thing that was said: of a traceback, its last line."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return ""
    words = lines[-1] if any(line.startswith("Traceback ") for line in lines) else text
    return whole_sentences(words, 300) or one_line(words, 300)
