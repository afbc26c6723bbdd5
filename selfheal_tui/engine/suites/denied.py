"""What failing cases asked for and the sandbox does not give: files elsewhere, files not copied, the network."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from pathlib import Path

from selfheal_tui.sandbox.base import CaseResult, SuiteReport
from selfheal_tui.text import one_line, plural

_NO_FILE = re.compile(r"FileNotFoundError: \[Errno 2\] .*?: (?:b?)'([^']+)'")
_NOT_WRITABLE = re.compile(r"OSError: \[Errno 30\] .*?: (?:b?)'([^']+)'")
_PERMISSION = re.compile(r"PermissionError: \[Errno 13\] .*?: (?:b?)'([^']+)'")
_NETWORK = re.compile(
    r"Temporary failure in name resolution|Name or service not known|Network is unreachable|ConnectionRefusedError"
    r"|\bsocket\.gaierror\b|\bgaierror:"
)
_REFUSED_CALL = re.compile(r"PermissionError: \[Errno 1\] Operation not permitted$")
_COPY = re.compile(r"^(?:/box/run|.*/run-\d+)/work/(.+)$")
"""A path in the throw-away folder that tests run in."""
_MOST = 4


def denied_words(report: SuiteReport, files: Collection[str], root: str | None) -> list[str]:
    """Say what of a run the sandbox denied, a sentence for each thing that was asked for.

    `files` are the paths that were copied from `root`.
    """
    asked: dict[str, list[str]] = {}
    for case in report["cases"]:
        if case["outcome"] in ("failed", "error") and (words := _asked_for(case, files, root)):
            asked.setdefault(words, []).append(case["id"])
    sentences = [f"{_names(cases)} {words}." for words, cases in asked.items()]
    more = len(sentences) - _MOST
    return [*sentences[:_MOST], f"The sandbox denied {more} more such things."] if more > 0 else sentences


def _asked_for(case: CaseResult, files: Collection[str], root: str | None) -> str:
    """Return what a case did that the sandbox denies, after its name; empty where it failed for something else."""
    message = case["message"]
    if match := _NO_FILE.search(message):
        return _missing(match[1], files, root)
    if match := _NOT_WRITABLE.search(message) or _PERMISSION.search(message):
        path = one_line(match[1], 200)
        return f"uses {path}: in the sandbox only the folder of the run and its TMPDIR can be written"
    if _NETWORK.search(message):
        return "needs the network, which the sandbox does not have"
    if _REFUSED_CALL.search(message):
        calls = "socket" in case["traceback"] or "connect" in case["traceback"]
        return f"was refused {'a socket' if calls else 'a system call'}: the sandbox has no network and no privileges"
    return ""


def _missing(path: str, files: Collection[str], root: str | None) -> str:
    """Say why a file that is there was not found in the sandbox; empty where it is not there either."""
    copy = _COPY.match(path)
    relative = copy[1] if copy else "" if os.path.isabs(path) else os.path.normpath(path)
    if relative:
        is_there = root is not None and not relative.startswith("..") and os.path.lexists(Path(root, relative))
        if not is_there or relative in files:
            return ""
        return (
            f"opens {one_line(relative, 200)}, which was not copied: it is no text, over 256 KB, hidden, "
            "or ignored by git"
        )
    if path.startswith("/proc/") or os.path.lexists(path):
        return f"opens {one_line(path, 200)}, which is not shown in the sandbox"
    return ""


def _names(cases: list[str]) -> str:
    return one_line(cases[0], 120) + (f", like {plural(len(cases) - 1, 'other case')}," if len(cases) > 1 else "")
