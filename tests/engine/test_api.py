"""The Python API: what it takes, what it asks and returns, in a plain program and in a running event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui import Review, Session, aheal, approve, aresume, edit, heal, resume, stop
from selfheal_tui.engine.moment.events import CaseFinished, CheckpointSaved, Event, RunFinished
from selfheal_tui.engine.out.transfer.writing import write_session_file
from selfheal_tui.errors import InputError, ProviderError, SelfHealError
from tests.engine.driving import ANSWERS, BUGGY, FIXED, TESTS, script

PLAIN = "assert total([1, 2], 0) == 3\nassert total([7, 2, 9], 4) == 14\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the sessions folder that is used where none is named."""
    monkeypatch.setenv("SELFHEAL_SESSIONS", str(tmp_path / "sessions"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "sessions"


def test_text_is_healed_and_its_session_is_read_as_it_was_at_each_moment(home: Path, tmp_path: Path) -> None:
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

    session = Session.open(result.folder)
    first = next(one for one in session.checkpoints() if one.node == "run_suite")
    then = session.snapshot(first)
    assert dict(then.program) == {"solution.py": BUGGY} and then.report is not None and then.report["failed"] == 1
    assert dict(session.snapshot().program) == {"solution.py": FIXED}
    assert [branch.outcome for branch in session.branches()] == ["healed"]
    write_session_file(result.folder, tmp_path / "one.selfheal", {}, "")
    exported = Session.open(tmp_path / "one.selfheal")
    assert exported.decisions() == session.decisions() == Session.open(result.session).decisions()
    unpacked = exported.folder
    del exported
    assert not unpacked.exists()
    with pytest.raises(InputError, match="is no session"):
        Session.open(tmp_path)


async def test_decide_is_asked_each_question_and_an_edit_is_taken_also_in_a_running_loop(home: Path) -> None:
    asked: list[Review] = []
    threads = set[threading.Thread]()

    async def decide(review: Review) -> Any:
        await asyncio.sleep(0)
        asked.append(review)
        if review.kind == "diagnosis":
            return edit({"cause": "The sign is wrong."}) if len(asked) == 1 else "approve"
        return edit({"shop.py": FIXED + "\n"})

    def hear(event: Event) -> None:
        threads.add(threading.current_thread())

    result = heal(code={"shop.py": BUGGY, "test_shop.py": TESTS}, decide=decide, on_event=hear)
    assert result.healed and result.code == FIXED + "\n"
    assert threads == {threading.current_thread()}, "a notebook's own functions run where it stands"
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


async def test_whatever_ends_a_run_leaves_a_session_that_goes_on_with_its_advisors(home: Path) -> None:
    def open_marks(program: Mapping[str, str]) -> str:
        return f"{len(program)} file, no marks."

    def cancel(event: Event) -> None:
        if isinstance(event, CaseFinished):
            task.cancel()

    task = asyncio.create_task(aheal(code=FIXED, tests=TESTS, on_event=cancel, advisors=["quality", open_marks]))
    with pytest.raises(asyncio.CancelledError) as cancelled:
        await task
    (session,) = home.iterdir()
    assert session.name in cancelled.value.__notes__[0]
    with pytest.raises(ZeroDivisionError) as raised:
        resume(session.name, on_event=lambda event: 1 // 0)
    assert f"selfheal_tui.resume({session.name!r})" in raised.value.__notes__[0]
    result = await aresume(session.name, advisors=[open_marks])
    assert result.outcome == "nothing_to_heal" and list(result.advice) == ["quality", "open_marks"]
    assert result.advice["open_marks"] == {"by": "open_marks", "summary": "1 file, no marks.", "items": []}
    assert "open_marks: 1 file, no marks." in str(result)
    assert dict(Session.open(result.folder).snapshot().advice) == dict(result.advice)


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
    no_tests = {
        "role": "spec_tester",
        "reply": {"tests": "from solution import double\n\n\ndef test_one():\n    assert double(1) == 2\n"},
    }
    model = script(tmp_path / "script.yaml", written, no_tests)
    result = heal("Write double(x).", tests="assert double(2) == 4", model=model, critic="off", adversary="off")
    assert result.healed and result.code == "def double(x):\n    return 2 * x\n"
    with pytest.raises(ProviderError) as gone:
        heal(code=BUGGY, tests=TESTS, model=script(tmp_path / "empty.yaml"))
    assert gone.value.session and (home / gone.value.session).is_dir()


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
        ({"code": BUGGY, "tests": PLAIN, "advisors": [lambda program: ""]}, "functions with names of their own"),
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
