"""Conditions: one too few, too weak, too strong, or another one altogether; an `if` that should be a `while`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, bits, operator, quoted, ranked, replace, together
from .blocks import block_of, has_own_lines, indent_of, jumps_out, newline_of
from .fitting import AND, NOT, fitter, grouped, parenthesised_span
from .pool import conditions
from .scope import is_value

_LONGEST = 90


@operator("condition", 4.5, "a condition is too weak or too strong")
def condition(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Join one more condition by `and` or `or`, before or after; or put another in its place."""
    if not isinstance(node, ast.expr) or not _is_test(source, node):
        return
    text = source.segment(node)
    if len(text) > _LONGEST:
        return
    tight, loose = grouped(text, AND), text
    start, end = source.span(node)
    fitted = fitter(source, node)
    for place, other in enumerate(conditions(source, node)):
        if other == text:
            continue
        extra = 0.8 * bits(place)
        also, either = grouped(other, NOT), grouped(other, AND)
        forms = (
            (f"{tight} and {also}", 0.0, f"{quoted(f'and {also}')} is added to the condition"),
            (f"{loose} or {either}", 0.2, f"{quoted(f'or {either}')} is added to the condition"),
            (f"{also} and {tight}", 1.0, f"{quoted(f'{also} and')} is put before the condition"),
            (f"{either} or {loose}", 1.2, f"{quoted(f'{either} or')} is put before the condition"),
        )
        for new, more, reason in forms:
            yield Splice(start, end, fitted(new), reason, 1.0, extra + more)
        yield Splice(start, end, fitted(other), f"the condition becomes {quoted(other)}", 1.0, extra + 2.3)
    yield from ranked(source, node, ("True", "False"), 0.2, 0.6)


@operator("disjunct", 3.6, "a condition forgets a case that looks like another of its cases")
def disjunct(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Repeat one part of a condition with its names exchanged: `a + b == c` gives `a + c == b`."""
    if not isinstance(node, ast.BoolOp):
        return
    word = "and" if isinstance(node.op, ast.And) else "or"
    texts = [grouped(source.segment(value), AND if word == "and" else NOT) for value in node.values]
    place = 0
    for number, value in enumerate(node.values):
        names = [n for n in ast.walk(value) if isinstance(n, ast.Name)]
        for one in names:
            for other in names:
                if one.id < other.id:
                    text = _exchanged(source, value, one, other)
                    if text not in texts:
                        for at in (len(texts), number + 1, 0):
                            joined = f" {word} ".join([*texts[:at], text, *texts[at:]])
                            yield replace(source, node, joined, 1.0, 0.4 * bits(place))
                        place += 1


@operator("filter", 4.6, "a comprehension keeps too much or too little", discount=0.6)
def filter_(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Add a condition to a comprehension, drop one, or drop the comprehension."""
    if not isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
        return
    last = node.generators[-1]
    if last.ifs:
        start, end = parenthesised_span(source, last.iter)[1], parenthesised_span(source, last.ifs[-1])[1]
        if source.text[start:end].lstrip().startswith("if"):
            yield Splice(start, end, "", "the condition is removed: everything is kept", 1.0, -0.6)
    else:
        end = source.span(last.iter)[1]
        if source.text[end : source.span(node)[1]].strip() in ("]", "}", ")"):
            for place, other in enumerate(conditions(source, node.elt)):
                text = f" if {grouped(other, NOT - 2)}"
                yield Splice(end, end, text, f"{quoted(text.strip())} is added", 1.0, 0.8 * bits(place))
    if isinstance(node, ast.ListComp):
        yield replace(source, node, source.segment(node.generators[0].iter))


@operator("repeat_test", 4.5, "what is done once should be done as long as it holds, or the other way round")
def repeat_test(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn an `if` without `else` into a `while`, and back; what the test looks at is worked out again in the loop."""
    if isinstance(node, ast.If | ast.While) and not node.orelse and has_own_lines_of_header(source, node):
        start = source.span(node)[0]
        old, new = ("if", "while") if isinstance(node, ast.If) else ("while", "if")
        if source.text.startswith(old, start) and (old == "if" or not any(map(jumps_out, node.body))):
            yield Splice(start, start + len(old), new, f"`{old}` becomes `{new}`")
        again = _set_before(source, node) if isinstance(node, ast.If) and has_own_lines(source, node.body[-1]) else None
        if again is not None and source.text.startswith(old, start):
            text, end = source.segment(again), source.span(node.body[-1])[1]
            more = f"{newline_of(source)}{indent_of(source, node.body[-1])}{text}"
            reason = f"`if` becomes `while`, with {quoted(text)} at its end"
            yield together(source, [(start, start + len(old), new), (end, end, more)], reason, 0.2)


def _set_before(source: Source, node: ast.If) -> ast.Assign | None:
    """Return the statement before an `if` that sets what its test looks at by a call: `op = self.accept("+")`."""
    body, _ = block_of(source, node)
    before = body[body.index(node) - 1] if body.index(node) else None
    names = {name.id for name in ast.walk(node.test) if isinstance(name, ast.Name)}
    match before:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in names:
            if any(isinstance(part, ast.Call) for part in ast.walk(value)) and before.lineno == before.end_lineno:
                return before
    return None


def has_own_lines_of_header(source: Source, node: ast.If | ast.While) -> bool:
    """Tell whether the statement is no `elif` and its block stands below it."""
    return has_own_lines(source, node) and node.body[0].lineno > node.lineno


def _is_test(source: Source, node: ast.expr) -> bool:
    if not is_value(source, node):
        return False
    parent = source.parents.get(node)
    if isinstance(parent, ast.If | ast.While | ast.IfExp):
        return parent.test is node
    return isinstance(parent, ast.comprehension) and node in parent.ifs


def _exchanged(source: Source, value: ast.expr, one: ast.Name, other: ast.Name) -> str:
    base = source.span(value)[0]
    text = source.segment(value)
    for name, new in sorted(((one, other.id), (other, one.id)), key=lambda pair: -source.span(pair[0])[0]):
        start, end = (at - base for at in source.span(name))
        text = text[:start] + new + text[end:]
    return text
