"""Read doctest's form: `>>> f(2)`, with what it shows on the lines below."""

from __future__ import annotations

import ast
import builtins
import doctest
import re
import sys
from collections.abc import Iterable, Iterator

from selfheal_tui.python_source import parse_python
from selfheal_tui.text import one_line

from .example import Example, is_equality, literal, parsed
from .names import Names, bound_names, read_names

_FENCE = re.compile(r"^\s*(?:```.*|~~~.*|\"\"\"|''')\s*$", re.MULTILINE)


def session_examples(text: str, names: Names) -> Iterator[Example]:
    """Read `>>>` examples; a statement before one is its setup when it uses a name bound there."""
    prints = bool(re.search(r"\b(?:print|display|stdout|output)s?\b", text, re.IGNORECASE))
    before: list[str] = []
    bound: set[str] = set()
    imported: set[str] = set()
    for shown in _doctests(text):
        source = shown.source.strip()
        try:
            body = parse_python(source).body
        except SyntaxError:
            continue
        if all(isinstance(n, ast.Import | ast.ImportFrom) for n in body):
            for node in body:
                if _is_library(node):
                    before.append(ast.unparse(node))
                    bound |= _imported(node)
                else:
                    imported |= _imported(node)
            continue
        names.defined |= imported
        expression = body[0].value if len(body) == 1 and isinstance(body[0], ast.Expr) else None
        needed = names.to_import(*body, bound=bound)
        if needed is None:
            continue
        uses_session = bool(read_names(*body) & bound)
        setup = tuple(before) if uses_session else ()
        if needed or uses_session:
            imports = tuple(sorted({*needed, *_setup_imports(setup, names)}))
            yield from _examples_of(shown, expression, setup, imports, prints)
        # A call that shows its value and touches no name of the session leaves nothing behind.
        if shown.exc_msg is None and (uses_session or not shown.want):
            before.append(ast.unparse(ast.Module(body, [])))
            bound |= bound_names(*body)


def _examples_of(
    shown: doctest.Example, expression: ast.expr | None, setup: tuple[str, ...], imports: tuple[str, ...], prints: bool
) -> Iterator[Example]:
    want, source = shown.want.replace("<BLANKLINE>\n", "\n").rstrip(), shown.source.strip()
    text = one_line(f">>> {source}  {shown.exc_msg or want}")
    if shown.exc_msg is not None:
        name, _, message = shown.exc_msg.strip().partition(":")
        name = name.rpartition(".")[2].strip()
        if name.isidentifier():
            message = "" if "..." in message else message.strip()
            yield Example(text, ast.unparse(parse_python(source)), setup, error=name, message=message, names=imports)
        return
    if expression is None or doctest.SKIP in shown.options:
        return
    equal = expression if isinstance(expression, ast.Compare) and is_equality(expression) else None
    call = ast.unparse(expression)
    value: str | None = None
    if not want:
        # Meant as what holds, but doctest would show True: nobody has ever run it, and such lines are often wrong.
        if equal is not None:
            left, right = ast.unparse(equal.left), ast.unparse(equal.comparators[0])
            yield Example(text, left, setup, value=right, names=imports, unsure=True)
        return
    if not prints and not _is_call_of(expression, "print"):
        value = literal(want)
        first, *others = want.splitlines()
        if value is None and others:
            # Words right below a value are prose; the value ends with its line.
            value = literal(first) if parsed(want) is None else None
            if value is None:
                return
    if value is not None:
        if equal is not None and value == "True":
            call, value = ast.unparse(equal.left), ast.unparse(equal.comparators[0])
        yield Example(text, call, setup, value=value, names=imports)
    elif "..." not in want:
        yield Example(text, call, setup, shows=want, names=imports)


def _doctests(text: str) -> Iterator[doctest.Example]:
    """Parse block by block: one that is malformed takes no other with it."""
    clean = _FENCE.sub("", text).expandtabs()
    clean = re.sub(r"(?<=\S)(\"\"\"|''')[ \t]*$", "", clean, flags=re.MULTILINE)
    for block in re.split(r"\n[ \t]*\n", clean):
        try:
            yield from doctest.DocTestParser().get_examples(block)
        except ValueError:
            continue


def _setup_imports(setup: Iterable[str], names: Names) -> set[str]:
    trees = [parse_python(statement) for statement in setup]
    free = read_names(*trees) - bound_names(*trees) - set(dir(builtins))
    return {name for name in free if name in names.defined or name in names.called}


def _is_library(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").partition(".")[0] in sys.stdlib_module_names
    return isinstance(node, ast.Import) and all(a.name.partition(".")[0] in sys.stdlib_module_names for a in node.names)


def _imported(node: ast.AST) -> set[str]:
    aliases = node.names if isinstance(node, ast.Import | ast.ImportFrom) else []
    return {alias.asname or alias.name.partition(".")[0] for alias in aliases}


def _is_call_of(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
