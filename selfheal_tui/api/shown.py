"""A result for a console and for a notebook. Programs and models wrote parts of it: nothing of them is markup here."""

from __future__ import annotations

import html as markup
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from selfheal_tui.engine.moment.words import bill_words
from selfheal_tui.text import one_line, outcome_word, plural, show_controls, strip_controls

if TYPE_CHECKING:
    from .result import Result
    from .review import Review

_ADDED, _TAKEN = "background:rgba(46,160,67,.2)", "background:rgba(248,81,73,.2)"
"""Behind lines of a diff; seen on light and dark pages, and each line begins with its sign anyway."""
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~&$])")


def line(result: Result) -> str:
    """Return a result in one line."""
    return f"<Result {_outcome(result)}; {_cases(result)}; session {result.session}>"


def plain(result: Result) -> str:
    """Return a result as text for a terminal."""
    parts = [f"{_outcome(result)}: {_cases(result)}, {_work(result)}"]
    parts += [strip_controls(one) for one in _sentences(result)]
    if diff := _diff(result):
        parts.append("\n" + show_controls(diff).rstrip("\n"))
    return "\n".join(parts)


def html(result: Result) -> str:
    """Return a result as HTML; it holds no script and loads nothing."""
    head = f"<p><b>{_escaped(_outcome(result))}</b>: {_escaped(_cases(result))}, {_escaped(_work(result))}</p>"
    return head + _list_html(_sentences(result)) + _diff_html(_diff(result))


def review_html(review: Review) -> str:
    """Return a question as HTML; it holds no script and loads nothing."""
    first, *rest = review.lines()
    return f"<p><b>{_escaped(first)}</b></p>" + _list_html(rest) + _diff_html(review.diff)


def markdown(result: Result) -> str:
    """Return a result as Markdown."""
    parts = [f"**{_outcome(result)}**: {_special(_cases(result))}, {_special(_work(result))}"]
    parts += [f"- {_special(one_line(strip_controls(one), 2000))}" for one in _sentences(result)]
    if diff := show_controls(_diff(result)).rstrip("\n"):
        fence = "`" * max(3, 1 + max((len(ticks) for ticks in re.findall("`+", diff)), default=0))
        parts.append(f"\n{fence}diff\n{diff}\n{fence}")
    return "\n".join(parts) + "\n"


def plain_line(text: str) -> str:
    """Return foreign text in one line."""
    return one_line(strip_controls(text))


def _outcome(result: Result) -> str:
    if result.review is not None:
        return f"waiting for a decision ({result.review.kind})"
    return outcome_word(result.outcome).replace("_", " ")


def _cases(result: Result) -> str:
    report = result.report
    if report is None:
        return "no tests have run"
    if report["error"]:
        return plain_line(f"the tests could not run: {report['error']}")
    count = len(report["cases"])
    return f"{report['passed']} of {plural(count, 'case')} {'passes' if count == 1 else 'pass'}"


def _work(result: Result) -> str:
    return f"{plural(result.iterations, 'repair')} tried, {bill_words(result.spent)}"


def _sentences(result: Result) -> list[str]:
    reason = result.review.lines() if result.review is not None else [result.reason] if result.reason else []
    advice = [f"{name}: {one['summary']}" for name, one in result.advice.items()]
    doubts = [f"Doubt: {one.why}" for one in result.doubts if one.why not in result.reason]
    return [*reason, *doubts, *advice]


def _diff(result: Result) -> str:
    """Return what was changed; where a repair waits, what it would change."""
    return result.diff or (result.review.diff if result.review is not None else "")


def _list_html(sentences: Sequence[str]) -> str:
    items = "".join(f"<li>{_escaped(strip_controls(one))}</li>" for one in sentences)
    return f"<ul>{items}</ul>" if items else ""


def _diff_html(diff: str) -> str:
    if not diff:
        return ""
    rows = []
    for text in show_controls(diff).rstrip("\n").split("\n"):
        sign = text[:1] if not text.startswith(("+++", "---")) else ""
        style = _ADDED if sign == "+" else _TAKEN if sign == "-" else ""
        row = _escaped(text)
        rows.append(f'<span style="{style}">{row}</span>' if style else row)
    return "<pre>" + "\n".join(rows) + "</pre>"


def _escaped(text: str) -> str:
    return markup.escape(text, quote=True)


def _special(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)
