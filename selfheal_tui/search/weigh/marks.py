"""Marks of coincidence that the text of a change bears, for repairs of the search and of models alike. Pure."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from selfheal_tui.python_source import parse_or_none
from selfheal_tui.text import one_line, plural

from ..program.mark import Mark
from ..program.source import FunctionNode
from .behaviour import Behaviour
from .borrowed import borrowed_literal, failing_constants, single_value
from .copied import copies_expected, expected_constants
from .results import other_type, swapped_results
from .tree_changes import TreeChange, tree_changes

if TYPE_CHECKING:
    from .signs import Signs

_SHOWN = 40
"""Most characters of code in a sentence."""
_MANY_CRASHES = 0.2
"""Share of the calls: among calls made up from those of the tests some make no sense."""
_PLAIN = frozenset(map(repr, (0, 1, 2, -1, "", " ", None, True, False)))
"""Constants that say nothing of where they come from."""
_DISPLAYS = (ast.Dict, ast.List, ast.Tuple, ast.Set)
_SAME_AS = {"borrowed": ("special", "copies", "constant", "data"), "single": ("special",)}
"""Kind -> kinds of which one says the same already."""
_BROAD = frozenset({"Exception", "BaseException"})


@dataclass(frozen=True, slots=True)
class _Texts:
    """What a change is judged by."""

    before: ast.Module
    old_constants: frozenset[str]
    test_constants: frozenset[str]
    """Reprs of all constants that the tests write, without the plain ones."""


def find_marks(
    program: Mapping[str, str], changes: Mapping[str, str], tests: Mapping[str, str], failing: Collection[str] = ()
) -> tuple[Mark, ...]:
    """Return the marks of `changes` (path -> new text), at most one of each kind; `program` is the code before.

    A change that treats a value of one of the `failing` cases (ids) on its own is marked too: `if x == 1: return True`.
    """
    marks: dict[str, Mark] = {}
    test_trees = [tree for text in tests.values() if (tree := parse_or_none(text)) is not None]
    test_constants = frozenset().union(*map(_constants, test_trees)) - _PLAIN
    expected = expected_constants(tests)
    asked = failing_constants(tests, failing)
    for path, text in changes.items():
        old = program.get(path, "")
        before, after = parse_or_none(old), parse_or_none(text)
        if before is None or after is None:
            continue
        texts = _Texts(before, _constants(before), test_constants)
        differing = _without_moves(tree_changes(before, after))
        only_less = all(change.new is None for change in differing)
        for change in differing:
            for kind, sentence in _KINDS.items():
                if kind not in marks and (kind != "deletes" or only_less) and (why := sentence(change, texts)):
                    marks[kind] = Mark(kind, why)
        if "special" not in marks and "constant" not in marks and copies_expected(old, text, expected):
            marks["copies"] = Mark("copies", "It writes a value that a test expects into the program.")
        for kind, why in {
            "borrowed": _first(borrowed_literal(change, program.values(), test_constants) for change in differing),
            "single": _first(single_value(change, program.values(), asked) for change in differing) if asked else "",
            "other_type": other_type(differing, tests),
            "swapped": swapped_results(differing),
        }.items():
            if why and not marks.keys() & {kind, *_SAME_AS.get(kind, ())}:
                marks[kind] = Mark(kind, why)
    return tuple(marks.values())


def _first(sentences: Iterable[str]) -> str:
    return next(filter(None, sentences), "")


def behaviour_marks(behaviour: Behaviour, signs: Signs) -> tuple[Mark, ...]:
    """Return the marks that a repair's runs bear: on the cases, and on calls that no case makes."""
    marks = []
    if signs.idle_lines:
        marks.append(Mark("idle", f"{plural(signs.idle_lines, 'line')} that the tests ran before run no more."))
    if behaviour.is_constant:
        marks.append(Mark("same_answer", f"It gives the same answer to all {len(behaviour.answers)} calls tried."))
    if behaviour.new_crashes >= _MANY_CRASHES:
        crashes = round(behaviour.new_crashes * len(behaviour.answers))
        marks.append(Mark("crashes", f"It crashes on {plural(crashes, 'call')} on which the program did not."))
    return tuple(marks)


