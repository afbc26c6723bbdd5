"""The headless result: outcome, exit code and next command for each way a run ends, and a diff that patches."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from selfheal_tui.cli.app import _way_on
from selfheal_tui.cli.human import disagreement_lines, question_lines, report_lines, result_text
from selfheal_tui.cli.next_steps import (
    FROM_A_FOLDER,
    Rest,
    left_moment,
    next_command,
    next_lines,
    raised_limits,
)
from selfheal_tui.cli.result import build_result, result_of
from selfheal_tui.cli.show import _moment_text
from selfheal_tui.engine.moment.events import ReviewRequested, RunFailed, RunFinished
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import Diagnosis, Repair, no_spend
from selfheal_tui.engine.moment.words import not_searched_words
from selfheal_tui.engine.moment.workspace import unified_diff
from selfheal_tui.engine.task.fix_command import fix_command, not_searched_of, wider_command
from selfheal_tui.errors import (
    MissingPackages,
    ProviderError,
    SandboxError,
    SelfHealError,
    SessionError,
    UnusableTests,
)
from selfheal_tui.settings import Settings, default_settings
from selfheal_tui.store.sessions import SessionStore
from tests.ui.fakes import snapshot

SETTINGS = default_settings({})
DIAGNOSIS: Diagnosis = {
    "fault": "code",
    "category": "boundary",
    "cause": "off by one",
    "evidence": [],
    "strategy": "move it",
    "confidence": 0.5,
    "by": "search",
}
REPAIR: Repair = {"summary": "moved", "changes": {"p.py": "x = 2\n"}, "strategy": "", "by": "search"}
SNAPSHOT = Snapshot(
    checkpoint_id="c1",
    branch="main",
    node="run_suite",
    mode="fix",
    title="p.py",
    spec="",
    iteration=1,
    program={"p.py": "x = 2\n", "q.py": "y = 1\n"},
    base={"p.py": "x = 1\n", "q.py": "y = 1\n"},
    tests={},
    report=None,
    diagnosis=DIAGNOSIS,
    candidates={"A": REPAIR},
    decision=None,
    feedback=(),
    records=(),
    spent=no_spend(),
    limits={"max_iterations": 6, "max_tokens": None, "max_cost_usd": None, "max_time_s": None},
    models={"*": "search"},
    autonomy="review_repairs",
    outcome="",
    reason="",
    pending=None,
)


@pytest.mark.parametrize(
    ("ending", "code"), [("healed", 0), ("gave_up", 1), ("stalled", 1), ("budget", 1), ("stopped", 1)]
)
def test_an_end_has_its_exit_code(ending: Any, code: int) -> None:
    result, exit_code = result_of(RunFinished(replace(SNAPSHOT, outcome=ending, reason="so")), None, "s1")
    assert (result["outcome"], result["reason"], exit_code) == (ending, "so", code)
    assert (result["changed"], result["files"]) == (["p.py"], dict(SNAPSHOT.program))
    assert result["review"] is None


def test_files_that_came_or_went_have_changed_too() -> None:
    program = {"p.py": "x = 1\n", "new.py": "n = 1\n"}
    result, _ = result_of(RunFinished(replace(SNAPSHOT, program=program, outcome="healed")), None, "s1")
    assert result["changed"] == ["new.py", "q.py"]


@pytest.mark.parametrize(
    ("error", "code"), [(ProviderError("no answer"), 4), (SandboxError("no layers"), 5), (SessionError("busy"), 6)]
)
def test_a_failure_keeps_what_was_saved_and_has_its_own_code(error: SelfHealError, code: int) -> None:
    result, exit_code = result_of(RunFailed(error), SNAPSHOT, "s1")
    assert (result["outcome"], result["reason"], exit_code) == ("failed", error.message, code)
    assert result["checkpoint_id"] == "c1" and result["diff"]


def test_a_failure_before_anything_was_saved_is_still_a_result() -> None:
    result, exit_code = result_of(RunFailed(ProviderError("no answer")), None, "s1")
    assert (exit_code, result["session_id"], result["files"], result["report"]) == (4, "s1", {}, None)


def test_questions_carry_proposal_and_evidence() -> None:
    diagnosis, code = result_of(ReviewRequested("c1", "main", "diagnosis", SNAPSHOT), None, "s1")
    assert code == 3 and diagnosis["outcome"] == "waiting"
    assert diagnosis["review"]["proposal"] == DIAGNOSIS
    repair, code = result_of(ReviewRequested("c1", "main", "repair", SNAPSHOT), None, "s1")
    assert code == 3
    assert repair["review"]["proposal"] == {
        "label": "A",
        **REPAIR,
        "hunks": [],
        "in_one_line": "moved: not rehearsed",
    }
    assert repair["review"]["evidence"] == {
        "report": None,
        "diagnosis": DIAGNOSIS,
        "candidates": {"A": {**REPAIR, "hunks": [], "in_one_line": "moved: not rehearsed"}},
    }


def test_several_candidates_are_a_line_each_for_people_too() -> None:
    report: Any = {"verdict": "failed", "error": None, "cases": []}
    tried: Repair = {**REPAIR, "report": report, "fixes": ["t.py::a"], "breaks": []}
    marked: Repair = {
        **tried,
        "changes": {"q.py": "y = 2\n"},
        "marks": [{"kind": "data", "why": "It changes \x1b[1mY."}],
    }
    snapshot = replace(SNAPSHOT, program=dict(SNAPSHOT.base), candidates={"1": marked, "2": tried})
    result, _ = result_of(ReviewRequested("c1", "main", "repair", snapshot), None, "s1")
    assert [one["in_one_line"] for one in result["review"]["evidence"]["candidates"].values()] == [
        "q.py:1 `1` -> `2`: fixes 1, breaks 0, 1 doubt",
        "p.py:1 `1` -> `2`: fixes 1, breaks 0",
    ]
    lines = result_text({**result, "report": None}, default_settings({})).splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("repair 1 by search"))
    assert lines[at + 1 : at + 7] == [
        "  fixes 1 case, breaks none; 2 candidates:",
        "  1  q.py:1 `1` -> `2`: fixes 1, breaks 0, 1 doubt",
        "  2  p.py:1 `1` -> `2`: fixes 1, breaks 0",
        "  the diff of each: see look below; another than 1:",
        "    selfheal sessions decide s1 approve --pick N",
        "  ⚠ It changes Y.",
    ]


def test_a_failure_while_asking_is_a_failure() -> None:
    result = build_result(SNAPSHOT, "s1", review="repair", failure=SessionError("busy"))
    assert (result["outcome"], result["review"]) == ("failed", None)


def test_the_diff_says_what_a_patch_needs() -> None:
    diff = unified_diff({"a.py": "x\n\fy\nz"}, {"a.py": "x\n\fy\nz\n", "new.py": "n\n"})
    assert diff == (
        "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n x\n \fy\n-z\n\\ No newline at end of file\n+z\n"
        "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+n\n"
    )
    assert unified_diff({"a.py": "x"}, {"a.py": "x"}) == ""


def lines_of(outcome: Any, rest: Rest = FROM_A_FOLDER, settings: Settings = SETTINGS) -> list[str]:
    """Return what a run that ended so names."""
    return next_lines(build_result(replace(SNAPSHOT, outcome=outcome), "s1"), settings, rest)


def test_a_healed_program_can_be_applied_and_opened() -> None:
    assert lines_of("healed") == [
        "apply    selfheal sessions apply s1",
        "         (shows the change and asks before it writes into your files)",
        "or open  selfheal resume s1",
    ]
    assert lines_of("healed", Rest(has_folder=False))[0] == "apply    selfheal sessions apply s1 -o healed"


def test_a_program_that_was_never_changed_is_only_opened() -> None:
    unchanged = build_result(replace(SNAPSHOT, outcome="healed", program=dict(SNAPSHOT.base)), "s1")
    assert next_lines(unchanged, SETTINGS, Rest()) == ["open     selfheal resume s1"]


def test_a_repair_that_is_left_for_a_person_is_answered() -> None:
    more = lines_of("gave_up", Rest(left="c0", raised=("--max-time-s 120",)))
    assert "or go on selfheal resume s1 --max-time-s 120 --headless" in more
    lines = lines_of("gave_up", Rest(left="c0"))
    assert left_moment({"outcome": "gave_up"}, Rest(left="c0")) == "c0"
    assert left_moment({"outcome": "waiting"}, Rest(left="c0")) == ""
    assert lines[:2] == [
        "look     selfheal sessions show s1 --at c0",
        "answer   selfheal sessions decide s1 approve",
    ]
    assert lines[2].strip().startswith("(candidate 1; ") and lines[-1] == "or open  selfheal resume s1"


def test_files_that_failing_cases_run_and_that_were_not_searched_are_named() -> None:
    diagnosis: Any = {"cause": "c", "not_searched": ["shop/tax.py"]}
    assert not_searched_of(replace(SNAPSHOT, outcome="gave_up", diagnosis=diagnosis)) == ["shop/tax.py"]
    assert not_searched_of(replace(SNAPSHOT, outcome="healed", diagnosis=diagnosis)) == ()
    words = not_searched_words(["shop/tax.py"])
    assert words == "shop/tax.py was not searched, and the failing cases run it."
    rest = Rest(wider="selfheal fix shop/cart.py shop/tax.py", not_searched=words)
    assert lines_of("gave_up", rest)[:2] == [f"again    {rest.wider}", f"         ({words[:-1]})"]
    left = lines_of("gave_up", rest._replace(left="c0"))
    assert left[0] == f"again    {rest.wider}" and any(line.startswith("or answer selfheal") for line in left)
    assert next_command(build_result(replace(SNAPSHOT, outcome="gave_up"), "s1"), SETTINGS, rest) == rest.wider


def test_a_pass_as_given_and_a_missing_package_say_first_what_helps() -> None:
    rest = Rest(again="selfheal fix a.py", python="PATH")
    lines = lines_of("nothing_to_heal", rest)
    assert lines[0] == "wrong?   selfheal fix a.py --wrong 'f(3) should be VALUE'"
    assert lines[1].strip().startswith("(if it is wrong all the same: ")
    with_args = lines_of("nothing_to_heal", Rest(again="selfheal fix a.py -- -x"))
    assert with_args[0] == "wrong?   selfheal fix a.py --wrong 'f(3) should be VALUE' -- -x"
    assert next_command(build_result(replace(SNAPSHOT, outcome="nothing_to_heal"), "s1"), SETTINGS, rest) == ""
    failed = build_result(SNAPSHOT, "s1", failure=MissingPackages("no six", "PATH"))
    assert next_lines(failed, SETTINGS, Rest(python="PATH")) == ["go on    selfheal resume s1 --python PATH"]
    assert next_command(failed, SETTINGS, Rest(python="PATH")) == ""
    assert next_command(failed, SETTINGS, Rest(python=".venv/bin/python")).endswith("--python .venv/bin/python")


def test_a_limit_that_is_used_up_is_raised() -> None:
    rest = Rest(raised=("--max-calls 20",))
    assert lines_of("budget", rest)[0] == "go on    selfheal resume s1 --max-calls 20 --headless"
    ended = build_result(replace(SNAPSHOT, outcome="budget"), "s1")
    assert next_command(ended, SETTINGS, rest) == "selfheal resume s1 --max-calls 20 --headless"
    assert lines_of("stalled", rest)[0] == "open     selfheal resume s1"


@pytest.mark.parametrize(
    ("limits", "spent", "flags"),
    [
        ({"max_iterations": 1}, {}, ("--max-iterations 2",)),
        ({"max_time_s": 0.1}, {"time_s": 3.8}, ("--max-time-s 8",)),
        ({"max_cost_usd": 0.5, "max_calls": 4}, {"cost_usd": 0.25, "calls": 5}, ("--max-calls 10",)),
        ({"max_cost_usd": 0.5}, {"cost_usd": 0.6}, ("--max-cost-usd 1.20",)),
        ({"max_cost_usd": 0.5}, {"cost_usd": None}, ()),
        ({}, {}, ()),
    ],
)
def test_only_what_is_used_up_is_raised(limits: Any, spent: Any, flags: tuple[str, ...]) -> None:
    snapshot = replace(SNAPSHOT, limits={**SNAPSHOT.limits, **limits}, spent={**no_spend(), **spent})
    assert raised_limits(snapshot) == flags


@pytest.mark.parametrize(
    ("limits", "spent_s", "flags"),
    [
        ({}, 87.4, ("--max-time-s 240",)),
        ({"max_time_s": 100.0}, 90.0, ("--max-time-s 240",)),
        ({"max_time_s": 100.0}, 110.0, ("--max-time-s 220",)),
    ],
)
def test_a_search_whose_time_is_used_up_gets_more(limits: Any, spent_s: float, flags: tuple[str, ...]) -> None:
    spent = {**no_spend(), "time_s": spent_s}
    snapshot = replace(SNAPSHOT, limits={**SNAPSHOT.limits, **limits}, spent=spent, search_s=60.0)
    assert raised_limits(snapshot) == flags
    assert lines_of("gave_up", Rest(raised=flags))[0] == f"go on    selfheal resume s1 {flags[0]} --headless"


def test_every_command_names_session_and_folder() -> None:
    settings = replace(SETTINGS, origins={**SETTINGS.origins, "sessions": "flag --sessions"})
    ends = [build_result(replace(SNAPSHOT, outcome=end), "s1") for end in ("healed", "gave_up", "budget", "stalled")]
    ends += [build_result(SNAPSHOT, "s1", review="diagnosis"), build_result(SNAPSHOT, "s1", failure=ProviderError("x"))]
    for end in ends:
        text = result_text(end, settings, Rest(raised=("--max-calls 2",)))
        commands = [shlex.split(line[9:]) for line in text.splitlines() if line[9:].startswith("selfheal ")]
        assert commands and all("s1" in words and "--sessions" in words for words in commands)


def test_tests_that_cannot_run_are_named_again_for_a_new_session(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    manifest: Any = {"root": str(tmp_path), "program": ["a b.py"], "tests": ["t.py::x"], "pytest_args": ["-x"]}
    settings = replace(SETTINGS, origins={**SETTINGS.origins, "sessions": "flag --sessions"})
    again = fix_command(manifest, settings)
    assert again.startswith("selfheal fix 'a b.py' --tests t.py::x --sessions ") and again.endswith(" -- -x")
    many: Any = {**manifest, "program": [f"{n}.py" for n in range(9)]}
    assert fix_command(many, SETTINGS) == "selfheal fix . -- -x"
    assert fix_command(manifest, SETTINGS, whole=True).startswith("selfheal fix . ")
    assert wider_command(manifest, SETTINGS, ()) == ""
    assert wider_command(manifest, SETTINGS, ("c.py",)) == "selfheal fix 'a b.py' c.py --tests t.py::x -- -x"
    nowhere: Any = {**manifest, "root": None}
    assert fix_command(nowhere, SETTINGS) == ""
    failed = build_result(SNAPSHOT, "s1", failure=UnusableTests("no test was found"))
    assert next_lines(failed, SETTINGS, Rest(again="selfheal fix a.py")) == ["again    selfheal fix a.py"]
    assert next_lines(failed, SETTINGS, Rest()) == ["go on    selfheal resume s1"]
    assert next_command(failed, SETTINGS, Rest()) == "selfheal resume s1"
    other = replace(SETTINGS, python="/my env/bin/python", origins={**SETTINGS.origins, "python": "flag --python"})
    assert next_command(failed, other, Rest()) == "selfheal resume s1 --python '/my env/bin/python'"
    other = fix_command(manifest, SETTINGS, other_tests=True)
    assert other == "selfheal fix 'a b.py' --tests PATH -- -x"
    assert next_lines(failed, SETTINGS, Rest(again=other, is_open=True)) == [f"again    {other}"]
    twice: Any = {**many, "program": ["s.py"], "tests": ["a/test_s.py", "b/test_s.py", "b/test_t.py"]}
    assert "--tests b/test_s.py b/test_t.py -- -x" in fix_command(twice, SETTINGS, alone="b/test_s.py")
    assert next_command(failed, SETTINGS, Rest(again=other, is_open=True)) == "", "PATH is the user's to name"


def test_a_doubt_of_a_pass_is_told_of_passes_only() -> None:
    report: Any = {**dict.fromkeys(("passed", "failed", "errors", "timeouts", "skipped"), 1), "duration_s": 0.1}
    report |= {"error": None, "cases": [], "not_verified": "one process", "verdict": "failed"}
    assert not [line for line in report_lines(report) if "verified" in line]
    assert report_lines({**report, "verdict": "passed"})[-1] == "not verified: one process"


def test_a_gain_short_of_healing_can_be_applied_too() -> None:
    gain = "or apply selfheal sessions apply s1 --unhealed"
    assert gain in lines_of("gave_up") and gain in lines_of("budget", Rest(raised=("--max-calls 2",)))
    assert f"{gain} -o healed" in lines_of("stopped", Rest(has_folder=False))
    unchanged = build_result(replace(SNAPSHOT, outcome="gave_up", program=dict(SNAPSHOT.base)), "s1")
    assert next_lines(unchanged, SETTINGS, Rest()) == ["open     selfheal resume s1"]
    assert not [line for line in lines_of("healed") if "--unhealed" in line]


def test_a_question_tells_three_answers_and_counts_the_rest() -> None:
    answers = [{"text": str(n), "share": 0.1, "repairs": n, "now": "x"} for n in range(1, 10)]
    result = build_result(replace(SNAPSHOT, program=dict(SNAPSHOT.base)), "s1", review="repair")
    result["review"]["evidence"]["question"] = {"call": "f(1)", "answers": answers}
    (line,) = [line for line in result_text(result, SETTINGS).splitlines() if "repairs disagree" in line]
    assert line == "  repairs disagree: f(1) gives 9 (9 repairs), gives 8 (8 repairs), gives 7 (7 repairs) and 6 others"


def test_a_heal_with_doubts_is_told_from_a_sure_one() -> None:
    taken: Any = {"cause": "", "by": "search", "evidence": [], "lines": [], "by_hand": False}
    records: Any = [{"taken": {**taken, "confidence": 0.57}}, {"taken": taken}, {"taken": {**taken, "confidence": 0.9}}]
    healed = replace(snapshot("c1", "conclude"), outcome="healed", records=tuple(records), reason="Both pass.")
    sure, doubtful = build_result(healed, "s"), build_result(replace(healed, doubts=("Only one case.",)), "s")
    assert sure["confidence"] == 0.57 and build_result(replace(healed, records=()), "s")["confidence"] is None
    assert result_text(sure, SETTINGS).startswith("healed: Both pass.")
    text = result_text(doubtful, SETTINGS)
    assert text.startswith("healed, with doubts: Both pass.") and "Only one case." in text


def test_a_diagnosis_says_how_sure_it_is() -> None:
    sure = DIAGNOSIS["confidence"]
    result = build_result(SNAPSHOT, "s1", review="diagnosis")
    assert f"diagnosis by {DIAGNOSIS['by']}, {sure:.0%} sure: " in result_text(result, SETTINGS)


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        ("healed", ""),
        ("waiting", "go on with: "),
        ("running", "go on with: "),
        *((outcome, "it ended unhealed; ") for outcome in ("gave_up", "stalled", "budget", "stopped")),
    ],
)
def test_a_closed_app_says_how_its_session_stands(monkeypatch: pytest.MonkeyPatch, outcome: str, words: str) -> None:
    monkeypatch.setattr(SessionStore, "row", lambda store, session_id: SimpleNamespace(outcome=outcome))
    told = _way_on(SETTINGS, "s1")
    assert told.startswith(words) and told.endswith("selfheal resume s1" if words else "")


def test_what_advisors_said_is_told_with_the_result() -> None:
    items: Any = [{"file": "p.py", "line": n, "why": "FIXME\x1b[0m"} for n in range(12)]
    advised = replace(SNAPSHOT, outcome="healed", advice={"open_marks": {"by": "x", "summary": "12.", "items": items}})
    result = build_result(advised, "s1")
    assert result["advice"]["open_marks"]["summary"] == "12." and build_result(None, "s1")["advice"] == {}
    lines = result_text({**result, "next": ""}, SETTINGS).splitlines()
    at = lines.index("open marks: 12.")
    assert lines[at + 1] == "  p.py:0 FIXME" and lines[at + 11] == "  and 2 more: --json has all"


@pytest.mark.parametrize(("places", "is_offered"), [(1, False), (2, True)])
def test_another_line_is_offered_where_there_is_one(places: int, is_offered: bool) -> None:
    evidence = [{"file": "p.py", "line": line, "why": "x"} for line in range(1, places + 1)]
    by_search: Any = {**DIAGNOSIS, "by": "search", "evidence": evidence}
    text = result_text(build_result(replace(SNAPSHOT, diagnosis=by_search), "s1", review="diagnosis"), SETTINGS)
    assert ("approve --pick N" in text) == ("another line:" in text) == is_offered
    assert "reject --avoid WHAT" in text


def test_a_moment_shows_the_doubts_of_each_repair_and_where_they_disagree() -> None:
    other: Repair = {
        **REPAIR,
        "changes": {"p.py": "x = 3\n"},
        "marks": [{"kind": "rivals", "why": "It may not be it."}],
    }
    first: Repair = {**REPAIR, "confidence": 0.32}
    question: Any = {
        "call": "[s := S(), s.n()][-1]",
        "answers": [{"text": "1", "repairs": 2, "share": 0.7}, {"text": "!KeyError", "repairs": 1, "share": 0.3}],
    }
    moment = replace(SNAPSHOT, candidates={"1": first, "2": other}, question=question)
    lines = _moment_text(moment, (), "s1").splitlines()
    at = {label: next(n for n, line in enumerate(lines) if line.startswith(f"repair {label}")) for label in "12"}
    assert lines[at["1"] + 1] == "  ? the search is only 32% sure of it"
    assert lines[at["2"] + 1] == "  ⚠ It may not be it."
    asked = lines.index("  after s = S()")
    assert (
        lines[asked + 1] == "  repairs disagree: s.n() gives 1 (2 repairs), raises KeyError there or before (1 repair)"
    )


def test_a_question_says_which_of_the_listed_repairs_give_what() -> None:
    answers = [{"text": "45", "share": 0.6, "repairs": 10}, {"text": "!Denied", "share": 0.4, "repairs": 2}]
    question: Any = {"call": "[b := Box(), b.left(1)][-1]", "answers": answers}
    passes, fails = {"report": {"verdict": "passed"}}, {"report": {"verdict": "failed"}}
    gives = [{"answers": {question["call"]: text}} for text in ("45", "!Denied", "45")]
    for report in (passes, fails):
        line = disagreement_lines(question, [{**report, **one} for one in gives])[1]
        told = "b.left(1) gives 45 (repairs 1, 3, and 8 repairs not listed), raises Denied there or before"
        assert line == f"  repairs disagree: {told} (repair 2, and 1 repair not listed)"
    (*_, line) = disagreement_lines(question, [{**passes, **gives[0]}, passes])
    assert "gives 45 (10 repairs)" in line, "what one of them gives is not known"
    assert "repair 1" in disagreement_lines(question, [{**fails, **gives[0]}, fails])[1], "that mends something else"


def test_what_is_asked_about_is_printed_whole() -> None:
    cause, strategy = "One sentence after another. " * 30 + "The last.", "Try this, then that. " * 30 + "Done."
    proposal = {"by": "search", "cause": cause, "strategy": strategy, "disproof": cause, "evidence": [], "fixes": []}
    review = {"kind": "diagnosis", "proposal": proposal, "evidence": {}}
    printed = "\n".join(question_lines(review, lambda answer: answer, ()))
    assert printed.count(cause) == 2 and strategy in printed and "…" not in printed
