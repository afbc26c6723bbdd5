"""What is refused: an exception of another type, a check that is missing or not called; a coroutine not awaited."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from selfheal_tui.search.program.source import FunctionNode, Source

from .base import Splice, bits, operator, quoted, ranked
from .blocks import first_statement, has_own_lines, inserter
from .companions import updated_attribute
from .fitting import UNARY, grouped
from .kinds import NUMBERS, SIZED, kinds, variable_kinds
from .pool import conditions
from .scope import bound_at_top, kin, own_nodes, scope

_MOST_TESTS = 24
_MOST_STATEMENTS = 4
_MOST_GUARD_CALLS = 8


class _GuardCall(NamedTuple):
    """A statement like `self._check(account)`."""

    node: ast.Call
    guard: FunctionNode
    """What is called."""
    at: int
    """Which argument of the call is one of the function that makes it."""


@operator("raised_type", 2.0, "an exception of another type should be raised")
def raised_type(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Raise an exception that the tests expect instead of another one."""
    match node:
        case ast.Raise(exc=ast.Call(func=kind) | (ast.Name() | ast.Attribute() as kind)):
            yield from ranked(source, kind, _expected(source), 0.5)


@operator("missing_check", 4.0, "what should be refused is not")
def missing_check(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Raise an exception that the tests expect on a condition over the arguments, before the first statements."""
    function = source.function(node)
    if function is None or not isinstance(node, ast.stmt) or not _expected(source) or not has_own_lines(source, node):
        return
    own = [one for one in function.body if one is not function.body[0] or one is first_statement(function)]
    if node not in own[:_MOST_STATEMENTS]:
        return
    yield from _checks(source, function, node, _tests(source, function, node), 0.0 if node is own[0] else 0.8)


@operator("missing_end_check", 4.2, "what is left over or was not found is not refused")
def missing_end_check(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Raise an exception that the tests expect after a loop: `if at != len(text)`, `if stack`, `if found is None`."""
    function = source.function(node)
    if function is None or not isinstance(node, ast.stmt) or not _expected(source) or not has_own_lines(source, node):
        return
    before = next((one for one, other in pairwise(function.body) if other is node), None)
    if not isinstance(before, ast.For | ast.While):
        return
    yield from _checks(source, function, node, _end_tests(source, function, node))


def _checks(
    source: Source, function: FunctionNode, node: ast.stmt, tests: list[str], extra: float = 0.0
) -> Iterator[Splice]:
    """Yield the edits that raise, before a statement, what the tests expect on one of these conditions."""
    insert, exceptions = inserter(source, node), [*_raised(source, function)]
    for place, test in enumerate(tests[:_MOST_TESTS]):
        for number, raised in enumerate(exceptions):
            reason = f"{quoted(f'if {test}: raise {raised}')} is added"
            yield insert((f"if {test}:", f"\traise {raised}"), reason, 0.5 * bits(place) + 0.6 * number + extra)


@operator("missing_guard_call", 3.6, "an argument is not checked as others are")
def missing_guard_call(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert `self._check(target)` where a method begins its work, as others have `self._check(account)`.

    Only for calls that are statements, of what raises, changes no object and gives nothing back: a method of the class
    or a function of the file. The argument of the same name comes first.
    """
    if not isinstance(node, ast.stmt) or not _all_guard_calls(source) or (function := source.function(node)) is None:
        return
    own = _guard_calls(source, function)
    if node is not _first_work(function, own) or not has_own_lines(source, node):
        return
    said, insert = {source.segment(call.node) for call in own}, inserter(source, node)
    texts = [text for text in _guarding(source, function, node) if text not in said]
    for place, text in enumerate(texts[:_MOST_GUARD_CALLS]):
        yield insert((text,), f"{quoted(text)} is added", 0.5 * bits(place))


def _first_work(function: FunctionNode, guard_calls: list[_GuardCall]) -> ast.stmt | None:
    """Return the first statement of a function that is no docstring and no check of an argument."""
    calls = [call.node for call in guard_calls]
    body = function.body[function.body.index(first_statement(function)) :]
    return next((one for one in body if not (isinstance(one, ast.Expr) and one.value in calls)), None)


def _guarding(source: Source, function: FunctionNode, node: ast.stmt) -> list[str]:
    """Return the checks that functions of the file make of an argument, for each argument of this one it may be."""
    arguments = _arguments(function)
    known = {*arguments, *bound_at_top(source)}
    visible = scope(source, node)
    texts: dict[str, bool] = {}
    for caller, call in _all_guard_calls(source):
        is_method = isinstance(call.node.func, ast.Attribute)
        written = [source.segment(one) for one in call.node.args]
        others = {one.id for one in call.node.args if isinstance(one, ast.Name)} - {written[call.at]}
        if not others <= known or not _may_call(source, function, caller, call):
            continue
        called = source.segment(call.node.func)
        wanted = variable_kinds(source, call.guard, _arguments(call.guard)[call.at + is_method])
        for name in arguments[is_method:]:
            if kin(visible.get(name, frozenset()), wanted) is not False:
                text = f"{called}({', '.join([*written[: call.at], name, *written[call.at + 1 :]])})"
                texts[text] = texts.get(text, False) or name == written[call.at]
    return sorted(texts, key=lambda text: not texts[text])


def _may_call(source: Source, function: FunctionNode, caller: FunctionNode, call: _GuardCall) -> bool:
    """Tell whether a function may check its arguments as another one does: a method only one of its own class."""
    if function is call.guard or function.name == "__init__":
        return False
    match call.node.func:
        case ast.Attribute(value=ast.Name(id=owner)):
            is_of_class = source.parents.get(function) is source.parents.get(caller)
            return is_of_class and _arguments(function)[:1] == [owner]
    return True


def _all_guard_calls(source: Source) -> list[tuple[FunctionNode, _GuardCall]]:
    if "all_guard_calls" not in source.memo:
        functions = [one for one in ast.walk(source.tree) if isinstance(one, FunctionNode)] if _guards(source) else []
        source.memo["all_guard_calls"] = [(one, call) for one in functions for call in _guard_calls(source, one)]
    calls: list[tuple[FunctionNode, _GuardCall]] = source.memo["all_guard_calls"]
    return calls


def _guard_calls(source: Source, function: FunctionNode) -> list[_GuardCall]:
    """Return the statements of a function that check an argument of it: `self._check(account)`."""
    calls_in: dict[ast.AST, list[_GuardCall]] = source.memo.setdefault("guard_calls", {})
    if function not in calls_in:
        arguments, holder = _arguments(function), source.parents.get(function)
        calls_in[function] = calls = []
        for statement in function.body:
            match statement:
                case ast.Expr(value=ast.Call(func=ast.Name(id=name), args=args, keywords=[]) as call):
                    guard = _guards(source).get((source.tree, name))
                case ast.Expr(
                    value=ast.Call(
                        func=ast.Attribute(value=ast.Name(id=owner), attr=name), args=args, keywords=[]
                    ) as call
                ) if arguments[:1] == [owner]:
                    guard = _guards(source).get((holder, name))
                case _:
                    continue
            at = next((n for n, one in enumerate(args) if isinstance(one, ast.Name) and one.id in arguments), None)
            if guard is None or at is None or not all(isinstance(one, ast.Name | ast.Constant) for one in args):
                continue
            if at + isinstance(call.func, ast.Attribute) < len(_arguments(guard)):
                calls.append(_GuardCall(call, guard, at))
    return calls_in[function]


def _guards(source: Source) -> dict[tuple[ast.AST | None, str], FunctionNode]:
    """Return the functions that raise, change no object and give nothing back, by where they stand and their name."""
    if "guards" not in source.memo:
        source.memo["guards"] = {
            (source.parents.get(one), one.name): one
            for one in ast.walk(source.tree)
            if isinstance(one, ast.FunctionDef) and not one.decorator_list and _only_refuses(source, one)
        }
    guards: dict[tuple[ast.AST | None, str], FunctionNode] = source.memo["guards"]
    return guards


def _only_refuses(source: Source, function: FunctionNode) -> bool:
    nodes = own_nodes(source, function)
    gives = any(isinstance(n, ast.Yield | ast.YieldFrom) or (isinstance(n, ast.Return) and n.value) for n in nodes)
    changes = any(updated_attribute(n) is not None for n in nodes)
    return not gives and not changes and any(isinstance(n, ast.Raise) for n in nodes)


def _arguments(function: FunctionNode) -> list[str]:
    return [arg.arg for arg in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]


@operator("missing_await", 1.6, "a coroutine is not awaited")
def missing_await(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put `await` before the call of a coroutine function of the file, or before one that gave a coroutine in a run."""
    if not isinstance(node, ast.Call) or not isinstance(source.function(node), ast.AsyncFunctionDef):
        return
    if isinstance(source.parents.get(node), ast.Await):
        return
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in _coroutines(source) or "coroutine" in kinds(source, node):
        yield from ranked(source, node, [f"await {grouped(source.segment(node), UNARY)}"])


def _coroutines(source: Source) -> frozenset[str]:
    if "coroutines" not in source.memo:
        source.memo["coroutines"] = frozenset(
            n.name for n in ast.walk(source.tree) if isinstance(n, ast.AsyncFunctionDef)
        )
    names: frozenset[str] = source.memo["coroutines"]
    return names


def _expected(source: Source) -> list[str]:
    """Return the exceptions that the tests expect and that the file can name."""
    return [name for name in source.refused if name in vars(builtins) or name in bound_at_top(source)]


def _raised(source: Source, function: FunctionNode) -> Iterator[str]:
    """Yield what is raised: as the file raises that exception elsewhere, else with the first argument."""
    arguments = [arg.arg for arg in function.args.args if arg.arg not in ("self", "cls")]
    for name in _expected(source):
        elsewhere = [
            source.segment(node.exc)
            for node in ast.walk(source.tree)
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and source.segment(node.exc.func) == name
        ]
        alike = [text for text in elsewhere if "(" in text and not _names_in(text) - {name, *arguments}]
        # One that tells what is refused fits anywhere.
        alike.sort(key=lambda text: _names_in(text) == {name})
        yield alike[0] if alike else f"{name}({arguments[0] if arguments else ''})"


def _names_in(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}


def _tests(source: Source, function: FunctionNode, node: ast.stmt) -> list[str]:
    """Return conditions on which something may be refused, the likeliest first: of arguments, then of the object."""
    visible = scope(source, node)
    arguments = [arg.arg for arg in function.args.args if arg.arg not in ("self", "cls")]
    arguments += [arg.arg for arg in function.args.kwonlyargs]
    owner = function.args.args[0].arg if function.args.args and function.args.args[0].arg == "self" else ""
    flags, holders, numbers = _attributes(source, function, owner)
    tests: dict[str, None] = {}
    for name in arguments:
        kind = visible.get(name, frozenset())
        if not kind or kind & NUMBERS:
            tests |= dict.fromkeys((f"{name} < 0", f"{name} <= 0"))
        if not kind or kind & SIZED:
            tests[f"not {name}"] = None
        if not kind or "NoneType" in kind:
            tests[f"{name} is None"] = None
    tests |= dict.fromkeys(
        text for name in arguments for at in holders for text in (f"{name} not in {at}", f"{name} in {at}")
    )
    tests |= dict.fromkeys(text for at in flags for text in (at, f"not {at}"))
    tests |= dict.fromkeys(f"{name} {sign} {at}" for name in arguments for at in numbers for sign in "><")
    return [*dict.fromkeys([*tests, *conditions(source, node)])]


def _end_tests(source: Source, function: FunctionNode, node: ast.stmt) -> list[str]:
    """Return conditions on what loops before a statement have left, the likeliest first."""
    visible = scope(source, node)
    arguments = {arg.arg for arg in (*function.args.args, *function.args.kwonlyargs)} - {"self", "cls"}
    written = [
        one.id
        for one in own_nodes(source, function)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store) and one.lineno < node.lineno
    ]
    sized = [name for name in sorted(arguments) if not (kind := visible.get(name, frozenset())) or kind & SIZED]
    tests: dict[str, None] = {}
    for name in dict.fromkeys(written):
        kind = visible.get(name, frozenset())
        if not kind or kind & NUMBERS:
            tests |= dict.fromkeys(f"{name} {sign} len({other})" for other in sized for sign in ("!=", "<"))
        if not kind or kind & SIZED or kind & {"bool"}:
            tests |= dict.fromkeys((name, f"not {name}"))
        if not kind or "NoneType" in kind:
            tests[f"{name} is None"] = None
    return list(tests)


def _attributes(source: Source, function: FunctionNode, owner: str) -> tuple[list[str], list[str], list[str]]:
    """Return the attributes of the method's object that `__init__` sets to flags, to collections and to numbers."""
    holder = source.parents.get(function)
    flags, holders, numbers = [], [], []
    makers = [one for one in holder.body if isinstance(one, FunctionNode)] if isinstance(holder, ast.ClassDef) else []
    for maker in makers if owner else ():
        for statement in own_nodes(source, maker) if maker.name == "__init__" else ():
            match statement:
                case ast.Assign(targets=[ast.Attribute(attr=name)], value=value):
                    text = f"{owner}.{name}"
                    match value:
                        case ast.Constant(value=bool()):
                            flags.append(text)
                        case ast.Dict() | ast.List() | ast.Set() | ast.Call(func=ast.Name(id="set" | "dict" | "list")):
                            holders.append(text)
                        case ast.Constant(value=int() | float()) | ast.Name():
                            numbers.append(text)
    return flags, holders, numbers
