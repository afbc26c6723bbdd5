"""Collections and texts: the wrong way to add, update, join, count, strip or look something up."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, quoted, ranked, replace
from .blocks import has_own_lines
from .fitting import ATOM, grouped
from .kinds import MAPPINGS, kinds
from .scope import is_value, scope


@operator("replaced", 3.4, "what is there already should be replaced, or should not")
def replaced(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn `a.update(b)` or `a.extend(b)` into `a = b`, and `a = b` into the updating call."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr=attr), args=[arg], keywords=[])):
            own, other = source.segment(value), source.segment(arg)
            if attr in ("update", "extend", "append", "add") and isinstance(
                value, ast.Name | ast.Attribute | ast.Subscript
            ):
                text = f"{own} = {other}" if attr in ("update", "extend") else f"{own} = [{other}]"
                yield Splice(*source.span(node), text, f"{quoted(own)} is replaced, not extended")
            if attr == "append":
                yield Splice(
                    *source.span(node), f"{own}.insert(0, {other})", f"{quoted(other)} is put at the front", 1.0, 0.2
                )
        case ast.Assign(targets=[ast.Name() | ast.Attribute() | ast.Subscript() as target], value=value):
            own, other = source.segment(target), source.segment(value)
            kind = kinds(source, value)
            verbs = {"set": "update", "dict": "update", "list": "extend"}
            for name, verb in verbs.items():
                if name in kind and has_own_lines(source, node):
                    text = f"{own}.{verb}({other})"
                    yield Splice(*source.span(node), text, f"{quoted(own)} is extended, not replaced", 1.0, 0.6)
            if isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice) and not kind & {"int"}:
                text = f"{own}.append({other})"
                yield Splice(*source.span(node), text, f"{quoted(other)} is appended", 1.0, 1.2)
            if isinstance(target, ast.Subscript) and not kinds(source, target.value) & MAPPINGS:
                whole = source.segment(target.value)
                lists = any(name == "IndexError" for name, _, _ in source.observations.errors)
                for place, text in enumerate((f"{whole}.append({other})", f"{whole}[:] = [{other}]")):
                    reason = f"{quoted(source.segment(node))} becomes {quoted(text)}"
                    yield Splice(*source.span(node), text, reason, 1.0, 0.5 * place + (0.0 if lists else 1.6))


@operator("join", 3.0, "texts are put together the wrong way")
def join(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn items into texts before they are joined, or join what `str` makes of a list."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Constant() | ast.Name(), attr="join"), args=[arg]):
            inner = source.segment(arg)
            text = f"map(str, {inner if not isinstance(arg, ast.GeneratorExp) else f'({inner[1:-1]})'})"
            if not (isinstance(arg, ast.Call) and isinstance(arg.func, ast.Name) and arg.func.id in ("map", "sorted")):
                start, end = source.span(arg)
                if not isinstance(arg, ast.GeneratorExp):
                    yield Splice(start, end, text, "the items become texts first")
            yield from ranked(source, arg, (f"sorted({inner})", f"reversed({inner})"), 0.3, 0.8)
        case ast.Call(func=ast.Name(id="str"), args=[arg]) if not isinstance(arg, ast.GeneratorExp | ast.Starred):
            kind = kinds(source, arg)
            if not kind or kind & {"list", "tuple", "generator", "map", "reversed"}:
                yield from ranked(
                    source, node, (f'"".join({source.segment(arg)})', f'"".join(map(str, {source.segment(arg)}))')
                )


@operator("separator", 3.4, "a text is split, stripped or replaced by the wrong thing")
def separator(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Drop or add the argument of `split` and `strip`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.keywords:
        return
    if node.func.attr not in ("split", "rsplit", "strip", "lstrip", "rstrip") or len(node.args) > 1:
        return
    own = source.segment(node.func)
    forms = [f"{own}()"] if node.args else []
    forms += [f'{own}("{text}")' for text in (" ", ",", ", ", "\\n", "-", ".", ":", "/")]
    yield from ranked(source, node, forms, 0.4)


@operator("membership", 4.0, "a thing is looked for in the wrong place")
def membership(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Look in the values or entries of a mapping, in the set, or in another collection in scope."""
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.In | ast.NotIn) or len(node.ops) != 1:
        return
    whole = node.comparators[0]
    own, kind = grouped(source.segment(whole), ATOM), kinds(source, whole)
    forms = [f"{own}.values()", f"{own}.keys()"] if kind & MAPPINGS else []
    others = [name for name, its in scope(source, node).items() if its & {"list", "set", "dict", "str", "tuple"}]
    yield from ranked(source, whole, [*forms, *(name for name in others if name != own)], 0.5)


@operator("casefold", 3.4, "upper and lower case should not matter")
def casefold(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Compare or look up a text in lower case, and the texts of a table too."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or not is_value(source, node):
        return
    left, right = node.left, node.comparators[0]
    if "str" in kinds(source, left) and not isinstance(left, ast.Constant):
        text = source.segment(left)
        for place, name in enumerate(("lower", "upper")):
            if not text.endswith(f".{name}()"):
                yield replace(source, left, f"{grouped(text, ATOM)}.{name}()", 1.0, 0.5 * place)
    table = right.value if isinstance(right, ast.Constant) else None
    if isinstance(table, str) and table.lower() != table.upper():
        yield replace(source, right, repr(table.lower() + table.upper()), 1.0, 0.6)


@operator("formatted", 2.8, "a text is meant to hold values")
def formatted(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Make a text with braces an f-string."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and "{" in node.value and "}" in node.value:
        parent = source.parents.get(node)
        if isinstance(parent, ast.JoinedStr | ast.Expr | ast.Attribute):
            return
        start = source.span(node)[0]
        if source.text[start] in "'\"":
            yield Splice(start, start, "f", "the braces are filled in")
