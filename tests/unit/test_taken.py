"""What a commit's message and a lesson say of the repairs: only what stands in the final diff."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from selfheal_tui.engine.moment.state import Diagnosis, Record, Repair, RepairPart
from selfheal_tui.engine.moment.steering import at_place
from selfheal_tui.engine.moment.taken import Standing, standing_repairs
from selfheal_tui.engine.out.commit_message import commit_message
from selfheal_tui.engine.out.subject import default_subject
from selfheal_tui.engine.workshop.taken import taken_record
from selfheal_tui.store.writing import FileChange
from selfheal_tui.ui.run.cards.repair_text import repair_content
from tests.ui.fakes import snapshot

BASE = "def late(a, b):\n    return a < b\n\n\ndef fee():\n    return 300\n"
ABOUT_FEE: Diagnosis = {
    "fault": "code",
    "category": "value",
    "cause": "Line 6 has `300`; with `600` the failing case passes.",
    "evidence": [{"file": "due.py", "line": 6, "why": "`300` becomes `600`: every case passes"}],
    "strategy": "",
    "confidence": 0.9,
    "by": "search",
}


def step(now: str, old: str, new: str, by: str = "search", diagnosis: Diagnosis = ABOUT_FEE) -> tuple[Record, str]:
    """Return the record of a repair that replaces a text, and the program with it."""
    line, after = now[: now.index(old)].count("\n") + 1, now.replace(old, new)
    repair: Repair = {
        "summary": f"line {line}: `{old}` becomes `{new}`",
        "changes": {"due.py": after},
        "strategy": by,
        "by": by,
        "fixes": ["test_due.py::test_a"],
        "breaks": [],
    }
    record: Record = {
        "prev": "",
        "iteration": 0,
        "repair_ref": "",
        "changes_ref": "",
        "verdict": "edit" if by == "human" else "approve",
        "note": "",
        "by": "human",
        "keys": [],
        "taken": taken_record(repair, diagnosis, {"due.py": now}, failing=2, several=False),
    }
    return record, after


def standing(*steps: tuple[str, str, str]) -> list[Standing]:
    records, now = [], BASE
    for old, new, by in steps:
        record, now = step(now, old, new, by)
        records.append(record)
    return standing_repairs(records[::-1], {"due.py": BASE}, {"due.py": now})


def test_each_repair_has_its_own_cause_whatever_the_diagnosis_was_about() -> None:
    first, second = standing(("<", "<=", "search"), ("300", "600", "search"))
    assert first.cause == "Line 2 compares with `<`; with `<=` 1 of 2 failing cases passes."
    assert second.cause == "Line 6 has `300`; with `600` 1 of 2 failing cases passes."


def test_steps_that_went_over_the_same_line_leave_only_what_changed_in_the_end() -> None:
    (only,) = standing(("<", ">", "search"), (">", "<=", "search"))
    assert only.cause == "" and not only.by_hand and only.lines == "- return a < b; + return a <= b"


def test_an_edit_by_hand_is_told_as_such_and_not_by_the_diagnosis_of_another_line() -> None:
    (only,) = standing(("<", "<=", "human"))
    assert only.by_hand and only.cause == "" and only.lines == "- return a < b; + return a <= b"


def test_a_line_that_was_numbered_otherwise_when_it_was_mended_is_not_named() -> None:
    above, below = standing(("def late", "LIMIT = 3\n\n\ndef late", "human"), ("300", "600", "search"))
    assert above.by_hand and below.cause == "" and below.lines == "- return 300; + return 600"


def test_a_models_cause_stands_with_the_evidence_that_the_diff_changes() -> None:
    evidence = [{"file": "due.py", "line": 2, "why": "here"}, {"file": "due.py", "line": 6, "why": "there"}]
    diagnosis: Diagnosis = {**ABOUT_FEE, "cause": "The end is open.", "by": "m:x", "evidence": evidence}  # type: ignore[typeddict-item]
    for by in ("m:x", "human"):
        record, now = step(BASE, "<", "<=", by, diagnosis)
        (only,) = standing_repairs([record], {"due.py": BASE}, {"due.py": now})
        assert only.cause == "The end is open." and [one["line"] for one in only.evidence] == [2]
    record, now = step(now, "def fee", "def fees", "human", {**diagnosis, "evidence": evidence[:1]})  # type: ignore[typeddict-item]
    (only,) = standing_repairs([record], {"due.py": now.replace("fees", "fee")}, {"due.py": now})
    assert only.cause == "" and only.by_hand


def test_a_program_set_without_a_repair_is_told_by_its_lines() -> None:
    (only,) = standing_repairs([], {"due.py": BASE}, {"due.py": BASE.replace("300", "600")})
    assert only.cause == "" and only.lines == "- return 300; + return 600"


def test_some_hunks_as_they_were_proposed_are_no_change_by_hand() -> None:
    proposed: Repair = {
        "summary": "2 independent edits: line 2: `<` becomes `<=`; line 6: `300` becomes `600`",
        "changes": {"due.py": BASE.replace("<", "<=").replace("300", "600")},
        "strategy": "search",
        "by": "search",
    }
    after = BASE.replace("300", "600")
    part: Repair = {**proposed, "changes": {"due.py": after}, "by": "human", "fixes": ["test_due.py::test_a"]}
    taken = taken_record(part, ABOUT_FEE, {"due.py": BASE}, failing=2, several=False, proposed=proposed)
    record: Record = {**step(BASE, "300", "600")[0], "taken": taken}
    (only,) = standing_repairs([record], {"due.py": BASE}, {"due.py": after})
    assert only.in_part and not only.by_hand and [one["line"] for one in only.evidence] == [6]
    assert only.cause == "Line 6 has `300`; with `600` 1 of 2 failing cases passes."
    cures_nothing: Repair = {**part, "fixes": []}
    taken = taken_record(cures_nothing, ABOUT_FEE, {"due.py": BASE}, failing=2, several=True, proposed=proposed)
    assert taken["cause"] == "Line 6 of due.py has `300` where `600` is meant.", "no count that says it cures nothing"


def test_edits_in_several_files_have_a_cause_and_changed_lines_their_order() -> None:
    now = {"a.py": "x = 1\n", "b.py": "y = 2\n"}
    repair: Repair = {
        "summary": "2 independent edits: a.py line 1: `1` becomes `3`; b.py line 1: `2` becomes `3`",
        "changes": {"a.py": "x = 3\n", "b.py": "y = 3\n"},
        "strategy": "search",
        "by": "search",
        "fixes": ["t.py::a", "t.py::b"],
    }
    taken = taken_record(repair, None, now, failing=2, several=True)
    assert [(one["file"], one["line"]) for one in taken["evidence"]] == [("a.py", 1), ("b.py", 1)]
    assert taken["cause"].startswith("With 2 independent edits both failing cases pass: a.py line 1: ")
    twice = "def f():\n    return 1\n\n\ndef g():\n    return 1\n"
    (only,) = standing_repairs([], {"a.py": twice}, {"a.py": twice.replace("1", "2")})
    assert only.rows == ("- return 1", "+ return 2") * 2


def test_a_commit_says_in_its_first_line_that_cases_still_fail_and_lists_the_lines() -> None:
    report: Any = {
        "verdict": "failed",
        "error": None,
        "passed": 1,
        "failed": 1,
        "errors": 0,
        "timeouts": 0,
        "skipped": 0,
    }
    after = {"p.py": "x = 2\ny = 3\n"}
    partial = replace(snapshot("c1", "conclude"), base={"p.py": "x = 1\n"}, program=after, records=(), report=report)
    changes = [FileChange("p.py", "x = 1\n", after["p.py"])]
    assert default_subject(changes) == "Heal p.py" and default_subject(changes, partial) == "Heal p.py in part"
    cart = FileChange(
        "cart.py", "class C:\n    def a(self):\n        return 1\n", "class C:\n    def a(self):\n        return 2\n"
    )
    fee = FileChange("fee.py", "def fee(n):\n    return n\n", "def fee(n):\n    return -n\n")
    assert default_subject([cart]) == "Heal C.a in cart.py"
    tests = FileChange("test_cart.py", "", "def test_a():\n    pass\n")
    assert default_subject([tests]) == "Add test_a in test_cart.py", "the repair has a commit already"
    assert default_subject([cart, fee]) == "Heal C.a in cart.py and fee in fee.py"
    far = [replace(one, path=f"a/very/long/path/of/packages/{one.path}") for one in (cart, fee)]
    assert default_subject(far) == "Heal C.a and fee in 2 files", "at most 72 characters"
    assert default_subject([*changes, fee]) == "Heal p.py and fee.py", "no function of one of them"
    message = commit_message("s", partial, changes, {}, "/home/me")
    assert "Changed:\n    - x = 1\n    + x = 2\n    + y = 3\n\nTests do not all pass: 1 passed, 1 failed." in message


def test_two_edits_together_are_two_edits_in_the_cause() -> None:
    repair: Repair = {
        "summary": "line 2: `<` becomes `<=`, and line 6: `300` becomes `600`",
        "changes": {"due.py": BASE.replace("<", "<=").replace("300", "600")},
        "strategy": "search",
        "by": "search",
        "fixes": ["test_due.py::test_a", "test_due.py::test_b"],
        "breaks": [],
    }
    taken = taken_record(repair, None, {"due.py": BASE}, failing=2, several=False)
    assert taken["cause"].startswith("With 2 edits together both failing cases pass")
    assert taken["cause"].endswith(": line 2: `<` becomes `<=`; line 6: `300` becomes `600`.")
    assert [item["line"] for item in taken["evidence"]] == [2, 6]


LONG = "return [Money(base + (1 if i < extra else 0)) for i in range(number_of_guests_at_the_table)]"
NOW = {"a.py": "x = 1\n", "b.py": f"def f():\n    {LONG}\n"}
CUT_OFF: Repair = {
    "summary": "2 independent edits: a.py line 1: `1` bec…; b.py line 2: back to `return [Money(base…",
    "changes": {"a.py": "x = 3\n", "b.py": "def f():\n    return []\n"},
    "strategy": "search",
    "by": "search",
    "fixes": ["t.py::a", "t.py::b"],
}
PARTS: list[RepairPart] = [
    {"summary": "a.py line 1: `1` becomes `3`", "changes": {"a.py": "x = 3\n"}, "by": "search", "fixes": []},
    {"summary": "b.py line 2: back to `return []`, as before 1a2b3c4", "changes": {}, "by": "search", "fixes": []},
]


def message_of(repair: Repair, diagnosis: Diagnosis | None = None) -> str:
    """Return the commit's message of a repair that stands as it is, as one line."""
    taken = taken_record(repair, diagnosis, NOW, failing=3, several=True)
    record: Record = {**step(BASE, "300", "600")[0], "taken": taken}
    moment = replace(snapshot("c1", "conclude"), base=NOW, program=repair["changes"], records=(record,))
    return commit_message("s", moment, [], {}, "/home/me")


