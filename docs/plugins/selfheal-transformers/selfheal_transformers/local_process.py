"""The app's end of `local_worker.py`: starts the process, sends orders, takes answers, kills it if it does not stop.

torch runs in that process: it can be ended at any moment, its memory goes with it, and when the system kills it for
lack of memory, the app lives on.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import selfheal_transformers as ours
import selfheal_tui
from selfheal_tui.plugins.providers import one_line, secrets

_PLACES = dict.fromkeys(str(Path(one.__file__ or "").resolve().parents[1]) for one in (selfheal_tui, ours))
"""Where selfheal and this package are, which need not be installed side by side."""
_CODE = "import sys; sys.path[:0] = sys.argv[1:]; from selfheal_transformers.local_worker import main; main()"
_OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "TOKENIZERS_PARALLELISM": "false"}
_MAX_LINE = 1 << 20
_LAST_BYTES = 4096


class WorkerDied(Exception):
    """The process ended by itself."""

    def __init__(self, code: int, last_words: str) -> None:
        super().__init__(last_words)
        self.code = code
        """Its exit code; a signal's number, negative, when one killed it."""
        self.last_words = last_words
        """The last line that it wrote to stderr."""


class LocalProcess:
    """One worker; made by `start`."""

    def __init__(self, process: asyncio.subprocess.Process, errors: Any) -> None:
        self._process = process
        self._errors = errors

    @classmethod
    async def start(cls) -> LocalProcess:
        """Start a worker; it imports nothing heavy before its first order."""
        errors = tempfile.TemporaryFile()  # noqa: SIM115
        # -P: a `torch.py` in the user's project is not torch. A session of its own: Ctrl-C is ours to answer.
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-c", _CODE, *_PLACES),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            env={name: value for name, value in os.environ.items() if name not in secrets()} | _OFFLINE,
            start_new_session=True,
            limit=_MAX_LINE,
        )
        return cls(process, errors)

    @property
    def is_alive(self) -> bool:
        """Whether its end has not been noticed yet."""
        return self._process.returncode is None

    async def send(self, order: Mapping[str, Any]) -> None:
        """Send an order; if the process has ended, the next `take` says so."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        try:
            await self._process.stdin.drain()
        except ConnectionError:
            pass

    async def take(self) -> dict[str, Any]:
        """Return the next line of an answer. Raises: WorkerDied."""
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        if line.endswith(b"\n"):
            answer: dict[str, Any] = json.loads(line)
            return answer
        code = await self._process.wait()
        raise WorkerDied(code, self._last_words())

    async def kill(self) -> None:
        """End it at once; may be called again."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.kill()
        except ProcessLookupError:
            pass
        await self._process.wait()
        self._errors.close()

    def _last_words(self) -> str:
        if self._errors.closed:
            return ""
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - _LAST_BYTES))
        lines = self._errors.read().decode("utf-8", "replace").splitlines()
        return one_line(next((line for line in reversed(lines) if line.strip()), ""), 160)
