"""The registry of edit operators: one family of small edits each, cheap and common ones first."""

from __future__ import annotations

import ast
import functools
import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from dataclasses import replace as dc_replace

from selfheal_tui.search.program.source import Source

from .bare import around_single
from .fitting import fit, fitter


@dataclass(frozen=True, slots=True)
class Splice:
    """Replace `text[start:end]` of the original source."""

    start: int
    end: int
    text: str
    reason: str
    """What changes, without the line: "`<` becomes `<=`"."""
    weight: float = 1.0
    """Multiplies the family's cost: above 1 for the rarer edits of a family."""
    extra: float = 0.0
    """Bits added to the cost, for instance by its rank among its like."""


EditOperator = Callable[[Source, ast.AST], Iterator[Splice]]


@dataclass(frozen=True, slots=True)
class Family:
    """A registered operator."""

    name: str
    cost: float
    """In bits: 1 is a very common slip, 2 common, 4 unusual, 7 rare; higher is judged later and ranks lower."""
    reason: str
    """What kind of mistake it mends."""
    edits: EditOperator
    discount: float = 0.0
    """Bits that its cheapest edit may cost less than `cost`: until then nobody asks for its edits."""


OPERATORS: dict[str, Family] = {}
_ENDS_EXPRESSION = re.compile(r"""["'\\{}!#\n]|:(?![^\[\]]*\])|\blambda\b""")
_BITS = tuple(math.log2(place + 1) for place in range(512))


def operator(name: str, cost: float, reason: str, discount: float = 0.0) -> Callable[[EditOperator], EditOperator]:
    """Register a pure generator that maps a node to edits of the original text; an `extra` is at least `-discount`."""

    def register(edits: EditOperator) -> EditOperator:
        if name in OPERATORS:
            raise ValueError(f"two operators are named {name!r}")
        OPERATORS[name] = edit_operator(name, cost, reason, discount)(edits)
        return edits

    return register


def edit_operator(name: str, cost: float, reason: str, discount: float = 0.0) -> Callable[[EditOperator], Family]:
    """Make an operator of such a generator, for a plug-in to name: it is registered where the plug-in is enabled."""

    def made(edits: EditOperator) -> Family:
        @functools.wraps(edits)
        def fitting(source: Source, node: ast.AST) -> Iterator[Splice]:
            around = source.f_string(node)
            for splice in edits(source, node):
                if around is None or not _is_torn(splice, around):
                    span = around_single(source.text, splice.start, splice.end, splice.text)
                    yield splice if span[0] == splice.start else dc_replace(splice, start=span[0], end=span[1])

        return Family(name, cost, reason, fitting, discount)

    return made


def _is_torn(splice: Splice, around: tuple[int, int]) -> bool:
    """Tell whether an edit within an f-string writes what ends an expression there, in Python before 3.12."""
    inside = around[0] < splice.start and splice.end < around[1]
    return inside and _ENDS_EXPRESSION.search(splice.text) is not None


def replace(source: Source, node: ast.expr, text: str, weight: float = 1.0, extra: float = 0.0) -> Splice:
    """Return the edit that puts the expression `text` in the place of another, in parentheses where it must be."""
    start, end = source.span(node)
    reason = f"{quoted(source.text[start:end])} becomes {quoted(text)}"
    return Splice(start, end, fit(source, node, text), reason, weight, extra)


def ranked(
    source: Source, node: ast.expr, texts: Iterable[str], step: float = 0.5, extra: float = 0.0, weight: float = 1.0
) -> Iterator[Splice]:
    """Yield the edits that put each text in the place of an expression; the n-th costs `step * log2(n)` bits more."""
    start, end = source.span(node)
    old = source.text[start:end]
    fitted = fitter(source, node)
    head = f"{quoted(old)} becomes "
    for place, text in enumerate(dict.fromkeys(texts)):
        if text != old:
            yield Splice(start, end, fitted(text), head + quoted(text), weight, extra + step * bits(place))


def together(source: Source, parts: Iterable[tuple[int, int, str]], reason: str, extra: float = 0.0) -> Splice:
    """Return one edit of several replacements (start, end, text) that do not overlap; at least one."""
    ordered = sorted(parts)
    begin = end = ordered[0][0]
    text = ""
    for start, stop, new in ordered:
        text += source.text[end:start] + new
        end = stop
    return Splice(begin, end, text, reason, 1.0, extra)


def bits(place: int) -> float:
    """Return the bits that the alternative at a place (from 0) of a list costs."""
    return _BITS[place] if place < len(_BITS) else math.log2(place + 1)


def token_between(source: Source, before: ast.expr, after: ast.expr, pattern: str) -> tuple[int, int] | None:
    """Return the span of the first match of `pattern` between two neighbours, comments skipped."""
    begin, end = source.span(before)[1], source.span(after)[0]
    for match in re.compile(rf"#[^\r\n]*|({pattern})").finditer(source.text, begin, end):
        if match.group(1) is not None:
            return match.span(1)
    return None


def quoted(text: str, limit: int = 60) -> str:
    """Return code for a reason: on one line, in backquotes, cut at `limit`."""
    line = " ".join(text.split()) if "\n" in text else text
    return f"`{line if len(line) <= limit else line[: limit - 1] + '…'}`"
