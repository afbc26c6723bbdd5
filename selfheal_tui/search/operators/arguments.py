"""Arguments and elements: in the wrong order, one too many, one missing, at the wrong depth."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from selfheal_tui.search.program.source import Source

from .base import Splice, bits, operator, quoted, replace
from .fitting import ATOM, grouped, parenthesised_span
from .kinds import UNKNOWN, kinds, variable_kinds
from .scope import functions, is_value, kin, scope

_MOST_PASSED = 3
_LONGEST = 12
_BOUND = (ast.Starred, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.GeneratorExp)
"""What cannot stand everywhere without parentheses."""


@operator("argument_order", 2.0, "arguments are passed in the wrong order")
def argument_order(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap two positional arguments, elements of a tuple or list, targets of an unpacking, or object and argument."""
    items = node.args if isinstance(node, ast.Call) else _elements(node)
    extra = 0.0 if isinstance(node, ast.Call) else 0.5
    for (i, first), (j, second) in combinations(enumerate(items), 2):
        if isinstance(first, _BOUND) or isinstance(second, _BOUND):
            continue
        left, right = source.segment(first), source.segment(second)
        if left == right or _plain(first, second):
            continue
        start, end = source.span(first)[0], source.span(second)[1]
        between = source.text[source.span(first)[1] : source.span(second)[0]]
        reason = f"{quoted(left)} and {quoted(right)} are swapped"
        yield Splice(start, end, f"{right}{between}{left}", reason, 1.0, extra + 0.7 * (j - i - 1))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        other, own = node.args[0], source.segment(node.func.value)
        if not isinstance(other, _BOUND):
            start, end = source.span(node.func.value)[0], source.span(other)[1]
            between = source.text[source.span(node.func.value)[1] : source.span(other)[0]]
            text = f"{grouped(source.segment(other), ATOM)}{between}{own}"
            yield Splice(start, end, text, f"{quoted(own)} and {quoted(source.segment(other))} are swapped", 1.0, 0.6)


