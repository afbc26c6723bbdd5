"""Watching a project: when the suite runs again, and what is said of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from selfheal_tui.cli.watch import seen_lines
from selfheal_tui.engine.task.task import Task, load_task
from selfheal_tui.engine.task.watching import Ran, Unusable, read_stamps, watched_runs

TEST = "from shop import fee\n\n\ndef test_fee():\n    assert fee() == 1\n"


def report(failed: int) -> Any:
    case = {"outcome": "failed", "message": "assert 2 == 1\x1b[2J", "id": "t.py::test_x", "location": ""}
    return {
        "passed": 3,
        "failed": failed,
        "errors": 0,
        "timeouts": 0,
        "skipped": 0,
        "duration_s": 0.5,
        "error": None,
        "cases": [case] * failed,
        "verdict": "failed" if failed else "passed",
    }


async def test_the_suite_runs_now_and_after_a_change_but_not_after_a_touch(tmp_path: Path) -> None:
    program = tmp_path / "shop.py"
    (tmp_path / "test_shop.py").write_text(TEST)
    texts = ["def fee(): return 1\n", "def fee(): return 2\n"]
    program.write_text(texts[0])
    changes = iter(
        [
            lambda: None,
            lambda: os.utime(program, ns=(1, 1)),
            lambda: program.write_text(texts[1]),
            lambda: (tmp_path / "test_shop.py").write_text("def ("),
            lambda: (tmp_path / "test_shop.py").write_text(TEST),
        ]
    )
    ran: list[str] = []

    async def run(task: Task) -> Any:
        ran.append(task.files["shop.py"])
        return report(1)

    async def wait() -> None:
        next(changes)()

    runs = watched_runs(tmp_path, lambda: load_task([tmp_path]), run, wait)
    seen = [await anext(runs) for _ in range(4)]
    await runs.aclose()
    assert [type(one) for one in seen] == [Ran, Ran, Unusable, Ran]
    assert ran == [texts[0], texts[1], texts[1]]
    assert "does not parse" in seen_lines(seen[2])[0]


def test_what_is_hidden_or_generated_is_not_looked_at(tmp_path: Path) -> None:
    for name in (".git/index", "__pycache__/a.pyc", ".pytest_cache/x", "shop.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    os.symlink("gone", tmp_path / "dangling.py")
    assert list(read_stamps(tmp_path)) == [str(tmp_path / "shop.py")]


def test_few_failing_cases_are_told_each_on_a_safe_line(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("")
    (tmp_path / "test_shop.py").write_text(TEST)
    task = load_task([tmp_path])
    assert seen_lines(Ran(task, report(0))) == ["3 passed in 0.5 s"]
    noted = report(7)
    noted["notes"] = ["t.py::a needs the network; to allow it: --allow-network."]
    assert seen_lines(Ran(task, noted))[-1] == f"  note: {noted['notes'][0]}"
    lines = seen_lines(Ran(task, report(7)))
    assert lines[0] == "3 passed, 7 failed in 0.5 s" and lines[-1] == "  and 2 others"
    assert len(lines) == 12 and "\x1b" not in "".join(lines)


def test_a_suite_that_could_not_run_is_told_without_its_seconds(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("")
    (tmp_path / "test_shop.py").write_text(TEST)
    broken = report(0) | {"cases": [], "error": "shop.py does not parse, line 1: invalid syntax", "verdict": "error"}
    assert " in 0.5 s" not in seen_lines(Ran(load_task([tmp_path]), broken))[0]
