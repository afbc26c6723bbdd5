"""What the forked child does: take its place (descriptors, limits, folder), run the suite and end at once."""

from __future__ import annotations

import _imp
import codecs
import fcntl
import json
import os
import re
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from .confine import limit
from .fast import compile_plain, portable, run_plain
from .preload import seed
from .report import Reporter
from .roots import TOP
from .sift import roles
from .split.candidate.serve import serve
from .split.judge.split import Split

_OUT, _JOB, _RESULT, _PEER = 1, 3, 4, 5
_COOKIE = re.compile(r"(?:[ \t\f]*(?:#[^\n]*)?\r?\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)")
"""The encoding that a file names (PEP 263)."""
_KEPT = ("pytest", "_pytest", "conftest", "inspect", "warnings")
"""Modules without which a run cannot end: Python itself or pytest asks for them again by name."""


class Main:
    """What a confined child does with its run; never returns.

    Status 0 says only that the run came to its end, the frames say how.
    """

    def __init__(self, tier: str, long_way: ModuleType | None) -> None:
        """`long_way` is our module of that name, None where only plain suites are run."""
        self._tier = tier
        self._long_way = long_way

    def __call__(self, fds: Sequence[int], folder: Path) -> NoReturn:
        """`fds`: order, output, results and, when there is another process to talk to, its socket."""
        _arrange_descriptors(fds)
        with open(_JOB, "rb") as file:
            job = json.loads(file.read())
        work, temporary = folder / "work", folder / "tmp"
        _write_files(work, job["files"])
        os.environ["HOME"] = str(work)
        os.environ["TMPDIR"] = tempfile.tempdir = str(temporary)
        _make_way(work, job["files"], job["roots"] if job.get("role") == "candidate" else TOP)
        limit(job, self._tier)
        seed()
        if job.get("role") == "candidate":
            serve(_PEER)
            os._exit(0)
        if job.get("role") in roles.ROLES:
            roles.play(_RESULT, job, str(work), self._long_way)
            os._exit(0)
        split = None
        if job.get("role") == "judge":
            split = Split(_PEER, job["modules"])
            split.install()
        frames = (self._long_way.Plugin if self._long_way else Reporter)(_RESULT, job, str(work), split)
        signal.signal(signal.SIGALRM, frames.on_alarm)
        compiled = None if job["rewrite"] else compile_plain(job, str(work))
        error = ""
        if compiled is None:
            error = self._long_way.run_pytest(frames, job, str(work)) if self._long_way else "it is not plain"
        else:
            if job.get("want_compiled"):
                frames.send("compiled", files=portable(compiled))
            run_plain(frames, job, compiled)
        frames.finish(error)
        os._exit(0)


def _arrange_descriptors(fds: Sequence[int]) -> None:
    """Leave 0 nothing, 1 and 2 the output pipe, 3 the order, 4 the results, 5 the other process, and no other."""
    job, out, result, *peer = fds
    placed = [(out, _OUT), (out, 2), (job, _JOB), (result, _RESULT), *((fd, _PEER) for fd in peer)]
    high = [(fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 64), target) for fd, target in placed]
    for fd, target in high:
        os.dup2(fd, target, inheritable=target in (1, 2))
    os.closerange(_PEER + 1 if peer else _PEER, 256)
    for name in ("stdout", "stderr"):
        stream = open(1 if name == "stdout" else 2, "w", 1, "utf-8", "backslashreplace", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _write_files(work: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_encoded(name, text))


def _encoded(name: str, text: str) -> bytes:
    """Return a file's bytes: by the rule of `python_encoding.py`, which is not there in the sandbox."""
    named = _COOKIE.match(text) if name.endswith(".py") and not text.isascii() else None
    if named:
        with suppress(LookupError, ValueError):
            return text.encode(codecs.lookup(named[1]).name)
    try:
        return text.encode("utf-8", "surrogateescape" if not name.endswith(".py") else "surrogatepass")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _make_way(work: Path, names: Sequence[str] | Mapping[str, str], roots: Sequence[str]) -> None:
    """Put these folders first, and forget loaded modules that Python would take from there."""
    sys.path[:0] = [str(work / root) for root in roots if (work / root).is_dir()]
    sys.argv = ["pytest"]
    for name in names:
        first = name.removeprefix("src/").split("/")[0].removesuffix(".py")
        if first not in _KEPT and not _comes_before_files(first):
            sys.modules.pop(first, None)


def _comes_before_files(name: str) -> bool:
    """Say whether Python itself takes its own module of this name, whatever lies in the folder."""
    return name in sys.builtin_module_names or _imp.is_frozen(name)
