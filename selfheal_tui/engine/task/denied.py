"""What failing cases asked for and the sandbox does not give: files elsewhere, files not copied, the network."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from selfheal_tui.sandbox.allowance import NETWORK, READS, allowed_of
from selfheal_tui.sandbox.base import CaseResult, SuiteReport
from selfheal_tui.text import one_line, plural

from .not_copied import why_not_copied

_NO_FILE = re.compile(r"FileNotFoundError: \[Errno 2\] .*?: (?:b?)'([^']+)'")
_NOT_WRITABLE = re.compile(r"OSError: \[Errno 30\] .*?: (?:b?)'([^']+)'")
_PERMISSION = re.compile(r"PermissionError: \[Errno 13\] .*?: (?:b?)'([^']+)'")
_NETWORK = re.compile(
    r"Temporary failure in name resolution|Name or service not known|Network is unreachable|ConnectionRefusedError"
    r"|\bsocket\.gaierror\b|\bgaierror:|<urlopen error \[Errno 1\]"
)
_REFUSED_CALL = re.compile(r"PermissionError: \[Errno 1\] Operation not permitted$")
_OPENS_SOCKET = re.compile(r"socket|connect|server|http|listen|bind", re.IGNORECASE)
"""In a line of the failing case: a system call that was refused there was a socket's."""
_FRAME = re.compile(r"\S.*\.py:\d+(?: in (.+))?")
_MAY_BE_EARNED = re.compile(rf"{_NOT_WRITABLE.pattern}|{_PERMISSION.pattern}|ConnectionRefusedError")
_COPY = re.compile(r"^(?:/box/run|.*/run-\d+)/work/(.+)$")
"""A path in the throw-away folder that tests run in."""
_MOST = 4


class Denied(NamedTuple):
    """What a case asked for and the sandbox does not give."""

    did: str = ""
    """What the case did, after its name; empty where it failed for something else."""
    why: str = ""
    """Why that fails in the sandbox, after `did`."""
    lacks: str = ""
    """What would allow it, as a report's `isolation` names that; empty where no flag does."""
    purpose: str = ""
    """What the flag is for: `to allow it`."""
    flag: str = ""
    """The flag that allows it: `--allow-network`; empty where none does."""

    @property
    def words(self) -> str:
        """Say what the case did, why that fails, and which flag allows it."""
        return f"{self.did}{self.why}" + (f"; {self.purpose}: {self.flag}" if self.flag else "")

    @property
    def brief(self) -> str:
        """Say what the case did in a few words: `needs the network: --allow-network`."""
        return self.did + (f": {self.flag}" if self.flag else "")


def denied_words(report: SuiteReport, files: Collection[str], root: str | None) -> list[str]:
    """Say what of a run the sandbox denied, a sentence for each thing that was asked for.

    `files` are the paths that were copied from `root`.
    """
    allowed = allowed_of(report.get("isolation", ()))
    asked: dict[str, list[str]] = {}
    for case in report["cases"]:
        if case["outcome"] in ("failed", "error") and (words := _asked_for(case, files, root, allowed).words):
            asked.setdefault(words, []).append(case["id"])
    sentences = [f"{_names(cases)} {words}." for words, cases in asked.items()]
    more = len(sentences) - _MOST
    return [*sentences[:_MOST], f"The sandbox denied {more} more such things."] if more > 0 else sentences


def blocked_cases(report: SuiteReport, files: Collection[str], root: str | None) -> dict[str, str]:
    """Return the cases that fail for what the sandbox keeps from them -> the sentence about all that ask for the same.

    A refusal that the program may have earned by a wrong path, port or process is not among them.
    """
    asked: dict[str, list[str]] = {}
    for case, denied in _blocked(report, files, root).items():
        asked.setdefault(denied.words, []).append(case)
    return {case: f"{_names(cases)} {words}." for words, cases in asked.items() for case in cases}


