"""Loops: a range with the wrong start, end or step, a loop over the wrong thing, a bound that is never reached."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, quoted, ranked, replace
from .blocks import has_own_lines, indent_of, lines_of, relined, shifted
from .fitting import SUM, grouped
from .kinds import MAPPINGS, NUMBERS, SEQUENCES, kinds
from .scope import functions, is_value, own_nodes, owner, scope


@operator("range", 3.0, "a loop runs over the wrong numbers")
def range_(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Change start, end, step or direction of a `range`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "range":
        return
    if node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args) or not is_value(source, node):
        return
    args = [source.segment(arg) for arg in node.args]
    sums = [grouped(arg, SUM) for arg in args]
    forms: list[str] = []
    if len(args) == 1:
        (end,), (total,) = args, sums
        forms = [f"range(1, {end})", f"range(1, {total} + 1)", f"range({total} - 1, -1, -1)", f"range(2, {end})"]
        forms += [f"range(0, {end}, 2)", f"range(2, {total} + 1)", f"range({end}, 0, -1)", f"range({end}, -1, -1)"]
    elif len(args) == 2:
        (start, end), (low, high) = args, sums
        forms = [f"range({end})", f"range({start}, {end}, 2)", f"range({start}, {end}, -1)"]
        forms += [f"range({low} + 1, {high} + 1)", f"range({high} - 1, {low} - 1, -1)", f"range(0, {end})"]
        forms += [f"range({end}, {start}, -1)", f"range({end}, {low} - 1, -1)"]
    elif len(args) == 3:
        start, end, step = args
        forms = [f"range({start}, {end})", f"range({start}, {end}, -{grouped(step, SUM + 2)})"]
        forms += [f"range({end}, {start}, {step})", f"range({start}, {sums[1]} + 1, {step})"]
        forms += [f"range({start}, {sums[1]} - 1, {step})"]
    yield from ranked(source, node, forms, 0.4)


@operator("iterate", 4.2, "a loop runs over the wrong thing")
def iterate(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Loop over a copy, the reverse, the entries or the numbers of what the loop runs over."""
    if not isinstance(node, ast.For | ast.comprehension) or not is_value(source, node.iter):
        return
    over = node.iter
    text, kind = source.segment(over), kinds(source, over)
    if len(text) > 50 or "\n" in text or isinstance(over, ast.GeneratorExp):
        return
    forms = [f"list({text})", f"reversed({text})", f"sorted({text})"]
    if kind & MAPPINGS or not kind:
        forms += [f"{text}.items()", f"{text}.values()", f"list({text}.items())"]
    if kind & SEQUENCES or not kind:
        forms += [f"range(len({text}))", f"{text}[1:]", f"{text}[:-1]", f"enumerate({text})", f"{text}[::-1]"]
    if kind & NUMBERS:
        forms = [f"range({text})", f"range({text} + 1)", f"range(1, {text} + 1)", f"str({text})"]
    simple = isinstance(over, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
    yield from ranked(source, over, forms if simple else forms[:3], 0.4)


@operator("pair_targets", 3.0, "a loop takes its items apart the wrong way")
def pair_targets(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Take index and item from `enumerate`, or key and value from `items`, where only one is taken."""
    if not isinstance(node, ast.For | ast.comprehension) or not isinstance(node.target, ast.Name):
        return
    over = node.iter
    name = node.target.id
    if isinstance(over, ast.Call) and isinstance(over.func, ast.Name) and over.func.id == "enumerate":
        for place, text in enumerate((f"_, {name}", f"{name}, _")):
            yield Splice(*source.span(node.target), text, f"{quoted(name)} becomes {quoted(text)}", 1.0, 0.4 * place)


@operator("early_return", 3.6, "a loop returns before it has seen everything")
def early_return(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Move the `return` under an `else` at the end of a loop behind the loop."""
    if not isinstance(node, ast.For | ast.While) or node.orelse or not isinstance(node.body[-1], ast.If):
        return
    last = node.body[-1]
    while len(last.orelse) == 1 and isinstance(last.orelse[0], ast.If):
        last = last.orelse[0]
    if len(last.orelse) != 1 or not isinstance(last.orelse[0], ast.Return):
        return
    back = last.orelse[0]
    if not all(has_own_lines(source, s) for s in (node, back, last.body[-1])):
        return
    start = lines_of(source, last.body[-1])[1]
    end = lines_of(source, back)[1]
    text = shifted(source, back, back, indent_of(source, node))
    if text is not None and end == lines_of(source, node)[1]:
        yield relined(source, start, end, text, f"{quoted(source.segment(back))} moves after the loop")


@operator("recursion", 3.4, "a recursive call does not get nearer to its end")
def recursion(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Change an argument of a recursive call by one, by half, or leave out a first or last element."""
    function = owner(source, node)
    if not isinstance(node, ast.Call) or isinstance(function, ast.Module) or not isinstance(node.func, ast.Name):
        return
    if node.func.id != function.name:
        return
    for arg in node.args:
        text, kind = source.segment(arg), kinds(source, arg)
        whole = grouped(text, SUM)
        if isinstance(arg, ast.Starred | ast.GeneratorExp):
            continue
        forms = []
        if kind & NUMBERS or not kind:
            forms += [
                f"{whole} - 1",
                f"{whole} + 1",
                f"{grouped(text, SUM + 1)} // 2",
                f"{grouped(text, SUM + 1)} // 10",
            ]
        if kind & SEQUENCES or not kind:
            atom = grouped(text, SUM + 4)
            forms += [f"{atom}[1:]", f"{atom}[:-1]"]
        yield from ranked(source, arg, forms, 0.4)


@operator("recurse", 4.4, "a function should go on with its result", discount=2.4)
def recurse(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Apply the function itself to a value that it returns, or return what a recursive call gives."""
    function = owner(source, node)
    if isinstance(function, ast.Module):
        return
    name, count = function.name, len(function.args.args)
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id=called))) if called == name:
            start = source.span(node)[0]
            yield Splice(start, start, "return ", "the result of the recursive call is returned", 1.0, -2.4)
        case ast.Return(value=ast.expr() as value) if count == 1 and name in functions(source):
            yield replace(source, value, f"{name}({source.segment(value)})", 1.0, 0.4)


@operator("loop_bound", 3.8, "a loop stops at the wrong thing")
def loop_bound(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Compare with another variable or length in the condition of a `while`."""
    if not isinstance(node, ast.While) or not isinstance(node.test, ast.Compare) or len(node.test.ops) != 1:
        return
    changed = [
        source.segment(n.target)
        for n in own_nodes(source, owner(source, node))
        if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)
    ]
    sides = (node.test.left, node.test.comparators[0])
    for side in sides:
        own = source.segment(side)
        names = [name for name in dict.fromkeys(changed) if name != own and name in scope(source, node)]
        names += [f"len({name})" for name, kind in scope(source, node).items() if kind & SEQUENCES]
        yield from ranked(source, side, names, 0.5)
