"""What `selfheal doctor --report` writes: facts about this machine and its settings, for a report of a problem.

It holds no code, no text of a session, no key, and of the user's home folder nothing but `~` and selfheal's own places.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from selfheal_tui import __version__
from selfheal_tui.errors import InputError, SelfHealError
from selfheal_tui.provider_variables import VENDORS
from selfheal_tui.setting_values import setting_text
from selfheal_tui.settings import Settings, setting_names
from selfheal_tui.text import one_line, strip_controls
from selfheal_tui.whole_file import not_written, write_named

if TYPE_CHECKING:
    from .doctor import Finding

DEFAULT_NAME = "selfheal-report.txt"
_HEAD = "selfheal report\n"
_NOTE = (
    "Written by `selfheal doctor --report`. It holds no code, no text of a session and no key.\n"
    "Read it before you send it."
)
_PACKAGES = (
    *("textual", "rich", "langgraph", "langgraph-checkpoint", "langgraph-checkpoint-sqlite", "aiosqlite", "pytest"),
    *(
        "tree-sitter",
        "tree-sitter-python",
        "jsonschema",
        "anthropic",
        "openai",
        "ollama",
        "e2b",
        "transformers",
        "torch",
    ),
    *("textual-serve", "opentelemetry-sdk", "mlflow-skinny", "ray", "bandit", "pyarrow"),
)
_TERMINAL = (
    *("TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "NO_COLOR", "LANG", "LC_ALL", "LC_CTYPE"),
    *("TEXTUAL_DRIVER", "WT_SESSION", "TMUX", "STY", "SSH_CONNECTION"),
)
_ONLY_SET = ("WT_SESSION", "TMUX", "STY", "SSH_CONNECTION")
"""Their values name processes and addresses: it is told that they are set."""
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH|HEADERS", re.IGNORECASE)
_SECRET_FORM = re.compile(
    r"\b(?:(?:sk|pk|rk|ghp|gho|ghs|glpat|xox[abp]|hf|e2b)[-_]|AKIA)[A-Za-z0-9_-]{10,}"
    r"|\beyJ[\w.-]{20,}|(?<![A-Za-z0-9])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{24,}"
)
_SHORTEST = 6
_OWN_PLACES = ("~/.local/share/selfheal", "~/.config/selfheal")
_NEWEST = 50


class Masking:
    """Takes out of a line what nobody else should read: keys, the home folder, the folder one stands in."""

    def __init__(self, environ: Mapping[str, str], home: Path, folder: Path, places: Iterable[Path] = ()) -> None:
        """`places` are paths that may stand in a line, also with blanks in them."""
        from selfheal_tui.engine.out.export.redact import Redaction

        self._keys = Redaction(environ)
        self._named = {
            value: f"[{name}]"
            for name, value in environ.items()
            if _SECRET_NAME.search(name) and len(value) >= _SHORTEST and not value.startswith("/")
        }
        self._home = str(home)
        known = {str(path): self._place(path) for path in places if path.is_absolute()}
        self._places = {**known, str(folder): "FOLDER"} if folder not in (home, Path("/")) else known

    def line(self, text: str) -> str:
        """Return one line without it."""
        text = self._keys.text(text)
        for value, name in self._named.items():
            text = text.replace(value, name)
        text = _SECRET_FORM.sub("[hidden]", text)
        for path in sorted(self._places, key=len, reverse=True):
            text = text.replace(path, self._places[path])
        if len(self._home) > 1:
            text = re.sub(rf"(?<![\w.~-]){re.escape(self._home)}(?![\w.-])[^\s,;:()'\"]*", self._of_home, text)
        return strip_controls(one_line(text, 1000))

    def _of_home(self, found: re.Match[str]) -> str:
        return self._place(Path(found[0]))

    def _place(self, path: Path) -> str:
        text = str(path)
        if len(self._home) <= 1 or not path.is_relative_to(self._home):
            return text
        short = "~" + text.removeprefix(self._home)
        return short if short == "~" or short.startswith(_OWN_PLACES) else "~/..."


def write_report(name: str, settings: Settings, findings: Sequence[Finding]) -> None:
    """Write the report to a file, or to stdout for `-`. Raises: InputError."""
    text = build_report(settings, findings, os.environ, Path.home(), Path.cwd())
    if name == "-":
        print(text, end="")
        return
    path = Path(name)
    try:
        if path.is_file() and path.read_text("utf-8", "replace")[: len(_HEAD)] != _HEAD:
            raise InputError(f"{path} is there already, and is no report.", "Name another place: --report FILE")
        write_named(path, text.encode())
    except OSError as error:
        raise not_written(path, error) from error
    print(f"{path} is written. Read it, then put it into your report of the problem.")


def build_report(
    settings: Settings, findings: Sequence[Finding], environ: Mapping[str, str], home: Path, folder: Path
) -> str:
    """Build the report's text; `folder` is where the user stands."""
    places = [
        settings.sessions,
        Path(sys.executable),
        Path(sys.prefix),
        *([settings.prompts] if settings.prompts else []),
    ]
    masking = Masking(environ, home, folder, [*places, Path(settings.python or "."), *map(Path, settings.allow_read)])
    parts = {
        "versions": _versions(),
        "doctor": [f"{'ok' if one.ok else '-':<3} {one.subject:<9} {one.text}" for one in findings],
        "settings that were set": _settings(settings),
        "variables of providers that are set": _variables(environ),
        "terminal": _terminal(environ),
        f"how the newest sessions stand (at most {_NEWEST})": _sessions(settings),
    }
    lines = [_NOTE]
    for title, rows in parts.items():
        lines += ["", f"## {title}", "", *(masking.line(row) for row in rows or ["none"])]
    return _HEAD + "\n" + "\n".join(lines) + "\n"


