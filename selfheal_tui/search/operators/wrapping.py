"""Wrapping: a value should pass through a common function first, or should not."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, ranked, replace, token_between
from .fitting import ATOM, grouped
from .kinds import ITERABLES, MAPPINGS, NUMBERS, SIZED, TEXT_METHODS, Kinds, kinds
from .scope import editable, functions, is_value, scope

_OF_NUMBERS = (
    "abs({})",
    "int({})",
    "str({})",
    "round({})",
    "float({})",
    "round({}, 2)",
    "bin({})",
    "list({})",
    "len({})",
)
_OF_TEXTS = (
    *("{a}.lower()", "{a}.upper()", "len({})", "int({})", "list({})", "set({})", "{a}.strip()", "sorted({})"),
    *("{a}[::-1]", "{a}.swapcase()", "{a}.split()", "ord({})", "{a}.title()", "{a}.capitalize()", "float({})"),
    *("''.join(sorted({}))", "{a}[1:]", "{a}[:-1]", "{a}[0]", "{a}[-1]", "reversed({})", "{a}.replace(' ', '')"),
)
_OF_COLLECTIONS = (
    *("len({})", "sorted({})", "set({})", "list({})", "sum({})", "{a}[0]", "{a}[-1]", "{a}[::-1]", "max({})"),
    *("min({})", "tuple({})", "''.join({})", "' '.join({})", "{a}[1:]", "{a}[:-1]", "sorted({}, reverse=True)"),
    *("sorted({}, key=len)", "sorted(set({}))", "list(dict.fromkeys({}))", "list(set({}))", "reversed({})"),
    *("enumerate({})", "range(len({}))"),
    *("any({})", "all({})", "{a}.copy()", "[{}]"),
)
_OF_MAPPINGS = ("len({})", "{a}.items()", "{a}.values()", "{a}.keys()", "sorted({})", "list({})", "{a}.copy()")
_OF_UNKNOWN = (
    *("len({})", "abs({})", "sorted({})", "int({})", "str({})", "list({})", "set({})", "sum({})", "max({})"),
    *("min({})", "float({})", "round({})", "{a}.lower()", "{a}.strip()", "{a}.copy()", "reversed({})", "[{}]"),
)
_OF_OTHERS = ("len({})", "str({})", "abs({})", "int({})", "sorted({})", "set({})", "sum({})", "max({})", "min({})")
_AS_TEXTS = ("str({})", "bin({})", "''.join({})")
_OF_BOTH = frozenset({"count", "index"})
"""Methods of texts and of lists."""
_MOST_OTHERS = 5
_ROUNDERS = ("math.ceil({})", "math.floor({})", "math.sqrt({})")
_ORDERED = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)


@operator("wrap", 3.7, "a value is used raw where a common function of it was meant")
def wrap(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Wrap a value in a common function or method of its kind."""
    if not isinstance(node, ast.expr) or isinstance(node, ast.Constant | ast.Lambda) or not editable(source, node):
        return
    if _is_condition(source, node):
        return
    text = source.segment(node)
    forms = [
        form for form in _forms(source, kinds(source, node)) if form[: form.find("(") + 1] != text[: len(form) - 3]
    ]
    if isinstance(node, ast.GeneratorExp):
        text, forms = text[1:-1], [form for form in forms if "({})" in form]
    atom = grouped(text, ATOM)
    yield from ranked(source, node, (form.format(text, a=atom) for form in forms), 0.5)


