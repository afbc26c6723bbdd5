"""Material for larger edits: conditions and simple statements that would make sense at a place, likeliest first."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from selfheal_tui.search.program.source import Source

from .fitting import COMPARISON, grouped
from .kinds import NUMBERS, SIZED, Kinds
from .scope import free_names, functions, kin, numbers, own_nodes, owner, scope, texts

_MOST_CONDITIONS = 120
_MOST_STATEMENTS = 200
_LONGEST = 60


def conditions(source: Source, node: ast.AST) -> tuple[str, ...]:
    """Return conditions over the variables at a node: those of the function and their negations first."""
    visible = scope(source, node)
    condition_texts: dict[tuple[ast.AST, tuple[str, ...]], tuple[str, ...]] = source.memo.setdefault("conditions", {})
    key = (owner(source, node), tuple(visible))
    if key not in condition_texts:
        condition_texts[key] = tuple(dict.fromkeys(_conditions(source, node, visible)))[:_MOST_CONDITIONS]
    return condition_texts[key]


def statements(source: Source, node: ast.AST) -> tuple[str, ...]:
    """Return simple statements: those of the function, then those with one variable exchanged."""
    statement_texts: dict[ast.AST, tuple[str, ...]] = source.memo.setdefault("statements", {})
    function = owner(source, node)
    if function not in statement_texts:
        statement_texts[function] = tuple(dict.fromkeys(_statements(source, function)))[:_MOST_STATEMENTS]
    return statement_texts[function]


def _conditions(source: Source, node: ast.AST, visible: dict[str, Kinds]) -> Iterator[str]:
    own = [text for text, free in _own_conditions(source, node) if free <= visible.keys()]
    yield from own
    yield from (f"not {grouped(text, COMPARISON)}" for text in own)
    counts = [name for name, kind in visible.items() if kind & NUMBERS]
    sized = [name for name, kind in visible.items() if kind & SIZED]
    unknown = [name for name, kind in visible.items() if not kind]
    for name, kind in visible.items():
        if kind & SIZED or not kind:
            yield from (f"not {name}", name)
        if "NoneType" in kind or not kind:
            yield from (f"{name} is None", f"{name} is not None")
        if "bool" in kind:
            yield from (name, f"not {name}")
    for name in counts:
        yield from (f"{name} {test}" for test in ("== 0", "< 0", "== 1", "> 0", "<= 1", "< 2", "> 1"))
        yield from (f"{name} % 2 {test}" for test in ("== 0", "== 1"))
    for name in (*sized, *unknown):
        yield from (f"len({name}) {test}" for test in ("== 1", "<= 1", "> 1", "== 0"))
    for name in counts:
        for number in dict.fromkeys((*numbers(source, node)[:8], 3, 4, 5)):
            if number > 2:
                yield from (f"{name} % {number} {test} 0" for test in ("==", "!="))
    for one, other in combinations(counts, 2):
        yield from (f"{one} {test} {other}" for test in ("==", "<", ">", "<=", ">=", "!="))
    for name in visible:
        for whole in (*sized, *unknown):
            if name != whole:
                yield from (f"{name} not in {whole}", f"{name} in {whole}")
        for function in (n for n, f in functions(source).items() if len(f.args.args) == 1):
            yield from (f"{function}({name})", f"not {function}({name})")
    for name in sized:
        for count in counts:
            yield from (f"len({name}) {test} {count}" for test in ("==", "<", ">", "<="))
    for text in texts(source, node)[:8]:
        for name in (n for n, kind in visible.items() if "str" in kind):
            yield from (f"{name} == {text!r}", f"{name} != {text!r}", f"{text!r} in {name}", f"{text!r} not in {name}")
    for one, other in combinations(visible, 2):
        if kin(visible[one], visible[other]) and not visible[one] & NUMBERS:
            yield from (f"{one} == {other}", f"{one} != {other}")


def _own_conditions(source: Source, node: ast.AST) -> list[tuple[str, frozenset[str]]]:
    conditions_in: dict[ast.AST, list[tuple[str, frozenset[str]]]] = source.memo.setdefault("own_conditions", {})
    function = owner(source, node)
    if function not in conditions_in:
        tests: list[ast.expr] = []
        for at in own_nodes(source, function):
            if isinstance(at, ast.If | ast.While | ast.IfExp):
                tests.append(at.test)
            elif isinstance(at, ast.comprehension):
                tests += at.ifs
        parts = [part for test in tests if isinstance(test, ast.BoolOp) for part in test.values]
        free_by_text = {source.segment(test): free_names(test) for test in (*tests, *parts)}
        conditions_in[function] = [
            (t, free) for t, free in free_by_text.items() if len(t) <= _LONGEST and "\n" not in t
        ]
    return conditions_in[function]


def _statements(source: Source, function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Module) -> Iterator[str]:
    simple: list[ast.stmt] = []
    for node in own_nodes(source, function):
        called = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        if isinstance(node, ast.Assign | ast.AugAssign) or (called and isinstance(node, ast.Expr)):
            text = source.segment(node)
            if len(text) <= _LONGEST and "\n" not in text:
                simple.append(node)
                yield text
    places: dict[ast.stmt, dict[str, Kinds]] = {}
    last = own_nodes(source, function)[-1:] if isinstance(function, ast.Module) else [function.body[-1]]
    for statement in simple:
        visible = dict(scope(source, statement))
        for node in last:
            visible.update(scope(source, node))
        places[statement] = visible
    for here in ([*places.values()] or [scope(source, node) for node in last])[:1]:
        for name, kind in here.items():
            others = [other for other in here if other != name]
            if "list" in kind:
                yield from (f"{name}.append({other})" for other in others)
            if "set" in kind:
                yield from (f"{name}.add({other})" for other in others)
    for statement in simple:
        text, start = source.segment(statement), source.span(statement)[0]
        for node in (n for n in ast.walk(statement) if isinstance(n, ast.Name)):
            if node.id not in places[statement] and not isinstance(node.ctx, ast.Store):
                continue
            at = source.span(node)[0] - start
            for other, kind in places[statement].items():
                if other != node.id and kin(kind, places[statement].get(node.id, frozenset())) is not False:
                    yield text[:at] + other + text[at + len(node.id) :]
