"""Families that add a statement: what another method, a guard or a parameter says is missing."""

from __future__ import annotations

import textwrap

import pytest

from tests.unit.test_search_families import edits


def program(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")


SHELF = program(
    """
    class Shelf:
        def __init__(self):
            self.left, self.out, self.free, self.seen = {}, {}, [1, 2], set()

        def lend(self, who, title, day):
            self.left[title] -= 1
            self.out[who] = day
            slot = self.free.pop()
            self.seen.add(slot)
            return slot

        def give_back(self, who, title, slot):
            self.note(who)
            return title

        def note(self, who):
            self.last = who
    """
)


def added(family: str, text: str) -> list[str]:
    """Return the lines that each edit of a family adds, without their indentation."""
    rows = text.splitlines()
    lines = []
    for made in edits(family, text):
        new = made.splitlines()
        at = next(n for n, row in enumerate([*rows, ""]) if n >= len(new) or row != new[n])
        lines.append("; ".join(row.strip() for row in new[at : at + len(new) - len(rows)]))
    return lines


@pytest.mark.parametrize(
    "undone", ["self.left[title] += 1", "del self.out[who]", "self.free.append(slot)", "self.seen.discard(slot)"]
)
def test_what_one_method_does_another_one_undoes(undone: str) -> None:
    before_return = SHELF.replace("        return title", f"        {undone}\n        return title")
    assert before_return in edits("undone_update", SHELF)
    assert added("undone_update", SHELF.replace("self.note(who)", undone)).count(undone) == 0, "it does that already"


def test_what_is_undone_somewhere_or_cannot_be_named_is_left_alone() -> None:
    back = SHELF.replace("self.last = who", "self.left[title] += 1")
    assert "self.left[title] += 1" not in added("undone_update", back), "`left_out_update` has it"
    assert not any("title" in line for line in added("undone_update", SHELF.replace("title, slot", "slot")))
    assert "del self.out[who]" not in added("undone_update", SHELF.replace("self.last = who", "self.out.pop(who)"))
    assert edits("undone_update", "def f(self, n):\n    self.left -= n\n") == [], "it is in no class"


STORE = program(
    """
    class Store:
        def get(self, key):
            if self.is_old(key):
                self.misses += 1
                return None
            self.data.move_to_end(key)
            return self.data[key]

        def purge(self, keys):
            for key in keys:
                del self.data[key]

        def use(self, key):
            self.data.move_to_end(key)
    """
)


def test_an_update_is_left_out_where_the_attribute_is_changed_in_another_way() -> None:
    made = edits("left_out_update", STORE)
    row = "            self.misses += 1"
    assert STORE.replace(row, f"            del self.data[key]\n{row}") in made
    inside = [text.partition("def purge")[0] for text in made]
    assert not any(text.count("move_to_end") > 1 for text in inside), "it does that already"
