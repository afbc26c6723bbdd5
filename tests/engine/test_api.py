"""The Python API: what it takes, what it asks and returns, in a plain program and in a running event loop."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui import Result, Review, Session, aheal, approve, aresume, edit, heal, reject, resume, stop
from selfheal_tui.engine.moment.events import CheckpointSaved, Event, RunFinished, SearchProgressed
from selfheal_tui.errors import InputError, ProviderError, SelfHealError
from tests.engine.driving import ANSWERS, BUGGY, FIXED, TESTS, script

PLAIN = "assert total([1, 2], 0) == 3\nassert total([7, 2, 9], 4) == 14\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the sessions folder that is used where none is named."""
    monkeypatch.setenv("SELFHEAL_SESSIONS", str(tmp_path / "sessions"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "sessions"


def test_text_is_healed_and_what_comes_back_says_all(home: Path) -> None:
    told: list[Event] = []
    result = heal(code=BUGGY, tests=PLAIN, on_event=told.append)
    assert (result.outcome, result.healed, result.code, dict(result.files)) == (
        "healed",
        True,
        FIXED,
        {"solution.py": FIXED},
    )
    assert result.changed == ("solution.py",) and "-    return amount + discount" in result.diff
    assert result.report is not None and result.report["passed"] == 2
    assert (result.iterations, result.spent["calls"], result.review) == (1, 0, None)
    assert result.folder == home / result.session and result.folder.is_dir()
    assert isinstance(told[-1], RunFinished) and any(isinstance(one, CheckpointSaved) for one in told)
    assert repr(result) == f"<Result healed; 2 of 2 cases pass; session {result.session}>"
    assert "+    return amount - discount" in str(result)


def test_decide_is_asked_each_question_and_an_edit_is_taken(home: Path) -> None:
    asked: list[Review] = []

    def decide(review: Review) -> Any:
        asked.append(review)
        if review.kind == "diagnosis":
            return edit({"cause": "The sign is wrong."}) if len(asked) == 1 else "approve"
        return edit({"shop.py": FIXED + "\n"})

    result = heal(code={"shop.py": BUGGY, "test_shop.py": TESTS}, decide=decide)
    assert result.healed and result.code == FIXED + "\n"
    diagnosis, repair = asked
    assert diagnosis.diagnosis is not None and diagnosis.candidates == () and "shop.py:6" in str(diagnosis)
    assert repair.kind == "repair" and repair.files == {"shop.py": BUGGY}
    first = repair.candidates[0]
    assert (first.label, first.changes, first.fixes, first.breaks) == (
        "1",
        {"shop.py": FIXED},
        ("test_shop.py::test_discount",),
        (),
    )
    assert first.diff == repair.diff and first.report is not None and first.by == "search"
    decisions = Session.open(result.folder).decisions()
    assert [(one.kind, one.verdict, one.by) for one in decisions][:2] == [
        ("diagnosis", "edit", "human"),
        ("repair", "edit", "human"),
    ]


def test_a_question_that_nobody_answers_waits_and_is_answered_later(home: Path) -> None:
    waiting = heal(code=BUGGY, tests=TESTS, autonomy="review_repairs")
    assert (waiting.outcome, waiting.healed) == ("waiting", False) and waiting.review is not None
    assert waiting.review.kind == "diagnosis" and waiting.review.session == waiting.session
    with pytest.raises(InputError, match=r"A rejection needs a reason.*reject\('why'\)") as refused:
        resume(waiting, "reject")
    assert refused.value.session == waiting.session
    with pytest.raises(InputError, match="True, which is no answer"):
        resume(waiting.session, True)  # type: ignore[arg-type]
    repair = resume(waiting, approve())
    assert repair.review is not None and repair.review.kind == "repair"
    assert "return amount - discount" in repair._repr_html_(), "what waits is shown"
    ended = resume(repair, stop("enough"))
    assert (ended.outcome, ended.code) == ("stopped", BUGGY)
    with pytest.raises(InputError, match="No question waits"):
        resume(ended, approve())


async def test_in_a_running_loop_the_functions_of_the_caller_run_in_its_thread(home: Path) -> None:
    here, threads = threading.current_thread(), set[threading.Thread]()

    def hear(event: Event) -> None:
        threads.add(threading.current_thread())

    async def decide(review: Review) -> Any:
        await asyncio.sleep(0)
        return approve()

    result = heal(code=BUGGY, tests=TESTS, on_event=hear, decide=decide)
    assert result.healed and threads == {here}
    with pytest.raises(ZeroDivisionError) as raised:
        heal(code=BUGGY, tests=TESTS, on_event=lambda event: 1 // 0)
    assert "selfheal_tui.resume(" in raised.value.__notes__[0]


async def test_a_cancelled_task_leaves_a_session_that_goes_on(home: Path) -> None:
    def cancel(event: Event) -> None:
        if isinstance(event, SearchProgressed):
            task.cancel()

    task = asyncio.create_task(aheal(code=BUGGY, tests=TESTS, on_event=cancel))
    with pytest.raises(asyncio.CancelledError) as cancelled:
        await task
    (session,) = home.iterdir()
    assert session.name in cancelled.value.__notes__[0]
    assert (await aresume(session.name)).healed


@pytest.mark.deep
def test_ctrl_c_leaves_a_session_that_goes_on(home: Path) -> None:
    def interrupt(event: Event) -> None:
        if isinstance(event, SearchProgressed):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        heal(code=BUGGY, tests=TESTS, on_event=interrupt)
    (session,) = home.iterdir()
    assert resume(session.name).healed


def test_a_folder_is_healed_and_written_only_when_asked(home: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "shop.py").write_text(BUGGY)
    (project / "test_shop.py").write_text(TESTS)
    (project / "selfheal.yaml").write_text("model: nobody:nothing\nmax_iterations: 0\n")
    result = heal(path=project, tests=["pytest test_shop.py::test_discount"])
    assert result.healed and (project / "shop.py").read_text() == BUGGY
    assert result.report is not None and [case["id"] for case in result.report["cases"]] == [
        "test_shop.py::test_discount"
    ]
    with pytest.raises(SelfHealError, match="max_iterations must be"):
        heal(path=project, trust=True)
    assert result.write() == [project / "shop.py"] and (project / "shop.py").read_text() == FIXED
    (project / "shop.py").write_text("mine\n")
    with pytest.raises(InputError, match=r"shop\.py"):
        result.write()
    assert (project / "shop.py").read_text() == "mine\n"


def test_a_model_writes_what_a_spec_says_and_one_that_fails_leaves_a_session(home: Path, tmp_path: Path) -> None:
    written = {"role": "generator", "reply": {"code": "def double(x):\n    return 2 * x\n"}}
    no_tests = {"role": "spec_tester", "reply": {"tests": "def test_one():\n    assert double(1) == 2\n"}}
    model = script(tmp_path / "script.yaml", written, no_tests)
    result = heal("Write double(x).", tests="assert double(2) == 4", model=model, critic="off", adversary="off")
    assert result.healed and result.code == "def double(x):\n    return 2 * x\n"
    with pytest.raises(ProviderError) as gone:
        heal(code=BUGGY, tests=TESTS, model=script(tmp_path / "empty.yaml"))
    assert gone.value.session and (home / gone.value.session).is_dir()


@pytest.mark.deep
def test_events_cost_and_roles_come_from_the_model_that_is_named(home: Path, tmp_path: Path) -> None:
    model = script(tmp_path / "script.yaml", *ANSWERS)
    result = heal(code=BUGGY, tests=TESTS, model={"*": "search", "debugger": model, "repairer": model}, critic="off")
    assert result.healed and result.spent["calls"] == 2 and result.spent["cost_usd"] == 0.02


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "There is nothing to heal"),
        ({"code": " "}, "code is empty"),
        ({"code": BUGGY}, "nothing to judge the code by"),
        ({"code": "shop.py", "tests": PLAIN}, r"name of a file.*Path\('shop\.py'\)"),
        ({"code": BUGGY, "tests": "test_shop.py"}, "tests is the name of a file"),
        ({"code": BUGGY, "tests": "def ("}, "tests does not parse, line 1"),
        ({"code": BUGGY, "tests": 3}, "tests cannot be 3"),
        ({"code": BUGGY, "path": "."}, "Give one of them"),
        ({"code": {"../shop.py": BUGGY}, "tests": TESTS}, r"'\.\./shop\.py'"),
        ({"code": {"shop.py": BUGGY}, "tests": ["test_other.py"]}, "not among the files of code"),
        ({"code": {"test_shop.py": TESTS}}, "no Python file that is no test"),
        ({"path": "gone"}, "does not exist"),
        ({"path": 3}, "path cannot be 3"),
        ({"path": ".", "tests": PLAIN}, "tests are paths, not text"),
        ({"code": {"shop.py": BUGGY}, "tests": ["pytest -k a"]}, "pytest_args"),
        ({"code": BUGGY, "tests": PLAIN, "max_iteration": 3}, "Did you mean max_iterations"),
        ({"code": BUGGY, "tests": PLAIN, "max_iterations": 0}, "max_iterations must be a whole number above 0"),
        ({"code": BUGGY, "tests": PLAIN, "autonomy": "full"}, "Did you mean full_auto"),
        ({"code": BUGGY, "tests": PLAIN, "model": "openai"}, "openai"),
        ({"code": BUGGY, "tests": PLAIN, "model": 3}, "model must be PROVIDER:NAME"),
        ({"code": BUGGY, "tests": PLAIN, "advisors": ["qualty"]}, "Did you mean 'quality'"),
        ({"spec": "Write f(x)."}, "Choose a model"),
    ],
    ids=lambda value: "" if isinstance(value, dict) else value[:30],
)
def test_what_cannot_be_used_gets_one_sentence_and_leaves_nothing(
    home: Path, given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        heal(**given)
    assert not home.exists()


def test_a_session_is_read_as_it_was_at_each_moment_and_as_an_exported_file(home: Path, tmp_path: Path) -> None:
    from selfheal_tui.engine.out.transfer.writing import write_session_file

    result = heal(code=BUGGY, tests=TESTS)
    session = Session.open(result.folder)
    first = next(one for one in session.checkpoints() if one.node == "run_suite")
    then = session.snapshot(first)
    assert dict(then.program) == {"shop.py": BUGGY} and then.report is not None and then.report["failed"] == 1
    assert dict(session.snapshot().program) == {"shop.py": FIXED}
    assert [branch.outcome for branch in session.branches()] == ["healed"]
    write_session_file(result.folder, tmp_path / "one.selfheal", {}, "")
    exported = Session.open(tmp_path / "one.selfheal")
    assert exported.decisions() == session.decisions() == Session.open(result.session).decisions()
    unpacked = exported.folder
    del exported
    assert not unpacked.exists()
    with pytest.raises(InputError, match="is no session"):
        Session.open(tmp_path)


@pytest.mark.deep
def test_rejecting_reaches_the_next_attempt(home: Path) -> None:
    answers = iter([approve(), reject("Leave the return alone.", avoid=["function:total"]), None])
    result = heal(code=BUGGY, tests=TESTS, decide=lambda review: next(answers))
    assert isinstance(result, Result) and result.outcome in ("waiting", "gave_up")
    notes = [one.note for one in Session.open(result.folder).decisions() if one.verdict == "reject"]
    assert notes and "Leave the return alone." in notes[0]
