"""Statements that are missing: an update, a copy of another with a change, an assignment, a jump, an `else`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from selfheal_tui.search.program.source import FunctionNode, Source, with_defaults

from .base import Splice, bits, operator, quoted, ranked
from .blocks import (
    block_of,
    has_own_lines,
    indent_of,
    inserted,
    inserter,
    is_docstring,
    lines_of,
    loop_around,
    may_return,
    newline_of,
    relined,
    shifted,
    step_of,
)
from .fitting import AND, OR, grouped
from .kinds import NUMBERS, variable_kinds
from .pool import conditions, statements
from .scope import kin, own_nodes, owner, scope

_ENDINGS = (ast.Return, ast.Break, ast.Continue, ast.Raise)
_FIXED = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_MOST_WRAPS = 60
_MOST_PAIRS = 60
_LONGEST = 400


@operator("missing_update", 5.0, "a counter is never moved on")
def missing_update(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert `v += 1` or `v -= 1` for a number that the function assigns."""
    for statement, after in spots(source, node):
        counts = [
            n for n, kind in scope(source, statement).items() if "int" in kind and n in _assigned(source, statement)
        ]
        insert = inserter(source, statement, after)
        for place, text in enumerate(f"{name} {sign}= 1" for name in counts for sign in "+-"):
            yield insert((text,), f"{quoted(text)} is added", 0.7 * bits(place))


