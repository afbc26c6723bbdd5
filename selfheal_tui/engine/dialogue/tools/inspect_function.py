"""Tool: one function of the program: its signature, docstring, calls, callers and source."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from selfheal_tui.python_source import Definition, definitions
from selfheal_tui.text import truncate_middle

from ...workshop.role_context import RoleContext
from .common import Refused, alternatives, known_path, numbered_lines, parsed

_MOST_SHOWN = 2
_MOST_LINES = 80
_MOST_CALLS = 20
_MOST_DOC = 600


def inspect_function(context: RoleContext, name: str, path: str) -> str:
    """Describe a function, method (`Cart.total`) or class from its source. Raises: Refused."""
    files = {p: text for p, text in context.workspace.files.items() if p.endswith(".py")}
    trees = {p: tree for p, text in files.items() if (tree := parsed(text)) is not None}
    searched = [known_path(path, files)] if path.strip() else list(trees)
    wanted = name.strip().removesuffix("()")
    all_definitions = {(p, full): node for p in searched if p in trees for full, node in definitions(trees[p])}
    matches = [(p, full) for p, full in all_definitions if full == wanted] or [
        (p, full) for p, full in all_definitions if wanted and full.endswith(f".{wanted}")
    ]
    if not matches:
        raise Refused(
            f"there is no function {wanted[:80]!r}; {alternatives(wanted, [full for _, full in all_definitions])}"
        )
    parts = [_described(p, full, all_definitions[p, full], files[p], trees) for p, full in matches[:_MOST_SHOWN]]
    if len(matches) > _MOST_SHOWN:
        parts.append("Also in " + ", ".join(f"{p} as {full}" for p, full in matches[_MOST_SHOWN:][:5]))
    return "\n\n".join(parts)


def _described(path: str, full: str, node: Definition, text: str, trees: Mapping[str, ast.Module]) -> str:
    last = node.end_lineno or node.lineno
    calls = list(dict.fromkeys(called for called, _ in _calls(node)))[:_MOST_CALLS]
    callers = [
        f"{where}:{line}" for where, tree in trees.items() for called, line in _calls(tree) if _means(called, full)
    ]
    doc = truncate_middle(ast.get_docstring(node) or "", _MOST_DOC)
    more = f"\n({last - node.lineno + 1 - _MOST_LINES} more lines)" if last - node.lineno >= _MOST_LINES else ""
    return "\n".join(
        [
            f"{path}:{node.lineno} {_signature(node)}",
            f"docstring: {doc or '(none)'}",
            f"calls: {', '.join(calls) or '(nothing)'}",
            f"called at: {', '.join(callers[:_MOST_CALLS]) or '(nowhere in these files)'}",
            "source:",
            numbered_lines(text, _first_line(node), min(last, node.lineno + _MOST_LINES - 1)) + more,
        ]
    )


def _signature(node: Definition) -> str:
    if isinstance(node, ast.ClassDef):
        bases = ", ".join(ast.unparse(base) for base in node.bases)
        return f"class {node.name}({bases})" if bases else f"class {node.name}"
    start = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{start} {node.name}({ast.unparse(node.args)}){returns}"


def _first_line(node: Definition) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _calls(tree: ast.AST) -> list[tuple[str, int]]:
    """Return what is called and where, in the order of the lines."""
    calls = [
        (name, node.lineno) for node in ast.walk(tree) if isinstance(node, ast.Call) and (name := _dotted(node.func))
    ]
    return sorted(calls, key=lambda call: call[1])


def _dotted(node: ast.expr) -> str:
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join(reversed([*names, node.id])) if isinstance(node, ast.Name) else ".".join(reversed(names))


def _means(called: str, full: str) -> bool:
    return called.rpartition(".")[2] == full.rpartition(".")[2]
