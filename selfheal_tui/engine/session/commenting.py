"""Comments on lines: each is checked against what the question shows before it is written down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from selfheal_tui.errors import InputError
from selfheal_tui.line_blocks import blocks, split_lines
from selfheal_tui.text import one_line, plural

from ..moment.comments import QUOTED_LIMIT
from ..moment.review import COMMENT_LIMIT, MOST_COMMENTS, Comment
from ..moment.snapshot import Snapshot


def checked_comments(snapshot: Snapshot, pick: str, comments: Iterable[Comment]) -> list[Comment]:
    """Return the comments, each with its line quoted; `pick` is the candidate that those without a label are on.

    Raises: InputError for a file or a line that the question does not show, and for too many or too long ones.
    """
    checked = [_checked(snapshot, pick, comment) for comment in comments]
    if len(checked) > MOST_COMMENTS:
        raise InputError(f"There are {plural(len(checked), 'comment')}, at most {MOST_COMMENTS} go with a decision.")
    return checked


def commented_places(snapshot: Snapshot, comments: Iterable[Comment]) -> list[str]:
    """Return the lines of the present program that comments on a repair are about, as `steering.avoided` reads them.

    A line that the repair brings stands for those that it takes the place of, or before which it is put.
    """
    places: list[str] = []
    for comment in comments:
        path, line, label = comment["path"], comment["line"], comment.get("pick", "")
        now = snapshot.program.get(path)
        if now is None or label not in snapshot.candidates:
            continue
        new = snapshot.candidates[label]["changes"].get(path, now)
        lines = range(line, line + 1) if comment.get("removed") else _lines_before(now, new, line)
        places += [f"line:{path}:{one}" for one in lines]
    return places


def _lines_before(old: str, new: str, line: int) -> range:
    """Return the lines of the old text, from 1, that a line of the new one stands for.

    Of a line that is inserted it is the one before which it stands: that is where the search puts lines in.
    """
    for block in blocks(split_lines(old), split_lines(new)):
        if block.new_from < line <= block.new_to:
            if block.hunk and block.old_from < block.old_to:
                return range(block.old_from + 1, block.old_to + 1)
            if block.hunk:
                last = max(1, len(split_lines(old)))
                return range(min(block.old_from + 1, last), min(block.old_from + 1, last) + 1)
            return range(line - block.new_from + block.old_from, line - block.new_from + block.old_from + 1)
    return range(0)


def comment_from(text: str) -> Comment:
    """Read `FILE:LINE:TEXT`; `-LINE` is a line that the change takes away. Raises: InputError."""
    path, _, rest = text.partition(":")
    number, colon, words = rest.partition(":")
    digits = number.strip().removeprefix("-")
    if not path or not colon or not words.strip() or not (digits.isascii() and digits.isdigit()):
        raise InputError(
            f"{one_line(text, 60)!r} is no comment on a line.",
            'Give the file, the line and the text: --comment "shop.py:12:not here".',
        )
    comment: Comment = {"path": path, "line": int(digits), "text": words.strip()}
    return {**comment, "removed": True} if number.strip().startswith("-") else comment


def _checked(snapshot: Snapshot, pick: str, comment: Comment) -> Comment:
    text = one_line(comment["text"], COMMENT_LIMIT + 1)
    if not text or len(text) > COMMENT_LIMIT:
        raise InputError("A comment is empty." if not text else f"A comment has at most {COMMENT_LIMIT} characters.")
    path, line = comment["path"], comment["line"]
    removed = bool(comment.get("removed"))
    label = (comment.get("pick") or pick or next(iter(snapshot.candidates))) if snapshot.candidates else ""
    if label and label not in snapshot.candidates:
        raise InputError(f"There is no candidate {label!r}.", f"There are: {', '.join(snapshot.candidates)}.")
    quoted = comment.get("quoted", "")
    if not quoted:
        files = _files(snapshot, label, removed)
        if path not in files:
            raise InputError(f"There is no file {one_line(path)!r} to comment on.", f"There are: {', '.join(files)}.")
        lines = files[path].removesuffix("\n").split("\n")
        if not 1 <= line <= len(lines):
            raise InputError(f"{one_line(path)} has no line {line}.", f"It has {plural(len(lines), 'line')}.")
        quoted = lines[line - 1]
    checked: Comment = {"path": path, "line": line, "text": text, "quoted": one_line(quoted, QUOTED_LIMIT)}
    if removed:
        checked["removed"] = True
    return {**checked, "pick": label} if label else checked


def _files(snapshot: Snapshot, label: str, removed: bool) -> Mapping[str, str]:
    """Return path -> text of what was commented: as it is proposed, or as it was before."""
    now = {**snapshot.tests, **snapshot.suite_files, **snapshot.program}
    if label:
        return now if removed else {**now, **snapshot.candidates[label]["changes"]}
    return {**now, **snapshot.base} if removed else now
