"""The long way: pytest itself, warmed up before the fork, run in the child with its configuration ready made."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from _pytest.config import Config, ConftestImportFailure, _prepareconfig

from .addopts import kept_addopts, settings_file
from .fast import has_settings
from .left_out import stand_ins
from .plugin import Plugin
from .roots import module_names

_UNUSED = ("pastebin", "setuponly", "setupplan", "stepwise", "faulthandler")
"""Plug-ins of pytest itself that give tests nothing and would change a run: no fixture, no value of a conftest."""
_RUNNERS = frozenset(
    (
        "xdist",
        "xdist.looponfail",
        "pytest_cov",
        "randomly",
        "random_order",
        "rerunfailures",
        "sugar",
        "html",
        "langsmith_plugin",
        "selfheal",
    )
)
"""Plug-ins that change which cases run, how often, in which order or where, what is printed, or that send it away."""
_MAY_NAME_PLUGIN = re.compile(r"(?i)\bpytest[-_][a-z0-9_-]+|\banyio\b|\bhypothesis\b|\bsyrupy\b")
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


@cache
def _installed() -> dict[str, str]:
    """Return name -> distribution of each plug-in of this interpreter's own environment."""
    return {
        point.name: point.dist.name.lower().replace("_", "-")
        for point in entry_points(group="pytest11")
        if point.dist is not None and Path(str(point.dist.locate_file(""))).is_relative_to(sys.prefix)
    }


def _plugins() -> dict[str, str]:
    """Return distribution -> name of each plug-in that suites may need."""
    return {dist: name for name, dist in _installed().items() if name not in _RUNNERS}


def _named_plugins(job: Mapping[str, Any]) -> list[str]:
    """Return the plug-ins that a file of the suite names, as `pytest-mock` in pyproject.toml."""
    texts = [text for text in job["files"].values() if isinstance(text, str)]
    words = {word.replace("_", "-").lower() for text in texts for word in _MAY_NAME_PLUGIN.findall(text)}
    return sorted(name for dist, name in _plugins().items() if dist in words) if words else []


def warm_up(folder: Path, plugins: bool) -> None:
    """Run two tiny suites, so that what pytest imports late is there before the first fork.

    With `plugins` those of the environment are in every run; without, those that a suite names.
    """
    if plugins:
        _ALWAYS.extend(sorted(_plugins().values()))
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
    _TEMPLATE.append(_prepareconfig(_arguments(_PLAIN, str(folder.parent)), stand_ins(_installed(), {})))


def run_pytest(reporter: Plugin, job: Mapping[str, Any], work: str) -> str:
    """Run the suite in this process; return one sentence when pytest itself could not run it, else nothing."""
    gc.disable()  # pytest's start makes much and frees nothing
    try:
        config = _from_template(reporter, job, Path(work)) or _prepareconfig(
            _arguments(job, work), [reporter, *stand_ins(_installed(), job["files"])]
        )
        gc.freeze()
        gc.enable()
        try:
            config.hook.pytest_cmdline_main(config=config)
        finally:
            config._ensure_unconfigure()
    except ConftestImportFailure as failure:
        reporter.conftest_failed(failure)
    except pytest.UsageError as error:
        # The folder means nothing outside of the sandbox.
        return " ".join(str(part) for part in error.args).replace(work.rstrip("/") + "/", "")
    except SystemExit as stopped:
        return f"pytest ended with {stopped.code!r}"
    return ""


_ALWAYS: list[str] = []
"""Plug-ins in every run."""
_TEMPLATE: list[Config] = []
"""A configuration read before the fork: reading it is two thirds of what a small suite costs."""


def _from_template(reporter: Plugin, job: Mapping[str, Any], work: Path) -> Config | None:
    """Return the ready configuration moved to this run's folder, None where the run brings its own settings.

    pytest 8.4 has no call for it; tests/contract/test_sandbox.py compares `judge` with `run` to tell when it moves.
    """
    if not _TEMPLATE or has_settings(job["files"]) or job["rewrite"] or job.get("pytest_args"):
        return None
    if not _ALWAYS and _named_plugins(job):
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
    plugins = _ALWAYS or _named_plugins(job)
    config = settings_file(job["files"])
    own = {name.partition(".")[0] for name in module_names(job["files"], job.get("roots", ()))}
    kept = kept_addopts(config, str(job["files"][config]), own) if config else []
    return [
        *(part for name in _UNUSED for part in ("-p", f"no:{name}")),
        *(part for name in plugins for part in ("-p", name)),
        *(
            "-c",
            config or os.devnull,
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
        *kept,
        *job.get("pytest_args", ()),
        *job["tests"],
    ]
