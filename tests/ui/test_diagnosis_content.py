"""The Diagnosis tab's words: what the debugger did before its diagnosis, folded and harmless."""

from __future__ import annotations

from typing import cast

from selfheal_tui.engine.moment.state import DebugStep, Diagnosis
from selfheal_tui.engine.moment.steering import at_place
from selfheal_tui.engine.moment.sureness import cause_sureness
from selfheal_tui.engine.moment.words import not_searched_words
from selfheal_tui.search.program.recent import RecentChange
from selfheal_tui.ui.run.cards.diagnosis import changed_words, diagnosis_content, steps_content
from selfheal_tui.ui.view.shown import marked_lines
from tests.ui.fakes import DIAGNOSIS, FakeSession, snapshot
from tests.ui.running import running


def test_steps_are_folded_and_foreign_words_are_data() -> None:
    first: DebugStep = {
        "thought": "What is\nadded? [red]x[/]",
        "tool": "run_snippet",
        "arguments": {"code": "from shop import total\nprint(total([5], 3))\n"},
        "observation": "printed:\n13 \x1b[2J" + "x" * 500,
    }
    looked: DebugStep = {**first, "thought": "", "tool": "read_file", "arguments": {"path": "a.py", "first": 0}}
    text = steps_content([first, looked]).plain
    assert text.startswith("\n\n2 steps of the debugger before it\n1. run_snippet from shop import total print(")
    lines = text.strip().splitlines()
    assert lines[2] == "   What is added? [red]x[/]"
    assert lines[3] == "2. read_file a.py → printed: 13 " + "x" * 107 + "…"
    assert len(lines) == 4 and all(len(line) < 260 for line in lines) and "\x1b" not in text


def test_no_steps_are_no_words() -> None:
    assert steps_content([]).plain == ""


def test_a_change_of_the_line_in_question_is_named() -> None:
    file, first = DIAGNOSIS["evidence"][0]["file"], DIAGNOSIS["evidence"][0]["line"]
    second = DIAGNOSIS["evidence"][1]["line"]
    recent = {(file, first): RecentChange("1a2b3c4 Add [red]tax.", "2 days ago"), (file, second): RecentChange("", "")}
    moment = snapshot("c2", "diagnose", diagnosis=DIAGNOSIS, recent=recent)
    words = changed_words(moment)
    assert words == changed_words(moment, "1") == f"Line {first} was changed by 1a2b3c4 Add [red]tax."
    assert diagnosis_content(DIAGNOSIS, "1", words).plain.splitlines()[1] == words
    not_searched: Diagnosis = {**DIAGNOSIS, "cause": f"A. {not_searched_words(['b.py'])}", "not_searched": ["b.py"]}
    rows = diagnosis_content(not_searched, "1", words, "selfheal fix a.py b.py").plain.splitlines()
    assert rows[:2] == [f"? {not_searched_words(['b.py'])}", "search there too: selfheal fix a.py b.py"]
    assert rows[2] == "A.", "what was not searched stands once, and first"
    assert changed_words(moment, "2") == f"Line {second} was changed and not committed."
    assert changed_words(snapshot("c2", "diagnose", diagnosis=DIAGNOSIS)) == changed_words(moment, "9") == ""


def test_how_sure_the_search_is_stands_beside_the_first_place_alone() -> None:
    diagnosis: Diagnosis = {**DIAGNOSIS, "by": "search", "confidence": 0.83, "category": "mutable default"}
    assert "mutable default · 83% sure" in diagnosis_content(diagnosis, "1").plain
    second = diagnosis_content(diagnosis, "2").plain
    assert "83%" not in second and "mutable default" not in second
    assert "the search holds the first place for likelier" in second
    chosen = at_place(diagnosis, "2")
    assert "% sure" not in diagnosis_content(chosen).plain and "mutable default" not in diagnosis_content(chosen).plain
    in_vain: Diagnosis = {**diagnosis, "fixes": []}
    words = diagnosis_content(in_vain, "1").plain
    assert "% sure" not in words and "mutable default" not in words and "the code is wrong · by search" in words
    assert cause_sureness(diagnosis) == "83% sure" and not cause_sureness(in_vain)


def test_a_mark_is_told_once_and_the_code_has_its_sign_alone() -> None:
    """In 80 columns the same three lines stood in the code, in the first sentence and in the list below it."""
    first, second = DIAGNOSIS["evidence"][:2]
    mark, other = "It changes data, and no call was tried", "Another repair has it in its place"
    evidence = [
        {**first, "why": f"`a` becomes `b`: every case passes ⚠ {mark}"},
        {**second, "why": f"`c` becomes `d`: every case passes ⚠ {other}"},
    ]
    told: Diagnosis = {**DIAGNOSIS, "by": "search", "cause": f"Line 3 has `a`. ⚠ {mark}.", "evidence": evidence}  # type: ignore[typeddict-item]
    text = diagnosis_content(told, "1").plain
    assert text.count(mark) == 1 and text.count(other) == 1 and text.count("every case passes ⚠\n") == 1
    chosen = diagnosis_content(told, "2").plain
    assert chosen.count(mark) == 1 and chosen.count(other) == 1, "the place that is shown is the first sentence"
    notes = marked_lines(snapshot("c2", "diagnose", diagnosis=told)).why
    assert [*notes.values()] == ["`a` becomes `b`: every case passes ⚠", "`c` becomes `d`: every case passes ⚠"]


async def test_the_lines_of_the_only_place_are_no_choice_and_the_refusal_says_so() -> None:
    session = FakeSession("s1")
    place = {**DIAGNOSIS["evidence"][0], "also": [{"file": "intervals.py", "line": 15, "edit": "`<` becomes `<=`"}]}
    session.diagnosis = cast(Diagnosis, {**DIAGNOSIS, "by": "search", "evidence": [place]})
    async with running(session) as run:
        await run.press("2")
        (toast,) = run.app._notifications
        assert toast.message == ("Lines 8 and 15 are changed together: that is one place, and no number picks another.")
