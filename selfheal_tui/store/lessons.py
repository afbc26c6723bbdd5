"""What sessions learnt, for those to come: one SQLite file beside them, searched by full text (FTS5, bm25)."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from selfheal_tui.errors import InputError, SessionError
from selfheal_tui.text import one_line

from .clock import now_at
from .own_files import check_database, check_schema

FILE_NAME = "lessons.db"
_BUSY_S = 5.0
_TABLES = """
create table if not exists lesson(id integer primary key, task text not null, text text not null,
    session_id text not null, at text not null, used integer not null default 1, unique(task, text));
create virtual table if not exists lesson_words using fts5(words, tokenize='porter unicode61');
"""
_TAKEN_BACK = -1
"""In the column `used`, where 1 is on and 0 is off."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_LEAST_SHARED = 2
"""Words that a task must share with a lesson: one alone is chance."""
_MOST_WORDS = 60
_LONGEST_TASK, _LONGEST = 200, 1000
_COMMON = frozenset(
    {
        *("the", "and", "for", "with", "that", "this", "not", "are", "was", "were", "has", "have", "from", "but"),
        *("its", "into", "when", "than", "then", "all", "any", "each", "other", "one", "should", "must", "got"),
        *("test", "tests", "case", "cases", "self", "none", "true", "false", "return", "returns", "value", "values"),
        *("error", "line", "file", "python", "assert", "expected", "actual", "program", "function", "code"),
    }
)
"""Words that tell tasks apart no better than chance."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """One lesson."""

    id: int
    task: str
    """Title of the session that learnt it."""
    text: str
    session_id: str
    at: str
    """UTC, ISO 8601."""
    used: bool
    """Offered to sessions; else it was turned off, or its repair was taken back."""
    taken_back: bool = False
    """The repair that it is about was taken back."""


class LessonBook:
    """The lessons of one sessions folder; the file is made with the first lesson."""

    def __init__(self, home: Path) -> None:
        self.path = home / FILE_NAME

    def add(self, task: str, text: str, session_id: str, words: str) -> None:
        """Write a lesson down; `words` is the text it is found by. A lesson known already stays as it is.

        Raises: SessionError.
        """
        task, text = one_line(task, _LONGEST_TASK), one_line(text, _LONGEST)
        with self._open() as db:
            row = db.execute(
                "insert or ignore into lesson(task, text, session_id, at) values(?,?,?,?)",
                (task, text, session_id, now_at()),
            )
            if row.rowcount:
                terms = " ".join(_terms(f"{task} {text} {words}"))
                db.execute("insert into lesson_words(rowid, words) values(?,?)", (row.lastrowid, terms))
            else:
                db.execute(
                    "update lesson set used=1, session_id=? where task=? and text=? and used=?",
                    (session_id, task, text, _TAKEN_BACK),
                )

    def take_back(self, session_id: str, gone: bool) -> None:
        """Offer what a session learnt to nobody, as its repair was taken back; or offer it again.

        Raises: SessionError.
        """
        if self.path.is_file():
            now, then = (1, _TAKEN_BACK) if gone else (_TAKEN_BACK, 1)
            with self._open() as db:
                db.execute("update lesson set used=? where session_id=? and used=?", (then, session_id, now))

    def find(self, words: str, limit: int = 3) -> list[Lesson]:
        """Return the lessons in use that fit a task best, best first. Raises: SessionError."""
        terms = _terms(words)[:_MOST_WORDS]
        if not terms or not self.path.is_file():
            return []
        match = " OR ".join(f'"{term}"' for term in terms)
        with self._open() as db:
            rows = db.execute(
                "select l.id, l.task, l.text, l.session_id, l.at, l.used, w.words from lesson_words w join lesson l "
                "on l.id=w.rowid where lesson_words match ? and l.used=1 order by bm25(lesson_words) limit ?",
                (match, 10 * limit),
            ).fetchall()
        wanted = set(map(_root, terms))
        fitting = [_lesson(row) for row in rows if len(wanted & set(map(_root, str(row[6]).split()))) >= _LEAST_SHARED]
        return fitting[:limit]

    def all(self) -> list[Lesson]:
        """Return all lessons, newest first. Raises: SessionError."""
        if not self.path.is_file():
            return []
        with self._open() as db:
            rows = db.execute("select id, task, text, session_id, at, used from lesson order by id desc").fetchall()
        return [_lesson(row) for row in rows]

    def use(self, lesson_id: int, used: bool) -> None:
        """Turn a lesson on or off. Raises: InputError when there is none, SessionError."""
        self._change(lesson_id, ("update lesson set used=? where id=?", (int(used), lesson_id)))

    def delete(self, lesson_id: int) -> None:
        """Forget a lesson. Raises: InputError when there is none, SessionError."""
        self._change(
            lesson_id,
            ("delete from lesson where id=?", (lesson_id,)),
            ("delete from lesson_words where rowid=?", (lesson_id,)),
        )

    def _change(self, lesson_id: int, *statements: tuple[str, tuple[int, ...]]) -> None:
        """Run statements as one transaction; the first one finds the lesson."""
        changed = [0]
        if self.path.is_file():
            with self._open() as db:
                changed = [db.execute(sql, values).rowcount for sql, values in statements]
        if not changed[0]:
            raise InputError(f"There is no lesson {lesson_id}.", "See: selfheal lessons list")

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        check_database(self.path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=_BUSY_S)) as db, db:
                check_schema(db, self.path)
                db.executescript(_TABLES)
                yield db
        except (sqlite3.Error, OSError) as error:
            raise SessionError(
                f"The lessons in {self.path} cannot be used ({error}).", "Move the file away."
            ) from error


def _terms(text: str) -> list[str]:
    """Return the words worth searching by, lower case, each once, in order."""
    words = (word.lower() for word in _WORD.findall(re.sub(r"([a-z])([A-Z])|_", r"\1 \2", text)))
    return list(dict.fromkeys(word for word in words if word not in _COMMON))


def _root(word: str) -> str:
    """Return the part that `total`, `totals` and `totalled` share, nearly as FTS5's porter tokenizer sees it."""
    return word[:6].rstrip("s")


def _lesson(row: tuple[object, ...]) -> Lesson:
    return Lesson(
        int(str(row[0])), str(row[1]), str(row[2]), str(row[3]), str(row[4]), row[5] == 1, row[5] == _TAKEN_BACK
    )
