"""A comparison in words: the two moments, what each used, which cases and which parts of the diagnosis differ."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textual.content import Content

from selfheal_tui.engine.moment.node_facts import facts_of
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import Spent
from selfheal_tui.text import both_ends, one_line, price_words, short_number, strip_controls

from .words import case_name, outcome_words, time_words

if TYPE_CHECKING:
    from selfheal_tui.engine.history.compare import Comparison, FieldPair, Side

_DIM = "$foreground 60%"
_CASES = 40
"""Cases listed by name; the matrix has all."""
Part = tuple[str, str]


def side_content(name: str, side: Side, snapshot: Snapshot) -> Content:
    """Return one moment in a line: where it is, what had just happened, how many cases pass."""
    glyph, word, style = outcome_words(side["outcome"]) if side["outcome"] else ("·", "", _DIM)
    moment = facts_of(side["node"]).done
    stale = "" if side["suite_is_current"] or side["passed"] is None else " (of an earlier program)"
    return Content.assemble(
        (f" {name} ", "bold reverse"),
        (f" {both_ends(side['branch'], 40)}", "$text-accent"),
        (f" · iteration {side['iteration']} · {moment}", ""),
        (f" · {glyph} {word}" if word else "", style),
        (f" · {_cases(side)}{stale}", ""),
        (f" · {snapshot.checkpoint_id[:13]}", _DIM),
    )


def overview_content(comparison: Comparison, proposals: tuple[str, str] = ("", "")) -> Content:
    """Return what each used beside the other, and the cases that differ; `proposals` is what each asks about."""
    a, b, more = comparison["a"]["spent"], comparison["b"]["spent"], comparison["more_spent"]
    rows: list[tuple[str, str, str, str]] = [
        (
            "cases passed",
            _cases(comparison["a"]),
            _cases(comparison["b"]),
            _difference(comparison["a"]["passed"], comparison["b"]["passed"]),
        ),
        (
            "cases failed",
            _failed(comparison["a"]),
            _failed(comparison["b"]),
            _difference(comparison["a"]["failed"], comparison["b"]["failed"]),
        ),
        ("calls", str(a["calls"]), str(b["calls"]), f"{more['calls']:+}"),
        ("replayed", str(a["replayed_calls"]), str(b["replayed_calls"]), f"{more['replayed_calls']:+}"),
        ("tokens", _tokens(a), _tokens(b), f"{more['input_tokens'] + more['output_tokens']:+,}"),
        ("money", price_words(a["cost_usd"]), price_words(b["cost_usd"]), price_words(more["cost_usd"], sign=True)),
        ("time in all", _time(a["time_s"]), _time(b["time_s"]), f"{more['time_s']:+.1f} s"),
    ]
    parts: list[Part] = [(f"\n{'':<14}{'A':>14}{'B':>14}{'B minus A':>14}\n", "bold")]
    for name, one, other, difference in rows:
        parts += [(f"{name:<14}", _DIM), (f"{one:>14}{other:>14}", ""), (f"{difference:>14}\n", "$text-accent")]
    changed = comparison["changed"]
    parts.append((f"\nCode  {'differs in ' + ', '.join(map(one_line, changed)) if changed else 'the same'}", ""))
    parts.append((f"\nTests  {'differ' if comparison['tests_diff'] else 'the same'}", ""))
    parts.append((f"\nDiagnosis  {_diagnoses(comparison['diagnosis'])}\n", ""))
    if any(proposals):
        a_asks, b_asks = (one_line(words, 200) or "nothing" for words in proposals)
        parts.append((f"\nAsked about in A: {a_asks}\nAsked about in B: {b_asks}\n", ""))
    parts += _turned("\n▲ B fixes", "$text-success", comparison["fixed"])
    parts += _turned("\n▼ B breaks", "$text-error", comparison["broken"])
    for here, there, name in (("a", "b", "A"), ("b", "a", "B")):
        own = [row["id"] for row in comparison["cases"] if _fails_alone(row, here, there)]
        parts += _turned(f"\n✗ Fails in {name}, and did not run in the other:", "$text-error", own) if own else []
    return Content.assemble(*parts)


def diagnosis_content(pairs: Sequence[FieldPair]) -> Content:
    """Return the two diagnoses field by field; equal ones once."""
    if not pairs:
        return Content.styled("\nNeither moment has a diagnosis.", _DIM)
    parts: list[Part] = []
    for pair in pairs:
        parts.append((f"\n{pair['field']}", "bold $text-accent"))
        if pair["same"]:
            parts += [("  = the same\n", _DIM), (f"  {_value(pair['a'])}\n", "")]
        else:
            parts += [("  ≠ differs\n", "$text-warning"), ("A ", "bold"), (f"{_value(pair['a'])}\n", "")]
            parts += [("B ", "bold"), (f"{_value(pair['b'])}\n", "")]
    return Content.assemble(*parts)


def _diagnoses(pairs: Sequence[FieldPair]) -> str:
    if not pairs:
        return "none on either side"
    for side, other in (("a", "b"), ("b", "a")):
        if all(pair[side] is None for pair in pairs):  # type: ignore[literal-required]
            return f"only {other.upper()} has one"
    different = [pair["field"] for pair in pairs if not pair["same"]]
    return f"differs in {', '.join(different)}" if different else "the same"


def _turned(title: str, style: str, cases: Sequence[str]) -> list[Part]:
    parts: list[Part] = [(f"{title} {len(cases)}", f"bold {style}" if cases else _DIM)]
    parts += [(f"\n  {case_name(case)}", "") for case in cases[:_CASES]]
    if len(cases) > _CASES:
        parts.append((f"\n  and {len(cases) - _CASES} more: see the matrix", _DIM))
    return parts


def _cases(side: Side) -> str:
    if side["passed"] is None or side["failed"] is None:
        return "not run"
    return f"{side['passed']} of {side['passed'] + side['failed']}"


def _failed(side: Side) -> str:
    return "not run" if side["failed"] is None else str(side["failed"])


def _fails_alone(row: Mapping[str, Any], here: str, there: str) -> bool:
    """Tell whether a case fails on one side and is not among the cases of the other."""
    return row[there] is None and row[here] not in (None, "passed", "skipped")


def _difference(a: int | None, b: int | None) -> str:
    return "" if a is None or b is None else f"{b - a:+}"


def _tokens(spent: Spent) -> str:
    return short_number(spent["input_tokens"] + spent["output_tokens"])


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 60 else time_words(seconds)


def _value(value: Any) -> str:
    if value is None:
        return "(none)"
    if isinstance(value, list):
        lines = [
            f"{e['file']}:{e['line']} {e['why']}" if isinstance(e, dict) and "file" in e else str(e) for e in value
        ]
        return strip_controls("\n  ".join(lines)) or "(none)"
    return strip_controls(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
