"""Two edits of one expression, told as the one change that they are. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from selfheal_tui.python_source import parse_or_none

from ..operators.base import quoted
from .candidates import Candidate

Part = ast.expr | ast.stmt


def as_one_change(candidate: Candidate, program: Mapping[str, str]) -> Candidate:
    """Return a candidate whose edits are all at one line with the words ``line 3: `a` becomes `abs(a // 2)` ``.

    Any other as it is; `program` is path -> text before.
    """
    at = (candidate.path, candidate.line)
    if not candidate.before or {*candidate.before} != {at} or candidate.parts > 1:
        return candidate
    text, changed = program.get(candidate.path, ""), candidate.changes[candidate.path]
    before, after = parse_or_none(text), parse_or_none(changed)
    parts = _parts(before, after) if before is not None and after is not None else None
    if parts is None or parts[0].lineno != candidate.line:
        return candidate
    old, new = ast.get_source_segment(text, parts[0]), ast.get_source_segment(changed, parts[1])
    if not old or not new:
        return candidate
    return replace(candidate, summary=f"line {candidate.line}: {quoted(old)} becomes {quoted(new)}", as_one=True)


def _parts(before: ast.AST, after: ast.AST) -> tuple[Part, Part] | None:
    """Return the smallest expression or statement that holds all that differs, before and after."""
    found: tuple[Part, Part] | None = None
    old, new = before, after
    while type(old) is type(new):
        ones, others = [*ast.iter_child_nodes(old)], [*ast.iter_child_nodes(new)]
        differing = [(a, b) for a, b in zip(ones, others, strict=False) if ast.dump(a) != ast.dump(b)]
        if len(ones) != len(others) or len(differing) != 1:
            break
        ((old, new),) = differing
        if isinstance(old, ast.expr | ast.stmt) and isinstance(new, ast.expr | ast.stmt):
            found = old, new
    return found