@operator("wrap_other", 5.6, "a common function of another variable was meant")
def wrap_other(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Replace a name by a common function of another variable; by a text where a method of texts is called on it."""
    if not isinstance(node, ast.Name) or not is_value(source, node):
        return
    names = [name for name in scope(source, node) if name != node.id][:_MOST_OTHERS]
    wanted: tuple[str, ...] = _OF_OTHERS
    if _is_text(source, node):
        wanted = _AS_TEXTS if "str" not in kinds(source, node) else ()
    yield from ranked(source, node, (form.format(name) for form in wanted for name in names), 0.5)


@operator("wrap_local", 4.0, "a value should pass through a function of the file first")
def wrap_local(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Wrap a value in a function of the file that takes one argument."""
    if not isinstance(node, ast.expr) or isinstance(node, ast.Lambda) or not editable(source, node):
        return
    here = source.function(node)
    text = source.segment(node)
    fixed = isinstance(node, ast.Constant) and not isinstance(node.value, str)
    for name, function in functions(source).items():
        if len(function.args.args) == 1 and not function.args.vararg:
            yield replace(source, node, f"{name}({text})", 1.0, 1.2 if function is here else 3.0 if fixed else 0.0)


@operator("wrap_both", 4.2, "two values should pass through a common function before they meet")
def wrap_both(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Wrap both sides of a comparison or of a sum alike."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(op, _ORDERED):
            span = token_between(source, left, right, r"[<>=!]=?")
        case ast.BinOp(left=left, right=right):
            span = token_between(source, left, right, r"\*\*|//|<<|>>|[-+*/%&|^]")
        case _:
            return
    constant = isinstance(left, ast.Constant) or isinstance(right, ast.Constant)
    if span is None or constant or not isinstance(node, ast.expr) or not editable(source, node):
        return
    a, b, token = source.segment(left), source.segment(right), source.text[slice(*span)]
    kind = kinds(source, left) | kinds(source, right)
    names: tuple[str, ...] = ("abs", "int", "round", "str", "float")
    if kind & ITERABLES:
        names = ("set", "sorted", "len", "list", "str", "int", "sum", "max", "min")
    elif not kind:
        names = ("len", "abs", "sorted", "set", "str", "int")
    texts = [f"{name}({a}) {token} {name}({b})" for name in names]
    if "str" in kind:
        texts += [f"{grouped(a, ATOM)}.{name}() {token} {grouped(b, ATOM)}.{name}()" for name in ("lower", "strip")]
    yield from ranked(source, node, texts, 0.4)


@operator("unwrap", 3.6, "a call around a value is one too many")
def unwrap(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put an argument of a call, or the object of a method call, in the call's place."""
    if not isinstance(node, ast.Call) or isinstance(source.parents.get(node), ast.Expr):
        return
    if isinstance(node.func, ast.Attribute) and not isinstance(node.func.value, ast.Name | ast.Constant):
        yield replace(source, node, source.segment(node.func.value))
    elif isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        yield replace(source, node, node.func.value.id, 1.0, 0.0 if kinds(source, node.func.value) else 0.5)
    for place, inner in enumerate(node.args):
        if not isinstance(inner, ast.GeneratorExp | ast.Starred):
            yield replace(source, node, source.segment(inner), 1.0, 0.6 * place)


def _forms(source: Source, kind: Kinds) -> tuple[str, ...]:
    rounders = _ROUNDERS if "import math" in source.text else ()
    forms: tuple[str, ...] = ()
    if kind & NUMBERS:
        forms += _OF_NUMBERS + rounders
    if "str" in kind:
        forms += ("{a}.encode()", *_OF_TEXTS) if source.observations.wants_bytes else _OF_TEXTS
    if kind & MAPPINGS:
        forms += _OF_MAPPINGS
    if kind & ((ITERABLES | SIZED) - MAPPINGS - {"str"}):
        forms += _OF_COLLECTIONS
    return forms or _OF_UNKNOWN + rounders


def _is_text(source: Source, node: ast.Name) -> bool:
    """Tell whether a method is called on a name that only a text has, or that is given a text."""
    method = source.parents.get(node)
    call = source.parents.get(method) if isinstance(method, ast.Attribute) else None
    match call:
        case ast.Call(func=ast.Attribute(attr=attr), args=args) if call.func is method:
            has_text_argument = any(isinstance(arg, ast.Constant) and isinstance(arg.value, str) for arg in args)
            return attr in TEXT_METHODS or (attr in _OF_BOTH and has_text_argument)
    return False


def _is_condition(source: Source, node: ast.expr) -> bool:
    parent = source.parents.get(node)
    return isinstance(parent, ast.If | ast.While | ast.IfExp) and parent.test is node
