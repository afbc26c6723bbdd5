"""`selfheal sessions compare`: two checkpoints or branches side by side."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from selfheal_tui.engine.history.compare import Comparison, Row, Side
from selfheal_tui.engine.moment.state import Spent
from selfheal_tui.engine.moment.words import bill_line
from selfheal_tui.money import json_text
from selfheal_tui.text import one_line, plural, price_words, show_controls, strip_controls

from .find import SHORT_ID, find_moment
from .look import look_at
from .options import add_json, add_session, add_store_settings
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.history.saved_session import SavedSession

_CELL = {"passed": "+", "failed": "F", "error": "E", "timeout": "T", "skipped": "s"}
_SHOWN_CASES = 60


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    add_session(parser)
    parser.add_argument("a", metavar="A", help="a branch, or a checkpoint's id or the start of it")
    parser.add_argument("b", metavar="B", help="what to compare it with, named in the same way")
    add_json(parser)
    add_store_settings(parser)


def run(args: Namespace) -> int:
    """Compare and print."""

    async def read(session: SavedSession) -> Comparison:
        from selfheal_tui.engine.out.tell import compare_moments

        timeline = await session.timeline()
        return await compare_moments(session, find_moment(timeline, args.a), find_moment(timeline, args.b))

    comparison = look_at(load_from(args), args.session, read)
    print(json_text(comparison) if args.json else comparison_text(comparison))
    return 0


def comparison_text(comparison: Comparison) -> str:
    """Return a comparison as text, made safe."""
    lines = [_side_line("A", comparison["a"]), _spent_by(comparison["a"]["spent"])]
    lines += [_side_line("B", comparison["b"]), _spent_by(comparison["b"]["spent"])]
    lines.append(_spent_line(comparison["more_spent"]))
    if different := [pair for pair in comparison["diagnosis"] if not pair["same"]]:
        lines += ["", "diagnosis:"]
        for pair in different:
            lines += [f"  {pair['field']}", f"    A {_value(pair['a'])}", f"    B {_value(pair['b'])}"]
    elif comparison["diagnosis"]:
        lines += ["", "diagnosis: the same"]
    lines += ["", *_matrix_lines(comparison)]
    lines += ["", show_controls(comparison["diff"]).rstrip("\n") or "The program is the same."]
    if comparison["tests_diff"]:
        lines += ["", "tests:", show_controls(comparison["tests_diff"]).rstrip("\n")]
    return strip_controls("\n".join(lines))


def _side_line(name: str, side: Side) -> str:
    state = side["outcome"].replace("_", " ") or f"after {side['node']}"
    counts = "no suite yet" if side["passed"] is None else f"{side['passed']} passed, {side['failed']} not"
    stale = "" if side["suite_is_current"] or side["passed"] is None else " (an earlier program's)"
    where = f"{one_line(side['branch'], 60)} {side['checkpoint_id'][:SHORT_ID]}"
    return f"{name}  {where}  iteration {side['iteration']}, {state}, {counts}{stale}"


def _spent_by(spent: Spent) -> str:
    return f"   spent {bill_line(spent)}"


def _spent_line(spent: Spent) -> str:
    cost = price_words(spent["cost_usd"], sign=True)
    tokens = f"{spent['input_tokens']:+,} and {spent['output_tokens']:+,} tokens"
    return f"B spent, against A: {spent['calls']:+} calls, {tokens}, {cost}, {spent['time_s']:+.1f} s"


def _value(value: Any) -> str:
    if isinstance(value, list):
        return one_line("; ".join(f"{e['file']}:{e['line']} {e['why']}" for e in value), 400) or "(none)"
    return "(none)" if value is None else one_line(str(value), 400)


def _matrix_lines(comparison: Comparison) -> Iterator[str]:
    """Draw the cases that flip or do not pass; the others are counted."""
    rows = [row for row in comparison["cases"] if _speaks(row)]
    quiet = len(comparison["cases"]) - len(rows)
    cut, rows = len(rows[_SHOWN_CASES:]), rows[:_SHOWN_CASES]
    names = [one_line(row["id"], 70) for row in rows]
    width = max([4, *map(len, names)])
    if comparison["columns"]:
        marks = {"both": " ", "a": "A", "b": "B"}
        heads = " ".join(f"{marks[column['on']] + str(column['iteration']):>4}" for column in comparison["columns"])
        yield f"{'case':<{width}}  {heads}   + passed, F failed, E error, T timeout, s skipped, . not run, ! flipped"
        yield "each column is a run of the tests, by its iteration; A1 is only on the way to A, B1 only to B"
    for name, row in zip(names, rows, strict=True):
        cells = " ".join(
            f"{_CELL.get(outcome or '', '.') + ('!' if flip else ''):>4}"
            for outcome, flip in zip(row["outcomes"], row["flips"], strict=True)
        )
        verdict = f"   A {row['a']}, B {row['b']}" if row["flipped"] else ""
        yield f"{name:<{width}}  {cells}{verdict}".rstrip()
    if cut:
        yield f"and {plural(cut, 'case')} more that flip or do not pass (--json has all)"
    if quiet:
        yield f"{plural(quiet, 'case')} passed throughout"
    yield f"B fixes {len(comparison['fixed'])} and breaks {len(comparison['broken'])} against A"


def _speaks(row: Row) -> bool:
    return row["flipped"] or any(row["flips"]) or any(outcome not in ("passed", None) for outcome in row["outcomes"])
