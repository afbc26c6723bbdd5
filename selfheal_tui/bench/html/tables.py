"""The page's tables: shares with their intervals, the tasks, what was run. Pure."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from selfheal_tui.text import one_line, outcome_word, plural, price_words, show_controls, truncate_middle

from ..figures.kinds import WORDS, kind_of
from ..figures.metrics import Share, TaskResult
from .draw import svg, text
from .intervals import interval
from .squares import cell

_MOST_TASKS = 2000
"""Rows of the table of tasks; all are in results.jsonl."""
_MOST_DIFF = 12_000
_MOST_REASON = 1500
_COLUMNS = {
    "task": "name",
    "ended": "kind",
    "the loop said": "kind",
    "hidden": "n",
    "stronger": "kind",
    "time": "n",
    "cost": "n",
    "why, and the change": "why",
}
"""Heading of each column of the table of tasks -> its class."""


def shares_table(head: str, rows: Iterable[tuple[str, Share]]) -> str:
    """Return a table of shares; empty without rows."""
    lines = [_share_row(name, part) for name, part in rows]
    if not lines:
        return ""
    names = f'<th>{text(head)}</th><th class="n">count</th><th class="n">share</th><th class="n">95 % interval</th>'
    return f'<div class="wide"><table><tr>{names}<th>0 to 100 %</th></tr>{"".join(lines)}</table></div>'


def summary_rows(figures: Mapping[str, Any]) -> Iterator[tuple[str, Share]]:
    """Yield the shares of the whole run."""
    yield "repaired: the hidden tests pass (pass@1)", figures["repaired"]
    yield "plausible: the tests that the loop saw pass", figures["plausible"]
    yield "wrong, of the plausible ones", figures["plausible_but_wrong"]
    if figures["passed_as_given"]:
        yield "repaired of those that failed the visible tests as given", figures["repaired_of_failing"]
    if figures["repaired_plus"]["of"]:
        yield "repaired by the stronger tests too", figures["repaired_plus"]


def tasks_table(results: Sequence[TaskResult]) -> str:
    """Return a row for each task, with its reason and its change to unfold; a column that says nothing is left out."""
    columns = dict(_COLUMNS)
    if not any(result["plus"] for result in results):
        del columns["stronger"]
    if not any(result["spent"]["calls"] for result in results):
        del columns["cost"]
    head = "".join(f'<th class="{kind}">{name}</th>' for name, kind in columns.items())
    rows = "".join(_task_row(result, columns) for result in results[:_MOST_TASKS])
    more = len(results) - _MOST_TASKS
    rest = f'<p class="soft">{more} more are in results.jsonl.</p>' if more > 0 else ""
    return f'<div class="wide"><table class="tasks"><tr>{head}</tr>{rows}</table></div>{rest}'


def facts_table(pairs: Iterable[tuple[str, str]]) -> str:
    """Return names with their values; what is empty is left out."""
    rows = "".join(f"<tr><th>{text(name)}</th><td>{text(value)}</td></tr>" for name, value in pairs if value)
    return f'<table class="facts">{rows}</table>'


def hashes_table(head: str, hashes: Iterable[tuple[str, str]]) -> str:
    """Return names with their hashes; empty without any."""
    rows = "".join(f'<tr><td>{text(name)}</td><td class="hash">{text(value)}</td></tr>' for name, value in hashes)
    return f"<table><tr><th>{text(head)}</th><th>sha256</th></tr>{rows}</table>" if rows else ""


def kind_icon(kind: str) -> str:
    """Return a kind's square, to stand in a line of text before its word."""
    return svg(WORDS[kind], [cell(0.5, 0.5, 13, kind)], 14, 14)


def percent(part: Share) -> str:
    """Say a share."""
    return "–" if part["rate"] is None else f"{100 * part['rate']:.1f} %"


def between(part: Share) -> str:
    """Say an interval."""
    if part["low"] is None or part["high"] is None:
        return "–"
    return f"{100 * part['low']:.1f} to {100 * part['high']:.1f} %"


def _share_row(name: str, part: Share) -> str:
    count = f"{part['count']} of {part['of']}"
    figures = "".join(f'<td class="n">{words}</td>' for words in (count, percent(part), between(part)))
    return f'<tr><td class="name">{text(one_line(name, 120))}</td>{figures}<td class="bar">{interval(part)}</td></tr>'


def _task_row(result: TaskResult, columns: Mapping[str, str]) -> str:
    kind, hidden, plus, spent = kind_of(result), result["hidden"], result["plus"], result["spent"]
    cells = {
        "task": text(one_line(result["id"], 120)),
        "ended": f"{kind_icon(kind)}{WORDS[kind]}",
        "the loop said": text(outcome_word(result["outcome"])),
        "hidden": f"{hidden['cases_passed']} of {hidden['cases']}" if hidden else "–",
        "stronger": ("pass" if plus["passed"] else "fail") if plus else "–",
        "time": f"{result['time_s']:.1f} s",
        "cost": text(price_words(spent["cost_usd"])) if spent["calls"] else "–",
        "why, and the change": _why(result),
    }
    return "<tr>" + "".join(f'<td class="{kind}">{cells[name]}</td>' for name, kind in columns.items()) + "</tr>"


def _why(result: TaskResult) -> str:
    reason, diff = one_line(result["reason"], _MOST_REASON), result["diff"].strip("\n")
    if not diff:
        return text(reason)
    lines = diff.split("\n")
    added = sum(line.startswith("+") and not line.startswith("+++") for line in lines)
    removed = sum(line.startswith("-") and not line.startswith("---") for line in lines)
    changed = f"{plural(added, 'line')} added, {removed} removed"
    return f"{text(reason)}<details><summary>{changed}</summary>{_diff(diff)}</details>"


def _diff(diff: str) -> str:
    lines = []
    for line in show_controls(truncate_middle(diff, _MOST_DIFF)).split("\n"):
        kind = "add" if line[:1] == "+" else "del" if line[:1] == "-" else "at" if line[:2] == "@@" else ""
        safe = html.escape(line, quote=True)
        lines.append(f'<span class="{kind}">{safe}</span>' if kind else safe)
    return "<pre>" + "\n".join(lines) + "</pre>"
