"""Calls of the tests in their own words, with arguments that need be no plain values: `fee(date(2024, 1, 5))`. Pure.

What a test parametrises is called with its parameters, and what it calls by its module (`shop.fee(...)`) by that.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from selfheal_tui.python_source import Definition, is_fixture, is_test_class, parse_or_none
from selfheal_tui.python_values import is_value

from ..program.calls import imported_names
from ..program.source import FunctionNode
from .named_values import NamedValues, acted_on

_MOST_ROWS = 12
_LONGEST_VALUE = 800
"""Characters of what a name stands for of which a call may take a part."""
_ITERATES = frozenset({"list", "tuple", "sorted"})
"""What a test puts around a generator: its own repr would be an address."""
_EQUAL = frozenset({"assertEqual", "assertEquals", "assertListEqual", "assertTrue", "assertFalse", "assertIs"})
_HERE = "_the_call_"
"""Where the call stands in what is read of it."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """One call of a test, as source text."""

    function: str
    arguments: tuple[str, ...]
    around: str = _HERE
    """What is read of its result, with `_HERE` for the call: `list(...)`, `[row.name for row in ...]`."""
    names: tuple[str, ...] = ()
    """Of the last arguments, which are passed by name."""

    @property
    def text(self) -> str:
        """The call as a test would write it."""
        plain = len(self.arguments) - len(self.names)
        named = map("{}={}".format, self.names, self.arguments[plain:])
        return self.around.replace(_HERE, f"{self.function}({', '.join([*self.arguments[:plain], *named])})")

    def passed_as(self, at: int) -> int | str:
        """Return the name of an argument, or its place where it has none."""
        plain = len(self.arguments) - len(self.names)
        return at if at < plain else self.names[at - plain]

    @property
    def passed(self) -> dict[int | str, str]:
        """The arguments by their names, those without one by their places."""
        return {self.passed_as(at): text for at, text in enumerate(self.arguments)}

    @property
    def is_of_object(self) -> bool:
        """A method of an object that the test makes in the same line is called, or the call makes that object."""
        return "(" in self.function or (self.around.startswith(f"{_HERE}.") and self.around.endswith(")"))

    def with_argument(self, at: int, text: str) -> Spoken:
        """Return the call with another argument at that place."""
        return replace(self, arguments=(*self.arguments[:at], text, *self.arguments[at + 1 :]))


def spoken_calls(text: str, values: NamedValues | None = None, most_rows: int = _MOST_ROWS) -> Iterator[Spoken]:
    """Yield the calls that a test file's assertions look at and that can be made outside of their test.

    `values` are what the file's names stand for; of what is parametrised the first `most_rows` are called.
    """
    values = values or NamedValues()
    tree = parse_or_none(text)
    if tree is None:
        return
    imported = imported_names(text)
    known = imported | set(vars(builtins)) | _helpers(tree)
    for function in (node for node in ast.walk(tree) if isinstance(node, FunctionNode)):
        if not function.name.startswith("test"):
            continue
        made = _made_in(function, values)
        rows = [{**made, **row} for row in _rows(function, tree)[:most_rows]]
        for looked_at in (side for node in ast.walk(function) for side in _sides(node)):
            for row in rows:
                yield from _spoken(values.put_into(looked_at, row), known, imported)


def _helpers(tree: ast.Module) -> set[str]:
    """Return the functions and classes of a test file that are no tests: its `cart(tea=2)` makes an argument."""
    defined = (node for node in tree.body if isinstance(node, Definition))
    return {
        node.name
        for node in defined
        if not (
            node.name.startswith("test")
            or is_test_class(node)
            or is_fixture(node)
            or isinstance(node, ast.AsyncFunctionDef)
        )
    }


def _sides(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the calls that one assertion compares or asks for the truth of."""
    sides: Sequence[ast.expr] = ()
    match node:
        case ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right])):
            sides = (left, right)
        case ast.Assert(test=ast.UnaryOp(op=ast.Not(), operand=test)) | ast.Assert(test=test):
            sides = (test,)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name), args=args) if name in _EQUAL:
            sides = args[:2]
    for side in sides:
        yield from (side.left, side.right) if isinstance(side, ast.BinOp) else (side,)


