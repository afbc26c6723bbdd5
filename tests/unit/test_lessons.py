"""Lessons between sessions: found by words, made safe, shared by processes, and never the end of a run."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from selfheal_tui.engine.moment.lessons import LESSONS_KEPT, kept, lesson_of, taken_words
from selfheal_tui.engine.moment.state import Repair
from selfheal_tui.errors import InputError, SessionError
from selfheal_tui.store.lessons import LessonBook

WORDS = "parsing dates of headers"


@pytest.mark.parametrize(
    "odd", ['"quoted" OR (', "NEAR(a b) *", "\x00 \ud800 -", "日本語テキスト AND NOT", "x" * 100_000]
)
def test_odd_words_are_searched_for_as_words(tmp_path: Path, odd: str) -> None:
    book = LessonBook(tmp_path)
    book.add("dates", "Headers have dates without a zone.", "s1", f"{WORDS} {odd}")
    assert [lesson.task for lesson in book.find(f"{odd} {WORDS}")] == ["dates"]


def test_what_is_kept_is_safe_and_short(tmp_path: Path) -> None:
    book = LessonBook(tmp_path)
    book.add("da\x1b[31mtes\n", "half \ud800 of \x00 it" + "y" * 9000, "s1", WORDS)
    (lesson,) = book.all()
    assert lesson.task == "dates" and lesson.text.startswith("half \ufffd of \ufffd it") and len(lesson.text) <= 1000


def _add(home: str, name: str) -> None:
    for number in range(20):
        LessonBook(Path(home)).add(f"{name} {number}", "Headers.", name, WORDS)
        LessonBook(Path(home)).find(WORDS)


def test_processes_share_the_book(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    children = [context.Process(target=_add, args=(str(tmp_path), name)) for name in ("one", "two")]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0, 0] and len(LessonBook(tmp_path).all()) == 40


def test_a_book_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SessionError, match="cannot be used"):
        LessonBook(tmp_path / "file" / "home").add("a", "b", "c", "d")
    (tmp_path / "lessons.db").write_text("no database " * 100)
    with pytest.raises(SessionError, match="cannot be used"):
        LessonBook(tmp_path).find(WORDS)


def test_off_on_deleted(tmp_path: Path) -> None:
    book = LessonBook(tmp_path)
    book.add("dates", "Headers.", "s1", WORDS)
    (lesson,) = book.all()
    book.use(lesson.id, False)
    assert not book.find(WORDS) and not book.all()[0].used
    book.use(lesson.id, True)
    assert book.find(WORDS)
    book.delete(lesson.id)
    assert not book.find(WORDS) and not book.all()
    with pytest.raises(InputError, match="no lesson 1"):
        book.delete(lesson.id)
    book.add("dates", "Headers.", "s1", WORDS)
    assert len(book.find(WORDS)) == 1


def test_the_log_of_a_run_stays_short_and_keeps_the_human() -> None:
    record = {"verdict": "edit", "note": "why\x1b[2J", "by": "human", "iteration": 0, "edit": "-old\x9b\n+new"}
    said = lesson_of(record, {"summary": "Edited\x07"})  # type: ignore[typeddict-item]
    assert "\x1b" not in said and "\x9b" not in said and "\x07" not in said
    log = kept([said, *(f"Did not help {number}" for number in range(9))])
    assert len(log) == LESSONS_KEPT and log[0] == said


WHOLE: Repair = {
    "summary": "Right constants in double and half.",
    "changes": {},
    "strategy": "minimal",
    "by": "a:model",
    "diff": "--- a/p.py\n+++ b/p.py\n@@ -1,2 +1,2 @@\n def double(n):\n-    return n * 3\x1b[2J\n+    return n * 2\n",
}


def test_a_whole_repair_is_told_by_its_summary_and_a_part_by_its_lines() -> None:
    lines = "- return n * 3; + return n * 2"
    assert taken_words(WHOLE) == WHOLE["summary"]
    assert taken_words({**WHOLE, "part_of": "whole"}) == lines
    assert taken_words({**WHOLE, "by": "human"}) == lines
    assert taken_words({**WHOLE, "by": "human", "diff": ""}) == WHOLE["summary"]
    long = {**WHOLE, "part_of": "whole", "diff": "".join(f"+{n}\n" for n in range(20))}
    assert taken_words(long).endswith("+ 11; and 8 more lines")  # type: ignore[arg-type]


def test_the_lesson_of_a_part_fits_and_tells_both_sides() -> None:
    record = {"verdict": "edit", "note": "later", "by": "human", "iteration": 0, "declined": "-x\n+y" * 200}
    lesson = lesson_of(record, {**WHOLE, "by": "human"})  # type: ignore[typeddict-item]
    assert "declining, because: later" in lesson and len(lesson) <= 600
    assert lesson.endswith("What went in: - return n * 3; + return n * 2")
