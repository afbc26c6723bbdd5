"""What holds for one holds for all: a variable in one form, each item of a collection, each expression alike."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, bits, operator, quoted, ranked, replace
from .blocks import first_statement, has_own_lines, inserter, is_docstring
from .fitting import ATOM, OR, grouped
from .kinds import ITERABLES, NUMBERS, SEQUENCES, UNKNOWN, Kinds, element_kinds, kinds, variable_kinds
from .scope import editable, own_nodes, owner

_OF_TEXTS = ("{a}.lower()", "{a}.strip()", "{a}.replace(' ', '')", "sorted({})", "{a}.upper()", "int({})", "{a}[::-1]")
_OF_TUPLES = ("tuple(sorted({}))", "sorted({})", "{a}[::-1]", "set({})", "{a}[0]", "{a}[-1]", "{a}[1:]", "len({})")
_OF_LISTS = (
    "sorted({})",
    "tuple(sorted({}))",
    "list(set({}))",
    "sorted(set({}))",
    "tuple({})",
    "{a}[::-1]",
    "set({})",
    "len({})",
    "sum({})",
)
_OF_NUMBERS = ("abs({})", "int({})", "str({})", "{} + 1", "{} - 1")
_OF_UNKNOWN = ("sorted({})", "tuple(sorted({}))", "abs({})", "str({})", "set({})", "len({})", "{a}.lower()")
_NAMES = ("item", "each", "one_item")
_TESTS = ("{0}", "{0} is not None", "{0} != ' '", "{0} != 0", "{0} > 0", "{0} >= 0", "{0} % 2 == 0", "{0} % 2")


@operator("normal_form", 5.6, "a variable should be brought into one form before it is used")
def normal_form(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert `v = form(v)` as the first statement of a loop over `v`, or of a function for an argument."""
    match node:
        case ast.For(target=ast.Name(id=name), body=[first, *_]):
            names = {name: element_kinds(source, node.iter) or variable_kinds(source, source.function(node), name)}
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            first = first_statement(node)
            names = {arg.arg: variable_kinds(source, node, arg.arg) for arg in node.args.args if arg.arg != "self"}
        case _:
            return
    if not has_own_lines(source, first) or is_docstring(first):
        return
    insert = inserter(source, first)
    for name, kind in names.items():
        for place, form in enumerate(_forms(kind)):
            text = f"{name} = {form.format(name, a=name)}"
            yield insert((text,), f"{quoted(text)} is added", 0.6 * bits(place))


