"""The failing cases of what pytest printed: of its short summary, else of the tracebacks above it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from selfheal_tui.python_source import parse_or_none
from selfheal_tui.text import strip_controls

from ..test_cases import case_functions

_NODE = r"(?P<id>\S.*?\.py(?:::[^\s\[]+(?:\[.*?\])?)?)"
_SUMMARY = re.compile(rf"^(?:FAILED|ERROR|SUBFAIL(?:ED)?(?:\(.*?\))?) {_NODE}(?: - .*)?$")
_VERBOSE = re.compile(rf"^{_NODE} (?:FAILED|ERROR)(?: +\[ *\d+%\])? *$")
_XDIST = re.compile(rf"^\[gw\d+\] \[ *\d+%\] (?:FAILED|ERROR) {_NODE} *$")
_PLACE = re.compile(r"^(?P<path>[^\s:][^:\n]*\.py):(?P<line>\d+): ")
_NATIVE = re.compile(r'^ *File "(?P<path>[^"\n]+\.py)", line (?P<line>\d+)')


def read_printed_run(text: str, files: Mapping[str, str]) -> list[str]:
    """Return the node ids that a printed run says failed; empty where it says none.

    `files` (path -> text) are the tests: a place in a traceback counts where one of them has a case around it.
    """
    lines = strip_controls(text).splitlines()
    for pattern in (_SUMMARY, _VERBOSE, _XDIST):
        if ids := [match["id"] for line in lines if (match := pattern.match(line.rstrip()))]:
            return list(dict.fromkeys(ids))
    return list(dict.fromkeys(case for path, line in _places(lines) if (case := _case_at(path, line, files))))


def _places(lines: list[str]) -> Iterator[tuple[str, int]]:
    for line in lines:
        if match := _PLACE.match(line) or _NATIVE.match(line):
            yield match["path"], int(match["line"][:9])


def _case_at(path: str, line: int, files: Mapping[str, str]) -> str:
    """Return the id of the case around a line, or of a test file that does not parse; empty for none."""
    own = next((name for name in files if path == name or path.endswith(f"/{name}")), None)
    if own is None:
        return ""
    if parse_or_none(files[own]) is None:
        return own
    for name, node in case_functions(files[own]).items():
        if node.lineno <= line <= (node.end_lineno or node.lineno):
            return f"{own}::{name}"
    return ""
