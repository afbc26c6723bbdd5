"""What every test shares: no network beyond loopback, nothing of the user's environment, and a tier by its folder.

| tier | tests | |
| --- | --- | --- |
| quick | unit, property, architecture, wire | `make quick` |
| app | ui | |
| loop | engine | |
| deep | contract, e2e, security, the wheel, screens larger than 80x24, long stories | not run by a bare `pytest` |

Files and folders that are named on the command line are run whole, unless `-m` says otherwise.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.unraisableexception import gc_collect_iterations_key
from hypothesis import settings

from selfheal_tui.sandbox.registry import SANDBOXES
from selfheal_tui.search.doubt import doubt
from selfheal_tui.search.repair import repair
from tests import examples as _profiles  # noqa: F401 - registers them
from tests.searched_once import doubt_once, repair_once
from tests.warm import end_servers

TIERS = {
    **dict.fromkeys(("unit", "property", "architecture", "wire"), "quick"),
    "ui": "app",
    "engine": "loop",
    **dict.fromkeys(("contract", "e2e", "security"), "deep"),
}
"""folder -> tier."""
NOT_DEEP = "not deep"
"""The marker expression of a bare `pytest`, as pyproject.toml has it."""
HERE = Path(__file__).parent
LEFT_OUT = {NOT_DEEP: ("deep",), "quick": ("app", "loop", "deep")}
"""marker expression -> tiers whose folders need not be read."""
LARGE = ("140x45", "200x60")

# Tests start many processes: each would compile everything anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's background job ignores Ctrl-C and so do the commands it starts: ours must hear it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Run what is named whole, and try as many examples as the run has time for."""
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    chosen = any(word.startswith("-m") for word in config.invocation_params.args)
    if named and not chosen and config.option.markexpr == NOT_DEEP:
        config.option.markexpr = ""
    is_quick = config.option.markexpr in (NOT_DEEP, "quick")
    settings.load_profile("quick" if is_quick else "deep")
    # pytest ends with five full rounds of the collector, and CPython needs one.
    config.stash[gc_collect_iterations_key] = 1


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import a folder of which nothing is to run."""
    tier = TIERS.get(collection_path.name, "") if collection_path.parent == HERE else ""
    return True if tier in LEFT_OUT.get(config.option.markexpr, ()) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test with its tier; one that is marked `deep` itself stays so."""
    for item in items:
        folder = item.path.relative_to(HERE).parts[0]
        if not item.get_closest_marker("deep"):
            item.add_marker("deep" if _is_large(item) else TIERS[folder])
        if folder == "property" and getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("property")


def pytest_collection_finish() -> None:
    """Let the collector look seldom: rounds took a third of the time of the tests in ui/."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def _is_large(item: pytest.Item) -> bool:
    """Tell whether it is about a screen larger than 80x24; there is a test of the small one beside it."""
    at = getattr(item, "callspec", None)
    return at is not None and any(size in at.id for size in LARGE)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say what was left out."""
    if config.option.markexpr == NOT_DEEP:
        terminalreporter.write_line(
            "Left out: contract, e2e and security tests, the wheel, screens larger than 80x24, long stories, "
            "and most examples of the property tests. All of it: python -m pytest -m ''"
        )


@pytest.fixture(autouse=True, scope="session")
def _warm_sandbox() -> Iterator[None]:
    """Whatever opens the local sandbox by its name, in this process, takes servers that are already there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SANDBOXES, "local", "tests.warm:WarmSandbox")
        patch.setattr("selfheal_tui.search.repair.repair", repair_once)
        patch.setattr("selfheal_tui.search.doubt.doubt", doubt_once)
        yield
    end_servers()


@pytest.fixture
def searches_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a test that needs a search to take its time."""
    monkeypatch.setattr("selfheal_tui.search.repair.repair", repair)
    monkeypatch.setattr("selfheal_tui.search.doubt.doubt", doubt)


@pytest.fixture
def cold_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a test about a run that is cut off: with a server of its own its runs are not over before that."""
    monkeypatch.setitem(SANDBOXES, "local", "selfheal_tui.sandbox.local:LocalSandbox")


@pytest.fixture(autouse=True)
def _closed_network(monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise AssertionError(f"a test reached for the network: {address}")
        real(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    for name in list(os.environ):
        if name.startswith("SELFHEAL_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.getbasetemp() / "no-config"))
    yield


def pytest_xdist_auto_num_workers() -> int:
    """Half as many workers again as there are cores: tests wait for processes of their own for a third of the time."""
    cores = os.cpu_count() or 1
    return cores + (cores + 1) // 2
