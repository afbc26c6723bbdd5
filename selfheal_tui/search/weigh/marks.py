"""Marks of coincidence that the text of a change bears, for repairs of the search and of models alike. Pure."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from selfheal_tui.text import one_line, plural

from ..program.mark import Mark
from .behaviour import Behaviour
from .borrowed import borrowed_literal, failing_constants, part_of_input, single_value
from .change_marks import CHANGE_KINDS, PLAIN, WITH_ITSELF, Texts, constants
from .copied import copies_expected, expected_constants
from .defaults import default_at_number
from .ends_said import against_end
from .lost_work import replaced_work, unreached_work, work_on_copy
from .pointless import pointless_branches
from .relations import RELATIONS
from .results import other_type, swapped_results
from .shared_trees import shared_changes, shared_tree
from .text_order import text_order
from .tree_changes import TreeChange
from .unordered import unordered
from .unused import unused_name

if TYPE_CHECKING:
    from .signs import Signs

_MANY_CRASHES = 0.2
"""Share of the calls: among calls made up from those of the tests some make no sense."""
_SAME_WAYS = "Two ways of a condition lead to the same now: it asks nothing any more."
_SAME_AS = {
    "borrowed": ("special", "copies", "constant", "data"),
    "part": ("special", "copies", "constant", "data", "borrowed"),
    "single": ("special",),
    "unused": ("deletes",),
}
"""Kind -> kinds of which one says the same already."""


def find_marks(
    program: Mapping[str, str], changes: Mapping[str, str], tests: Mapping[str, str], failing: Collection[str] = ()
) -> tuple[Mark, ...]:
    """Return the marks of `changes` (path -> new text), at most one of each kind; `program` is the code before.

    A change that treats a value of one of the `failing` cases (ids) on its own is marked too: `if x == 1: return True`.
    """
    marks: dict[str, Mark] = {}
    test_trees = [tree for text in tests.values() if (tree := shared_tree(text)) is not None]
    test_constants = frozenset().union(*map(constants, test_trees)) - PLAIN
    expected = expected_constants(tests)
    asked = failing_constants(tests, failing)
    for path, text in changes.items():
        old = program.get(path, "")
        before, after = shared_tree(old), shared_tree(text)
        if before is None or after is None:
            continue
        texts = Texts(before, constants(before), test_constants)
        differing = _without_moves(shared_changes(old, text))
        only_less = all(change.new is None for change in differing)
        for change in differing:
            for kind, sentence in CHANGE_KINDS.items():
                if kind not in marks and (kind != "deletes" or only_less) and (why := sentence(change, texts)):
                    marks[kind] = Mark(kind, why)
        if "always" in marks and marks["always"].why.endswith(WITH_ITSELF) and not _has_twin_sides(after):
            del marks["always"]  # both sides have changed
        if "special" not in marks and "constant" not in marks and copies_expected(old, text, expected):
            marks["copies"] = Mark("copies", "It writes a value that a test expects into the program.")
        for kind, why in {
            "borrowed": _first(borrowed_literal(change, program.values(), test_constants) for change in differing),
            "part": _first(part_of_input(change, program.values(), tests) for change in differing),
            "single": _first(single_value(change, program.values(), asked) for change in differing) if asked else "",
            "other_type": other_type(differing, tests),
            "swapped": swapped_results(differing),
            "start": default_at_number(differing),
            "texts": _first(text_order(change, tests.values()) for change in differing),
            "deletes": unreached_work(before, after) or _first(map(work_on_copy, differing)),
            "replaces": replaced_work(before, after),
            "unused": unused_name(before, after),
            "unordered": unordered(before, after),
            "other_end": against_end(before, after),
            "always": _SAME_WAYS if pointless_branches(old, text) else "",
        }.items():
            if why and not marks.keys() & {kind, *_SAME_AS.get(kind, ())}:
                marks[kind] = Mark(kind, why)
    return tuple(marks.values())


def _has_twin_sides(tree: ast.Module) -> bool:
    """Tell whether some comparison has the same on both sides, or among what the other side lists."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            right = node.comparators[0]
            if ast.dump(node.left) in [ast.dump(one) for one in (right, *getattr(right, "elts", ()))]:
                return True
    return False


def _first(sentences: Iterable[str]) -> str:
    return next(filter(None, sentences), "")


def behaviour_marks(behaviour: Behaviour, signs: Signs, functions: Sequence[str] = ()) -> tuple[Mark, ...]:
    """Return the marks that a repair's runs bear: on the cases, and on calls that no case makes, of `functions`."""
    marks = []
    if signs.idle_lines:
        runs = "runs" if signs.idle_lines == 1 else "run"
        marks.append(Mark("idle", f"{plural(signs.idle_lines, 'line')} that the tests ran before {runs} no more."))
    if behaviour.is_constant:
        of = f" of `{one_line(functions[0], 40)}`" if len(functions) == 1 else ""
        tried = f"all {len(behaviour.answers)} calls{of} that were tried beside those of the tests"
        marks.append(Mark("same_answer", f"It gives the same answer to {tried}."))
    if signs.breaches:
        gravest = max(signs.breaches, key=lambda breach: RELATIONS[breach.kind].bits)
        marks.append(Mark("breaks", gravest.why))
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
