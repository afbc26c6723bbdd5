"""Benchmark runs and their tasks as text: columns, order, filter, what each cell says. Pure.

A run's folder may be somebody else's: every text of it is one safe line of plain text before it gets here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from textual.content import Content

from selfheal_tui.bench.figures.kinds import MEANINGS, NOT_REPAIRED, PLAUSIBLE, REFUSED, REPAIRED, WORDS, kind_of
from selfheal_tui.bench.figures.metrics import Share, TaskResult, share
from selfheal_tui.bench.saved.run import SavedRun
from selfheal_tui.text import both_ends, one_line, outcome_word, plural, price_words, short_number, show_controls

from .session_rows import ago

_DIM = "$foreground 60%"
_GAP = 2
"""Cells between two columns: a table pads each by one on both sides."""
_LEAST_NAME = 16
_MOST_DIFF_LINES = 400
_MOST_LINE = 400
_SIGNS = {
    REPAIRED: ("✓", "repaired", "$text-success"),
    PLAUSIBLE: ("≈", "plausible", "$text-warning"),
    NOT_REPAIRED: ("✗", "not", "$text-error"),
    REFUSED: ("!", "refused", _DIM),
}
"""Kind -> sign, word of the table, style."""
_ORDER = (REPAIRED, PLAUSIBLE, NOT_REPAIRED, REFUSED)


class Column(NamedTuple):
    """A column of a table: its key, heading and width in cells."""

    name: str
    heading: str
    width: int


RUN_COLUMNS = (
    Column("state", "State", 18),
    Column("repaired", "Repaired", 10),
    Column("started", "Started", 11),
    Column("interval", "95 %", 11),
    Column("plausible", "Plausible", 10),
    Column("model", "Model", 28),
)
"""The most useful first: the last ones go where there is no room. The suite's name takes what is left."""
TASK_COLUMNS = (
    Column("ended", "Ended", 11),
    Column("hidden", "Hidden", 8),
    Column("seconds", "Secs", 6),
    Column("visible", "Visible", 9),
    Column("category", "Category", 13),
    Column("candidates", "Tried", 7),
    Column("cost", "Cost", 8),
)
SORTED_BY: dict[str, Callable[[TaskResult], Any]] = {
    "task": lambda r: r["id"].lower(),
    "ended": lambda r: _ORDER.index(kind_of(r)),
    "hidden": lambda r: r["hidden"]["cases_passed"] / max(1, r["hidden"]["cases"]) if r["hidden"] else -1.0,
    "seconds": lambda r: r["time_s"],
    "visible": lambda r: not r["plausible"],
    "category": lambda r: category_of(r).lower(),
    "candidates": lambda r: r["candidates"],
    "cost": lambda r: -1.0 if r["spent"]["cost_usd"] is None else r["spent"]["cost_usd"],
}
"""Column -> what its rows are ordered by."""


def fitting(columns: Iterable[Column], name: Column, width: int) -> list[Column]:
    """Return the columns that fit into so many cells, before them the name, which takes the rest."""
    room, shown = width - _LEAST_NAME - _GAP, list[Column]()
    for column in columns:
        room -= column.width + _GAP
        if room < 0:
            break
        shown.append(column)
    taken = sum(column.width + _GAP for column in shown)
    return [name._replace(width=min(60, max(_LEAST_NAME, width - taken - _GAP))), *shown]


# runs


def run_columns(width: int) -> list[Column]:
    """Return the columns of the list of runs."""
    return fitting(RUN_COLUMNS, Column("run", "Run", 0), width)


def run_cell(run: SavedRun, column: str, now: datetime) -> Content:
    """Return one cell of the list of runs."""
    repaired, plausible = shares_of(run.results)
    match column:
        case "run":
            return Content(one_line(run.suite or run.name))
        case "state":
            glyph, words, style = run_state(run)
            return Content.styled(f"{glyph} {words}", style)
        case "repaired":
            return Content(_of(repaired))
        case "plausible":
            return Content(_of(plausible))
        case "interval":
            return Content.styled(interval_words(repaired), _DIM)
        case "model":
            return Content.styled(one_line(run.models), _DIM)
        case "started":
            return Content.styled(ago(run.started_at, now) if run.started_at else "–", _DIM)
    raise KeyError(column)


