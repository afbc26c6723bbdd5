"""What git had goes first: several recent changes are taken back together before anything is invented."""

from __future__ import annotations

import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from selfheal_tui.engine.moment.candidate_words import candidate_line
from selfheal_tui.engine.moment.events import RunFinished
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task import recent_changes
from selfheal_tui.engine.task.task import Task
from selfheal_tui.line_blocks import replaced_lines
from selfheal_tui.sandbox.base import Suite, run_through
from selfheal_tui.sandbox.local import LocalSandbox
from selfheal_tui.search.hunt.candidates import changes_key
from selfheal_tui.search.program.avoid import Avoid
from selfheal_tui.search.program.recent import At, RecentChange
from selfheal_tui.search.repair import Budget, Found, repair
from tests.warm import WarmSandbox

from .driving import drain, options

SHOP = """def ordinal(n):
    if n % 100 in (11, 12, 13):
        return f"{n}th"
    return f"{n}" + {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")


def snake(word):
    word = word.replace("-", "_")
    return word.lower()
"""
SIZES = """def unit(i, base=10):
    return base ** (i + 1)
"""
TESTS = """import pytest
from shop import ordinal, snake
from sizes import unit


@pytest.mark.parametrize("n, text", [(1, "1st"), (4, "4th"), (12, "12th"), (111, "111th"), (112, "112th")])
def test_ordinal(n, text):
    assert ordinal(n) == text


@pytest.mark.parametrize("word, text", [("a-b", "a_b"), ("A", "a"), ("A-b", "a_b")])
def test_snake(word, text):
    assert snake(word) == text


@pytest.mark.parametrize("i, power", [(0, 10), (1, 100), (2, 1000)])
def test_unit(i, power):
    assert unit(i) == power
"""
GOOD = {"shop.py": SHOP, "sizes.py": SIZES}
ORDINAL = ("n % 100 in", "n in")
SNAKE = ("return word.lower()", "return word")
UNIT = ("(i + 1)", "(i + 2)")


def changed(good: Mapping[str, str], *slips: tuple[str, str]) -> dict[str, str]:
    texts = dict(good)
    for old, new in slips:
        (path,) = (path for path, text in texts.items() if old in text)
        texts[path] = texts[path].replace(old, new)
    return texts


def recent_of(before: Mapping[str, str], now: Mapping[str, str], commit: str = "") -> dict[At, RecentChange]:
    return {
        (path, line): RecentChange(commit, "1 day ago" if commit else "", change.old, len(change.rows))
        for path in now
        for change in replaced_lines(before[path], now[path])
        for line in change.rows
    }


@pytest.fixture
async def sandbox() -> AsyncIterator[LocalSandbox]:
    opened = WarmSandbox()
    yield opened
    await opened.aclose()


async def search(
    sandbox: LocalSandbox,
    program: Mapping[str, str],
    recent: Mapping[At, RecentChange],
    tests: str = TESTS,
    **more: object,
) -> Found:
    files = {**program, "test_it.py": tests}
    suite = Suite(files, ("test_it.py",), tuple(program))
    covered = await run_through(sandbox, replace(suite, coverage=True))
    steps = repair(
        files,
        suite.program,
        suite.tests,
        covered.report,
        sandbox,
        coverage=covered.coverage,
        recent=recent,
        budget=Budget(time_s=120.0),
        **more,  # type: ignore[arg-type]
    )
    async with aclosing(steps) as progress:
        async for step in progress:
            if isinstance(step, Found):
                return step
    raise AssertionError("no result")


async def test_two_mistakes_that_git_can_take_back_are_taken_back_before_any_edit_is_tried(
    sandbox: LocalSandbox,
) -> None:
    bad = changed(GOOD, ORDINAL, SNAKE, UNIT)
    found = await search(sandbox, bad, recent_of(GOOD, bad, "884c5cf Simplify"))
    first = found.candidates[0]
    assert first.complete and {**bad, **first.changes} == GOOD
    assert first.parts == 3 and first.summary.count("as before 884c5cf") == 3
    assert first.marks == (), "git explains each of them"
    assert found.judged < 20 and found.confidence > 0.5


