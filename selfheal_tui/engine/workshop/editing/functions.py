"""Replace a whole function, method or class by its qualified name."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from selfheal_tui.python_source import Definition, definitions, parse_or_none, parse_python, why_not

from .splices import Misplaced, Splice, block_of, numbers

_DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_MOST_NAMED = 12


def replaced(text: str, name: str, new: str) -> Splice:
    """Return the change that puts the text of a function in the place of the one called `Class.method`.

    Raises: Misplaced when the file has none of that name, or several, or when the text is something else.
    """
    # Python counts a lone carriage return as the end of a line.
    tree = None if "\r" in text.replace("\r\n", "\n") else parse_or_none(text)
    if tree is None:
        raise Misplaced("the file does not parse, so it has no functions to replace; give lines to find")
    wanted = name.strip().removesuffix("()")
    all_definitions = list(definitions(tree))
    matches = [node for full, node in all_definitions if full == wanted]
    if not matches:
        matches = [node for full, node in all_definitions if wanted and full.endswith(f".{wanted}")]
    if len(matches) > 1:
        places = "; ".join(numbers(first_line(node) - 1, last_line(node)) for node in matches[:_MOST_NAMED])
        raise Misplaced(f"{wanted!r} stands in {len(matches)} places ({places}); give lines to find")
    if not matches:
        near = sorted((full for full, _ in all_definitions), key=lambda full: (_short(full) != _short(wanted), full))
        raise Misplaced(f"there is no function {wanted[:80]!r}; there are {', '.join(near[:_MOST_NAMED]) or 'none'}")
    node = matches[0]
    start, end = first_line(node) - 1, last_line(node)
    lines = _indented(new, _indent(text, start), _short(wanted))
    return Splice(start, end, tuple(lines), "the indentation")


def first_line(node: Definition) -> int:
    """Return the line where a definition begins, its decorators included; from 1."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def last_line(node: Definition) -> int:
    """Return the last line of a definition; from 1."""
    return node.end_lineno or node.lineno


def _indented(new: str, indent: str, name: str) -> list[str]:
    """Return the lines of a function at this depth; strings of several lines stay as they are. Raises: Misplaced."""
    own = [line for line in block_of(new.strip("\n")) if line.strip()]
    if not own:
        raise Misplaced(f"the text of {name!r} is empty; to delete it, give lines to find and nothing to put")
    given = own[0][: len(own[0]) - len(own[0].lstrip())]
    source = new.strip("\n")
    try:
        body = parse_python(source if not given else f"if 1:\n{source}").body
    except SyntaxError as error:
        raise Misplaced(f"the text of {name!r} does not parse{why_not(error)}") from None
    nodes = body if not given else body[0].body if isinstance(body[0], ast.If) else []
    if len(nodes) != 1 or not isinstance(nodes[0], _DOCUMENTED) or nodes[0].name != name:
        raise Misplaced(f"the text of {name!r} must be that one function, with its decorators, and nothing else")
    if given == indent:
        return source.split("\n")
    inside = _text_lines(nodes[0], 2 if given else 1)
    return [
        line if index in inside or not line.strip() else indent + line.removeprefix(given)
        for index, line in enumerate(source.split("\n"))
    ]


def _text_lines(node: ast.AST, first: int) -> set[int]:
    """Return the lines (from 0) that begin inside a string, docstrings left out: to indent them would change it."""
    docs = {
        id(one.body[0].value)
        for one in ast.walk(node)
        if isinstance(one, _DOCUMENTED) and isinstance(one.body[0], ast.Expr)
    }
    return {
        line - first
        for one in ast.walk(node)
        if isinstance(one, ast.JoinedStr | ast.Constant) and id(one) not in docs
        if isinstance(one, ast.JoinedStr) or isinstance(one.value, str | bytes)
        for line in range(one.lineno + 1, (one.end_lineno or one.lineno) + 1)
    }


def _indent(text: str, index: int) -> str:
    line = text.split("\n")[index]
    return line[: len(line) - len(line.lstrip())]


def _short(name: str) -> str:
    return name.rpartition(".")[2]


def signature_lines(node: Definition, lines: Sequence[str]) -> range:
    """Return the lines (from 1) of a definition's header: from `def` or `class` to the colon."""
    body = node.body[0].lineno
    first_of_body = min([body, *(d.lineno for d in getattr(node.body[0], "decorator_list", []))])
    return range(node.lineno, max(node.lineno, min(first_of_body - 1, len(lines))) + 1)
