"""An edit with its counterpart: where a value starts and how it is updated, what is found and what is returned."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, quoted, together, token_between
from .scope import own_nodes, owner

_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_OTHER_END = {"max": "min", "min": "max"}
_HIGHEST, _LOWEST = ('float("inf")', 'float("-inf")')
_Part = tuple[int, int, str]


@operator("extreme", 3.4, "the smallest is looked for where the largest was meant, or the other way round")
def extreme(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn the comparison or the `min` that updates a best value, and start from the other end."""
    if not isinstance(node, ast.Assign):
        return
    match node.targets:
        case [ast.Name(id=name)] if _is_start(node.value):
            pass
        case _:
            return
    parts: list[_Part] = []
    is_least = False
    for use in own_nodes(source, owner(source, node)):
        match use:
            case ast.If(test=ast.Compare(left=left, ops=[_], comparators=[right]) as test) if _assigns(use.body, name):
                token = token_between(source, left, right, r"<=|>=|<|>")
                sides = [isinstance(side, ast.Name) and side.id == name for side in (left, right)]
                if token is not None and sides[0] != sides[1] and test.lineno > node.lineno:
                    old = source.text[slice(*token)]
                    parts.append((*token, _TURNED[old]))
                    is_least = (old[0] == ">") == sides[1]  # it grows now, so the least is meant
            case ast.Assign(
                targets=[ast.Name(id=target)], value=ast.Call(func=ast.Name(id=end) as called, args=[_, _])
            ):
                if target == name and end in _OTHER_END and _reads(use.value, name):
                    parts.append((*source.span(called), _OTHER_END[end]))
                    is_least = end == "max"
    if not parts:
        return
    word = "smallest" if is_least else "largest"
    starts = [_HIGHEST if is_least else _LOWEST, *([] if is_least else ["0"])]
    for place, start in enumerate(starts):
        if start != source.segment(node.value):
            reason = f"{quoted(name)} becomes the {word}, from {quoted(start)}"
            yield together(source, [(*source.span(node.value), start), *parts], reason, 0.8 * place)


@operator("start_and_update", 3.4, "a result starts from the wrong value and is updated the wrong way")
def start_and_update(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn a sum into a product, or a list into a set, where it starts and where it grows; or back."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            old = source.segment(value)
        case _:
            return
    changes = {
        "0": ("1", "+", "*"),
        "1": ("0", "*", "+"),
        "[]": ("set()", "append", "add"),
        "set()": ("[]", "add", "append"),
    }
    if old not in changes:
        return
    start, before, after = changes[old]
    parts: list[_Part] = []
    for use in own_nodes(source, owner(source, node)):
        match use:
            case ast.AugAssign(target=ast.Name(id=target)) if target == name and len(before) == 1:
                sign = token_between(source, use.target, use.value, r"[+*]=")
                if sign is not None and source.text[slice(*sign)] == f"{before}=":
                    parts.append((*sign, f"{after}="))
            case ast.Attribute(value=ast.Name(id=target), attr=attr) if target == name and attr == before:
                end = source.span(use)[1]
                parts.append((end - len(attr), end, after))
    if parts and all(part[0] > source.span(value)[1] for part in parts):
        reason = f"{quoted(name)} starts from {quoted(start)} and {quoted(before)} becomes {quoted(after)}"
        yield together(source, [(*source.span(value), start), *parts], reason)


@operator("occurrences", 3.8, "what occurs several times is counted once")
def occurrences(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn `if x in y: n += 1` into `n += y.count(x)`."""
    match node:
        case ast.If(
            test=ast.Compare(left=left, ops=[ast.In()], comparators=[whole]),
            body=[ast.AugAssign(op=ast.Add(), value=ast.Constant(value=1)) as update],
            orelse=[],
        ):
            pass
        case _:
            return
    if isinstance(whole, ast.Name | ast.Call | ast.Subscript | ast.Attribute) and not _is_elif(source, node):
        target, item = source.segment(update.target), source.segment(left)
        text = f"{target} += {source.segment(whole)}.count({item})"
        if "\n" not in text:
            yield Splice(*source.span(node), text, f"each {quoted(item)} in {quoted(source.segment(whole))} is counted")


@operator("counted_from_one", 4.2, "what goes round from 1 is worked out as if it went round from 0")
def counted_from_one(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn `n = a + b` and `n % 12` into `n = a + b - 1` and `n % 12 + 1`; the same where `(a + b) % 12` is one."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(op=ast.Add() | ast.Sub()) as value):
            rounds = [*_rests(source, node, name)]
            alone = not any(isinstance(source.parents.get(use), ast.BinOp | ast.UnaryOp) for use in rounds)
            if rounds and alone and all(source.span(use)[0] > source.span(value)[1] for use in rounds):
                parts = [(*source.span(use), f"{source.segment(use)} + 1") for use in rounds]
                less = f"{source.segment(value)} - 1"
                reason = f"{quoted(name)} is one less, and {quoted(source.segment(rounds[0]))} one more"
                yield together(source, [(*source.span(value), less), *parts], reason)
        case ast.BinOp(left=ast.BinOp(op=ast.Add() | ast.Sub()) as left, op=ast.Mod(), right=right):
            parent = source.parents.get(node)
            text = f"({source.segment(left)} - 1) % {source.segment(right)} + 1"
            if isinstance(parent, ast.BinOp | ast.UnaryOp | ast.Attribute):
                text = f"({text})"
            if not _is_one_more(parent):
                yield Splice(*source.span(node), text, f"{quoted(source.segment(node))} becomes {quoted(text)}")


def _rests(source: Source, node: ast.Assign, name: str) -> Iterator[ast.BinOp]:
    """Yield the rests of a variable, as it stands: `n % 12`."""
    for use in own_nodes(source, owner(source, node)):
        match use:
            case ast.BinOp(left=ast.Name(id=used), op=ast.Mod()) if used == name:
                yield use


def _is_one_more(node: ast.AST | None) -> bool:
    match node:
        case ast.BinOp(op=ast.Add(), right=ast.Constant(value=1)):
            return True
    return False


def _is_start(value: ast.expr) -> bool:
    """Tell whether a value is what the search for a best one starts from."""
    match value:
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return _is_start(inner)
        case ast.Constant(value=number):
            return isinstance(number, int | float) and not isinstance(number, bool)
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant()]):
            return True
        case ast.Attribute(attr="inf" | "maxsize"):
            return True
    return False


def _assigns(body: list[ast.stmt], name: str) -> bool:
    return any(
        isinstance(target, ast.Name) and target.id == name
        for statement in body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
    )


def _reads(value: ast.expr, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(value))


def _is_elif(source: Source, node: ast.If) -> bool:
    return source.text.startswith("elif", source.span(node)[0])