async def test_what_a_commit_wanted_stays(sandbox: LocalSandbox) -> None:
    wanted = ("    return word.lower()", "    word = word.strip()\n    return word.lower()")
    tests = TESTS.replace('("A", "a"),', '("A", "a"), (" A ", "a"),')
    new = changed(GOOD, wanted)
    bad = changed(new, ORDINAL, UNIT)
    found = await search(sandbox, bad, recent_of(GOOD, bad, "884c5cf Simplify"), tests)
    assert {**bad, **found.candidates[0].changes} == new
    untested = await search(sandbox, bad, recent_of(GOOD, bad, "884c5cf Simplify"))
    assert {**bad, **untested.candidates[0].changes} == new, "a change that no case needs gone stays as well"


CODEC = """def write(text):
    return text + ";"


def read(line):
    return line.removesuffix(";")


def title(text):
    return text.title()
"""
CODEC_TESTS = """from codec import read, title, write


def test_write():
    assert write("a") == "a;"


def test_round():
    assert read(write("a")) == "a"


def test_title():
    assert title("ab") == "Ab"
"""


async def test_changes_that_help_only_together_are_taken_back_together_and_no_other_with_them(
    sandbox: LocalSandbox,
) -> None:
    new = changed({"codec.py": CODEC}, ("text.title()", "text.capitalize()"))
    bad = changed(new, ('text + ";"', 'text + "|"'), ('removesuffix(";")', 'removesuffix("|")'))
    found = await search(sandbox, bad, recent_of({"codec.py": CODEC}, bad), CODEC_TESTS)
    first = found.candidates[0]
    assert first.changes == new and found.judged < 20 and first.marks == ()
    assert first.summary.count("as in the last commit") == 2


async def test_beside_a_mistake_that_git_does_not_know_what_git_had_is_kept(sandbox: LocalSandbox) -> None:
    old = changed(GOOD, SNAKE)
    bad = changed(old, ORDINAL)
    found = await search(sandbox, bad, recent_of(old, bad))
    first = found.candidates[0]
    assert first.complete and "n % 100 in" in first.changes["shop.py"] and "as in the last commit" in first.summary
    assert first.parts == 2


async def test_what_was_refused_or_closed_is_not_taken_back(sandbox: LocalSandbox) -> None:
    bad = changed(GOOD, ORDINAL, UNIT)
    recent = recent_of(GOOD, bad)
    other = await search(sandbox, bad, recent, exclude=[changes_key(GOOD)])
    assert all({**bad, **one.changes} != GOOD for one in other.candidates)
    closed = await search(
        sandbox, bad, recent, avoid=Avoid(lines=frozenset({("sizes.py", 2, "return base ** (i + 2)")}))
    )
    assert all("sizes.py" not in one.changes for one in closed.candidates)


def committed(folder: Path) -> Path:
    """Make a repository of the good program."""
    folder.mkdir()
    for path, text in GOOD.items():
        (folder / path).write_text(text, "utf-8")
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "Add"]):
        subprocess.run(["git", *words], cwd=folder, check=True, timeout=60)
    return folder


async def test_what_git_had_is_taken_unseen_without_a_doubt(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recent_changes, "LONGEST_S", 60.0)
    folder = committed(tmp_path / "shop")
    program = changed(GOOD, ORDINAL, SNAKE, UNIT)
    files = {**program, "test_it.py": TESTS}
    task = Task("fix", "shop", files, tuple(program), ("test_it.py",), root=str(folder))
    session_id = await workbench.create(task, options("search", autonomy="full_auto"))
    async with workbench.open_session(session_id) as session:
        last = (await drain(session.resume()))[-1]
        assert isinstance(last, RunFinished)
        ended = last.snapshot
        assert (ended.outcome, dict(ended.program), ended.doubts) == ("healed", GOOD, ())
        ranked = [await session.snapshot(one.id) for one in await session.timeline() if one.node == "rank"]
        (first,) = ranked[-1].candidates.values()
        line = candidate_line(first, ranked[-1].program, {}, recent=ranked[-1].recent)
        assert "all as in the last commit, " in line.head and not line.doubts
