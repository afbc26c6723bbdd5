"""Regular expressions: a group, a class, an anchor, a repetition or a flag is not the one meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from selfheal_tui.search.program.source import Source

from .base import Splice, bits, operator, quoted, together

_LOOKS_LIKE_ONE = re.compile(r"\\[dwsbDWSBAZ]|\[[^\]]+\]|\(\?|[.\w)][*+]|\{\d")
_CALLED = frozenset({"compile", "match", "search", "fullmatch", "findall", "finditer", "sub", "subn", "split"})
_FLAGS = ("IGNORECASE", "DOTALL", "MULTILINE")
_POSITIONAL_FLAGS = {"compile": 1, "sub": 4, "subn": 4, "split": 3}
"""Place of the flags among the arguments of a function of `re`; 2 for the others."""
_WIDER = ("A-Z", "a-z", "0-9", "_", "-", ".", " ")
_SELDOM_WIDER = ("'", ",", "/", ":", "+", "@", "#", "&")
"""Signs that a class lacks now and then: an apostrophe in words, a slash in paths."""
_LONGEST = 400
_TOKEN = r"""
    (?P<group>\((?![?]))
  | (?P<plain>\(\?:)
  | (?P<class>\[\^?\]?(?:{escape}|[^\]\\])*\])
  | (?P<repeat>(?:[*+?]|\{{\d+(?:,\d*)?\}})\??)
  | (?P<edge>\^|\$|{bound})
  | (?P<any>\.)
  | (?P<other>{escape}|.)
"""
_RAW = re.compile(_TOKEN.format(escape=r"\\.", bound=r"\\[bBAZ]"), re.VERBOSE | re.DOTALL)
_COOKED = re.compile(_TOKEN.format(escape=r"\\\\.|\\.", bound=r"\\\\[bBAZ]"), re.VERBOSE | re.DOTALL)
"""In a literal that is not raw, a backslash of the pattern is two."""
_LITERAL = re.compile(r"([a-zA-Z]*)('''|\"\"\"|'|\")")


class _Token(NamedTuple):
    kind: str
    start: int
    """Offset in the file."""
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@operator("pattern", 3.2, "a regular expression matches too little, too much or something else")
def pattern(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Change a part of a regular expression: a group that captures, a class, an anchor, a repetition."""
    if not _is_pattern(source, node) or not isinstance(node, ast.Constant):
        return
    backslash, tokens = _tokens(source, node)
    splices = (
        *_groups(source, tokens),
        *_anchors(tokens, backslash),
        *_classes(tokens, backslash),
        *_repetitions(tokens),
        *_anything(tokens, backslash),
        *_signs(tokens, source, node),
    )
    for place, (start, end, text, reason) in enumerate(splices):
        yield Splice(start, end, text, reason, 1.0, 0.4 * bits(place))