def test_a_commit_holds_whole_lines_and_no_text_that_was_cut() -> None:
    whole = " ".join(message_of({**CUT_OFF, "parts": PARTS}).split())
    assert "a.py line 1: `1` becomes `3`; b.py line 2: back to `return []`, as before 1a2b3c4." in whole
    message = message_of(CUT_OFF)
    assert "…" not in message
    assert "Cause: With 2 independent edits 2 of 3 failing cases pass. (diagnosis by\nsearch)" in message
    assert f"Changed:\n    - x = 1\n    + x = 3\n    - {LONG}\n    + return []" in message
    one: Repair = {**CUT_OFF, "summary": "line 2: `return [Mon…` becomes `1`", "changes": {"b.py": "def f():\n    1\n"}}
    assert "…" not in message_of(one) and "Changed:" in message_of(one)


def test_a_commit_gives_whole_sentences_of_long_words_and_counts_long_names() -> None:
    model: Diagnosis = {**ABOUT_FEE, "cause": f"It is so. {'and so ' * 200}.", "by": "m:x", "evidence": []}
    by_model: Repair = {**CUT_OFF, "summary": "s", "by": "m:x"}
    message = message_of(by_model, model)
    assert "Cause: It is so. (diagnosis by m:x)" in message and "Changed:" in message
    changes = {"a.py": f"x = {'1' * 300}\n"}
    (only,) = standing_repairs([], {"a.py": ""}, changes)
    assert only.rows == ("+ (a line of 304 characters)",)
    many = replace(snapshot("c1", "conclude"), doubts=tuple(f"{n}: {'no ' * 90}end." for n in range(30)))
    message = commit_message("s", many, [], {}, "/home/me")
    assert len(message) <= 4_000 and all(
        line.split()[-1] in ("no", "end.", "s", "program.") for line in filter(None, message.splitlines())
    )


def test_a_cause_that_a_person_wrote_is_told_as_theirs() -> None:
    mine: Diagnosis = {**ABOUT_FEE, "cause": "My own words.", "by": "human"}
    for repair in (CUT_OFF, {**CUT_OFF, "summary": "s", "by": "m:x"}):
        assert "Cause: My own words. (diagnosis by a person)" in message_of(repair, mine)  # type: ignore[arg-type]
    for other in (at_place(ABOUT_FEE, "1"), {**ABOUT_FEE, "by": "human", "cause_by": "search"}):
        assert "(diagnosis by\nsearch)" in message_of(CUT_OFF, other)  # type: ignore[arg-type]


def test_a_card_with_room_cuts_no_edit_of_a_joined_repair() -> None:
    joined: Repair = {**CUT_OFF, "parts": PARTS}
    assert "…" in repair_content(joined).plain
    told = repair_content(joined, has_room=True).plain
    assert "…" not in told and "b.py line 2: back to `return []`, as before 1a2b3c4" in told
