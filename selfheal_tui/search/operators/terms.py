"""Terms: a sum lacks or should lose a part, a value is mirrored or clamped, a text lacks a piece."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, ranked
from .companions import class_of, maker_of
from .fitting import PRODUCT, SUM, UNARY, grouped
from .kinds import NUMBERS, SIZED, UNKNOWN, Kinds, annotation_kinds, kinds
from .scope import editable, is_value, kin, may_be, own_nodes, scope, texts
from .texts import literal

_MOST_NAMES = 10
_MOST_PEERS = 6


@operator("term", 4.6, "a calculation lacks a term or a factor", discount=0.4)
def term(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Add, subtract, multiply or divide by a variable, a length or a small number."""
    if not isinstance(node, ast.expr) or not editable(source, node) or isinstance(node, ast.Lambda):
        return
    kind = kinds(source, node)
    if isinstance(node, ast.Constant) or not _may_be_number(source, node, kind):
        return
    text = source.segment(node)
    visible = scope(source, node)
    names = [name for name, its in visible.items() if name != text and may_be(source, node, name, its, NUMBERS)]
    names += [f"len({name})" for name, its in scope(source, node).items() if its & (SIZED - {"str"})]
    names = names[:_MOST_NAMES]
    extra = 0.0 if kind else 1.0
    whole, factor = grouped(text, SUM), grouped(text, PRODUCT)
    small = [f"{factor} * 2", f"{factor} // 2", f"{factor} / 2", f"{grouped(text, UNARY + 1)} ** 2", f"{factor} % 2"]
    yield from ranked(source, node, [*small, f"{whole} + 2", f"{whole} - 2", f"{factor} % 10"], 0.4, extra - 0.4)
    yield from ranked(source, node, (f"{whole} {op} {name}" for name in names for op in "+-"), 0.5, extra)
    products = (f"{factor} {op} {name}" for name in names for op in ("*", "//", "%", "/"))
    yield from ranked(source, node, products, 0.5, extra + 0.8)
    after = grouped(text, PRODUCT)
    yield from ranked(source, node, (f"{name}{m} - {after}" for name in names for m in ("", " - 1")), 0.5, extra + 0.6)


