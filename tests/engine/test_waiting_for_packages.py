"""A test file that waits for a package that is not installed: the rest is healed, and the file is told of."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.cli.next_steps import rest_of
from selfheal_tui.engine.moment.events import Noticed, RunFailed, RunFinished
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import Task, load_task
from selfheal_tui.settings import default_settings

from .driving import drain, options

DUE = "def overdue(days, limit):\n    return days >= limit\n"
TEST_DUE = """from due import overdue


def test_equal():
    assert not overdue(14, 14)


def test_more():
    assert overdue(15, 14)


def test_less():
    assert not overdue(13, 14)
"""
FILES = {
    "due.py": DUE,
    "test_due.py": TEST_DUE,
    "imp.py": "import requestz\n\n\ndef get():\n    return requestz.get()\n",
    "test_imp.py": "from imp import get\n\n\ndef test_get():\n    assert get() == 1\n",
}


async def test_the_rest_is_healed_and_the_file_is_named(workbench: Workbench) -> None:
    task = Task("fix", "mixed", FILES, ("due.py", "imp.py"), ("test_due.py", "test_imp.py"))
    session_id = await workbench.create(task, options(autonomy="full_auto"))
    async with workbench.open_session(session_id) as session:
        events = await drain(session.resume())
    ended = events[-1]
    assert isinstance(ended, RunFinished)
    assert ended.snapshot.program["due.py"] == DUE.replace(">=", ">")
    (note,) = [event.text for event in events if isinstance(event, Noticed)]
    assert note.startswith("test_imp.py cannot be collected and stays as it is: the tests need `requestz`, ")
    assert ended.snapshot.outcome == "healed" and ended.snapshot.report is not None
    (kept,) = ended.snapshot.report["notes"]
    assert kept.startswith("test_imp.py") and "--python" in kept


@pytest.mark.deep
async def test_what_no_edit_mends_does_not_hide_the_package(workbench: Workbench) -> None:
    files = {**FILES, "due.py": "def overdue(days, limit):\n    return opaque(days, limit)\n"}
    files["opaque.py"] = "def opaque(days, limit): return str(days)\n"
    task = Task("fix", "mixed", files, ("due.py", "imp.py"), ("test_due.py", "test_imp.py"))
    session_id = await workbench.create(task, options(autonomy="full_auto", max_iterations=1))
    async with workbench.open_session(session_id) as session:
        events = await drain(session.resume())
    assert isinstance(events[-1], RunFinished) and events[-1].snapshot.report is not None
    (kept,) = events[-1].snapshot.report["notes"]
    assert "test_imp.py cannot be collected and stays as it is: the tests need `requestz`, " in kept


async def test_a_module_of_the_users_is_named_in_the_next_command(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for path, text in (("one/due.py", DUE), ("two/shop.py", "x = 1\n"), ("two/tests/test_shop.py", "import shop\n")):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    task = load_task([Path("one/due.py")], [Path("two/tests/test_shop.py")])
    session_id = await workbench.create(task, options(autonomy="full_auto"))
    async with workbench.open_session(session_id) as session:
        ended = (await drain(session.resume()))[-1]
        rest = await rest_of(session, None, ended, default_settings({}))
    assert isinstance(ended, RunFailed) and "that is two/shop.py, which was not named" in str(ended.error)
    assert rest.again == "selfheal fix two/shop.py --tests two/tests/test_shop.py"
