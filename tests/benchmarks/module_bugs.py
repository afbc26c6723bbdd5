"""Plants bugs of one line in a file: the slips of the dev corpus, in places drawn by chance.

The kinds and how often each is drawn are those of HumanEvalFix (`bug_type`); what changes is written here and not taken
from the search's own operators, so that an edit that mends a bug need not be the edit that planted it turned round.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from selfheal_tui.search.program.source import Source, parse_source

_COMPARISONS = {
    ast.Lt: ("<=", ">"),
    ast.LtE: ("<", ">="),
    ast.Gt: (">=", "<"),
    ast.GtE: (">", "<="),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
}
_CALCULATIONS = {
    ast.Add: ("-",),
    ast.Sub: ("+",),
    ast.Mult: ("+", "//"),
    ast.Div: ("//", "*"),
    ast.FloorDiv: ("/", "%"),
    ast.Mod: ("//",),
    ast.Pow: ("*",),
}
_SIBLINGS = (
    ("lower", "upper"),
    ("strip", "lstrip", "rstrip"),
    ("split", "rsplit", "partition"),
    ("startswith", "endswith"),
    ("find", "rfind", "index"),
    ("append", "extend", "insert"),
    ("appendleft", "append"),
    ("pop", "popleft"),
    ("get", "setdefault"),
    ("keys", "values", "items"),
    ("add", "discard"),
    ("match", "search"),
    ("min", "max"),
    ("any", "all"),
    ("sorted", "reversed", "list"),
    ("floor", "ceil", "trunc"),
    ("numerator", "denominator"),
)
_SHARES = {
    "excess logic": 20,
    "function misuse": 5,
    "missing logic": 13,
    "operator misuse": 12,
    "value misuse": 21,
    "variable misuse": 11,
}
"""Bugs of each kind in the open half of HumanEvalFix."""
Change = tuple[int, int, str]
"""Start, end and new text."""


@dataclass(frozen=True, slots=True)
class Bug:
    """One planted bug."""

    kind: str
    function: str
    line: int
    text: str
    """The whole file with it."""
    words: str
    """What was changed into what."""


def draw_bugs(path: str, text: str, chance: random.Random) -> Iterator[Bug]:
    """Yield bugs without end, each in another function than those before as long as there is one."""
    source = parse_source(path, text)
    functions = [node for node in ast.walk(source.tree) if isinstance(node, ast.FunctionDef)]
    while True:
        chance.shuffle(functions)
        for function in functions:
            kind = chance.choices(list(_SHARES), list(_SHARES.values()))[0]
            changes = [change for node in _own_nodes(function) for change in _CHANGES[kind](source, function, node)]
            changes = [one for one in changes if "\n" not in source.text[one[0] : one[1]] + one[2]]
            if changes and (bug := _bug(source, function, kind, chance.choice(changes))):
                yield bug


def _bug(source: Source, function: ast.FunctionDef, kind: str, change: Change) -> Bug | None:
    start, end, new = change
    text = source.text[:start] + new + source.text[end:]
    try:
        if ast.dump(ast.parse(text)) == ast.dump(source.tree):
            return None
    except SyntaxError:
        return None
    words = f"`{source.text[start:end]}` -> `{new}`"
    return Bug(kind, function.name, source.text.count("\n", 0, start) + 1, text, words)


def _own_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    for statement in function.body:
        for node in ast.walk(statement):
            if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
                yield node


def _operator_misuse(source: Source, _: ast.FunctionDef, node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Compare(left, [op], [right]):
            yield from _between(source, left, right, _COMPARISONS[type(op)])
        case ast.BinOp(left, op, right) if type(op) in _CALCULATIONS and not _is_text(left):
            yield from _between(source, left, right, _CALCULATIONS[type(op)])
        case ast.BoolOp(op, [left, right]):
            yield from _between(source, left, right, ("or" if isinstance(op, ast.And) else "and",))
        case ast.AugAssign(target, ast.Add() | ast.Sub() as op, value):
            yield from _between(source, target, value, ("-=" if isinstance(op, ast.Add) else "+=",))


def _value_misuse(source: Source, _: ast.FunctionDef, node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Constant(bool() as value):
            yield *source.span(node), str(not value)
        case ast.Constant(int() as value):
            yield *source.span(node), str(value + 1)
            if value:
                yield *source.span(node), str(value - 1)
        case ast.Constant(None) if isinstance(source.parents.get(node), ast.Assign | ast.Return):
            yield *source.span(node), "0"


def _variable_misuse(source: Source, function: ast.FunctionDef, node: ast.AST) -> Iterator[Change]:
    names = _names(function)
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
        yield from ((*source.span(node), name) for name in names if name != node.id)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        others = (name for name in source.attributes.get("self", ()) if name != node.attr)
        yield from ((*source.span(node), f"self.{name}") for name in list(others)[:6])


def _function_misuse(source: Source, _: ast.FunctionDef, node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Call(ast.Name() | ast.Attribute() as called, args):
            name = called.id if isinstance(called, ast.Name) else called.attr
            end = source.span(called)[1]
            for siblings in _SIBLINGS:
                if name in siblings:
                    yield from ((end - len(name), end, other) for other in siblings if other != name)
            if len(args) >= 2 and not any(isinstance(arg, ast.Starred) for arg in args[:2]):
                (start, first_end), (second, stop) = source.span(args[0]), source.span(args[1])
                text = source.text
                yield start, stop, text[second:stop] + text[first_end:second] + text[start:first_end]


def _missing_logic(source: Source, _: ast.FunctionDef, node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.UnaryOp(ast.Not() | ast.USub(), inner) | ast.Call(
            ast.Name("len" | "abs" | "int" | "str"), [inner], []
        ):
            yield *source.span(node), source.segment(inner)
        case ast.BoolOp(_, values):
            first, last = source.span(node)
            yield source.span(values[-2])[1], last, ""
            yield first, source.span(values[1])[0], ""
        case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult(), right) if not _is_text(left):
            yield *source.span(node), source.segment(left)
            yield *source.span(node), source.segment(right)
        case ast.AugAssign() | ast.Continue() | ast.Break() | ast.Expr(ast.Call()) | ast.Assign([ast.Attribute()]):
            yield *source.span(node), "pass"


def _excess_logic(source: Source, function: ast.FunctionDef, node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.If(test) | ast.While(test) | ast.IfExp(test):
            text = source.segment(test)
            yield *source.span(test), f"not ({text})"
            for name in _names(function):
                yield *source.span(test), f"({text}) and {name}"
                yield *source.span(test), f"({text}) or {name}"
        case ast.Return(ast.BinOp() | ast.Name() | ast.Call(ast.Name("len" | "sum" | "int")) as value):
            yield *source.span(value), f"{source.segment(value)} + 1"
        case ast.Subscript(_, ast.Name() as at) | ast.Call(ast.Name("range"), [*_, at]):
            yield *source.span(at), f"{source.segment(at)} - 1"


_CHANGES: dict[str, Callable[[Source, ast.FunctionDef, ast.AST], Iterator[Change]]] = {
    "excess logic": _excess_logic,
    "function misuse": _function_misuse,
    "missing logic": _missing_logic,
    "operator misuse": _operator_misuse,
    "value misuse": _value_misuse,
    "variable misuse": _variable_misuse,
}


def _between(source: Source, left: ast.expr, right: ast.expr, texts: tuple[str, ...]) -> Iterator[Change]:
    """Yield the changes of what stands between two operands, where no parenthesis stands there too."""
    start, end = source.span(left)[1], source.span(right)[0]
    if not set(source.text[start:end]) & set("()#"):
        yield from ((start, end, f" {text} ") for text in texts)


def _names(function: ast.FunctionDef) -> list[str]:
    """Return the function's own variables, in the order of the text."""
    own = [arg.arg for arg in (*function.args.args, *function.args.kwonlyargs)]
    own += [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return [name for name in dict.fromkeys(own) if name not in ("self", "cls")]


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