@operator("pattern_flag", 3.2, "a regular expression is meant with another flag")
def pattern_flag(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Add a flag to a call of `re`, or drop those that it has."""
    if not isinstance(node, ast.Call) or not _is_call_of_re(node) or not node.args:
        return
    assert isinstance(node.func, ast.Attribute)
    place = _POSITIONAL_FLAGS.get(node.func.attr, 2)
    flags = next((k.value for k in node.keywords if k.arg == "flags"), None)
    flags = flags or (node.args[place] if len(node.args) > place else None)
    end = source.span(node)[1] - 1
    module = source.segment(node.func.value)
    for order, name in enumerate(_FLAGS):
        flag = f"{module}.{name}"
        if flags is None:
            yield Splice(end, end, f", flags={flag}", f"the flag {quoted(flag)} is added", 1.0, 0.5 * order)
        elif name not in source.segment(flags):
            at = source.span(flags)[1]
            yield Splice(at, at, f" | {flag}", f"the flag {quoted(flag)} is added", 1.0, 0.5 * order)


def _is_call_of_re(node: ast.AST | None) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re" | "regex"), attr=name)):
            return name in _CALLED
    return False


def _is_pattern(source: Source, node: ast.AST) -> bool:
    """Tell whether a constant is a pattern: it is given to `re`, or looks like one in a file that imports `re`."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str | bytes) or len(node.value) > _LONGEST:
        return False
    parent = source.parents.get(node)
    if isinstance(parent, ast.JoinedStr | ast.Expr):
        return False
    if _is_call_of_re(parent):
        return isinstance(parent, ast.Call) and parent.args[0] is node
    text = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
    if not _LOOKS_LIKE_ONE.search(text) or not _imports_re(source):
        return False
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def _imports_re(source: Source) -> bool:
    if "imports_re" not in source.memo:
        imports = [node for node in ast.walk(source.tree) if isinstance(node, ast.Import)]
        source.memo["imports_re"] = any(alias.name == "re" for node in imports for alias in node.names)
    answer: bool = source.memo["imports_re"]
    return answer


def _tokens(source: Source, node: ast.Constant) -> tuple[str, list[_Token]]:
    """Return how the literal writes a backslash, and its tokens; none for a literal of several parts."""
    start, end = source.span(node)
    segment = source.text[start:end]
    opening = _LITERAL.match(segment)
    if opening is None or not segment.endswith(opening.group(2)):
        return "", []
    quote, is_raw = opening.group(2), "r" in opening.group(1).lower()
    inner = segment[opening.end() : -len(quote)]
    if re.search(rf"(?<!\\){re.escape(quote)}", inner):
        return "", []
    matches = (_RAW if is_raw else _COOKED).finditer(inner)
    tokens = [_Token(m.lastgroup or "other", start + opening.end() + m.start(), m.group()) for m in matches]
    return "\\" if is_raw else "\\\\", tokens


_Part = tuple[int, int, str, str]


def _groups(source: Source, tokens: Sequence[_Token]) -> Iterator[_Part]:
    groups = [token for token in tokens if token.kind == "group"]
    if len(groups) > 1:
        parts = [(token.start, token.end, "(?:") for token in groups]
        whole = together(source, parts, "")
        yield whole.start, whole.end, whole.text, "no group of the pattern captures"
    if len(groups) > 2:
        whole = together(source, [(token.start, token.end, "(?:") for token in groups[1:]], "")
        yield whole.start, whole.end, whole.text, "only the first group of the pattern captures"
    for token in groups:
        yield token.start, token.end, "(?:", "a group of the pattern captures no more"
    for token in tokens:
        if token.kind == "plain":
            yield token.start, token.end, "(", "a group of the pattern captures"


def _anchors(tokens: Sequence[_Token], backslash: str) -> Iterator[_Part]:
    for token in tokens:
        if token.kind != "edge":
            continue
        for text in (f"{backslash}b", ""):
            if text != token.text:
                becomes = f"becomes {quoted(text)}" if text else "is dropped"
                yield token.start, token.end, text, f"{quoted(token.text)} {becomes} in the pattern"
    if tokens and tokens[0].text != "^":
        yield tokens[0].start, tokens[0].start, "^", "the pattern matches at the start only"
    if tokens and tokens[-1].text != "$":
        yield tokens[-1].end, tokens[-1].end, "$", "the pattern matches up to the end"


def _classes(tokens: Sequence[_Token], backslash: str) -> Iterator[_Part]:
    for place, token in enumerate(tokens):
        if token.kind != "class":
            continue
        inner = token.text[1:-1]
        after = next((t for t in tokens[place + 1 :] if t.kind != "repeat" and t.text != ")"), None)
        texts = [f"[^{after.text}]"] if after is not None and after.kind == "other" and after.text != "|" else []
        if not inner.startswith("^"):
            texts += [f"[{more}{inner}]" if more != "-" else f"[{inner}-]" for more in _WIDER if more not in inner]
        texts += [f"{backslash}w", f"{backslash}S", "."]
        texts.append(f"[{inner[1:]}]" if inner.startswith("^") else f"[^{inner}]")
        for text in texts:
            if text not in (token.text, "[]"):
                yield token.start, token.end, text, f"{quoted(token.text)} becomes {quoted(text)} in the pattern"


def _signs(tokens: Sequence[_Token], source: Source, literal: ast.Constant) -> Iterator[_Part]:
    start, end = source.span(literal)
    written = source.text[start:end]
    quote = _quote_of(written)
    for token in tokens:
        inner = token.text[1:-1]
        if token.kind != "class" or inner.startswith("^"):
            continue
        for sign in _SELDOM_WIDER:
            text = f"[{inner}{sign}]"
            reason = f"{quoted(token.text)} becomes {quoted(text)} in the pattern"
            if sign in inner:
                continue
            if sign != quote:
                yield token.start, token.end, text, reason
            elif '"' not in written:
                whole = f"{source.text[start : token.start]}{text}{source.text[token.end : end]}"
                yield start, end, whole.replace(quote, '"', 1).removesuffix(quote) + '"', reason


def _quote_of(literal: str) -> str:
    opening = _LITERAL.match(literal)
    return opening.group(2) if opening is not None else ""


def _repetitions(tokens: Sequence[_Token]) -> Iterator[_Part]:
    for place, token in enumerate(tokens):
        if token.kind == "repeat":
            plain = token.text[:1]
            texts = {"*": ["+", "*?"], "+": ["*", "+?", ""], "?": ["", "*", "+"]}.get(plain, ["+", "*"])
            if token.text.endswith("?") and len(token.text) > 1:
                texts = [token.text[:-1]]
            for text in texts:
                becomes = f"becomes {quoted(text)}" if text else "is dropped"
                yield token.start, token.end, text, f"{quoted(token.text)} {becomes} in the pattern"
        elif _can_repeat(token) and (place + 1 == len(tokens) or tokens[place + 1].kind != "repeat"):
            for text in ("+", "*", "?"):
                reason = f"{quoted(token.text)} becomes {quoted(token.text + text)} in the pattern"
                yield token.end, token.end, text, reason


def _can_repeat(token: _Token) -> bool:
    return token.kind == "class" or token.text == ")" or re.fullmatch(r"\\+[dwsDWS]", token.text) is not None


def _anything(tokens: Sequence[_Token], backslash: str) -> Iterator[_Part]:
    for token in tokens:
        if token.kind == "any":
            text = f"{backslash}."
            yield token.start, token.end, text, f"{quoted('.')} becomes {quoted(text)} in the pattern"