def _without_moves(changes: list[TreeChange]) -> list[TreeChange]:
    """Leave out statements that only change places."""
    gone = {ast.dump(change.old) for change in changes if change.new is None and change.old is not None}
    come = {ast.dump(change.new) for change in changes if change.old is None and change.new is not None}
    moved = gone & come
    sides = ((change, change.old or change.new, change.old is None or change.new is None) for change in changes)
    return [change for change, node, alone in sides if not (alone and node is not None and ast.dump(node) in moved)]


def _data(change: TreeChange, texts: _Texts) -> str:
    """A constant of a table, or one that the module gives a name."""
    if not (_is_constant(change.old) and _is_constant(change.new)):
        return ""
    owner = _owner(change.inside, (ast.Assign, ast.AnnAssign))
    display = any(isinstance(node, _DISPLAYS) for node in change.inside)
    if not isinstance(owner, ast.Assign | ast.AnnAssign) or any(isinstance(n, FunctionNode) for n in change.inside):
        return ""
    where = "a constant in a table" if display else "a constant"
    return f"It changes {where}, {_target(owner)}: {_code(change.old)} becomes {_code(change.new)}."


def _start(change: TreeChange, texts: _Texts) -> str:
    """The value at which something starts that is counted later."""
    if not (_is_constant(change.old) and _is_constant(change.new)):
        return ""
    owner = change.inside[-1] if change.inside else None
    if not isinstance(owner, ast.Assign | ast.AnnAssign) or not any(isinstance(n, FunctionNode) for n in change.inside):
        return ""
    target = _target(owner)
    counted = {ast.unparse(node.target) for node in ast.walk(texts.before) if isinstance(node, ast.AugAssign)}
    if target.strip("`") not in counted:
        return ""
    return f"It only starts {target} at {_code(change.new)} instead of {_code(change.old)}."


def _counts(change: TreeChange, texts: _Texts) -> str:
    """A count that no longer adds up, or counts by other steps."""
    old, new, owner = change.old, change.new, change.inside[-1] if change.inside else None
    if isinstance(old, ast.AugAssign) and isinstance(new, ast.Assign) and _is_count(old):
        return f"It counts something else: {_code(old)} becomes {_code(new)}."
    if isinstance(owner, ast.AugAssign) and _is_count(owner) and isinstance(new, ast.operator):
        changed = ast.AugAssign(owner.target, new, owner.value)
        return (
            ""
            if isinstance(new, ast.Add | ast.Sub)
            else f"It counts something else: {_code(owner)} becomes {_code(changed)}."
        )
    if isinstance(owner, ast.AugAssign) and _is_constant(old) and _is_constant(new) and _code(new) != "`1`":
        return f"It counts by {_code(new)} instead of {_code(old)}."
    return ""


def _is_count(node: ast.AugAssign) -> bool:
    return isinstance(node.op, ast.Add | ast.Sub) and _is_constant(node.value)


def _early(change: TreeChange, texts: _Texts) -> str:
    """A way out before the work that is there."""
    new = change.new
    if change.old is not None or not change.rest or not isinstance(new, ast.If | ast.Return):
        return ""
    if isinstance(new, ast.Return):
        return f"It returns before the work: {_code(new)}."
    if new.orelse or not new.body or not isinstance(new.body[-1], ast.Return) or _is_guard(new.test):
        return ""
    return f"It returns before the work when {_code(new.test)}."


def _silences(change: TreeChange, texts: _Texts) -> str:
    """An exception that nobody hears of any more."""
    for node in _new_nodes(change):
        if isinstance(node, ast.ExceptHandler) and _is_broad(node.type):
            quiet = not any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
            if quiet and not (isinstance(change.old, ast.ExceptHandler) and _is_broad(change.old.type)):
                return "It catches every exception and goes on: a failure would not be seen."
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("suppress", "contextlib.suppress"):
            return f"It silences exceptions: {_code(node)}."
    return ""


