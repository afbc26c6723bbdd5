"""Texts that come out different from what a failing case expects: the difference shows what is missing in them."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher

from selfheal_tui.search.program.source import FunctionNode, Source

from .base import Splice, operator, ranked
from .fitting import ATOM, grouped
from .kinds import kinds
from .scope import own_nodes
from .texts import literal

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_MOST_CHANGES = 2
"""Places at which two texts may differ; with more of them the difference says little."""
_LONGEST = 400
_MOST = 12


@operator("text_by_example", 2.6, "a text lacks what the cases expect in it")
def text_by_example(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Change a text constant as what came out must change to be what a case expects."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or len(node.value) > _LONGEST:
        return
    if isinstance(source.parents.get(node), ast.Expr | ast.JoinedStr) or source.segment(node)[:1].isalpha():
        return
    texts = [
        node.value.replace(old, new)
        for actual, expected in source.observations.differences
        for old, new in replacements(actual, expected)
        if len(old.strip()) > 1 and old in node.value
    ]
    yield from ranked(source, node, (literal(text, source.segment(node)[-1:]) for text in _most_frequent(texts)), 0.5)


@operator("replace_by_example", 3.4, "a part of a text should be replaced in the result")
def replace_by_example(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Return `text.replace(a, b)` where that makes of a text at hand what the failing cases expect.

    Not of the whole of a text: that would be a table of one input.
    """
    if not isinstance(node, ast.Return) or node.value is None or not kinds(source, node.value) <= {"str"}:
        return
    function = source.function(node)
    if function is None or not source.observations.differences:
        return
    calls = [
        f"{grouped(text, ATOM)}.replace({literal(old)}, {literal(new)})"
        for text, values in _texts_at_hand(source, function).items()
        for _, expected in source.observations.differences
        for value in values
        for old, new in replacements(value, expected)
        if value.replace(old, new) == expected and value != old
    ]
    yield from ranked(source, node.value, _most_frequent(calls), 0.4)


def replacements(text: str, wanted: str) -> list[tuple[str, str]]:
    """Return parts of a text with what stands there in the wanted one, each with the word before or after it.

    Of `git diff x` and `git diff --staged x`: ("diff ", "diff --staged "), ("x", "--staged x") and more.
    """
    if text == wanted or max(len(text), len(wanted)) > _LONGEST:
        return []
    old, new = _TOKEN.findall(text), _TOKEN.findall(wanted)
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    changed = [(a, b, c, d) for kind, a, b, c, d in blocks if kind != "equal"]
    if len(changed) > _MOST_CHANGES:
        return []
    pairs: list[tuple[str, str]] = []
    for a, b, c, d in [place for change in changed for place in _turned(old, new, *change)]:
        cut, put = "".join(old[a:b]), "".join(new[c:d])
        if cut:
            pairs.append((cut, put))
        for words in (1, 2):
            before, after = "".join(old[max(a - words, 0) : a]), "".join(old[b : b + words])
            pairs += [(before + cut, before + put)] if before else []
            pairs += [(cut + after, put + after)] if after else []
    return list(dict.fromkeys(pairs))


def _turned(old: list[str], new: list[str], a: int, b: int, c: int, d: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield a change, and the same insertion one word earlier: `y ` before `x` is ` y` after what stands there."""
    if a == b and a > 0 and old[a - 1] == new[d - 1]:
        yield a - 1, b - 1, c - 1, d - 1
    yield a, b, c, d


def _texts_at_hand(source: Source, function: FunctionNode) -> dict[str, tuple[str, ...]]:
    """Return the names and attributes of a function that were texts in a run, with some of their values."""
    texts: dict[str, dict[str, None]] = {}
    for node in own_nodes(source, function):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            values = [value for value in source.values(node) if isinstance(value, str)]
            if values:
                texts.setdefault(source.segment(node), {}).update(dict.fromkeys(values))
    return {text: tuple(values) for text, values in texts.items()}


def _most_frequent(texts: list[str]) -> list[str]:
    """Return distinct texts, those that most examples ask for first."""
    return [text for text, _ in Counter(texts).most_common(_MOST)]
