"""Text constants: variants of themselves, other texts at hand, a slip of the pen."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable, Iterator

from selfheal_tui.search.program.source import FunctionNode, Source

from .base import Splice, operator, ranked, replace
from .scope import scope, texts

_MOST = 24
_BRACKETS = "()[]{}<>"
_WORD = re.compile(r"[A-Za-z]{4,}")


@operator("string", 3.0, "a text constant is not the one meant", discount=1.0)
def string(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Replace a text by a variant of itself, by another of the program, or by one that docs or tests mention."""
    value = _text(source, node)
    if value is None or not isinstance(node, ast.Constant):
        return
    quote = source.segment(node)[-1:]
    variants = [value.lower(), value.upper(), value.title(), value.capitalize(), value.strip(), "", " ", value[::-1]]
    variants += [value[:-1], value[1:], f"{value} ", f" {value}", value.replace(" ", "")]
    variants += [value + value.upper(), value + value, "".join(dict.fromkeys(value)), value.replace("_", "-")]
    variants += [value[:-1] + value[-1:].swapcase(), value[:1].swapcase() + value[1:], *_without_one(value)]
    variants += _without_a_word(value)
    if len(value) == 1:
        variants += _BRACKETS.replace(value, "") if value in _BRACKETS else ""
        variants += dict.fromkeys(c for text in source.observed if isinstance(text, str) for c in text)
    if len(value) <= 2:
        variants += ["\n", ",", ", ", "-", "_", ".", "0", "1"]
    variants = [text for text in dict.fromkeys(variants) if text != value]
    others = [text for text in texts(source, node) if text not in variants and text != value]
    yield from ranked(source, node, (literal(text, quote) for text in variants), 0.5)
    yield from ranked(source, node, (literal(text, quote) for text in others[:_MOST]), 0.6, 0.6)
    if value in scope(source, node):
        forms = [value, f"{value}.encode()"] if source.observations.wants_bytes else [value]
        yield from ranked(source, node, forms, 1.0, -1.0)


@operator("all_texts", 3.4, "the texts of a statement are all spelt the wrong way")
def all_texts(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Change the case of all texts of a simple statement alike, or strip them."""
    if not isinstance(node, ast.Return | ast.Assign | ast.AugAssign | ast.Expr):
        return
    constants = [n for n in ast.walk(node) if _text(source, n) is not None]
    if not 2 <= len(constants) <= 12 or any(isinstance(n, ast.JoinedStr) for n in ast.walk(node)):
        return
    spans = sorted((*source.span(n), n) for n in constants if isinstance(n, ast.Constant))
    changes: tuple[Callable[[str], str], ...] = (str.capitalize, str.lower, str.upper, str.title, str.strip)
    for place, change in enumerate(changes):
        new, end = "", spans[0][0]
        for start, stop, constant in spans:
            new += source.text[end:start] + literal(change(str(constant.value)), source.text[stop - 1])
            end = stop
        if new != source.text[spans[0][0] : end]:
            reason = "every text changes its case alike"
            yield Splice(spans[0][0], end, new, reason, 1.0, 0.4 * place)


@operator("spelling", 1.2, "a word is misspelt")
def spelling(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Replace a text by a very similar word of the docstring, of the tests or of another text."""
    value = _text(source, node)
    if value is None or len(value) < 4 or not isinstance(node, ast.Constant):
        return
    quote = source.segment(node)[-1:]
    for place, word in enumerate(difflib.get_close_matches(value, _words(source), 4, 0.75)):
        if word != value:
            yield replace(source, node, literal(word, quote), 1.0, 0.5 * place)


def literal(text: str, quote: str = '"') -> str:
    """Return a string's literal, in the quotes that the file uses there if they fit."""
    plain = repr(text)
    if quote in "\"'" and quote not in text and plain[0] != quote and plain[1:-1].count("\\") == text.count("\\") * 2:
        return quote + plain[1:-1] + quote
    if plain.startswith("'") and quote == '"' and '"' not in text and "'" not in text:
        return quote + plain[1:-1] + quote
    return plain


def _text(source: Source, node: ast.AST) -> str | None:
    """Return the value of a text constant; None for documentation, keys of slices and anything else."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return None
    if (
        isinstance(source.parents.get(node), ast.Expr | ast.JoinedStr)
        or len(node.value) > 60
        or "\n" in node.value[:-1]
    ):
        return None
    return node.value if not source.segment(node)[:1].isalpha() else None


def _without_one(value: str) -> list[str]:
    return [value[:n] + value[n + 1 :] for n in range(len(value))] if 2 < len(value) <= 12 else []


def _without_a_word(value: str) -> list[str]:
    """Return the text without its first and without its last word, with and without the space between."""
    first, _, rest = value.partition(" ")
    start, _, last = value.rpartition(" ")
    return [f" {rest}", rest, start, f"{start} "] if first and last else []


def _words(source: Source) -> list[str]:
    if "words" not in source.memo:
        words: list[str] = [value for value in (*source.mentioned, *source.observed) if isinstance(value, str)]
        for node in ast.walk(source.tree):
            if isinstance(node, FunctionNode | ast.ClassDef | ast.Module):
                words += _WORD.findall(ast.get_docstring(node, clean=False) or "")
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 40:
                words.append(node.value)
        source.memo["words"] = list(dict.fromkeys(words))
    all_words: list[str] = source.memo["words"]
    return all_words