@operator("each_item", 4.8, "it is meant for each item, not for the whole")
def each_item(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put a comprehension over a collection in its place: a function of each item, or only some items."""
    if not isinstance(node, ast.expr) or isinstance(node, ast.Constant | ast.Lambda | ast.GeneratorExp):
        return
    kind = kinds(source, node)
    if not kind & ITERABLES or kind == {"str"} or not editable(source, node) or _is_index(source, node):
        return
    text = grouped(source.segment(node), OR)
    item = _fresh(source)
    # A set of each item has no order: unpacked, it passes by chance.
    forms = [form.format(item, a=item) for form in _forms(element_kinds(source, node)) if form != "set({})"]
    inner = [f"{form} for {item} in {text}" for form in forms]
    inner += [f"{item} for {item} in {text} if {test.format(item)}" for test in _TESTS]
    yield from ranked(source, node, [f"tuple({part})" if "tuple" in kind else f"[{part}]" for part in inner], 0.6)


@operator("per_item", 4.4, "a function is given to another where it is meant for each item")
def per_item(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Make `sorted(x, key=lambda y: f)` and `function(x)` a comprehension that applies the function to each item."""
    match node:
        case ast.Call(func=ast.Name(id="sorted"), args=[whole], keywords=[ast.keyword(arg="key", value=ast.Lambda())]):
            inner = node.keywords[0].value
            assert isinstance(inner, ast.Lambda)
            if len(inner.args.args) == 1 and editable(source, node) and not isinstance(whole, ast.GeneratorExp):
                name, body = inner.args.args[0].arg, source.segment(inner.body)
                yield replace(source, node, f"[{body} for {name} in {grouped(source.segment(whole), OR)}]")
        case ast.Call(func=ast.Name(id=name), args=[whole], keywords=[]) if kinds(source, whole) & ITERABLES:
            if kinds(source, whole) != {"str"} and editable(source, node) and not isinstance(whole, ast.GeneratorExp):
                item = _fresh(source)
                yield replace(source, node, f"[{name}({item}) for {item} in {grouped(source.segment(whole), OR)}]")


@operator("one_item", 4.6, "a value should be the only item of a collection")
def one_item(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put a value into a tuple or a list of its own."""
    if isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.Tuple | ast.List) and editable(source, node):
        text = source.segment(node)
        whole = f"({text})" if isinstance(node, ast.Tuple) and not text.startswith("(") else text
        yield from ranked(source, node, (f"({whole},)", f"[{whole}]"), 0.8)


@operator("all_alike", 4.8, "the same expression is wrong wherever it stands")
def all_alike(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Give an expression that a function uses several times another form in each place."""
    if not isinstance(node, ast.Subscript | ast.Call | ast.Attribute | ast.BinOp) or not editable(source, node):
        return
    same = _alike(source, node)
    if len(same) < 2 or same[0] is not node:
        return
    text = source.segment(node)
    old = grouped(text, ATOM)
    whole = node.value if isinstance(node, ast.Subscript) else node
    base = source.segment(whole)
    texts = [form.format(base, a=grouped(base, ATOM)) for form in _forms(kinds(source, whole))]
    if whole is not node:
        texts += [form.format(text, a=old) for form in _forms(kinds(source, node))]
    start, end = source.span(same[0])[0], source.span(same[-1])[1]
    for place, new in enumerate(dict.fromkeys(texts)):
        yield Splice(
            start,
            end,
            _exchanged(source, same, grouped(new, ATOM)),
            f"{quoted(text)} becomes {quoted(new)} in {len(same)} places",
            1.0,
            0.5 * bits(place),
        )


@operator("sorted_copy", 3.4, "a list method is used on what is no list, or its `None` as the list")
def sorted_copy(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Make `x.sort()` `x = sorted(x)`, and `y = x.sort()` `y = sorted(x)`; `reverse` alike."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="sort" | "reverse")) as call):
            text, start, end = f"{name} = {_copied(source, call)}", *source.span(node)
        case ast.Assign(value=ast.Call(func=ast.Attribute(attr="sort" | "reverse")) as call):
            text, (start, end) = _copied(source, call), source.span(call)
        case _:
            return
    yield Splice(start, end, text, f"{quoted(source.text[start:end])} becomes {quoted(text)}")


def _copied(source: Source, call: ast.Call) -> str:
    assert isinstance(call.func, ast.Attribute)
    arguments = [source.segment(call.func.value)]
    arguments += [source.text[slice(*source.span(keyword))] for keyword in call.keywords]
    if call.func.attr == "reverse":
        return f"{grouped(arguments[0], ATOM)}[::-1]"
    return f"sorted({', '.join(arguments)})"


def _forms(kind: Kinds) -> tuple[str, ...]:
    if "str" in kind:
        return _OF_TEXTS
    if "tuple" in kind:
        return _OF_TUPLES
    if kind & (SEQUENCES | ITERABLES):
        return _OF_LISTS
    if kind & NUMBERS:
        return _OF_NUMBERS
    return _OF_UNKNOWN if kind == UNKNOWN else ()


def _is_index(source: Source, node: ast.expr) -> bool:
    parent = source.parents.get(node)
    return isinstance(parent, ast.Subscript) and parent.slice is node


def _fresh(source: Source) -> str:
    """Return a name that the file does not use."""
    if "fresh" not in source.memo:
        used = {n.id for n in ast.walk(source.tree) if isinstance(n, ast.Name)}
        source.memo["fresh"] = next((name for name in _NAMES if name not in used), "item_of_all")
    name: str = source.memo["fresh"]
    return name


def _alike(source: Source, node: ast.expr) -> list[ast.expr]:
    """Return all expressions of the function that read the same, in the order of the text, none within another."""
    alike_in: dict[ast.AST, dict[str, list[ast.expr]]] = source.memo.setdefault("alike", {})
    function = owner(source, node)
    if function not in alike_in:
        same_text: dict[str, list[ast.expr]] = {}
        for one in own_nodes(source, function):
            if isinstance(one, ast.Subscript | ast.Call | ast.Attribute | ast.BinOp) and editable(source, one):
                same_text.setdefault(ast.dump(one), []).append(one)
        alike_in[function] = {key: sorted(some, key=source.span) for key, some in same_text.items()}
    return alike_in[function].get(ast.dump(node), [])


def _exchanged(source: Source, places: list[ast.expr], new: str) -> str:
    parts: list[str] = []
    at = source.span(places[0])[0]
    for place in places:
        start, end = source.span(place)
        if start < at:
            continue
        parts += [source.text[at:start], new]
        at = end
    return "".join(parts)
