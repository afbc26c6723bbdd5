"""The sessions list as text: in which order, which match a filter, what each cell says. Pure."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content

from selfheal_tui.text import one_line, outcome_word, plural, short_number, size_words

from .words import outcome_words

if TYPE_CHECKING:
    from selfheal_tui.store.sessions import SessionRow

_DIM = "$foreground 60%"
COLUMNS: dict[str, tuple[str, int, int]] = {
    "folder": ("Folder", 24, 130),
    "state": ("State", 20, 0),
    "when": ("Last active", 11, 0),
    "spent": ("Spent", 13, 88),
    "iteration": ("Iter.", 5, 100),
    "branches": ("Branches", 8, 110),
    "size": ("Size", 7, 90),
}
"""Column -> heading, width in cells, and from which width of the terminal it is shown."""
HERE = "here"
"""The current folder, in a word: no folder is called so, as each is named from the root or from `~`."""
_FIRST = {"waiting": 0, "running": 1, "failed": 2}
"""What needs somebody comes first."""


def columns_at(width: int) -> list[tuple[str, str, int]]:
    """Return (column, heading, width) for a terminal's width; the title takes what is left."""
    columns = [(name, heading, cells) for name, (heading, cells, least) in COLUMNS.items() if width >= least]
    rest = width - 6 - sum(cells + 2 for _, _, cells in columns)
    return [("title", "Session", min(max(rest - 2, 16), 72)), *columns]


def ordered(rows: Iterable[SessionRow]) -> list[SessionRow]:
    """Return what waits, is unfinished or failed first; within each the newest first."""
    newest = sorted(rows, key=lambda row: row.updated_at, reverse=True)
    return sorted(newest, key=lambda row: 3 if row.driver else _FIRST.get(row.outcome, 3))


def matching(rows: Iterable[SessionRow], words: str) -> list[SessionRow]:
    """Return the rows that hold every word in title, folder, id or state."""
    wanted = words.lower().split()
    return [row for row in rows if all(word in _text(row) for word in wanted)]


def cell(row: SessionRow, column: str, now: datetime) -> Content:
    """Return one cell."""
    match column:
        case "title":
            return Content(one_line(row.title))
        case "folder":
            return Content.styled(_end_of(folder_words(row.folder) or "–", COLUMNS["folder"][1]), _DIM)
        case "state":
            glyph, word, style = state_words(row)
            return Content.styled(f"{glyph} {word}", style)
        case "when":
            return Content.styled(ago(row.updated_at, now), _DIM)
        case "spent":
            return Content.styled(spent_cell(row), _DIM)
        case "iteration":
            return Content(str(row.iteration))
        case "branches":
            return Content(str(row.branches))
        case "size":
            return Content.styled(size_words(row.size_bytes), _DIM)
    raise KeyError(column)


def state_words(row: SessionRow) -> tuple[str, str, str]:
    """Return glyph, words and style: what a session waits for, who drives it, or how it ended."""
    if row.driver:
        return "▸", "elsewhere, waits" if row.waiting_for else "open elsewhere", "$text-primary"
    if row.waiting_for and row.healed_beside:
        return "◆", f"waits, {one_line(row.healed_beside, 5)} healed", "$text-warning"
    if row.waiting_for:
        return "◆", f"waits: {one_line(row.waiting_for, 20)}", "$text-warning"
    if row.outcome == "running":
        return "‖", outcome_word(row.outcome), "$text-warning"
    glyph, word, style = outcome_words(row.outcome)
    return glyph, f"{word}: {one_line(row.failure, 10)}" if row.failure else word, style


def folder_words(folder: str) -> str:
    """Return a folder as people write it: `~/shop`; `here` for the current one."""
    if folder and Path(folder) == current_folder():
        return HERE
    home = os.path.expanduser("~")
    return one_line(f"~{folder[len(home) :]}" if folder.startswith(f"{home}/") else folder, 200)


def current_folder() -> Path | None:
    """Return where one stands; None where that folder is gone."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None


def about(row: SessionRow) -> str:
    """Return one line on a session: its id, which the command line asks for, and what it waits for.

    Its folder is named where that is another than the current one.
    """
    if row.driver:
        more = f"{row.driver} drives it; enter looks on"
    elif row.waiting_for:
        more = f"enter shows the {row.waiting_for} that waits for you"
    elif row.outcome == "running":
        more = "enter goes on from its last saved moment"
    elif row.outcome == "failed":
        more = f"enter tries again, m there takes another model · {one_line(row.reason, 120)}".rstrip(" ·")
    else:
        more = one_line(row.reason, 120)
    if row.healed_beside and not row.driver:
        more = f"healed on {one_line(row.healed_beside, 40)}; on {one_line(row.stands, 40)}: {more}"
    spent = f"{plural(row.calls, 'call')}, {row.tokens:,} tokens" if row.calls else "no model calls"
    folder = folder_words(row.folder).removeprefix(HERE)
    parts = (row.session_id, f"from {folder}" if folder else "", spent, more)
    return one_line(" · ".join(part for part in parts if part), 400)


def spent_cell(row: SessionRow) -> str:
    """Say tokens and money shortly: `12.3k · $0.12`; an unknown price is a question mark, never 0."""
    if not row.calls and not row.tokens:
        return "–"
    return f"{short_number(row.tokens)} · {'$ ?' if row.cost_usd is None else f'${row.cost_usd:.2f}'}"


def ago(when: str, now: datetime) -> str:
    """Say how long ago a UTC ISO 8601 time was; the text itself when it is none."""
    try:
        then = datetime.fromisoformat(when)
    except ValueError:
        return one_line(when, 12)
    seconds = max(0, int((now - (then if then.tzinfo else then.replace(tzinfo=UTC))).total_seconds()))
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return "just now"


def _text(row: SessionRow) -> str:
    return f"{row.title} {folder_words(row.folder)} {row.session_id} {state_words(row)[1]}".lower()


def _end_of(text: str, width: int) -> str:
    """Return a text without its beginning where it is too long: the end tells folders apart."""
    return text if len(text) <= width else f"…{text[1 - width :]}"
