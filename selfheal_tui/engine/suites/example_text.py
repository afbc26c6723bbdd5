"""Find the examples that a text gives: doctest's `>>>`, and plain forms such as `f(2) == 4` or `f(2) returns 4`. Pure.

What could be read in two ways is left out: an example judges every program, so a missing one costs less than a wrong
one.
"""

from __future__ import annotations

import ast
import builtins
import doctest
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from selfheal_tui.python_source import parse_expression, parse_python
from selfheal_tui.text import one_line

_MOST = 60
"""Examples taken from one text."""
_CALL = re.compile(r"(?<![\w.])[A-Za-z_]\w*\(")
_SAYS = re.compile(
    r"`*\s*(==|-+>|=+>|→|⇒|➞|=(?!=)|≈|(?:(?:should|must|will|shall)\s+)?(?:returns?|gives?|yields?|evaluates\s+to)\b"
    r"|is(?=\s+`*(?:True|False|None)\b)|(?:(?:should|must|will|shall)\s+)?(?:raises?|throws?)\b)\s*:?\s*(?:an?\s+(?=`*[A-Z]))?(`*)"
)
_ARROWS = ("-", "=>", "→", "⇒", "➞")
_NUMBER = re.compile(r"-?(?:\d[\d_]*\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)(?![\w])|(?:True|False|None)\b")
_GOES_ON = re.compile(r"\s*(?:$|[`).;:#]|,(?!\s*[-\d'\"\[({])|\((?!\s*\d)|(?:because|as|since|and|but not)\b)")
_DOUBT = re.compile(
    r"\b(?:not|never|wrong\w*|incorrect\w*|bug\w*|currently|actually|instead|but|however|rather|unlike|"
    r"no longer|used to|suppose|if|unless|doesn'?t|isn'?t|don'?t)\b",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-*•>]+|\d+[.)])\s+")
