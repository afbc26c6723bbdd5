"""Which files of the frozen copy a request holds, in whole or in part: told from its text alone. Pure.

Prompts put each file under a header with its path. What comes another way (a program that prints a file, a traceback,
a tool's look at a function) is known by its lines. A text that was encoded in some way is not known again.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from selfheal_tui.store.sent import SentFile

from ..moment.workspace import Workspace

_LEAST_LINE = 16
"""Characters of a line that tells its file; shorter ones are in any program."""
_LEAST_WHOLE = 6
"""Characters of a file that is known without its path; less is in any text."""
_NUMBERED = re.compile(r"^ *\d+ ")


def files_sent(text: str, workspace: Workspace) -> list[SentFile]:
    """Return the files of a workspace that a request's text holds; tests that a model wrote are not among them."""
    own = workspace.origins
    files = {
        path: [now, *([original] if (original := workspace.base.get(path)) not in (None, now) else [])]
        for path, now in workspace.files.items()
        if path not in own
    }
    return files_in(text, files, [workspace.files[path] for path in own if path in workspace.files])


def files_in(text: str, files: Mapping[str, Sequence[str]], others: Iterable[str] = ()) -> list[SentFile]:
    """Return which of `files` (path -> its texts, now and before) a text holds; lines of `others` tell nothing."""
    sent = _Text(text)
    lines = {path: [_lines(one) for one in texts] for path, texts in files.items()}
    whole = {path: any(sent.holds_all(one) for one in each) for path, each in lines.items()}
    named = {path for path, each in lines.items() if any(each) and sent.names(path)}
    shared = {line for other in others for line in _lines(other)}
    shared |= {line for path in named for each in lines[path] for line in each}
    own = {
        path: [line for one in each for line in one if line not in shared]
        for path, each in lines.items()
        if path not in named
    }
    here = sent.those_in({line for each in own.values() for line in each if len(line) >= _LEAST_LINE})
    return [
        SentFile(path=path, whole=whole[path])
        for path in files
        if path in named or not here.isdisjoint(own[path]) or (whole[path] and sum(map(len, own[path])) >= _LEAST_WHOLE)
    ]


class _Text:
    """The text of a request, ready to be looked up."""

    def __init__(self, text: str) -> None:
        self._text = text
        lines = text.splitlines()
        self._headers = {line.strip() for line in lines}
        self._read = {line.strip().partition(", lines ")[0] for line in lines if ", lines " in line}
        self._lines = self._headers | {_NUMBERED.sub("", line, count=1).strip() for line in lines}

    def names(self, path: str) -> bool:
        """Tell whether a file stands under its path, as prompts and `read_file` show one."""
        return f"--- {path}" in self._headers or path in self._read

    def holds_all(self, lines: Sequence[str]) -> bool:
        """Tell whether all lines of a file are here, each as a line."""
        return bool(lines) and self._lines.issuperset(lines)

    def those_in(self, lines: Collection[str]) -> set[str]:
        """Return those lines that are here, anywhere in the text; each is long enough to be looked up by its start."""
        starts = {line[:_LEAST_LINE] for line in lines}
        if not starts:
            return set()
        spots = range(len(self._text) - _LEAST_LINE + 1)
        met = {start for at in spots if (start := self._text[at : at + _LEAST_LINE]) in starts}
        return {line for line in lines if line[:_LEAST_LINE] in met and line in self._text}


def _lines(text: str) -> list[str]:
    return [line for each in text.splitlines() if (line := each.strip())]