@operator("dropped_item", 3.0, "an argument or element is one too many")
def dropped_item(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Drop one of several arguments, keywords or elements."""
    items: list[ast.expr | ast.keyword]
    if isinstance(node, ast.Call):
        items = sorted([*node.args, *node.keywords], key=source.span)
        fewest, extra = (2, 1.0) if not node.keywords else (1, 0.6)
    elif isinstance(node, ast.Dict):
        return
    else:
        items, fewest, extra = [*_elements(node)], 2, 0.0
    if len(items) < fewest or len(items) > _LONGEST:
        return
    spans = [_whole_span(source, item) if len(items) > 1 else source.span(item) for item in items]
    for place, item in enumerate(items):
        start, end = spans[place]
        if place + 1 < len(items):
            end = spans[place + 1][0]
        elif place:
            start = spans[place - 1][1]
        gone = quoted(source.text[slice(*source.span(item))])
        pair = isinstance(node, ast.Tuple) and len(items) == 2
        text = "," if pair and place else ""
        if pair and not place:
            last = spans[1]
            yield Splice(start, last[1], f"{source.text[slice(*last)]},", f"{gone} is removed", 1.0, extra + 0.5)
            continue
        yield Splice(start, end, text, f"{gone} is removed", 1.0, extra + (0.5 if pair else 0.0))


@operator("dropped_pair", 4.0, "two elements of a table are too many")
def dropped_pair(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Drop two neighbouring constants from a table."""
    items = _elements(node)
    if len(items) < 4 or not all(isinstance(item, ast.Constant) for item in items):
        return
    spans = [source.span(item) for item in items]
    for place in range(len(items) - 1):
        after = place + 2
        start, end = (spans[place][0], spans[after][0]) if after < len(items) else (spans[place - 1][1], spans[-1][1])
        gone = quoted(source.text[spans[place][0] : spans[place + 1][1]])
        yield Splice(start, end, "", f"{gone} are removed")


@operator("added_argument", 5.0, "a call lacks an argument", discount=1.5)
def added_argument(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Pass one more variable; for functions of the file those named or typed like the parameter first."""
    if not isinstance(node, ast.Call) or node.keywords:
        return
    if any(isinstance(a, ast.Starred | ast.GeneratorExp) for a in node.args):
        return
    own = functions(source).get(node.func.id) if isinstance(node.func, ast.Name) else None
    wanted, more = UNKNOWN, 0.0
    elsewhere = _passed_elsewhere(source, node)
    if own is not None:
        if len(node.args) >= len(own.args.args) and not own.args.vararg:
            return
        if len(node.args) < len(own.args.args):
            wanted = variable_kinds(source, own, own.args.args[len(node.args)].arg)
            more = -1.5
    names = [name for name, kind in scope(source, node).items() if kin(kind, wanted) is not False]
    more = -1.5 if elsewhere else more
    constants = ["1", "0", '""', "None", "True"] if own is None else ["0", "1", "[]", "None"]
    end = source.span(node)[1]
    body = source.text[: end - 1].rstrip()
    comma = "" if body.endswith(("(", ",")) else ", "
    for place, name in enumerate(dict.fromkeys((*elsewhere, *names, *constants))):
        yield Splice(end - 1, end, f"{comma}{name})", f"{quoted(name)} is passed too", 1.0, more + 0.5 * bits(place))


def _passed_elsewhere(source: Source, node: ast.Call) -> list[str]:
    """Return what other calls of the same function or class pass next, what most of them pass first.

    Only what can be read here too: attributes of the object at hand, and constants.
    """
    key, function = ast.unparse(node.func), source.function(node)
    own = {argument.arg for argument in function.args.args} if function is not None else set()
    calls: dict[str, list[ast.Call]] = source.memo.setdefault("calls_of", {})
    if key not in calls:
        found = (one for one in ast.walk(source.tree) if isinstance(one, ast.Call) and ast.unparse(one.func) == key)
        calls[key] = [*found]
    passed = [one.args[len(node.args)] for one in calls[key] if len(one.args) > len(node.args)]
    readable = [
        ast.unparse(one)
        for one in passed
        if isinstance(one, ast.Constant)
        or (isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id in own)
    ]
    return sorted(dict.fromkeys(readable), key=lambda text: -readable.count(text))[:_MOST_PASSED]


@operator("nesting", 3.4, "a value is a list too few or too many deep")
def nesting(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put a value into a list or tuple, or take the only element out of one."""
    if not isinstance(node, ast.expr) or not is_value(source, node):
        return
    parent = source.parents.get(node)
    if isinstance(node, ast.List) and not node.elts:
        yield replace(source, node, "[[]]")
    elif isinstance(node, ast.List | ast.Tuple) and len(node.elts) == 1:
        yield replace(source, node, source.segment(node.elts[0]))
    held = isinstance(parent, ast.Return | ast.BinOp) or (isinstance(parent, ast.Call) and node in parent.args)
    if held and "\n" not in source.segment(node):
        summed = isinstance(parent, ast.BinOp) and not kinds(source, parent) & {"list"}
        if not summed and not isinstance(node, ast.GeneratorExp):
            yield replace(source, node, f"[{source.segment(node)}]", 1.0, 0.6)
            if isinstance(parent, ast.Return):
                yield replace(source, node, f"({source.segment(node)},)", 1.0, 1.6)


def _whole_span(source: Source, item: ast.expr | ast.keyword) -> tuple[int, int]:
    return parenthesised_span(source, item) if isinstance(item, ast.expr) else source.span(item)


def _elements(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Tuple | ast.List | ast.Set) and len(node.elts) <= _LONGEST:
        return node.elts if not any(isinstance(e, ast.Slice | ast.Starred) for e in node.elts) else []
    return []


def _plain(first: ast.expr, second: ast.expr) -> bool:
    """Tell whether both are constants and the first is True or False: such a pair is not swapped."""
    return isinstance(first, ast.Constant) and isinstance(second, ast.Constant) and type(first.value) is bool
