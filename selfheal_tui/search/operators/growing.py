"""Expressions over values: enumerated smallest first, those with the same values in every case kept once.

Bottom-up enumeration by observed values (Albarghouthi, Gulwani, Kincaid: "Recursive Program Synthesis", CAV 2013). Only
literals and pure functions of Python's own are evaluated here, on small values, so nothing of the program runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .fitting import ATOM, PRODUCT, SUM, grouped

Values = tuple[Any, ...]
Unary = tuple[str, Callable[[Any], Any]]
Binary = tuple[str, Callable[[Any, Any], Any]]
"""The form of an operation and what it does: `{a}` and `{b}` bind tightly, `{l}` and `{r}` as sides of a comparison,
`{p}` as an object; `{x}` and `{q}` stand alone."""
UNARY: tuple[Unary, ...] = (
    ("len({})", len),
    ("sum({})", sum),
    ("max({})", max),
    ("min({})", min),
    ("sorted({})", sorted),
    ("list({})", list),
    ("set({})", set),
    ("tuple({})", tuple),
    ("str({})", str),
    ("int({})", int),
    ("float({})", float),
    ("abs({})", abs),
    ("round({})", round),
    ("{a}[0]", lambda x: x[0]),
    ("{a}[-1]", lambda x: x[-1]),
    ("{a}[1:]", lambda x: x[1:]),
    ("{a}[:-1]", lambda x: x[:-1]),
    ("{a}[::-1]", lambda x: x[::-1]),
    ("-{a}", lambda x: -x),
    ("not {a}", lambda x: not x),
    ("{a}.lower()", lambda x: x.lower()),
    ("{a}.upper()", lambda x: x.upper()),
    ("{a}.strip()", lambda x: x.strip()),
    ("{a}.split()", lambda x: x.split()),
    ("{a}.swapcase()", lambda x: x.swapcase()),
    ("{a}.title()", lambda x: x.title()),
    ("''.join({})", "".join),
    ("' '.join({})", " ".join),
)
BINARY: tuple[Binary, ...] = (
    ("{a} + {b}", lambda x, y: x + y),
    ("{a} - {b}", lambda x, y: x - y),
    ("{a} * {b}", lambda x, y: x * y if is_small(x, y) else _no_value()),
    ("{a} // {b}", lambda x, y: x // y),
    ("{a} / {b}", lambda x, y: x / y),
    ("{a} % {b}", lambda x, y: x % y),
    ("{a} == {b}", lambda x, y: x == y),
    ("{a} < {b}", lambda x, y: x < y),
    ("{a} <= {b}", lambda x, y: x <= y),
    ("{a} in {b}", lambda x, y: x in y),
    ("{p}[{q}]", lambda x, y: x[y]),
    ("{p}[:{q}]", lambda x, y: x[:y]),
    ("{p}[{q}:]", lambda x, y: x[y:]),
    ("{p}.count({q})", lambda x, y: x.count(y)),
    ("max({x}, {q})", max),
    ("min({x}, {q})", min),
    ("{a} and {b}", lambda x, y: x and y),
    ("{a} or {b}", lambda x, y: x or y),
    ("({x}, {q})", lambda x, y: (x, y)),
    ("[{x}, {q}]", lambda x, y: [x, y]),
)
MOST_TRIED = 40_000
"""Expressions, so that a busy machine finds the same; about 0.2 s with a few cases."""
MOST = 12
_LARGEST, _SMALL = 5, 3
_WIDEST = 120
_BIGGEST = 10**6
_LONGEST = 2000


def enumerate_expressions(
    atoms: Sequence[tuple[str, Values]], wanted: Values, most_tried: int = MOST_TRIED
) -> list[tuple[str, int]]:
    """Return expressions (text, number of parts) over atoms (text, its value in each case) that have the wanted values.

    Smallest first. An expression that raises in any case is left out.
    """
    matching: list[tuple[str, int]] = []
    for text, values, size in grow(atoms, most_tried=most_tried):
        if len(matching) >= MOST or (matching and size > max(_SMALL, matching[0][1])):
            break
        if all(_same(value, want) for value, want in zip(values, wanted, strict=True)):
            matching.append((text, size))
    return matching


def grow(
    atoms: Sequence[tuple[str, Values]],
    unary: Sequence[Unary] = UNARY,
    binary: Sequence[Binary] = BINARY,
    largest: int = _LARGEST,
    most_tried: int = MOST_TRIED,
) -> Iterator[tuple[str, Values, int]]:
    """Yield expressions over atoms with their values and number of parts, smallest first.

    Of those with the same values only the first is built upon.
    """
    tried = 0
    signatures: set[str] = set()
    bank: dict[int, list[tuple[str, Values]]] = {}
    for size in range(1, largest + 1):
        bank[size] = []
        for text, values in _grown(bank, size, unary, binary) if size > 1 else atoms:
            tried += size > 1
            if tried > most_tried:
                return
            if values is None or len(signature := repr(values)) > _LONGEST:
                continue
            yield text, values, size
            if signature not in signatures:
                signatures.add(signature)
                bank[size].append((text, values))


def _grown(
    bank: Mapping[int, list[tuple[str, Values]]], size: int, unary: Sequence[Unary], binary: Sequence[Binary]
) -> Iterator[tuple[str, Values | None]]:
    """Yield each larger expression with its values; without its text and with None where it raises in a case."""
    for text, values in list(bank[size - 1])[: 4 * _WIDEST]:
        atom = grouped(text, ATOM)
        for form, function in unary:
            made = _applied(function, values)
            yield ("" if made is None else form.format(text, a=atom)), made
    for left_size in range(1, size - 1):
        for one, some in bank[left_size][:_WIDEST]:
            left = {"a": grouped(one, PRODUCT + 1), "p": grouped(one, ATOM), "l": grouped(one, SUM), "x": one}
            for other, others in bank[size - 1 - left_size][:_WIDEST]:
                right = {"b": grouped(other, PRODUCT + 1), "r": grouped(other, SUM), "q": other}
                for form, combine in binary:
                    made = _applied(combine, some, others)
                    yield ("" if made is None else form.format(**left, **right)), made


def _applied(function: Callable[..., Any], *columns: Values) -> Values | None:
    try:
        return tuple(map(function, *columns))
    except (TypeError, ValueError, IndexError, KeyError, AttributeError, ZeroDivisionError, OverflowError, MemoryError):
        return None


def _no_value() -> None:
    raise ValueError


def is_small(one: Any, other: Any) -> bool:
    """Tell whether a product of the two cannot grow large."""
    for value, count in ((one, other), (other, one)):
        if (
            isinstance(count, int)
            and isinstance(value, str | list | tuple | bytes)
            and len(value) * abs(count) > 10_000
        ):
            return False
        if isinstance(value, int | float) and abs(value) > _BIGGEST**4:
            return False
    return True


def _same(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, float) and isinstance(value, int | float) and not isinstance(value, bool):
        return bool(abs(value - wanted) <= 1e-9 * max(1.0, abs(wanted)))
    return type(value) is type(wanted) and bool(value == wanted)