@operator("peer", 4.2, "one number of an object is used without another one that goes with it")
def peer(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn `self.stock[k]` into `self.stock[k] - self.reserved[k]`, `self.gross` into `self.gross - self.tax`, and
    `len(self.shown)` into `len(self.shown) + len(self.mines)`; numbers of the object's class that the function does not
    use yet come first.
    """
    match node:
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=owner), attr=name), slice=key, ctx=ast.Load()):
            item = f"[{source.segment(key)}]"
        case ast.Attribute(value=ast.Name(id=owner), attr=name, ctx=ast.Load()):
            item = ""
        case ast.Call(func=ast.Name(id="len"), args=[ast.Attribute(value=ast.Name(id=owner), attr=name)]):
            sizes = [f"len({owner}.{other})" for other in _looked_up(source, False).get(owner, ()) if other != name]
            whole = grouped(source.segment(node), SUM)
            yield from ranked(
                source, node, [f"{whole} {sign} {size}" for size in sizes[:_MOST_PEERS] for sign in "-+"], 0.5
            )
            return
        case _:
            return
    assert isinstance(node, ast.expr)
    if (
        not is_value(source, node)
        or not editable(source, node)
        or not _may_be_number(source, node, kinds(source, node))
    ):
        return
    unused = [] if item else _unused_numbers(source, node, owner)
    others = [other for other in (*unused, *_looked_up(source, bool(item)).get(owner, ())) if other != name]
    others = [*dict.fromkeys(others)][:_MOST_PEERS]
    whole = grouped(source.segment(node), SUM)
    yield from ranked(source, node, [f"{whole} {sign} {owner}.{other}{item}" for other in others for sign in "-+"], 0.5)


def _unused_numbers(source: Source, node: ast.expr, owner: str) -> list[str]:
    """Return the numbers of an object's class of which the function around uses none on that object, like ones first.

    The class is that of the method, for its own object, or the one that runs showed.
    """
    function, holder = source.function(node), class_of(source, node)
    if function is None:
        return []
    if holder is None or not function.args.args or function.args.args[0].arg != owner:
        shown = scope(source, node).get(owner, UNKNOWN)
        holder = next((one for one in source.tree.body if isinstance(one, ast.ClassDef) and one.name in shown), None)
    numbers = _numbers_of(source, holder) if holder is not None else {}
    used = {
        one.attr
        for one in own_nodes(source, function)
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == owner
    }
    own = numbers.get(node.attr) if isinstance(node, ast.Attribute) else None
    return sorted((name for name in numbers if name not in used), key=lambda name: numbers[name] != own)


def _numbers_of(source: Source, holder: ast.ClassDef) -> dict[str, Kinds]:
    """Return the fields of a class that are numbers, and the attributes that start as one, with what they are."""
    numbers_of: dict[ast.AST, dict[str, Kinds]] = source.memo.setdefault("numbers_of_class", {})
    if holder not in numbers_of:
        maker = maker_of(holder)
        found: dict[str, Kinds] = {}
        for one in (*holder.body, *(own_nodes(source, maker) if maker is not None else ())):
            match one:
                case ast.AnnAssign(target=ast.Name(id=name) | ast.Attribute(attr=name), annotation=annotation):
                    found[name] = annotation_kinds(annotation)
                case ast.Assign(targets=[ast.Attribute(value=ast.Name(), attr=name)], value=value):
                    found[name] = kinds(source, value)
        numbers_of[holder] = {name: kind for name, kind in found.items() if kind & NUMBERS and "bool" not in kind}
    return numbers_of[holder]


def _looked_up(source: Source, subscripted: bool) -> dict[str, list[str]]:
    """Return variable -> attributes that the file takes items of, or those that it does not."""
    key = "attributes_with_items" if subscripted else "attributes_without_items"
    if key not in source.memo:
        found: dict[str, dict[str, None]] = {}
        for node, parent in source.parents.items():
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                is_called = isinstance(parent, ast.Call) and parent.func is node
                if not is_called and (isinstance(parent, ast.Subscript) and parent.value is node) == subscripted:
                    found.setdefault(node.value.id, {})[node.attr] = None
        source.memo[key] = {owner: [*names] for owner, names in found.items()}
    looked_up: dict[str, list[str]] = source.memo[key]
    return looked_up


@operator("clamp", 4.8, "a value may leave its range")
def clamp(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Take the minimum or maximum of a value and another one."""
    if not isinstance(node, ast.expr) or isinstance(node, ast.Constant) or not editable(source, node):
        return
    if not kinds(source, node) & NUMBERS:
        return
    text = source.segment(node)
    others = [name for name, its in scope(source, node).items() if its & NUMBERS and name != text]
    others = ["0", "1", *others[:_MOST_NAMES]]
    yield from ranked(source, node, (f"{name}({text}, {other})" for other in others for name in ("max", "min")), 0.4)


@operator("concatenate", 4.6, "a text or list lacks a part")
def concatenate(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put a text, a list or an element before or after a value, or a separator into a sum of texts."""
    if not isinstance(node, ast.expr) or not editable(source, node) or isinstance(node, ast.GeneratorExp | ast.Lambda):
        return
    kind = kinds(source, node)
    joined = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and not kind
    if ("str" in kind or joined) and not isinstance(node, ast.Constant):
        own = grouped(source.segment(node), SUM)
        last = grouped(source.segment(node), SUM + 1)
        pieces = [literal(text) for text in texts(source, node) if text][:12]
        visible = scope(source, node)
        pieces += [n for n, its in visible.items() if n != own and may_be(source, node, n, its, frozenset({"str"}))]
        yield from ranked(source, node, (form for p in pieces for form in (f"{own} + {p}", f"{p} + {last}")), 0.5)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = source.segment(node.left), grouped(source.segment(node.right), SUM + 1)
            common = [literal(text) for text in (".", " ", "-", ", ", "_", ",", ":", "\n", "/")]
            yield from ranked(source, node, (f"{left} + {p} + {right}" for p in dict.fromkeys((*common, *pieces))), 0.4)
    elif "list" in kind:
        own, last = grouped(source.segment(node), SUM), grouped(source.segment(node), SUM + 1)
        visible = scope(source, node)
        lists = [name for name, its in visible.items() if kin(kind, its) is not False]
        others = [name for name, its in visible.items() if not its & {"list"}]
        sums = [form for name in lists for form in (f"{name} + {last}", f"{own} + {name}")]
        singles = [form for name in others for form in (f"{own} + [{name}]", f"[{name}] + {last}")]
        yield from ranked(source, node, [*sums, *singles], 0.5)


def _may_be_number(source: Source, node: ast.expr, kind: frozenset[str]) -> bool:
    if kind:
        return bool(kind & NUMBERS)
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp | ast.Call) and isinstance(
        source.parents.get(node), ast.BinOp | ast.Compare | ast.Return | ast.Assign | ast.AugAssign
    )
