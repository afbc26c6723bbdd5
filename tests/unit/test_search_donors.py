"""What a like function has, brought into the one at fault."""

from __future__ import annotations

import pytest

from selfheal_tui.search.hunt.candidates import build_candidates
from selfheal_tui.search.hunt.grown import grown_edits
from selfheal_tui.search.program.localise import Suspect

LOWEST = """\
def lowest(rows, key):
    '''Return the lowest.'''
    if not rows:
        return None
    best = rows[0]
    for row in rows:
        if row[key] is None:
            continue
        if row[key] < best[key]:
            best = row
    return best
"""
HIGHEST = """\
def highest(lines, name):
    best = lines[0]
    for line in lines:
        if line[name] > best[name]:
            best = line
    return best
"""
GUARD = "    if not lines:\n        return None\n"
SKIP = "        if line[name] is None:\n            continue\n"
CLASS = """\
class Bag:
    def __init__(self):
        self.items, self.size = [], 0

    def push(self, item):
        self.items.append(item)
        self.size += 1
        return self

    def push_first(self, thing):
        self.items.insert(0, thing)
        return self
"""


def brought(*files: str) -> dict[str, str]:
    """Return what donors bring into the first file, all of it suspicious: new text -> summary."""
    program = {f"p{number}.py": text for number, text in enumerate(files)}
    suspects = [Suspect("p0.py", line, 1.0, "") for line in range(1, files[0].count("\n") + 1)]
    candidates = build_candidates(program, [], suspects, grown=grown_edits)
    return {c.changes["p0.py"]: c.summary for c in candidates if c.operator == "like_function"}


@pytest.mark.parametrize("files", [(HIGHEST + LOWEST,), (HIGHEST, LOWEST)])
def test_a_statement_of_a_like_function_comes_with_the_names_of_this_one(files: tuple[str, ...]) -> None:
    edits = brought(*files)
    guarded = files[0].replace("name):\n", f"name):\n{GUARD}", 1)
    assert edits[guarded] == "line 2: `if not lines: return None` as in `lowest` is added"
    assert files[0].replace("in lines:\n", f"in lines:\n{SKIP}") in edits


def test_a_method_does_what_its_sibling_does() -> None:
    assert CLASS.replace("thing)\n", "thing)\n        self.size += 1\n") in brought(CLASS)


def test_a_statement_that_names_what_is_not_here_stays_away() -> None:
    other = "LIMIT = 3\n" + LOWEST.replace("if not rows", "if len(rows) < LIMIT")
    assert not any("LIMIT" in text for text in brought(HIGHEST, other))
    assert brought(HIGHEST, "def f(x):\n    return x\n", "def broken(:\n") == {}
