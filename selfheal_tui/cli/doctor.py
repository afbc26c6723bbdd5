"""`selfheal doctor`: what works here, found by doing and not by asking the network."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import sqlite3
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any, NamedTuple

from selfheal_tui import __version__
from selfheal_tui.errors import SelfHealError, SettingsError
from selfheal_tui.llm.registry import PROVIDERS, open_provider
from selfheal_tui.money import json_text
from selfheal_tui.sandbox.base import Limits, Suite, run_through
from selfheal_tui.settings import Settings
from selfheal_tui.text import strip_controls

from .options import STORE_SETTINGS, add_settings
from .report import DEFAULT_NAME, write_report
from .trusting import load_from


class Finding(NamedTuple):
    """One line of the doctor's report."""

    subject: str
    ok: bool
    text: str
    plugin: dict[str, Any] | None = None
    """Of a plug-in: where it comes from, and whether it is enabled."""

    def as_json(self) -> dict[str, Any]:
        """Return it as `--json` prints it."""
        return {name: value for name, value in self._asdict().items() if name != "plugin" or value is not None}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_true", help="print a JSON list: subject, ok, text; and plugin")
    forms.add_argument(
        "--report",
        nargs="?",
        const=DEFAULT_NAME,
        metavar="FILE",
        help=f"write a report for others into a file (default: {DEFAULT_NAME}; -: stdout): versions, this table, "
        "settings, terminal, how sessions ended; without code, keys and your home folder",
    )
    add_settings(parser, STORE_SETTINGS)


def run(args: Namespace) -> int:
    """Look and report; 0 when a program can be healed here, 5 without a sandbox, 6 without a store."""
    settings = load_from(args)
    (sandbox, *layers), store = asyncio.run(_sandbox(settings)), _store(settings.sessions)
    findings = [_versions(), sandbox, *layers, store, *asyncio.run(_providers()), *_plugins(), _terminal()]
    if args.report is not None:
        write_report(args.report, settings, findings)
        return 0
    if args.json:
        print(json_text([finding.as_json() for finding in findings]))
    else:
        for finding in findings:
            mark = "ok" if finding.ok else "no" if finding.subject in ("sandbox", "store") else "-"
            print(strip_controls(f"{mark:<3} {finding.subject:<9} {finding.text}"))
    if not sandbox.ok:
        return 5
    return 0 if store.ok else 6


def _versions() -> Finding:
    return Finding("version", True, f"selfheal {__version__}, Python {platform.python_version()} on {sys.platform}")


async def _sandbox(settings: Settings) -> list[Finding]:
    """Run a passing test in the sandbox; then each layer, with the reason where it is not in force."""
    from selfheal_tui.sandbox.registry import open_sandbox

    files = {"test_doctor.py": "def test_runs():\n    assert 1 + 1 == 2\n"}
    suite = Suite(files, ("test_doctor.py",), limits=Limits(time_s=20))
    try:
        sandbox = open_sandbox(settings.sandbox, python=settings.python, allow_unsandboxed=settings.allow_unsandboxed)
        try:
            report = (await run_through(sandbox, suite)).report
            works = report["verdict"] == "passed"
            detail = ", ".join(report["isolation"]) if works else report["error"]
            layers = await sandbox.layers()
        finally:
            await sandbox.aclose()
    except SelfHealError as error:
        return [Finding("sandbox", False, str(error))]
    findings = [Finding("layer", not why, f"{name}: {why}" if why else name) for name, why in layers.items()]
    return [Finding("sandbox", works, f"{settings.sandbox}: {detail}"), *findings]


def _store(home: Path) -> Finding:
    folder = next(f for f in (home, *home.parents) if f.exists())
    try:
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
    except OSError as error:
        return Finding("store", False, f"{home} cannot be written: {error.strerror}. Give --sessions DIR.")
    free_gb = shutil.disk_usage(folder).free / 1e9
    return Finding("store", True, f"{home} (SQLite {sqlite3.sqlite_version}, {free_gb:.1f} GB free)")


async def _providers() -> list[Finding]:
    return [await _provider(name) for name in PROVIDERS]


async def _provider(name: str) -> Finding:
    """Tell whether a provider has what it needs here: a key, a package; nobody is contacted."""
    match name:
        case "search":
            return Finding("model", True, f"{name}: works without a model")
        case "scripted":
            return Finding("model", True, f"{name}: replies from a file, for tests")
    try:
        provider = open_provider(f"{name}:any")
    except SettingsError as error:
        return Finding("model", False, f"{name}: {error}")
    await provider.aclose()
    service = getattr(provider, "service", None)
    key = f"{service.key_name} is set" if service and service.key else "needs no key"
    return Finding("model", True, f"{name}: {key}; not contacted (selfheal models asks)")


def _plugins() -> list[Finding]:
    """Tell of each plug-in that is installed; only what is enabled is imported."""
    from .plugins import not_installed, plugin_states

    there = [Finding("plug-in", one.works, one.words, one.as_json()) for one in plugin_states()]
    return [*there, *(Finding("plug-in", False, line) for line in not_installed())]


def _terminal() -> Finding:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return Finding("terminal", False, "not a terminal: --headless, --json and --plain work here, the app does not")
    size = os.get_terminal_size()
    small = " (small: 80x24 or more shows everything)" if size.columns < 80 or size.lines < 24 else ""
    return Finding("terminal", True, f"{os.environ.get('TERM', 'unknown')}, {size.columns}x{size.lines}{small}")