def run_state(run: SavedRun) -> tuple[str, str, str]:
    """Return glyph, words and style: how far a run is, and whether somebody runs it."""
    if run.damage:
        return "!", "cannot be read", "$text-error"
    done = f"{len(run.results)}/{run.selected}" if run.selected is not None else str(len(run.results))
    if run.driver:
        return "▸", f"runs, {done}", "$text-primary"
    if run.complete:
        return "✓", f"finished, {len(run.results)}", "$text-success"
    return "‖", f"stopped, {done}", "$text-warning"


def about_run(run: SavedRun) -> str:
    """Return one line on a run: its folder, and what is to be known before it is opened."""
    parts = [one_line(str(run.folder), 160)]
    if run.damage:
        parts.append(one_line(run.damage, 300))
    elif not run.is_own:
        parts.append("was not started here by you")
    if run.driver:
        parts.append(f"{one_line(run.driver, 60)} runs it")
    if run.not_read:
        parts.append(f"{plural(run.not_read, 'line')} of its results cannot be read")
    return " · ".join(parts)


# tasks


def task_columns(width: int, ordered_by: str, *, downward: bool) -> list[Column]:
    """Return the columns of the table of tasks; a sign stands beside the one that it is ordered by."""
    sign = " ▼" if downward else " ▲"
    columns = fitting(TASK_COLUMNS, Column("task", "Task", 0), width)
    return [c._replace(heading=c.heading + sign) if c.name == ordered_by else c for c in columns]


def task_cell(result: TaskResult, column: Column, shared: str = "") -> Content:
    """Return one cell of the table of tasks; `shared` is what all names begin with, and is left out."""
    match column.name:
        case "task":
            return Content(both_ends(result["id"][len(shared) :], column.width))
        case "ended":
            glyph, word, style = _SIGNS[kind_of(result)]
            return Content.styled(f"{glyph} {word}", style)
        case "hidden":
            hidden = result["hidden"]
            return Content(f"{hidden['cases_passed']}/{hidden['cases']}" if hidden else "–")
        case "seconds":
            return Content(f"{result['time_s']:.1f}")
        case "visible":
            return Content("pass" if result["plausible"] else "fail")
        case "category":
            return Content.styled(one_line(category_of(result)), _DIM)
        case "candidates":
            return Content.styled(short_number(result["candidates"]), _DIM)
        case "cost":
            return Content.styled(cost_words(result), _DIM)
    raise KeyError(column.name)


def category_of(result: TaskResult) -> str:
    """Return what a task is about; its kind of bug where the suite does not say."""
    return result.get("category") or result["bug_type"]


def cost_words(result: TaskResult) -> str:
    """Say what a task has cost: `–` where no model was asked, `$ ?` where the price is not known."""
    spent = result["spent"]
    if not spent["calls"] and not spent["cost_usd"]:
        return "–"
    return "$ ?" if spent["cost_usd"] is None else price_words(spent["cost_usd"])


def matching_tasks(results: Iterable[TaskResult], words: str) -> list[TaskResult]:
    """Return the tasks that hold every word in id, category, kind of bug, or how they ended."""
    wanted = words.lower().split()
    return [result for result in results if all(word in _words_of(result) for word in wanted)]


def ordered_tasks(results: Iterable[TaskResult], column: str, *, downward: bool) -> list[TaskResult]:
    """Return the tasks ordered by a column; without one, as they finished."""
    rows = list(results)
    return sorted(rows, key=SORTED_BY[column], reverse=downward) if column else rows[::-1] if downward else rows