def _spoken(read: ast.expr, known: set[str], imported: set[str]) -> Iterator[Spoken]:
    read = copy.deepcopy(read)
    call, around = _taken_out(read)
    known = {*known, _HERE, *(node.id for node in ast.walk(read) if isinstance(node, ast.Name) and not _is_read(node))}
    if any(isinstance(node, ast.Name) and node.id not in known for node in ast.walk(read)):
        return
    if not isinstance(call, ast.Call) or not all(one.arg for one in call.keywords):
        return
    if around == _HERE and is_value(call):
        return  # `date(2024, 2, 29)` is what a test expects, and nothing of the program's
    if _root(call.func) not in imported:
        return
    for argument in [call.func, *call.args, *(one.value for one in call.keywords)]:
        for node in ast.walk(argument):
            if isinstance(node, ast.Lambda | ast.Await | ast.Yield | ast.NamedExpr | ast.Starred):
                return
            if isinstance(node, ast.Name) and node.id not in known:
                return
    yield _spoken_of(call, around)
    maker = _maker(call)
    if maker is not None and all(one.arg for one in maker.keywords):
        _take_place(call, maker)
        yield _spoken_of(maker, around.replace(_HERE, ast.unparse(call)))


def _spoken_of(call: ast.Call, around: str) -> Spoken:
    passed = [*call.args, *(one.value for one in call.keywords)]
    names = tuple(one.arg or "" for one in call.keywords)
    return Spoken(ast.unparse(call.func), tuple(map(ast.unparse, passed)), around, names)


def _maker(call: ast.Call) -> ast.Call | None:
    """Return the call that makes what a method is called on: `Matrix([[1]])` of `Matrix([[1]]).rank()`."""
    inner, found = call.func, None
    while isinstance(inner, ast.Attribute | ast.Call):
        found = inner if isinstance(inner, ast.Call) else found
        inner = inner.func if isinstance(inner, ast.Call) else inner.value
    return found


def _take_place(call: ast.Call, maker: ast.Call) -> None:
    """Put the name of the call where its maker stands."""
    for node in ast.walk(call.func):
        for field in ("value", "func"):
            if getattr(node, field, None) is maker:
                setattr(node, field, ast.Name(_HERE, ast.Load()))


def _root(func: ast.expr) -> str:
    """Return the name that what is called begins with: `Document` of `Document("ann").allowed`."""
    while True:
        match func:
            case ast.Attribute(value=inner) | ast.Call(func=inner):
                func = inner
            case _:
                return func.id if isinstance(func, ast.Name) else ""


def _taken_out(read: ast.expr) -> tuple[ast.expr, str]:
    """Return the call that an expression reads something of, and the expression around it."""
    holder: ast.AST = ast.Expression(read)
    field, node = "body", read
    while True:
        match node:
            case ast.Call(func=ast.Name(id=name), args=[ast.Call() as call], keywords=[]) if name in _ITERATES:
                node.args = [ast.Name(_HERE, ast.Load())]
                return call, ast.unparse(read)
            case ast.Attribute(value=inner) | ast.Subscript(value=inner):
                holder, field, node = node, "value", inner
            case ast.ListComp(generators=[ast.comprehension(iter=inner) as part, *_]):
                holder, field, node = part, "iter", inner
            case _:
                setattr(holder, field, ast.Name(_HERE, ast.Load()))
                return node, _HERE if node is read else ast.unparse(read)


def _rows(function: FunctionNode, tree: ast.Module) -> list[dict[str, ast.expr]]:
    """Return the values of a test's parameters, a row for each case; one empty row where it has none."""
    for decorator in function.decorator_list:
        match decorator:
            case ast.Call(func=ast.Attribute(attr="parametrize"), args=[names, values, *_]):
                row_names, table = _names(names), _display(values, tree)
                if row_names and table is not None:
                    rows = [_row(row_names, value) for value in table]
                    return [row for row in rows if row] or [{}]
    return [{}]


def _names(node: ast.expr) -> list[str]:
    match node:
        case ast.Constant(value=str(text)):
            return [name.strip() for name in text.split(",")]
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return []


def _display(node: ast.expr, tree: ast.Module) -> list[ast.expr] | None:
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return parts
        case ast.Name(id=name):
            for statement in tree.body:
                match statement:
                    case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                        return _display(value, tree) if not isinstance(value, ast.Name) else None
    return None


def _row(names: Sequence[str], value: ast.expr) -> dict[str, ast.expr]:
    if len(names) == 1:
        return {names[0]: value}
    match value:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) if len(parts) == len(names):
            return dict(zip(names, parts, strict=True))
    return {}


def _made_in(function: FunctionNode, values: NamedValues) -> dict[str, ast.expr]:
    """Return the names that a test is given, or binds once, to what no method of theirs is called on.

    `rows = [Row("a", 2)]`.
    """
    bound = Counter(node.id for node in ast.walk(function) if isinstance(node, ast.Name) and not _is_read(node))
    read = Counter(node.id for node in ast.walk(function) if isinstance(node, ast.Name) and _is_read(node))
    used = {name for name in acted_on(function) if read[name] > 1}  # what is called once may stand where it is called
    made = values.given_to(function)
    for statement in function.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if bound[name] == 1 and name not in used:
                value = values.put_into(value, made)
                if len(ast.unparse(value)) <= _LONGEST_VALUE:
                    made[name] = value
    return made


def _is_read(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)
