"""What the forked child does: take its place (descriptors, limits, folder), then run pytest and end at once."""

from __future__ import annotations

import fcntl
import gc
import json
import os
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NoReturn

import pytest
from _pytest.config import Config, ConftestImportFailure, _prepareconfig

from .confine import limit
from .fast import compile_plain, portable, run_plain
from .plugin import Plugin
from .preload import seed
from .split.candidate import serve
from .split.proxies import Split

_OUT, _JOB, _RESULT, _PEER = 1, 3, 4, 5
_CONFIGS = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
_UNUSED = ("cacheprovider", "junitxml", "pastebin", "doctest", "setuponly", "setupplan", "faulthandler")
_PLAIN = {"files": {}, "tests": [], "rewrite": False}
_WARM = """
import unittest
import pytest
@pytest.mark.parametrize("n", [0, 1])
def test_warm(tmp_path, capsys, n):
    assert [1] == [n]
class Warm(unittest.TestCase):
    def test_warm(self):
        self.assertEqual(1, 1)
"""


def warm_up(folder: Path) -> None:
    """Run two tiny suites, so that what pytest imports late is there before the first fork."""
    folder.mkdir()
    (folder / "test_warm.py").write_text(_WARM)
    os.chdir(folder)
    with open(os.devnull, "wb") as sink:
        for rewrite in (True, False):
            job = {"files": {}, "tests": ["test_warm.py"], "nonce": "", "case_time_s": 60.0, "rewrite": rewrite}
            if error := run_pytest(Plugin(sink.fileno(), job, str(folder)), job, str(folder)):
                sys.exit(error)
            sys.modules.pop("test_warm", None)
            sys.path.remove(str(folder))
    os.chdir(folder.parent)
    _TEMPLATE.append(_prepareconfig(_arguments(_PLAIN, str(folder.parent)), []))


class Main:
    """What a confined child does with its run; never returns.

    Status 0 says only that the run came to its end, the frames say how.
    """

    def __init__(self, tier: str) -> None:
        self._tier = tier

    def __call__(self, fds: Sequence[int], folder: Path) -> NoReturn:
        """`fds`: order, output, results and, when there is another process to talk to, its socket."""
        _arrange_descriptors(fds)
        with open(_JOB, "rb") as file:
            job = json.loads(file.read())
        work, temporary = folder / "work", folder / "tmp"
        _write_files(work, job["files"])
        os.environ["HOME"] = str(work)
        os.environ["TMPDIR"] = tempfile.tempdir = str(temporary)
        _make_way(work, job["files"])
        limit(job, self._tier)
        seed()
        if job.get("role") == "candidate":
            serve(_PEER)
            os._exit(0)
        split = None
        if job.get("role") == "judge":
            split = Split(_PEER, job["modules"])
            split.install()
        frames = Plugin(_RESULT, job, str(work), split)
        signal.signal(signal.SIGALRM, frames.on_alarm)
        compiled = None if job["rewrite"] else compile_plain(job, str(work))
        error = ""
        if compiled is None:
            error = run_pytest(frames, job, str(work))
        else:
            if job.get("want_compiled"):
                frames.send("compiled", files=portable(compiled))
            run_plain(frames, job, compiled)
        frames.finish(error)
        os._exit(0)


def run_pytest(reporter: Plugin, job: Mapping[str, Any], work: str) -> str:
    """Run the suite in this process; return one sentence when pytest itself could not run it, else nothing."""
    gc.disable()  # pytest's start makes much and frees nothing
    try:
        config = _from_template(reporter, job, Path(work)) or _prepareconfig(_arguments(job, work), [reporter])
        gc.freeze()
        gc.enable()
        try:
            config.hook.pytest_cmdline_main(config=config)
        finally:
            config._ensure_unconfigure()
    except ConftestImportFailure as failure:
        reporter.conftest_failed(failure)
    except pytest.UsageError as error:
        return " ".join(str(part) for part in error.args)
    except SystemExit as stopped:
        return f"pytest ended with {stopped.code!r}"
    return ""


_TEMPLATE: list[Config] = []
"""A configuration read before the fork: reading it is two thirds of what a small suite costs."""


def _from_template(reporter: Plugin, job: Mapping[str, Any], work: Path) -> Config | None:
    """Return the ready configuration moved to this run's folder, None where the run brings its own settings.

    pytest 8.4 has no call for it; tests/contract/test_sandbox.py compares `judge` with `run` to tell when it moves.
    """
    own = any(name in _CONFIGS or PurePosixPath(name).name == "conftest.py" for name in job["files"])
    if not _TEMPLATE or own or job["rewrite"] or job.get("pytest_args"):
        return None
    config = _TEMPLATE[0]
    config.invocation_params = Config.InvocationParams(args=(), plugins=(reporter,), dir=work)
    config._rootpath = config.pluginmanager._confcutdir = work
    for options in (config.option, config.known_args_namespace):
        options.rootdir = options.confcutdir = str(work)
    config.option.maxfail = 1 if job.get("stop_on_failure") else 0
    config.args_source = Config.ArgsSource.ARGS
    config.args = list(job["tests"]) or [str(work)]
    config.pluginmanager.register(reporter)
    return config


def _arguments(job: Mapping[str, Any], work: str) -> list[str]:
    config = next((name for name in _CONFIGS if name in job["files"]), os.devnull)
    return [
        *(part for name in _UNUSED for part in ("-p", f"no:{name}")),
        *(
            "-c",
            config,
            "--rootdir",
            work,
            "--confcutdir",
            work,
            "-o",
            "addopts=",
            "-W",
            "ignore::pytest.PytestConfigWarning",
        ),
        *("--import-mode=prepend", "--capture=no", "--tb=native", "-qq", "--no-header", "--no-summary"),
        *("--continue-on-collection-errors",),
        *([] if job["rewrite"] else ["--assert=plain"]),
        *(["--maxfail=1"] if job.get("stop_on_failure") else []),
        *job.get("pytest_args", ()),
        *job["tests"],
    ]


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
        path.write_bytes(text.encode("utf-8", "surrogatepass"))


def _make_way(work: Path, names: Sequence[str] | Mapping[str, str]) -> None:
    """Put the work folder first, and forget loaded modules that a file of the program is named like."""
    sys.path[:0] = [str(work), *([str(work / "src")] if (work / "src").is_dir() else [])]
    sys.argv = ["pytest"]
    for name in names:
        first = name.removeprefix("src/").split("/")[0].removesuffix(".py")
        if first not in ("pytest", "_pytest", "conftest"):
            sys.modules.pop(first, None)