def _versions() -> list[str]:
    rows = [
        f"selfheal {__version__}",
        f"Python {platform.python_version()} ({platform.python_implementation()})",
        f"{platform.system()} {platform.release()} {platform.machine()}",
        f"SQLite {sqlite3.sqlite_version}",
        f"{os.cpu_count()} processors",
    ]
    for name in _PACKAGES:
        try:
            rows.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    return rows


def _settings(settings: Settings) -> list[str]:
    rows = []
    for name in setting_names():
        value, origin = getattr(settings, name), settings.origins.get(name, "")
        if not origin.startswith("default"):
            text = setting_text(name, str(value) if isinstance(value, Path) else value)
            rows.append(f"{name} = {one_line(text, 200) or 'none'} (from {origin})")
    return rows + [f"left out of this folder: {one.name}" for one in settings.left_out]


def _variables(environ: Mapping[str, str]) -> list[str]:
    return [name for vendor in VENDORS.values() for name in vendor.names if environ.get(name)]


def _terminal(environ: Mapping[str, str]) -> list[str]:
    size = shutil.get_terminal_size((0, 0))
    rows = [f"{size.columns}x{size.lines}" if size.columns else "no size", f"stdout {sys.stdout.encoding}"]
    return rows + [f"{n} is set" if n in _ONLY_SET else f"{n}={environ[n]}" for n in _TERMINAL if environ.get(n)]


def _sessions(settings: Settings) -> list[str]:
    """Say how sessions ended, and of failures what failed and when; no title, reason or id."""
    from selfheal_tui.store.sessions import SessionStore

    store = SessionStore(settings.sessions)
    try:
        rows = [store.row(session_id) for session_id in store.ids()[:_NEWEST]]
    except (OSError, SelfHealError) as error:
        return [f"cannot be read: {type(error).__name__}"]
    counts = Counter(row.outcome for row in rows)
    lines = [f"{count} {outcome}" for outcome, count in counts.most_common()]
    return lines + [
        f"{row.updated_at[:16]} {row.outcome}: {row.failure or 'unknown'}"
        for row in rows
        if row.outcome in ("failed", "damaged", "other_version")
    ]
