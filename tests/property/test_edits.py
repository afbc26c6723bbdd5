"""Whatever an edit is, all text outside its place stays, and no edit leaves the program's own files."""

from __future__ import annotations

import ast
import random
from itertools import islice, pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

import selfheal_tui
from selfheal_tui.search.hunt.candidates import build_candidates
from selfheal_tui.search.hunt.grown import grown_edits
from selfheal_tui.search.hunt.second import both
from selfheal_tui.search.minimise import apply_pieces, build_pieces
from selfheal_tui.search.operators import OPERATORS
from selfheal_tui.search.program.localise import Suspect
from tests.examples import examples

DEMOS = sorted((Path(selfheal_tui.__file__).parent / "demos").glob("*/[a-su-z]*.py"))
TEXTS = [path.read_text("utf-8") for path in DEMOS]


@settings(max_examples=examples(20, quick=8), deadline=None)
@given(st.sampled_from(TEXTS), st.integers(0, 10**6), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_all_text_outside_an_edit_stays(text: str, seed: int, newline: str, wide: bool) -> None:
    text = ("# é ñ ∞\n" if wide else "") + text
    text = text.replace("\n", newline)
    lines = text.count("\n") + 1
    suspects = [Suspect("p.py", line, 1.0, "runs") for line in range(1, lines + 1)]
    edits = list(build_candidates({"p.py": text}, ["assert f(1) == 'x'"], suspects, grown=grown_edits).edits)
    keys = [(edit.cost, edit.splice.end - edit.splice.start + len(edit.splice.text), edit.order) for edit in edits]
    assert keys == sorted(keys), "they are listed as they are drawn, in the order of one that sorts them all"
    chosen = random.Random(seed).sample(edits, min(60, len(edits)))
    larger = [edit for edit in edits if edit.family.name not in OPERATORS]
    for edit in random.Random(seed).sample(larger, min(8, len(larger))):
        ast.parse(edit.apply())
    for edit in chosen:
        splice, new = edit.splice, edit.apply()
        assert 0 <= splice.start <= splice.end <= len(text)
        assert new.startswith(text[: splice.start]) and new.endswith(text[splice.end :])
        assert len(new) == len(text) - (splice.end - splice.start) + len(splice.text)
    ordered = sorted(chosen, key=lambda e: (e.splice.start, e.splice.end))
    for one, other in islice(pairwise(ordered), 20):
        if one.splice.end <= other.splice.start and one.splice.start != other.splice.start:
            changed = both(one, other).changes
            assert list(changed) == ["p.py"]
            between = text[one.splice.end : other.splice.start]
            assert changed["p.py"].startswith(text[: one.splice.start] + one.splice.text + between)


@given(st.lists(st.sampled_from("abc\n"), max_size=30), st.lists(st.sampled_from("abc\n"), max_size=30))
def test_hunks_are_the_whole_change(old: list[str], new: list[str]) -> None:
    files, changes = {"p": "".join(old)}, {"p": "".join(new)}
    made = apply_pieces(files, build_pieces(files, changes))
    assert made == (changes if changes != files else {})