_CODE = re.compile(r"\s*(?:(?:async\s+def|def|class|return|import)\b|(?:if|elif|while|for|with)\b.*:\s*$)")
_NOISE = re.compile(r"^\s*(?:```.*|~~~.*|\"\"\"|''')\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Example:
    """One thing that the text settles. Exactly one of `value`, `error`, `shows` and `holds` is given."""

    text: str
    """As the text shows it, one line."""
    call: str
    """Source of the expression, normalised; with `holds` empty."""
    setup: tuple[str, ...] = ()
    """Statements that come before it in its session."""
    value: str = ""
    """Source of what it equals."""
    error: str = ""
    """Name of the exception that it raises."""
    message: str = ""
    """With `error`: the exception's text; empty when the text does not show it."""
    shows: str = ""
    """What an interactive session shows: what is printed, then the value's repr unless it is None."""
    holds: str = ""
    """Source of an expression that is true."""
    within: float = 0.0
    """Numbers may differ by this much, as the text shows few of their digits; 0 means to about nine digits."""
    names: tuple[str, ...] = ()
    """What is to be imported for it."""


def find_examples(text: str) -> list[Example]:
    """Return the examples of a text in its order; those that contradict each other are left out."""
    shared = _Names(text)
    found = [*_sessions(text, shared), *_plain(text, shared)]
    settled: dict[str, set[str]] = {}
    for one in found:
        if not one.setup:
            settled.setdefault(one.call, set()).add(one.value or f"raises {one.error}{one.shows}")
    kept: dict[tuple[object, ...], Example] = {}
    for one in found:
        if one.holds or one.setup or len(settled[one.call]) == 1:
            kept.setdefault((one.call, one.setup, one.value, one.error, one.shows, one.holds), one)
    return list(kept.values())[:_MOST]


def docstrings(program: Mapping[str, str]) -> str:
    """Return the docstrings of program files, one after the other: where their examples are."""
    found: list[str] = []
    for text in program.values():
        try:
            tree = parse_python(text)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                found.append(ast.get_docstring(node) or "")
    return "\n\n".join(filter(None, found))


def parsed(source: str) -> ast.expr | None:
    """Return the expression; None when the text is none."""
    try:
        return parse_expression(source.strip())
    except SyntaxError:
        return None


class _Names:
    """Which names an example may use: builtins, and functions that the text calls or defines."""

    def __init__(self, text: str) -> None:
        self.defined = set(re.findall(r"(?:def|class)\s+([A-Za-z_]\w*)", text))
        # A name that the text calls in one example may stand inside another.
        self.called = {match[0][:-1] for match in _CALL.finditer(text)} - set(dir(builtins))

    def needed(self, *nodes: ast.AST, bound: Iterable[str] = ()) -> tuple[str, ...] | None:
        """Return the names to import, sorted; None when one is unknown. `bound` are names of the session."""
        parts = [part for node in nodes for part in ast.walk(node)]
        own = set(bound) | {n.id for n in parts if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
        own |= {n.arg for n in parts if isinstance(n, ast.arg)}
        calls = {n.func.id for n in parts if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        names = {n.id for n in parts if isinstance(n, ast.Name)} - own
        wanted = {n for n in names if n in self.defined or (n in calls and n in self.called)}
        return tuple(sorted(wanted)) if not names - wanted - set(dir(builtins)) else None


def _is_bound(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)


# --- doctest's form


def _sessions(text: str, names: _Names) -> Iterator[Example]:
    """Read `>>>` examples; a statement before one is its setup when it uses a name bound there."""
    prints = bool(re.search(r"\b(?:print|display|stdout|output)s?\b", text, re.IGNORECASE))
    before: list[str] = []
    bound: set[str] = set()
    known: set[str] = set()
    for one in _doctests(text):
        source = one.source.strip()
        try:
            body = parse_python(source).body
        except SyntaxError:
            continue
        if all(isinstance(n, ast.Import | ast.ImportFrom) for n in body):
            for node in body:
                if _is_library(node):
                    before.append(ast.unparse(node))
                    bound |= _imported(node)
                else:
                    known |= _imported(node)
            continue
        names.defined |= known
        expression = body[0].value if len(body) == 1 and isinstance(body[0], ast.Expr) else None
        needed = names.needed(*body, bound=bound)
        if needed is None:
            continue
        uses = {n.id for b in body for n in ast.walk(b) if isinstance(n, ast.Name)} & bound
        setup = tuple(before) if uses else ()
        if needed or uses:
            every = tuple(sorted({*needed, *_all_needed(setup, names)}))
            yield from _session_example(one, expression, setup, every, prints)
        # A call that shows its value and touches no name of the session leaves nothing behind.
        if one.exc_msg is None and (uses or not one.want):
            before.append(ast.unparse(ast.Module(body, [])))
            bound |= {n.id for b in body for n in ast.walk(b) if _is_bound(n)}  # type: ignore[attr-defined]


def _session_example(
    one: doctest.Example, expression: ast.expr | None, setup: tuple[str, ...], needed: tuple[str, ...], prints: bool
) -> Iterator[Example]:
    want, source = one.want.replace("<BLANKLINE>\n", "\n").rstrip(), one.source.strip()
    text = one_line(f">>> {source}  {one.exc_msg or want}")
    if one.exc_msg is not None:
        name, _, message = one.exc_msg.strip().partition(":")
        name = name.rpartition(".")[2].strip()
        if name.isidentifier():
            shown = "" if "..." in message else message.strip()
            yield Example(text, ast.unparse(parse_python(source)), setup, error=name, message=shown, names=needed)
        return
    if expression is None or not want or doctest.SKIP in one.options:
        return
    call = ast.unparse(expression)
    literal = _literal(want) if not prints and not _is_call_of(expression, "print") else None
    if literal is None and not prints and not _is_call_of(expression, "print"):
        first = want.splitlines()[0]
        # Words right below a value are prose; the value ends with its line.
        several = len(want.splitlines()) > 1
        literal = _literal(first) if several and parsed(want) is None else None
        if several and literal is None:
            return
    if literal is not None:
        if isinstance(expression, ast.Compare) and _equality(expression) and literal == "True":
            call, literal = ast.unparse(expression.left), ast.unparse(expression.comparators[0])
        yield Example(text, call, setup, value=literal, names=needed)
    elif "..." not in want:
        yield Example(text, call, setup, shows=want, names=needed)


def _doctests(text: str) -> Iterator[doctest.Example]:
    """Parse block by block: one that is malformed takes no other with it."""
    clean = _NOISE.sub("", text).expandtabs()
    clean = re.sub(r"(?<=\S)(\"\"\"|''')[ \t]*$", "", clean, flags=re.MULTILINE)
    for block in re.split(r"\n[ \t]*\n", clean):
        try:
            yield from doctest.DocTestParser().get_examples(block)
        except ValueError:
            continue


def _all_needed(setup: Iterable[str], names: _Names) -> set[str]:
    trees = [parse_python(statement) for statement in setup]
    every: set[str] = set()
    for tree in trees:
        called = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
        own = {n.id for t in trees for n in ast.walk(t) if _is_bound(n)}  # type: ignore[attr-defined]
        every |= {n for n in called - own - set(dir(builtins)) if n in names.defined or n in names.called}
    return every


def _is_library(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").partition(".")[0] in sys.stdlib_module_names
    return isinstance(node, ast.Import) and all(a.name.partition(".")[0] in sys.stdlib_module_names for a in node.names)


def _imported(node: ast.AST) -> set[str]:
    aliases = node.names if isinstance(node, ast.Import | ast.ImportFrom) else []
    return {alias.asname or alias.name.partition(".")[0] for alias in aliases}


# --- plain forms


def _plain(text: str, names: _Names) -> Iterator[Example]:
    lines = text.splitlines()
    inside = False
    for number, line in enumerate(lines):
        # What belongs to a session was read there: source lines and, up to the next blank one, what they show.
        inside = bool(line.strip()) and (inside or line.lstrip().startswith(">>>"))
        if inside:
            continue
        if re.match(r"\s*[`]*assert\b", _BULLET.sub("", line)):
            yield from _assertion(lines[number : number + 12], names)
        elif not _CODE.match(line):
            yield from _line(_BULLET.sub("", line), names)


def _assertion(lines: list[str], names: _Names) -> Iterator[Example]:
    source = _BULLET.sub("", lines[0]).strip().strip("`")
    for following in [None, *lines[1:]]:
        source = source if following is None else f"{source}\n{following}"
        try:
            node = parse_python(source).body[0]
        except (SyntaxError, IndexError):
            continue
        if isinstance(node, ast.Assert):
            needed = names.needed(node.test)
            if needed:
                yield _asserted(one_line(f"assert {ast.unparse(node.test)}"), node.test, needed)
        return


def _asserted(text: str, test: ast.expr, needed: tuple[str, ...]) -> Example:
    if isinstance(test, ast.Compare) and _equality(test):
        left, right = test.left, test.comparators[0]
        if _literal(ast.unparse(left)) and not _literal(ast.unparse(right)):
            left, right = right, left
        if _literal(ast.unparse(right)):
            return Example(text, ast.unparse(left), value=ast.unparse(right), names=needed)
    return Example(text, "", holds=ast.unparse(test), names=needed)


def _line(line: str, names: _Names) -> Iterator[Example]:
    at = 0
    while match := _CALL.search(line, at):
        at = match.end()
        # Part of a larger expression, or of a signature.
        before = line[: match.start()].rstrip()
        if before.endswith(tuple("+*/%@&|^~=<>.[{-")) or re.search(r"\b(?:def|class|lambda)$", before):
            continue
        end = _call_end(line, match.start())
        says = _SAYS.match(line, end) if end else None
        if not end or not says:
            continue
        call = parsed(line[match.start() : end])
        if call is None:
            continue
        found = _said(call, says[1], line[says.end() :], names)
        if found is None:
            continue
        example, rest = found
        sentence = re.split(r"(?<=[\w`)\]])[.;]\s", rest)[0]
        earlier = re.split(r"[.;,]\s", before)[-1]
        if _DOUBT.search(earlier) or re.match(r"[\s,;`]*(?:but|instead|rather|however|not)\b", sentence):
            continue
        yield example
        at = end


def _said(call: ast.expr, word: str, rest: str, names: _Names) -> tuple[Example, str] | None:
    """Return what the text says of the call, and the rest of the line after it."""
    if re.search(r"raise|throw", word):
        match = re.match(r"[A-Za-z_.]*(?:Error|Exception|Exit|Interrupt|StopIteration|Warning)\b", rest)
        needed = names.needed(call)
        if match is None or not needed:
            return None
        error = match[0].rpartition(".")[2]
        return Example(_told(call, word, error), ast.unparse(call), error=error, names=needed), rest[match.end() :]
    value = _first_value(rest)
    if value is None and word == "==":
        # A right side that is more than a literal must be all there is on the line.
        node = parsed(rest.strip().strip("`").partition(" #")[0].rstrip(" .`"))
        value = (ast.unparse(node), "") if node is not None and not isinstance(node, ast.Tuple) else None
    if value is None:
        return None
    source, after = value
    right = parsed(source)
    needed = names.needed(call, right) if right is not None else None
    annotation = source == "None" and word.startswith(_ARROWS) and not getattr(call, "args", None)
    if right is None or not needed or annotation:
        return None
    if not names.needed(call):
        return None
    shown = ast.unparse(right)
    within = _tolerance(source, rough="≈" in word)
    return Example(_told(call, word, shown), ast.unparse(call), value=shown, within=within, names=needed), after


def _told(call: ast.expr, word: str, what: str) -> str:
    return one_line(f"{ast.unparse(call)} {word} {what}")


def _call_end(line: str, start: int) -> int:
    """Return where the call that starts here ends; 0 when it does not."""
    for position in range(start, min(len(line), start + 500)):
        if line[position] == ")" and isinstance(parsed(line[start : position + 1]), ast.Call):
            return position + 1
    return 0


def _first_value(rest: str) -> tuple[str, str] | None:
    """Return the literal that a text starts with, and what follows; None when it is not clear where it ends."""
    for source in _starts(rest):
        after = rest[len(source) :]
        if _GOES_ON.match(after) and not after.startswith(('"', "'")):
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
        if rest[end - 1] in "'\"])}" and _literal(rest[:end]):
            yield rest[:end]
            if rest[end : end + 1] not in ("'", '"'):
                return  # what is longer would be several values


def _tolerance(source: str, rough: bool) -> float:
    """Return half a unit in the last place of the shortest decimal shown; 0 for whole and one-place numbers."""
    places = [len(part) for part in re.findall(r"\d\.(\d+)(?![\deE])", source)]
    if not places or (min(places) < 2 and not rough):
        return 0.0
    return 0.5 * 10.0 ** -min(places)


def _literal(source: str) -> str | None:
    """Return the literal, normalised; None when the text is no single literal."""
    node = parsed(source)
    if node is None:
        return None
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    return ast.unparse(node)


def _equality(node: ast.Compare) -> bool:
    return len(node.ops) == 1 and (
        isinstance(node.ops[0], ast.Eq)
        or (isinstance(node.ops[0], ast.Is) and ast.unparse(node.comparators[0]) in ("True", "False", "None"))
    )


def _is_call_of(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