def blocked_briefs(report: SuiteReport, files: Collection[str], root: str | None) -> dict[str, str]:
    """Return `blocked_cases` -> why, in a few words."""
    return {case: denied.brief for case, denied in _blocked(report, files, root).items()}


def lacking(report: SuiteReport, files: Collection[str], root: str | None) -> dict[str, str]:
    """Return those of `blocked_cases` that a flag would let run -> what it allows, as in a report's `isolation`."""
    return {case: denied.lacks for case, denied in _blocked(report, files, root).items() if denied.lacks}


def _blocked(report: SuiteReport, files: Collection[str], root: str | None) -> dict[str, Denied]:
    allowed = allowed_of(report.get("isolation", ()))
    blocked: dict[str, Denied] = {}
    for case in report["cases"]:
        if case["outcome"] not in ("failed", "error") or "::" not in case["id"]:
            continue
        is_call = bool(_REFUSED_CALL.search(case["message"])) and (NETWORK in allowed or not _asked_for_socket(case))
        may_be_earned = is_call or bool(_MAY_BE_EARNED.search(case["message"]))
        denied = Denied() if may_be_earned else _asked_for(case, files, root, allowed)
        if denied.words:
            blocked[case["id"]] = denied
    return blocked


def _asked_for(case: CaseResult, files: Collection[str], root: str | None, allowed: Collection[str]) -> Denied:
    """Return what a case did that the sandbox denies."""
    message = case["message"]
    if match := _NO_FILE.search(message):
        return _missing(match[1], files, root)
    if match := _NOT_WRITABLE.search(message) or _PERMISSION.search(message):
        path = one_line(match[1], 200)
        did, why = f"uses {path}", ": in the sandbox only the folder of the run and its TMPDIR can be written"
        is_there = _PERMISSION.search(message) and os.path.isabs(match[1]) and os.access(match[1], os.R_OK)
        if not is_there:
            return Denied(did, why)
        return Denied(did, why, f"{READS}{match[1]}", "to let tests read it", f"--allow-read {shlex.quote(path)}")
    if NETWORK not in allowed and _NETWORK.search(message):
        return Denied(
            "needs the network", ", which the sandbox does not have", NETWORK, "to allow it", "--allow-network"
        )
    if _REFUSED_CALL.search(message):
        calls = _asked_for_socket(case)
        if calls and NETWORK not in allowed:
            why = ": the sandbox has no network"
            return Denied("was refused a socket", why, NETWORK, "to allow it", "--allow-network")
        return Denied(f"was refused {'a socket' if calls else 'a system call'}", ": the sandbox has no privileges")
    return Denied()


def _asked_for_socket(case: CaseResult) -> bool:
    """Tell whether a case that was refused a system call asked for a socket; the names of its files do not count."""
    rows = (_FRAME.sub(lambda frame: frame[1] or "", row) for row in case["traceback"].splitlines())
    return any(_OPENS_SOCKET.search(row) for row in rows)


def _missing(path: str, files: Collection[str], root: str | None) -> Denied:
    """Say why a file that is there was not found in the sandbox; nothing where it is not there either."""
    copy = _COPY.match(path)
    relative = copy[1] if copy else "" if os.path.isabs(path) else os.path.normpath(path)
    if relative:
        is_there = root is not None and not relative.startswith("..") and os.path.lexists(Path(root, relative))
        if not is_there or relative in files:
            return Denied()
        return Denied(
            f"opens {one_line(relative, 200)}",
            f", which was not copied: {why_not_copied(relative, files, Path(root or '.'))}",
        )
    if path.startswith("/proc/") or os.path.lexists(path):
        shown = one_line(path, 200)
        did, why = f"opens {shown}", ", which is not shown in the sandbox"
        if path.startswith("/proc/"):
            return Denied(did, why)
        return Denied(did, why, f"{READS}{path}", "to show it", f"--allow-read {shlex.quote(shown)}")
    return Denied()


def _names(cases: list[str]) -> str:
    return one_line(cases[0], 120) + (f", like {plural(len(cases) - 1, 'other case')}," if len(cases) > 1 else "")
