"""The plug-in of pytest: `pytest --heal` opens selfheal on the cases that failed.

pytest loads this file in every run of an environment that selfheal is installed in: it imports nothing of selfheal, and
without the flag it does nothing. selfheal runs as a command of its own, so that pytest's exit status stays what it was.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

_FLAGS = {
    "--heal": ("app", "when cases fail, open selfheal on them"),
    "--heal=session": ("session", "when cases fail, write a session of selfheal and print the command that opens it"),
}
_FEW = 5
"""Node ids that are named one by one in a command."""
_NAME = "selfheal-heal"
_MOST_CHARACTERS = 60_000
"""Of a command; Linux allows 128 KB for one word and more for all (execve(2))."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--heal`; each form is a flag of its own, so that a path may follow it."""
    group = parser.getgroup("selfheal")
    for flag, (value, help_text) in _FLAGS.items():
        group.addoption(flag, action="store_const", const=value, dest="heal", default=None, help=help_text)


def pytest_configure(config: pytest.Config) -> None:
    """Take part only when asked, and not in a worker of pytest-xdist."""
    asked = config.getoption("heal", None)
    if asked and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Heal(asked), _NAME)


class _Heal:
    """Collects what fails, and hands it on when pytest is over."""

    def __init__(self, asked: str) -> None:
        self._asked = asked
        self._failed: dict[str, None] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember a failing case."""
        if report.failed:
            self._failed[report.nodeid] = None

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember a file that could not be collected."""
        if report.failed and report.nodeid:
            self._failed[report.nodeid] = None

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Forget what failed when the user ended the run; pytest itself ends one after an error in a test file."""
        if excinfo.typename != "Interrupted":
            self._failed.clear()

    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Open the app on the failing cases, or write their session; pytest's own words come before it."""
        if not self._failed:
            return
        if capture := config.pluginmanager.getplugin("capturemanager"):
            capture.suspend_global_capture(in_=True)
        sys.stdout.flush()
        sys.stderr.flush()
        at_terminal = all(os.isatty(number) for number in (0, 1, 2))
        if self._asked == "app" and not at_terminal:
            print(
                f"selfheal: this is no terminal; to heal what failed: {self._command(config)}",
                file=sys.stderr,
                flush=True,
            )
            return
        words = self._words()
        lines = "" if words else "".join(f"FAILED {node_id}\n" for node_id in self._failed)
        flags = ["--no-run"] if self._asked == "session" else []
        command = [sys.executable, "-m", "selfheal_tui", "fix", *(words or ["-"]), *flags]
        try:
            subprocess.run(command, input=lines or None, text=True, cwd=config.rootpath, check=False)
        except (OSError, KeyboardInterrupt) as error:
            print(f"selfheal: it could not be started: {error!r}", file=sys.stderr, flush=True)

    def _words(self) -> list[str]:
        """Return the failing cases as words of a command; none where they are too many, or one is a whole file."""
        ids = list(self._failed)
        named = all("::" in node_id for node_id in ids) and sum(map(len, ids)) < _MOST_CHARACTERS
        return ids if named else []

    def _command(self, config: pytest.Config) -> str:
        """Return the command that heals the same cases."""
        words = self._words()
        if len(words) > _FEW or not words:
            words = ["--last-failed"] if hasattr(config, "cache") else []
        return shlex.join(["selfheal", "fix", *words])
