"""Repairs that pass a case only after other cases: what these left behind in a default, a class or a module does it.

Each case that fails is run alone. A suite whose cases share such an object is no witness for what passes only in it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace

from selfheal_tui.sandbox.base import Sandbox, Suite
from selfheal_tui.text import one_line

from ..hunt.candidates import Candidate
from ..program.mark import Mark
from ..program.source import FunctionNode
from .shared_trees import shared_tree

_MOST_CASES, _MOST = 3, 20
"""Cases that are run alone, and candidates with which they are."""
_MAKERS = frozenset({"dict", "list", "set", "defaultdict", "deque", "Counter", "OrderedDict"})
_NAME = 60
"""Most characters of a case's name in a sentence."""


async def left_over_marks(
    sandbox: Sandbox, suite: Suite, sources: Mapping[str, str], failing: Sequence[str], candidates: Sequence[Candidate]
) -> list[tuple[Mark, ...]]:
    """Return a mark for each candidate with which some `failing` case passes only after others.

    Raises: SandboxError.
    """
    marks: list[tuple[Mark, ...]] = [() for _ in candidates]
    if not any(map(keeps_something, sources.values())):
        return marks
    for case in failing[:_MOST_CASES]:
        first = enumerate(candidates[:_MOST])
        mending = [n for n, one in first if (one.complete or case in one.fixes) and not marks[n]]
        alone = replace(suite, tests=(case,))
        async with aclosing(sandbox.judge(alone, [candidates[n].changes for n in mending])) as verdicts:
            async for verdict in verdicts:
                if verdict.outcomes.get(case, "passed") not in ("passed", "skipped"):
                    name = one_line(case.rpartition("::")[2], _NAME)
                    why = f"`{name}` passes with it only after other cases, by what they leave behind: alone it fails."
                    marks[mending[verdict.index]] = (Mark("left_over", why),)
    return marks


def keeps_something(text: str) -> bool:
    """Tell whether a file has what one call may leave for the next: a default, or what all objects of a class share."""
    tree = shared_tree(text)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, FunctionNode) and any(map(_is_changeable, [*node.args.defaults, *node.args.kw_defaults])):
            return True
        if isinstance(node, ast.ClassDef) and any(
            isinstance(one, ast.Assign | ast.AnnAssign) and _is_changeable(one.value) for one in node.body
        ):
            return True
        if isinstance(node, ast.Global):
            return True
    return False


def _is_changeable(node: ast.AST | None) -> bool:
    match node:
        case ast.List() | ast.Dict() | ast.Set():
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in _MAKERS
    return False
