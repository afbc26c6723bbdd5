"""Which files of the frozen copy a request holds, in whole or in part: told from its text alone. Pure.

Prompts put each file under a header with its path. What comes another way (a program that prints a file, a traceback,
a tool's look at a function) is known by its lines. A text that was encoded in some way is not known again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from selfheal_tui.store.sent import SentFile

from .workspace import Workspace

_LEAST_LINE = 16
"""Characters of a line that tells its file; shorter ones are in any program."""
_LEAST_WHOLE = 6
"""Characters of a file that is known without its path; less is in any text."""
_NUMBERED = re.compile(r"^ *\d+ ")


def files_sent(text: str, workspace: Workspace) -> list[SentFile]:
    """Return the files of a workspace that a request's text holds; tests that a model wrote are not among them."""
    own = workspace.origins
    files = {
        path: [now, *([given] if (given := workspace.base.get(path)) not in (None, now) else [])]
        for path, now in workspace.files.items()
        if path not in own
    }
    return files_in(text, files, [workspace.files[path] for path in own if path in workspace.files])


def files_in(text: str, files: Mapping[str, Sequence[str]], others: Iterable[str] = ()) -> list[SentFile]:
    """Return which of `files` (path -> its texts, now and before) a text holds; lines of `others` tell nothing."""
    sent = _Text(text)
    named = {path for path in files if sent.names(path)}
    told = {line for other in others for line in _lines(other)}
    told |= {line for path in named for each in files[path] for line in _lines(each)}
    found = []
    for path, texts in files.items():
        each = [_lines(one) for one in texts]
        whole = any(sent.holds_all(lines) for lines in each)
        if path in named:
            if any(each):
                found.append(SentFile(path=path, whole=whole))
        elif sent.holds_any([line for lines in each for line in lines if line not in told], whole):
            found.append(SentFile(path=path, whole=whole))
    return found


class _Text:
    """The text of a request, ready to be looked up."""

    def __init__(self, text: str) -> None:
        self._text = text
        lines = [line.strip() for line in text.splitlines()]
        self._headers = set(lines)
        self._read = {line.partition(", lines ")[0] for line in lines if ", lines " in line}
        self._lines = {*lines, *(_NUMBERED.sub("", line, count=1).strip() for line in text.splitlines())}
        self._starts = {text[at : at + _LEAST_LINE] for at in range(len(text) - _LEAST_LINE + 1)}

    def names(self, path: str) -> bool:
        """Tell whether a file stands under its path, as prompts and `read_file` show one."""
        return f"--- {path}" in self._headers or path in self._read

    def holds_all(self, lines: Sequence[str]) -> bool:
        return bool(lines) and self._lines.issuperset(lines)

    def holds_any(self, lines: Sequence[str], whole: bool) -> bool:
        """Tell whether any of a file's lines is here; of a `whole` file short ones count too."""
        if whole and sum(map(len, lines)) >= _LEAST_WHOLE:
            return True
        return any(
            line[:_LEAST_LINE] in self._starts and line in self._text for line in lines if len(line) >= _LEAST_LINE
        )


def _lines(text: str) -> list[str]:
    return [line for each in text.splitlines() if (line := each.strip())]
