"""Text between the parts of a text: a full stop, a dash or a colon that the tests' texts have and the result lacks."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, bits, operator, quoted, ranked
from .fitting import SUM, grouped
from .kinds import kinds
from .scope import editable, is_value
from .texts import literal

_MOST = 3
_BETWEEN = re.compile(r"(?<=\w)[^\w\s\"'{}\\]? ?(?=\w)")
"""What stands between two words of a text: one sign, a blank, or a sign and a blank."""
_RARE = 0.8


@operator("missing_separator", 4.6, "the text between two parts is missing")
def missing_separator(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put what parts the words of the tests' texts behind or before a text that is handed on, or into an f-string."""
    if isinstance(node, ast.JoinedStr):
        yield from _into(source, node)
        return
    parent = source.parents.get(node)
    if not isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call) or not isinstance(
        parent, ast.Call | ast.Return | ast.Assign | ast.BinOp | ast.keyword
    ):
        return
    if isinstance(parent, ast.BinOp) and not isinstance(parent.op, ast.Add):
        return
    if not (is_value(source, node) and editable(source, node)) or kinds(source, node) != {"str"}:
        return
    text = grouped(source.segment(node), SUM)
    signs = [literal(sign, '"') for sign in _separators(source)]
    yield from ranked(source, node, [f"{text} + {sign}" for sign in signs], _RARE)
    yield from ranked(source, node, [f"{sign} + {text}" for sign in signs], _RARE, 0.4)


def _into(source: Source, node: ast.JoinedStr) -> Iterator[Splice]:
    """Yield a sign between two parts of an f-string that stand side by side, and one behind the last part."""
    start, end = source.span(node)
    text = source.text[start:end]
    quote = text[-1:]
    if "\n" in text or text.endswith(('"""', "'''")):
        return
    for match in re.finditer(r"\}(?=\{)", text):
        for place, sign in enumerate(_separators(source)):
            at = start + match.end()
            yield Splice(
                at, at, sign, f"{quoted(text)} gets {quoted(sign)} between two parts", 1.0, _RARE * bits(place)
            )
    if text.endswith("}" + quote):
        for place, sign in enumerate(_separators(source)):
            at = end - 1
            yield Splice(at, at, sign, f"{quoted(text)} gets {quoted(sign)} at its end", 1.0, 0.4 + _RARE * bits(place))


def _separators(source: Source) -> list[str]:
    """Return what stands most often between two words of the tests' texts; none that the program has in a text."""
    if "separators" not in source.memo:
        texts = [text for text in source.observed if isinstance(text, str)]
        counted = Counter(match[0] for text in texts for match in _BETWEEN.finditer(text) if match[0])
        source.memo["separators"] = [sign for sign, _ in counted.most_common(_MOST)]
    found: list[str] = source.memo["separators"]
    return found