def _special(change: TreeChange, texts: _Texts) -> str:
    """A comparison with a value that only the tests mention."""
    for node in _new_nodes(change):
        if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn):
            continue
        mentioned = (_constants(node) & texts.test_constants) - texts.old_constants
        if mentioned and not (change.old is not None and _constants(node) <= _constants(change.old)):
            return f"It treats a value of the tests as a case of its own: {_code(node)}."
    return ""


def _constant(change: TreeChange, texts: _Texts) -> str:
    """A constant where something was worked out."""
    if not isinstance(change.old, ast.expr) or _is_constant(change.old) or not _is_constant(change.new):
        return ""
    if not any(isinstance(node, ast.Name) for node in ast.walk(change.old)) or _constants_of(change.new) <= _PLAIN:
        return ""
    return f"It puts a constant in the place of {_code(change.old)}: {_code(change.new)}."


def _number(change: TreeChange, texts: _Texts) -> str:
    """An answer that is adjusted by a constant from nowhere."""
    old, new = change.old, change.new
    if not isinstance(old, ast.expr) or _is_constant(old):
        return ""
    match new:
        case ast.BinOp(left=left, right=right):
            sides = [left, right]
        case ast.BoolOp(op=ast.Or(), values=values):
            sides = values
        case _:
            return ""
    others = [side for side in sides if ast.dump(side) != ast.dump(old)]
    if len(others) != len(sides) - 1 or not all(map(_is_constant, others)):
        return ""
    if isinstance(new, ast.BinOp) and isinstance(new.op, ast.Add | ast.Sub) and _code(others[0]) == "`1`":
        return ""
    return f"It adjusts {_code(old)} by a constant that nothing explains: {_code(new)}."


def _deletes(change: TreeChange, texts: _Texts) -> str:
    """Work that is not done any more."""
    old = change.old
    if change.new is not None or not isinstance(old, ast.stmt) or isinstance(old, ast.Pass | ast.Import | ast.Return):
        return ""
    return f"It deletes work: {_code(old)}."


_KINDS: Mapping[str, Callable[[TreeChange, _Texts], str]] = {
    "data": _data,
    "start": _start,
    "counts": _counts,
    "early": _early,
    "silences": _silences,
    "special": _special,
    "constant": _constant,
    "number": _number,
    "deletes": _deletes,
}


def _is_constant(node: ast.AST | None) -> bool:
    match node:
        case ast.Constant() | ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
    return False


def _constants(tree: ast.AST) -> frozenset[str]:
    return frozenset(repr(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant))


def _constants_of(node: ast.AST | None) -> frozenset[str]:
    return _constants(node) if node is not None else frozenset()


def _new_nodes(change: TreeChange) -> Iterator[ast.AST]:
    return ast.walk(change.new) if change.new is not None else iter(())


def _owner(inside: tuple[ast.AST, ...], kinds: tuple[type[ast.AST], ...]) -> ast.AST | None:
    return next((node for node in reversed(inside) if isinstance(node, kinds)), None)


def _target(owner: ast.Assign | ast.AnnAssign) -> str:
    return _code(owner.targets[0] if isinstance(owner, ast.Assign) else owner.target)


def _is_guard(test: ast.expr) -> bool:
    """Tell whether a condition asks for the end of a range only, or for nothing at all: `not xs`, `n <= 0`."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return isinstance(operand, ast.Name | ast.Attribute | ast.Call)
        case ast.Name() | ast.Attribute() | ast.Call():
            return True
        case ast.Compare(left=ast.Name() | ast.Attribute() | ast.Call(), comparators=[right]):
            return _constants(right) <= _PLAIN
        case ast.BoolOp(values=values):
            return all(map(_is_guard, values))
    return False


def _is_broad(kind: ast.expr | None) -> bool:
    return kind is None or any(isinstance(node, ast.Name) and node.id in _BROAD for node in ast.walk(kind))


def _code(node: ast.AST | None) -> str:
    return f"`{one_line(ast.unparse(node), _SHOWN)}`" if node is not None else ""
