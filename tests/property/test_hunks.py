"""Whatever hunks are taken: all are the proposal, none the file as it is, and what is declined is the rest of it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfheal_tui.engine.moment.hunks import chosen_hunks, split_hunks, with_hunks
from selfheal_tui.errors import InputError
from selfheal_tui.line_blocks import split_lines

_LINE = st.sampled_from(["\n", "a\n", "b = 1\n", "b = 2\n", "    return x\n", "c\x0cd\r\n"])
_TEXT = st.tuples(st.lists(_LINE, max_size=14), st.sampled_from(["", "end"])).map(lambda t: "".join(t[0]) + t[1])
_FILES = st.fixed_dictionaries({"a.py": _TEXT, "b.py": _TEXT})


def _differing(now: dict[str, str], changes: dict[str, str]) -> dict[str, str]:
    return {path: text for path, text in changes.items() if text != now[path]}


@given(_FILES, _FILES)
def test_all_are_the_proposal_and_none_the_files_as_they_are(now: dict[str, str], changes: dict[str, str]) -> None:
    numbers = [hunk.number for hunk in split_hunks(now, changes)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert with_hunks(now, changes, numbers) == _differing(now, changes)
    assert with_hunks(now, changes, ()) == {}


@given(_FILES, _FILES, st.data())
def test_taking_some_leaves_the_others_for_later(
    now: dict[str, str], changes: dict[str, str], data: st.DataObject
) -> None:
    numbers = [hunk.number for hunk in split_hunks(now, changes)]
    taken = data.draw(st.sets(st.sampled_from(numbers))) if numbers else set()
    some = {**now, **with_hunks(now, changes, taken)}
    rest = split_hunks(some, changes)
    assert bool(rest) == (len(taken) < len(numbers))
    assert {**some, **with_hunks(some, changes, {hunk.number for hunk in rest})} == changes
    # The lines that a hunk says to remove and to add are those by which the texts differ in length.
    for path, text in now.items():
        grown = sum(hunk.added - hunk.removed for hunk in split_hunks(now, {path: changes[path]}))
        assert len(split_lines(changes[path])) - len(split_lines(text)) == grown


def test_blank_lines_do_not_part_a_hunk_and_a_line_of_code_does() -> None:
    now = {"f.py": "a = 1\n\nb = 2\nc = 3\nd = 4\n"}
    hunks = split_hunks(now, {"f.py": "a = 9\n\nb = 9\nc = 3\nd = 9\n"})
    assert [(hunk.line, hunk.removed, hunk.added) for hunk in hunks] == [(1, 2, 2), (5, 1, 1)]


def test_the_declined_diff_turns_what_was_taken_into_the_proposal(tmp_path: Path) -> None:
    now = {"f.py": "a\nb\nc\n", "g.py": "x\n"}
    changes = {"f.py": "A\nb\nC\n", "g.py": "y\n"}
    taken, declined = chosen_hunks(now, changes, {1})
    assert taken == {"f.py": "A\nb\nc\n"}
    for path, text in {**now, **taken}.items():
        (tmp_path / path).write_text(text)
    subprocess.run(["git", "apply", "-"], input=declined, text=True, cwd=tmp_path, check=True)
    assert {path: (tmp_path / path).read_text() for path in changes} == changes


@pytest.mark.parametrize(
    ("taken", "says"), [({3}, "no hunk 3"), (set(), "No hunk is taken"), ({1, 2}, "all the hunks")]
)
def test_a_choice_that_is_none_is_refused(taken: set[int], says: str) -> None:
    with pytest.raises(InputError, match=says):
        chosen_hunks({"f.py": "a\nb\nc\n"}, {"f.py": "A\nb\nC\n"}, taken)
