"""Node: advisory, after green: complexity, length and docstrings of the finished program's functions.

The figures are our own: the two tools for them, radon and mccabe, were last released in 2023 and 2022, and what is
needed of them is one walk over a syntax tree. Cyclomatic complexity is decisions + 1, and above 10 a function is
worth splitting (McCabe: "A Complexity Measure", IEEE Transactions on Software Engineering, 1976).
"""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from langgraph.runtime import Runtime

from selfheal_tui.python_source import parse_python
from selfheal_tui.text import plural

from ...moment.state import Advice, Evidence, HealState
from ...moment.workspace import load_workspace
from ...workshop.deps import Deps
from .common import took

_MOST_COMPLEX = 10
_MOST_LINES = 50
_SHOWN = 30
_ONE_EACH = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.Assert)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Figures:
    """What is counted of one function."""

    name: str
    """With its class, `Basket.add`."""
    line: int
    complexity: int
    lines: int
    documented: bool
    """It has a docstring, or is private or local and needs none."""

    @property
    def remarks(self) -> list[str]:
        """Say what is worth a look."""
        remarks = []
        if self.complexity > _MOST_COMPLEX:
            remarks.append(f"complexity {self.complexity}, above {_MOST_COMPLEX}")
        if self.lines > _MOST_LINES:
            remarks.append(f"{self.lines} lines, above {_MOST_LINES}")
        return remarks if self.documented else [*remarks, "no docstring"]


async def quality(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Return the advice, when it is asked for."""
    if "quality" not in state["policy"]["advisors"]:
        return {}
    started = time.monotonic()
    workspace = await load_workspace(runtime.context.blobs, state)
    ref = await runtime.context.blobs.put(measured(workspace.program_texts))
    return {"advice": {"quality": ref}, "spent": took(started)}


def measured(program: Mapping[str, str]) -> Advice:
    """Return figures of a program (path -> text), the most complex function first; what does not parse is left out."""
    functions = [(path, one) for path, text in program.items() if path.endswith(".py") for one in figures(text)]
    if not functions:
        return {"by": "quality", "summary": "The program has no functions.", "items": []}
    functions.sort(key=lambda at: (-at[1].complexity, -at[1].lines, at[0], at[1].line))
    items: list[Evidence] = [
        {"file": path, "line": one.line, "why": f"{one.name}: {'; '.join(one.remarks)}"}
        for path, one in functions
        if one.remarks
    ]
    first, longest = functions[0][1], max((one for _, one in functions), key=lambda one: one.lines)
    summary = (
        f"{plural(len(functions), 'function')}; the most complex is {first.name} ({first.complexity}), the longest "
        f"{longest.name} ({plural(longest.lines, 'line')}); {len(items) or 'none'} worth a look."
    )
    return {"by": "quality", "summary": summary, "items": items[:_SHOWN]}


def figures(text: str) -> list[Figures]:
    """Return the figures of each function of a source text; nothing when it does not parse."""
    try:
        tree = parse_python(text)
    except SyntaxError:
        return []
    return [
        Figures(
            name=name,
            line=node.lineno,
            complexity=1 + sum(map(_decisions, _own_nodes(node))),
            lines=(node.end_lineno or node.lineno) - node.lineno + 1,
            documented=not public or ast.get_docstring(node) is not None,
        )
        for name, node, public in _functions(tree, "", True)
    ]


def _functions(node: ast.AST, prefix: str, public: bool) -> Iterator[tuple[str, _Function, bool]]:
    """Yield name, function and whether others may use it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _Function):
            yield prefix + child.name, child, public and not child.name.startswith("_")
            yield from _functions(child, f"{prefix}{child.name}.", False)
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.", public and not child.name.startswith("_"))
        elif not isinstance(child, ast.expr):
            yield from _functions(child, prefix, public)


def _own_nodes(function: _Function) -> Iterator[ast.AST]:
    """Yield what belongs to a function and not to one inside it; no recursion: an expression may be deep."""
    unvisited: list[ast.AST] = list(function.body)
    while unvisited:
        node = unvisited.pop()
        yield node
        if not isinstance(node, _Function | ast.ClassDef):
            unvisited.extend(ast.iter_child_nodes(node))


def _decisions(node: ast.AST) -> int:
    match node:
        case ast.BoolOp():
            return len(node.values) - 1
        case ast.comprehension():
            return 1 + len(node.ifs)
        case ast.match_case():
            return int(node.guard is not None or not _takes_all(node.pattern))
    return int(isinstance(node, _ONE_EACH))


def _takes_all(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None
