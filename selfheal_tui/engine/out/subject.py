"""The first line that is offered for a commit: which functions were healed, and where. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from selfheal_tui.line_blocks import blocks, split_lines
from selfheal_tui.python_source import Definition, definitions, parse_or_none
from selfheal_tui.store.writing import FileChange
from selfheal_tui.text import and_list, one_line, plural

from ..moment.snapshot import Snapshot
from .added_tests import is_test_name

_WIDTH = 72
_MOST_NAMED = 3


def default_subject(changes: Sequence[FileChange], snapshot: Snapshot | None = None) -> str:
    """Return the first line that is offered: `Heal Cart.total in shop.py`, `... in part` where cases still fail."""
    own = [change for change in changes if not is_test_name(change.path)]
    if not own:
        return next(
            (line for words in _from_full_to_short(changes) if len(line := f"Add {words}") <= _WIDTH), "Add tests"
        )
    in_part = snapshot is not None and snapshot.report is not None and snapshot.report["verdict"] != "passed"
    end = " in part" if in_part else ""
    return next((line for words in _from_full_to_short(own) if len(line := f"Heal {words}{end}") <= _WIDTH), "Heal")


def _from_full_to_short(changes: Sequence[FileChange]) -> list[str]:
    """Return ways to say what changed, those that say most first."""
    paths = [one_line(change.path) for change in changes]
    named = [changed_functions(change) for change in changes]
    functions = [function for one in named for function in one]
    files = paths[0] if len(paths) == 1 else plural(len(paths), "file")
    words = []
    if functions and len(functions) <= _MOST_NAMED and all(named):
        if len(paths) > 1:
            words.append(and_list([f"{and_list(one)} in {path}" for one, path in zip(named, paths, strict=True)]))
        words += [f"{and_list(functions)} in {files}", and_list(functions)]
    if all(named) and len(functions) > 1:
        words.append(f"{functions[0]} and {plural(len(functions) - 1, 'more function')} in {files}")
    words += [and_list(paths)] if len(paths) <= _MOST_NAMED else []
    return [*words, files, plural(len(paths), "file")]


def changed_functions(change: FileChange) -> list[str]:
    """Return the functions, `Cart.total` for a method, with lines that go or come, in order; a class for its own."""
    before, after = change.before or "", change.after or ""
    found: dict[str, None] = {}
    old, new = _places(before), _places(after)
    for block in blocks(split_lines(before), split_lines(after)):
        if block.hunk:
            for places, first, end in ((old, block.old_from, block.old_to), (new, block.new_from, block.new_to)):
                for line in range(first + 1, end + 1):
                    inner = [name for name, begins, ends in places if begins <= line <= ends]
                    found |= dict.fromkeys(inner[-1:])
    return [*found]


def _places(text: str) -> list[tuple[str, int, int]]:
    """Return name, first and last line of each function and class, the outer before the inner."""
    tree = parse_or_none(text)
    return [(name, _first(node), node.end_lineno or node.lineno) for name, node in definitions(tree)] if tree else []


def _first(node: Definition) -> int:
    return min(one.lineno for one in (node, *node.decorator_list))