@operator("missing_statement", 5.2, "a statement is missing")
def missing_statement(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert a simple statement of the function, as it is or with one variable exchanged."""
    for statement, after in spots(source, node):
        own = source.segment(statement)
        visible, insert = scope(source, statement), inserter(source, statement, after)
        for place, text in enumerate(statements(source, statement)):
            if text != own and _may_run(text, visible):
                yield insert((text,), f"{quoted(text)} is added", 0.7 * bits(place))


@operator("missing_assignment", 5.6, "a variable is not kept up to date")
def missing_assignment(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert `v = w` for a variable that the function assigns and one of its kind."""
    for statement, after in spots(source, node):
        visible, assigned = scope(source, statement), _assigned(source, statement)
        insert = inserter(source, statement, after)
        pairs = [
            (name, other)
            for name in visible
            if name in assigned
            for other in visible
            if other != name and (kin(visible[name], visible[other]) is not False or "NoneType" in visible[name])
        ]
        for place, (name, other) in enumerate(pairs[:_MOST_PAIRS]):
            text = f"{name} = {other}"
            yield insert((text,), f"{quoted(text)} is added", 0.6 * bits(place))


@operator("missing_jump", 6.2, "a loop goes on, or ends, too late")
def missing_jump(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert `break` or `continue`, alone or on a condition."""
    if not isinstance(node, ast.stmt) or loop_around(source, node) is None or not has_own_lines(source, node):
        return
    body, _ = block_of(source, node)
    tests = conditions(source, node)[:_MOST_WRAPS]
    if node is body[-1] and not isinstance(node, _ENDINGS):
        for word in ("break", "continue"):
            yield inserted(source, node, [word], f"`{word}` is added", 0.3, after=True)
        last = inserter(source, node, True)
        for place, test in enumerate(tests):
            added = f"if {test}: break"
            yield last((f"if {test}:", "\tbreak"), f"{quoted(added)} is added at the end", 0.8 + 0.8 * bits(place))
    insert = inserter(source, node)
    for place, test in enumerate(tests):
        for word in ("continue", "break"):
            lines = (f"if {test}:", f"\t{word}")
            yield insert(lines, f"{quoted(f'if {test}: {word}')} is added", 0.8 + 0.8 * bits(place))


@operator("only_if", 5.6, "something should happen only on a condition")
def only_if(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put a statement under an `if`."""
    if isinstance(node, ast.stmt) and not isinstance(node, ast.For | ast.While):
        yield from under_conditions(source, node, conditions(source, node)[:_MOST_WRAPS])


@operator("unread_flag", 3.2, "an argument that says whether something is done is never read")
def unread_flag(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put a statement under `if not oneway:`, or add `and not oneway` or `or oneway` to the condition of an `if`.

    Only for a true-or-false argument that the function does not read at all: by its default, its annotation, or runs.
    """
    function = source.function(node)
    if function is None or not isinstance(node, ast.stmt):
        return
    for flag, is_on in _unread_flags(source, function).items():
        tests = (flag, f"not {flag}") if is_on else (f"not {flag}", flag)
        yield from under_conditions(source, node, tests)
        if isinstance(node, ast.If) and "\n" not in (text := source.segment(node.test)):
            forms = [f"{grouped(text, word)} {name} {test}" for word, name, test in _joints(*tests)]
            yield from ranked(source, node.test, forms, 0.5, 0.4)


def _joints(usual: str, other: str) -> tuple[tuple[int, str, str], ...]:
    """Return how a flag joins a condition (how tightly, word, test); what leaves it as it is by default comes first."""
    return ((AND, "and", usual), (OR, "or", other), (AND, "and", other), (OR, "or", usual))


def _unread_flags(source: Source, function: FunctionNode) -> dict[str, bool]:
    """Return the true-or-false arguments that a function neither reads nor sets, with what they are by default."""
    flags_of: dict[ast.AST, dict[str, bool]] = source.memo.setdefault("unread_flags", {})
    if function not in flags_of:
        named = {one.id for one in ast.walk(function) if isinstance(one, ast.Name)}
        flags: dict[str, bool] = {}
        for argument, default in with_defaults(function.args):
            value = default.value if isinstance(default, ast.Constant) else None
            is_flag = isinstance(value, bool) or variable_kinds(source, function, argument.arg) == {"bool"}
            if is_flag and argument.arg not in named:
                flags[argument.arg] = value is not False
        flags_of[function] = flags
    return flags_of[function]


def under_conditions(source: Source, node: ast.stmt, tests: Sequence[str]) -> Iterator[Splice]:
    """Put a statement under an `if` with each of these tests, the likeliest first."""
    if not tests or not _movable(source, node):
        return
    start, end = lines_of(source, node)
    indent = indent_of(source, node)
    text = shifted(source, node, node, indent + step_of(source))
    if text is None or end - start > _LONGEST or (isinstance(node, ast.Assign) and _is_first(source, node)):
        return
    own = quoted(source.segment(node))
    for place, test in enumerate(tests):
        header = f"{indent}if {test}:{newline_of(source)}"
        yield relined(
            source, start, end, header + text, f"{quoted(f'if {test}:')} is put before {own}", 0.8 * bits(place)
        )


@operator("missing_else", 6.2, "the other case of a condition is not handled")
def missing_else(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Give an `if` an `else` with a simple statement."""
    if not isinstance(node, ast.If) or node.orelse or node.body[0].lineno == node.lineno:
        return
    if not has_own_lines(source, node.body[-1]):
        return
    first = source.span(node)[0]
    indent = source.text[source.line_start(node.lineno) : first]
    if indent.strip():
        return
    visible = scope(source, node)
    counts = [n for n, kind in visible.items() if kind & NUMBERS and n in _assigned(source, node)]
    texts = [f"{name} {sign}= 1" for name in counts for sign in "+-"]
    texts += ["break", "continue"] if loop_around(source, node) is not None else []
    texts += [f"return {value}" for value in ("False", "True", "None", "0", "[]")] if may_return(source, node) else []
    texts += _plainer(source, node.body)
    texts += [text for text in statements(source, node) if _may_run(text, visible)]
    newline = newline_of(source)
    end = lines_of(source, node)[1]
    lead = "" if source.text[end - 1 : end] in ("\n", "\r") else newline
    for place, text in enumerate(texts):
        added = f"{lead}{indent}else:{newline}{indent}{step_of(source)}{text}{newline}"
        yield Splice(end, end, added, f"{quoted(f'else: {text}')} is added", 1.0, 0.6 * bits(place))


def _plainer(source: Source, body: list[ast.stmt]) -> Iterator[str]:
    """Yield the simple statements of a branch with the value as it is: `n += x ** 2` as `n += x`."""
    for statement in body:
        match statement:
            case ast.Assign(value=value) | ast.AugAssign(value=value):
                pass
            case ast.Expr(value=ast.Call(args=[value])):
                pass
            case _:
                continue
        match value:
            case ast.BinOp(left=plain) | ast.Call(func=ast.Name(), args=[plain]):
                start = source.span(statement)[0]
                begin, end = (at - start for at in source.span(value))
                text = source.segment(statement)
                if "\n" not in text:
                    yield f"{text[:begin]}{source.segment(plain)}{text[end:]}"


def spots(source: Source, node: ast.AST) -> Iterator[tuple[ast.stmt, bool]]:
    """Yield where a statement can be inserted at a node: before it, and after it when it ends its block."""
    if (
        not isinstance(node, ast.stmt)
        or isinstance(node, _FIXED)
        or not has_own_lines(source, node)
        or is_docstring(node)
    ):
        return
    if source.function(node) is None and isinstance(source.parents[node], ast.ClassDef):
        return
    yield node, False
    body, _ = block_of(source, node)
    if node is body[-1] and not isinstance(node, _ENDINGS):
        yield node, True


def _movable(source: Source, node: ast.AST) -> bool:
    return (
        isinstance(node, ast.stmt)
        and not isinstance(node, _FIXED)
        and not is_docstring(node)
        and has_own_lines(source, node)
        and source.function(node) is not None
    )


def _is_first(source: Source, node: ast.Assign) -> bool:
    """Tell whether an assignment binds a name for the first time: without it the name may be missing."""
    target = node.targets[0]
    return isinstance(target, ast.Name) and target.id not in scope(source, node)


def _assigned(source: Source, node: ast.AST) -> frozenset[str]:
    assigned_in: dict[ast.AST, frozenset[str]] = source.memo.setdefault("assigned", {})
    function = owner(source, node)
    if function not in assigned_in:
        nodes = own_nodes(source, function)
        names = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        args = function.args.args if isinstance(function, FunctionNode) else []
        assigned_in[function] = frozenset(names | {arg.arg for arg in args})
    return assigned_in[function]


def _may_run(text: str, visible: dict[str, frozenset[str]]) -> bool:
    """Tell whether the object of a method call or the target of an update is there."""
    head = text.split("(", 1)[0].split("=", 1)[0]
    name = head.split(".", 1)[0].split("[", 1)[0].split(" ", 1)[0]
    return name in visible or (" = " in text and "." not in head and "[" not in head) or "." not in head
