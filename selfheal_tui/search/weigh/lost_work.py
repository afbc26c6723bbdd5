"""Work that a change loses without deleting its lines: they are never reached, act on a copy or elsewhere. Pure."""

from __future__ import annotations

import ast

from selfheal_tui.text import one_line

from ..program.leaving import LEAVING, unreachable
from .acts import MUTATORS, tests_of
from .tree_changes import TreeChange, are_same
from .unused import functions

_SHOWN = 40
"""Most characters of code in a sentence."""
_NO_WORK = (*LEAVING, ast.Pass)
_CHANGING = MUTATORS | {"move_to_end"}
_COPIES = frozenset({"copy", "deepcopy", "list", "dict", "set", "tuple", "sorted", "OrderedDict", "deque", "Counter"})


def unreached_work(before: ast.AST, after: ast.AST) -> str:
    """Say which statement is never reached after a change, and was before."""
    for one in unreachable(after):
        if not isinstance(one, _NO_WORK) and ast.dump(one) not in map(ast.dump, unreachable(before)):
            return f"It deletes work: `{_code(one)}` is never reached."
    return ""


def work_on_copy(change: TreeChange) -> str:
    """Say what changes a copy that nobody keeps: `self.log.copy().append(x)`, `x = sorted(self.log).pop()`."""
    match change.inside, change.new:
        case (*_, holder, ast.Call(), ast.Attribute(attr=method)), ast.Call() as copy if method in _CHANGING:
            made = copy.func.attr if isinstance(copy.func, ast.Attribute) else getattr(copy.func, "id", "")
            # What a call gives may be all that is wanted of a variable; what an object holds is there to stay.
            kept = isinstance(holder, ast.Expr) or isinstance(change.old, ast.Attribute)
            if kept and made in _COPIES and change.old is not None and ast.dump(change.old) in ast.dump(copy):
                return f"It deletes work: `{_code(copy)}` is a copy that nobody keeps."
    return ""


def replaced_work(before: ast.Module, after: ast.Module) -> str:
    """Say which attribute a function changed before and does not now, while it changes another one instead.

    One that no other function names may be misspelt, and says nothing.
    """
    now = dict(functions(after))
    for name, old in functions(before):
        new = now.get(name)
        if new is None or are_same(old, new):
            continue
        changed, changes = _changed(old), _changed(new)
        lost, come = changed - changes, changes - changed
        named = _named(before, name) if lost and come else frozenset()
        for one in sorted(lost):
            if one.rpartition(".")[2] in named:
                instead = one_line(min(come), _SHOWN)
                return f"It changes `{instead}` and no longer `{one_line(one, _SHOWN)}`: that work is lost."
    return ""


def _named(tree: ast.Module, but: str) -> frozenset[str]:
    """Return the attributes that all functions name but one."""
    nodes = (node for name, function in functions(tree) if name != but for node in ast.walk(function))
    return frozenset(node.attr for node in nodes if isinstance(node, ast.Attribute))


def _changed(function: ast.AST) -> set[str]:
    """Return the attributes that a function assigns, updates, or changes by a method, without their subscripts.

    What a condition changes is no work that was meant.
    """
    changed: set[str] = set()
    asked = {part for node in ast.walk(function) for test in tests_of(node) for part in ast.walk(test)}
    for node in ast.walk(function):
        if node in asked:
            continue
        match node:
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                target: ast.expr = node
            case ast.Call(func=ast.Attribute(value=target, attr=method)) if method in _CHANGING:
                pass
            case _:
                continue
        while isinstance(target, ast.Subscript):
            target = target.value
        if isinstance(target, ast.Attribute):
            changed.add(ast.unparse(target))
    return changed


def _code(node: ast.AST) -> str:
    return one_line(ast.unparse(node), _SHOWN)