def summary(run: SavedRun, shown: Sequence[TaskResult]) -> Content:
    """Return what stands above the table: the run and how far it is; shares with their intervals over what is shown."""
    glyph, words, style = run_state(run)
    first = [
        Content.styled(one_line(run.suite or run.name, 40), "bold $text-primary"),
        Content.styled(f"  {glyph} {words}", style),
        Content.styled(f" · {len(shown)} shown" if len(shown) != len(run.results) else "", "bold"),
        Content.styled(f" · {one_line(run.models, 60)}" if run.models else "", _DIM),
    ]
    second = [
        part
        for name, one in zip(("repaired", " · plausible"), shares_of(shown), strict=True)
        for part in (Content(f"{name} {_of(one)}"), Content.styled(f" ({interval_words(one)})" if shown else "", _DIM))
    ]
    return Content("").join([*first, Content("\n"), *second])


def task_details(result: TaskResult, kept: str) -> Content:
    """Return all about a task: how it ended and why, what it used, its change; `kept` says what Enter does."""
    kind = kind_of(result)
    glyph, _, style = _SIGNS[kind]
    spent, hidden = result["spent"], result["hidden"]
    said = f"; the loop said: {outcome_word(result['outcome'])}"
    lines = [
        Content(one_line(result["id"], 200)).stylize("bold") + Content.styled(f"  {glyph} {WORDS[kind]}", style),
        Content(f"{MEANINGS[kind].capitalize()}{said}." if kind != REFUSED else f"{MEANINGS[kind].capitalize()}."),
    ]
    if result["reason"]:
        lines.append(Content(one_line(result["reason"], 2000)))
    lines.append(Content.styled(one_line(kept, 600), "$text-accent"))
    used = [f"{result['time_s']:.1f} s", plural(result["iterations"], "iteration")]
    used += [f"{result['candidates']:,} candidates"] if result["candidates"] else []
    if spent["calls"]:
        tokens = short_number(spent["input_tokens"] + spent["output_tokens"])
        used.append(f"{plural(spent['calls'], 'call')}, {tokens} tokens, {price_words(spent['cost_usd'])}")
    if result["confidence"] is not None:
        used.append(f"confidence {result['confidence']:.2f}")
    if hidden:
        verified = "" if hidden["trust"] == "verified" else ", not verified from another process"
        used.append(f"hidden tests {hidden['cases_passed']} of {hidden['cases']}{verified}")
    used += dict.fromkeys(one_line(words, 80) for words in (category_of(result), result["bug_type"]))
    lines += [Content.styled(" · ".join(used), _DIM), Content("")]
    return Content("\n").join([*lines, *diff_lines(result["diff"])])


def diff_lines(diff: str) -> list[Content]:
    """Return a unified diff in colours; each line keeps its sign."""
    if not diff.strip():
        return [Content.styled("No change.", _DIM)]
    lines = show_controls(diff.rstrip("\n")).split("\n")
    shown = [
        Content.styled(both_ends(line, _MOST_LINE) if len(line) > _MOST_LINE else line, _diff_style(line))
        for line in lines[:_MOST_DIFF_LINES]
    ]
    more = len(lines) - _MOST_DIFF_LINES
    return [*shown, Content.styled(f"… {plural(more, 'more line')}", _DIM)] if more > 0 else shown


def _diff_style(line: str) -> str:
    if line.startswith(("--- ", "+++ ", "@@")):
        return _DIM
    return {"+": "$text-success", "-": "$text-error"}.get(line[:1], "")


def shares_of(results: Collection[TaskResult]) -> tuple[Share, Share]:
    """Return the shares repaired and plausible, with their intervals."""
    repaired, plausible = sum(r["repaired"] for r in results), sum(r["plausible"] for r in results)
    return share(repaired, len(results)), share(plausible, len(results))


def interval_words(part: Share) -> str:
    """Say a 95 % interval: `7 to 59 %`."""
    if part["low"] is None or part["high"] is None:
        return "–"
    return f"{100 * part['low']:.0f} to {100 * part['high']:.0f} %"


def _of(part: Share) -> str:
    return "–" if part["rate"] is None else f"{part['count']}, {100 * part['rate']:.0f} %"


def _words_of(result: TaskResult) -> str:
    words = (result["id"], category_of(result), result["bug_type"], WORDS[kind_of(result)], result["outcome"])
    return " ".join(words).lower()
