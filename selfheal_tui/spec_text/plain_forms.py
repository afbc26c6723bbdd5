"""Read plain forms of examples: `f(2) == 4`, `f(2) returns 4`, `f(2) raises ValueError`, `assert f(2) == 4`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from selfheal_tui.python_source import parse_or_none, parse_python
from selfheal_tui.text import one_line

from .example import Example, is_equality, literal, parsed
from .names import CALL, Names

_SAYS = re.compile(
    r"`*\s*(==|-+>|=+>|→|⇒|➞|=(?!=)|≈|(?:(?:should|must|will|shall)\s+)?(?:returns?|gives?|yields?|evaluates\s+to)\b"
    r"|is(?=\s+`*(?:True|False|None)\b)|(?:(?:should|must|will|shall)\s+)?(?:raises?|throws?)\b)\s*:?\s*(?:an?\s+(?=`*[A-Z]))?(`*)"
)
_MAY_SAY = re.compile(r"`*\s*(#\s*(?:=>|->|returns?)?|outputs?\b|is\b|(?:should|must|will|shall)\s+be\b)\s*:?\s*(`*)")
"""Words that often stand between a call and something else than its value."""
_ARROWS = ("-", "=>", "→", "⇒", "➞")
_NUMBER = re.compile(r"-?(?:\d[\d_]*\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)(?![\w])|(?:True|False|None)\b")
_GOES_ON = re.compile(r"\s*(?:$|[`).;:#]|!(?!=)|,(?!\s*[-\d'\"\[({])|\((?!\s*\d)|(?:because|as|since|and|but not)\b)")
_DOUBT = re.compile(
    r"\b(?:not|never|wrong\w*|incorrect\w*|bug\w*|currently|actually|instead|but|however|rather|unlike|"
    r"no longer|used to|suppose|if|unless|doesn'?t|isn'?t|don'?t)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)[.!?]\s+")
_CLAUSE_END = re.compile(r"[.;,]\s(?!e\.g|i\.e|for example|such as)")
_DOUBTED = re.compile(
    r"\b(?:wrong\w*|incorrect\w*|mistak\w*|broken|bug\w*|currently|actually|no longer|used to|suppose\w*|"
    r"not (?:true|right|correct|so))\b",
    re.IGNORECASE,
)
"""In the sentence before an example of its own: words that may be about it."""
_BULLET = re.compile(r"^\s*(?:[-*•>]+|\d+[.)])\s+")
_CODE = re.compile(r"\s*(?:(?:async\s+def|def|class|return|import)\b|(?:if|elif|while|for|with)\b.*:\s*$)")


def plain_examples(text: str, names: Names) -> Iterator[Example]:
    """Read every line that belongs to no session, and assertions over several lines."""
    lines = text.splitlines()
    in_session = False
    for number, line in enumerate(lines):
        # What belongs to a session was read there: source lines and, up to the next blank one, what they show.
        in_session = bool(line.strip()) and (in_session or line.lstrip().startswith(">>>"))
        if in_session:
            continue
        if re.match(r"\s*[`]*assert\b", _BULLET.sub("", line)):
            yield from _assertion(lines[number : number + 12], names)
        elif not _CODE.match(line):
            yield from _in_line(_BULLET.sub("", line), names)
        elif parse_or_none(line.strip()) is None:  # prose that begins with a word such as `return`
            yield from (replace(one, unsure=True) for one in _in_line(line, names))


def _assertion(lines: list[str], names: Names) -> Iterator[Example]:
    source = _BULLET.sub("", lines[0]).strip().strip("`")
    for following in [None, *lines[1:]]:
        source = source if following is None else f"{source}\n{following}"
        try:
            node = parse_python(source).body[0]
        except (SyntaxError, IndexError):
            continue
        if isinstance(node, ast.Assert):
            imports = names.to_import(node.test)
            if imports:
                yield _asserted(one_line(f"assert {ast.unparse(node.test)}"), node.test, imports)
        return


def _asserted(text: str, test: ast.expr, imports: tuple[str, ...]) -> Example:
    if isinstance(test, ast.Compare) and is_equality(test):
        left, right = test.left, test.comparators[0]
        if literal(ast.unparse(left)) and not literal(ast.unparse(right)):
            left, right = right, left
        if literal(ast.unparse(right)):
            return Example(text, ast.unparse(left), value=ast.unparse(right), names=imports)
    return Example(text, "", holds=ast.unparse(test), names=imports)


def _in_line(line: str, names: Names) -> Iterator[Example]:
    at = 0
    while match := CALL.search(line, at):
        at = match.end()
        # Part of a larger expression, or of a signature.
        before = line[: match.start()].rstrip()
        bracketed = re.search(r"(?:^|\s)\[$", before) is not None
        if before.endswith(tuple("+*/%@&|^~=<>{-")) or (before.endswith("[") and not bracketed):
            continue
        if re.search(r"\b(?:def|class|lambda)$|(?:^|\s)\.+$", before):
            continue
        end = _call_end(line, match.start())
        call = parsed(line[match.start() : end]) if end else None
        if call is None:
            continue
        sure = _SAYS.match(line, end)
        says = sure or _MAY_SAY.match(line, end)
        result = _result(call, says[1], line[says.end() :], names, bracketed) if says else None
        if result is None:
            continue
        example, rest = result
        sentence = re.split(r"(?<=[\w`)\]])[.;]\s", rest)[0]
        if _is_doubted(line[: match.start()]) or re.match(r"[\s,;`]*(?:but|instead|rather|however|not)\b", sentence):
            continue
        yield example if sure else replace(example, unsure=True)
        at = end if sure else at


def _is_doubted(before: str) -> bool:
    """Tell whether the text in front of an example says that it does not hold.

    In its own sentence any word of doubt counts: `never add(1, 2) == 4`. In the one before, `This is wrong.` counts
    and `Negative numbers are not allowed.` does not.
    """
    *sentences, own = _SENTENCE_END.split(before)
    if sentences and not re.search(r"\w", own):
        return _DOUBTED.search(sentences[-1]) is not None
    return _DOUBT.search(_CLAUSE_END.split(own.rstrip())[-1]) is not None


def _result(call: ast.expr, word: str, rest: str, names: Names, bracketed: bool = False) -> tuple[Example, str] | None:
    """Return the example of a call that `word` (`==`, `returns`, `raises`) follows, and the line after it.

    A `bracketed` one stands in square brackets of its own: `[f(2) == 4]`.
    """
    imports = names.to_import(call)
    if not imports:
        return None
    if re.search(r"raise|throw", word):
        match = re.match(r"[A-Za-z_.]*(?:Error|Exception|Exit|Interrupt|StopIteration|Warning)\b", rest)
        if match is None:
            return None
        error = match[0].rpartition(".")[2]
        return Example(_sentence(call, word, error), ast.unparse(call), error=error, names=imports), rest[match.end() :]
    value = _first_value(rest, "]" if bracketed else "")
    if value is None and word == "==":
        # A right side that is more than a literal must be all there is on the line.
        node = parsed(rest.strip().strip("`").partition(" #")[0].rstrip(" .`"))
        value = (ast.unparse(node), "") if node is not None and not isinstance(node, ast.Tuple) else None
    if value is None:
        return None
    source, after = value
    right = parsed(source)
    all_imports = names.to_import(call, right) if right is not None else None
    is_annotation = source == "None" and word.startswith(_ARROWS) and not getattr(call, "args", None)
    if right is None or not all_imports or is_annotation:
        return None
    plain = ast.unparse(right)
    within = _tolerance(source, rough="≈" in word)
    return Example(
        _sentence(call, word, plain), ast.unparse(call), value=plain, within=within, names=all_imports
    ), after


def _sentence(call: ast.expr, word: str, result: str) -> str:
    return one_line(f"{ast.unparse(call)} {word} {result}")


def _call_end(line: str, start: int) -> int:
    """Return where the call that starts here ends; 0 when it does not."""
    for position in range(start, min(len(line), start + 500)):
        if line[position] == ")" and isinstance(parsed(line[start : position + 1]), ast.Call):
            return position + 1
    return 0


def _first_value(rest: str, closing: str = "") -> tuple[str, str] | None:
    """Return the literal that a text starts with, and what follows; None when it is not clear where it ends."""
    for source in _starts(rest):
        after = rest[len(source) :]
        ends = after.startswith(closing) if closing else _GOES_ON.match(after)
        if ends and not after.startswith(('"', "'")):
            return source, after
    return None


def _starts(rest: str) -> Iterator[str]:
    number = _NUMBER.match(rest)
    if number:
        # A full stop after a number ends the sentence.
        yield number[0].removesuffix(".")
        return
    if not re.match(r"[bru]{0,2}['\"]|[\[({]|-", rest, re.IGNORECASE):
        if match := re.match(r"(?:set|frozenset|float)\([^()]*\)", rest):
            yield match[0]
        return
    for end in range(1, min(len(rest), 2000) + 1):
        if rest[end - 1] in "'\"])}" and literal(rest[:end]):
            yield rest[:end]
            if rest[end : end + 1] not in ("'", '"'):
                return  # what is longer would be several values


def _tolerance(source: str, rough: bool) -> float:
    """Return half a unit in the last place of the shortest decimal shown; 0 for whole and one-place numbers."""
    places = [len(part) for part in re.findall(r"\d\.(\d+)(?![\deE])", source)]
    if not places or (min(places) < 2 and not rough):
        return 0.0
    return 0.5 * 10.0 ** -min(places)
