"""Lessons: what a decision teaches, what is kept, and the book that sessions share."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from selfheal_tui.cli import main
from selfheal_tui.engine.moment.lessons import LESSONS_KEPT, edited_summary, kept, lesson_of
from selfheal_tui.engine.moment.state import Record, Repair
from selfheal_tui.errors import InputError, SessionError
from selfheal_tui.store.lessons import FILE_NAME, LessonBook

REPAIR: Repair = {
    "summary": "Subtract the discount.",
    "changes": {},
    "strategy": "minimal",
    "by": "m:x",
    "fixes": ["t::a"],
    "breaks": [],
}


def record(verdict: str, by: str = "human", note: str = "", edit: str = "") -> Record:
    made: Record = {
        "prev": "",
        "iteration": 1,
        "repair_ref": "",
        "changes_ref": "",
        "verdict": verdict,
        "note": note,
        "by": by,
        "keys": [],
    }
    return {**made, "edit": edit} if edit else made


def test_a_lesson_whose_repair_was_taken_back_is_offered_to_nobody_until_it_stands_again(tmp_path: Path) -> None:
    book, words = LessonBook(tmp_path), "discount subtract total"
    book.add("shop", "Subtract the discount.", "s1", words)
    book.add("bank", "Subtract the discount from the total.", "s2", words)
    book.take_back("s1", True)
    assert [lesson.session_id for lesson in book.find(words)] == ["s2"]
    (gone,) = (lesson for lesson in book.all() if lesson.session_id == "s1")
    assert gone.taken_back and not gone.used
    book.take_back("s1", False)
    assert len(book.find(words)) == 2
    book.use(gone.id, False)
    book.take_back("s1", True)
    book.take_back("s1", False)
    assert len(book.find(words)) == 1, "what a human turned off stays off"
    book.take_back("s2", True)
    book.add("bank", "Subtract the discount from the total.", "s3", words)
    assert [lesson.session_id for lesson in book.find(words)] == ["s3"], "learnt again, it is offered again"


def test_a_decision_teaches_what_was_done_and_why() -> None:
    assert lesson_of(record("reject", note="never round"), REPAIR) == (
        "The human refused 'Subtract the discount.': never round"
    )
    taken = lesson_of(record("approve", by="policy"), REPAIR)
    assert taken == "Taken (iteration 2, minimal): Subtract the discount. (fixed 1 case, broke none)."
    assert lesson_of(record("reject", by="policy"), REPAIR).startswith("Did not help (iteration 2, minimal)")
    edited = lesson_of(record("edit", edit="--- a\n+++ b\n-old\n+new\n"), REPAIR)
    assert edited.endswith(":\n-old\n+new") and "The human changed" in edited


@pytest.mark.parametrize("in_part", [False, True])
def test_the_lesson_of_an_edit_names_what_was_proposed_in_sessions_of_any_age(in_part: bool) -> None:
    edited: Repair = {**REPAIR, "summary": edited_summary("Take the discount off.", in_part)}
    earlier = record("edit", edit="-old\n+new\n")
    now: Record = {**earlier, "proposed_summary": "Take the discount off."}
    assert edited["summary"].endswith("by the human: Take the discount off.")
    assert lesson_of(earlier, edited) == lesson_of(now, edited)
    assert "the repair 'Take the discount off.' before taking it" in lesson_of(now, edited)


def test_what_the_human_said_is_kept_longest() -> None:
    told = [f"Did not help {n}" for n in range(LESSONS_KEPT)]
    lessons = kept(["The human refused x: y", *told])
    assert len(lessons) == LESSONS_KEPT and lessons[0] == "The human refused x: y" and "Did not help 0" not in lessons
    assert kept([f"The human refused {n}" for n in range(9)])[0] == "The human refused 4"
    assert kept(["a", "a"]) == ["a"]


def test_lessons_are_found_by_more_than_one_word(tmp_path: Path) -> None:
    book = LessonBook(tmp_path)
    assert book.find("discount total") == [] and not (tmp_path / FILE_NAME).exists()
    book.add("shop.py", "The discount was added. Healed by: subtracting it.", "s1", "boundary total price")
    book.add("shop.py", "The discount was added. Healed by: subtracting it.", "s2", "again")
    book.add("roman.py", "A smaller sign before a larger one is taken off.", "s3", "numeral")
    assert [lesson.task for lesson in book.find("wrong totals with a discount")] == ["shop.py"]
    assert book.find("discount") == [], "one shared word is chance"
    assert book.find('"; drop table lesson; -- * ( OR NEAR') == []
    assert [lesson.task for lesson in book.all()] == ["roman.py", "shop.py"]
    (shop,) = book.find("total discounted price")
    book.use(shop.id, False)
    assert book.find("total discounted price") == []
    book.use(shop.id, True)
    book.delete(shop.id)
    assert book.find("total discounted price") == [] and len(book.all()) == 1
    with pytest.raises(InputError, match="no lesson 99"):
        book.delete(99)


def test_a_lesson_and_its_words_are_deleted_together_or_not_at_all(tmp_path: Path) -> None:
    book = LessonBook(tmp_path)
    book.add("shop.py", "The discount was added.", "s1", "total")
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as damaged:
        damaged.execute("drop table lesson_words_docsize")
    (lesson,) = book.all()
    with pytest.raises(SessionError, match="cannot be used"):
        book.delete(lesson.id)
    assert book.all() == [lesson]


def test_a_book_that_is_none_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("not a database, but long enough to be looked at" * 10)
    with pytest.raises(SessionError, match="cannot be used"):
        LessonBook(tmp_path).find("total discount")


def test_the_command_lists_and_changes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = ["--sessions", str(tmp_path)]
    assert main(["lessons", *place]) == 0 and "no lessons yet" in capsys.readouterr().out
    LessonBook(tmp_path).add("shop.py", "Mind the \x1b[31msign.", "s1", "")
    assert main(["lessons", *place]) == 0
    assert "   1 shop.py: Mind the sign." in capsys.readouterr().out
    assert main(["lessons", "off", "1", *place]) == 0
    assert main(["lessons", "list", "--json", *place]) == 0
    assert json.loads(capsys.readouterr().out)[0]["used"] is False
    assert main(["lessons", "delete", "7", *place]) == 2
    assert "no lesson 7" in capsys.readouterr().err
    assert main(["lessons", "delete", *place]) == 2
    assert "Name the lessons" in capsys.readouterr().err
