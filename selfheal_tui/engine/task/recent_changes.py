"""What git says was changed lately in the program's files, line by line: evidence for where a fault is.

Objects are read by plumbing (`git.py`) and compared here: `git diff` of a work tree runs what the clone names. Where
git cannot tell within `LONGEST_S`, there is no such evidence, and nothing else depends on it.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from selfheal_tui.errors import InputError
from selfheal_tui.git import find_git_dir, holds_its_objects, is_kept_here, run_git
from selfheal_tui.line_blocks import Replaced, carried_lines, is_quick, replaced_lines
from selfheal_tui.python_encoding import decoded, encoded
from selfheal_tui.text import one_line, plural

from ..moment.recent import RecentLines
from .walls import MAX_FOUND_BYTES, repository_of

LONGEST_S = 2.0
"""For all of it."""
MOST_FILES = 20
"""Files that are looked at, those changed last; a commit of more says nothing of where a fault is."""
MOST_COMMITS = 3
"""Of one file, the newest."""
_LOOKED_THROUGH = 200
"""The newest commits, among which those of a file are looked for."""
_SUBJECT = 60
_ROWS, _LETTERS = 10, 1_000
"""What is kept of what stood there before: of a longer change a part will be the fault."""
_DAY_S = 86_400
_FILE_MODES = (b"100644", b"100755")


@dataclass(frozen=True, slots=True)
class _Commit:
    id: str
    subject: str
    at_s: int


class _Line(NamedTuple):
    """The newest change of a line."""

    commit: str
    age: str
    change: Replaced


@dataclass(slots=True)
class _Touched:
    """One program file in a commit: what it was and what it became."""

    commit: _Commit
    old: str
    """Object of the content before; empty for a file that the commit added."""
    new: str


@dataclass(slots=True)
class _Changes:
    """What git has of one file."""

    head: str
    """Object of the content of the last commit."""
    is_committed: bool
    """The file is what the last commit has."""
    touched: list[_Touched] = field(default_factory=list)
    """Newest first."""


def read_recent_changes(root: str | None, program: Mapping[str, str], now_s: float | None = None) -> list[RecentLines]:
    """Return the lines of the program (path below `root` -> text as loaded) that were changed lately.

    `now_s` is Unix time, by default that of now. Empty outside of a repository, without git, in a partial clone, where
    git refuses the repository, and in one that is kept elsewhere or borrows objects: what it says may be private.
    """
    top = repository_of(Path(root)) if root else None
    if root is None or top is None:
        return []
    until_s = time.monotonic() + LONGEST_S
    try:
        git_dir = find_git_dir(top, LONGEST_S)
        repository = _Repository(git_dir, Path(root).relative_to(top).as_posix(), until_s)
        if not (is_kept_here(top, git_dir) and holds_its_objects(git_dir)) or repository.is_partial():
            return []
        return _recent(repository, program, time.time() if now_s is None else now_s)
    except InputError:
        return []


def _recent(repository: _Repository, program: Mapping[str, str], now_s: float) -> list[RecentLines]:
    files = _chosen(repository, program)
    objects = {changes.head for changes in files.values()}
    objects |= {ref for changes in files.values() for one in changes.touched for ref in (one.old, one.new) if ref}
    contents = repository.contents(sorted(objects))
    recent: list[RecentLines] = []
    for path, changes in files.items():
        text = program[path].replace("\r\n", "\n")
        lines: dict[int, _Line] = {}
        for old, new, commit in _steps(path, text, changes, contents):
            if repository.left_s <= 0:
                return recent
            if not (is_quick(old, new) and is_quick(new, text)):
                continue
            words = (f"{commit.id[:7]} {commit.subject}".strip(), _age(now_s - commit.at_s)) if commit else ("", "")
            here = carried_lines(new, text)
            for change in replaced_lines(old, new):
                for line in change.rows:
                    if line in here:
                        lines.setdefault(here[line], _Line(*words, change))
        recent += _ranges(path, lines)
    return recent


def _steps(
    path: str, text: str, changes: _Changes, contents: Mapping[str, bytes]
) -> Iterator[tuple[str, str, _Commit | None]]:
    """Yield the text before and after each change of a file, the newest first; None for what is not committed."""

    def text_of(ref: str) -> str | None:
        try:
            return decoded(path, contents[ref]).replace("\r\n", "\n") if ref in contents else None
        except UnicodeDecodeError:
            return None

    if not changes.is_committed and (head := text_of(changes.head)) is not None:
        yield head, text, None
    for one in changes.touched:
        old, new = text_of(one.old) if one.old else "", text_of(one.new)
        if old is not None and new is not None:
            yield old, new, one.commit


def _chosen(repository: _Repository, program: Mapping[str, str]) -> dict[str, _Changes]:
    """Return the files that were changed last: those not committed, then those of the newest commits."""
    heads = repository.heads()
    known = {
        path: _Changes(heads[path], heads[path] in _hashes(path, program[path])) for path in program if path in heads
    }
    chosen = [path for path, changes in known.items() if not changes.is_committed][:MOST_FILES]
    for touched in repository.commits():
        of_program = {path: one for path, one in touched.items() if path in known}
        if len(of_program) > MOST_FILES:
            continue
        for path, one in of_program.items():
            if len(known[path].touched) < MOST_COMMITS:
                known[path].touched.append(one)
            if path not in chosen and len(chosen) < MOST_FILES:
                chosen.append(path)
    return {path: known[path] for path in chosen}


def _hashes(path: str, text: str) -> Iterator[str]:
    """Yield the names that git gives to a text: as it is, and with the line ends that `autocrlf` commits."""
    for version in dict.fromkeys((text, text.replace("\r\n", "\n"))):
        try:
            content = encoded(path, version)
        except UnicodeEncodeError:
            return
        whole = b"blob %d\0%s" % (len(content), content)
        yield hashlib.sha1(whole, usedforsecurity=False).hexdigest()
        yield hashlib.sha256(whole).hexdigest()


def _ranges(path: str, lines: Mapping[int, _Line]) -> list[RecentLines]:
    ranges: list[RecentLines] = []
    changes: list[Replaced] = []
    for number, line in sorted(lines.items()):
        last = ranges[-1] if ranges else None
        if last and last["last"] == number - 1 and last["commit"] == line.commit and changes[-1] == line.change:
            last["last"] = number
        else:
            ranges.append({"path": path, "first": number, "last": number, "commit": line.commit, "age": line.age})
            changes.append(line.change)
    for one, change in zip(ranges, changes, strict=True):
        is_whole = one["last"] - one["first"] + 1 == len(change.rows)
        if is_whole and max(len(change.rows), change.old.count("\n")) <= _ROWS and len(change.old) <= _LETTERS:
            one["old"] = change.old
    return ranges


def _age(seconds: float) -> str:
    days = int(seconds // _DAY_S)
    if days < 1:
        return "less than a day ago"
    for length, unit, least in ((365, "year", 730), (30, "month", 60), (7, "week", 14)):
        if days >= least:
            return f"{plural(days // length, unit)} ago"
    return f"{plural(days, 'day')} ago"


@dataclass(frozen=True, slots=True)
class _Repository:
    """What is asked of git; every path is below the folder of the task."""

    git_dir: Path
    below: str
    """The folder of the task, from the top; `.` for the top itself."""
    until_s: float
    """On the monotonic clock."""

    @property
    def left_s(self) -> float:
        return self.until_s - time.monotonic()

    def is_partial(self) -> bool:
        """Tell whether objects may be missing that git would fetch."""
        names = r"^(extensions\.partialclone|remote\..*\.(promisor|partialclonefilter))$"
        return bool(self._run("config", "--name-only", "--get-regexp", names, check=False))

    def heads(self) -> dict[str, str]:
        """Return path -> object of each file of the last commit."""
        heads: dict[str, str] = {}
        for entry in self._run("ls-tree", "-r", "-z", "--full-tree", "HEAD", *self._pathspec()).split(b"\0"):
            facts, _, name = entry.partition(b"\t")
            mode, _, rest = facts.partition(b" ")
            if mode in _FILE_MODES and (path := self._path(name)):
                heads[path] = rest.rpartition(b" ")[2].decode()
        return heads

    def commits(self) -> Iterator[dict[str, _Touched]]:
        """Yield path -> what became of it, for each of the newest commits that has a parent, the newest first."""
        words = ("--no-merges", f"--max-count={_LOOKED_THROUGH}", "--encoding=UTF-8", "--format=%ct%x00%s", "HEAD")
        lines = self._run("rev-list", *words).decode("utf-8", "replace").split("\n")
        commits: dict[str, _Commit] = {}
        for head, facts in zip(lines[::2], lines[1::2], strict=False):
            at_s, _, subject = facts.partition("\0")
            commit_id = head.removeprefix("commit ")
            commits[commit_id] = _Commit(commit_id, one_line(subject, _SUBJECT), int(at_s) if at_s.isdigit() else 0)
        given = "".join(f"{commit_id}\n" for commit_id in commits).encode()
        raw = ("diff-tree", "--stdin", "-r", "-z", "--raw", "--full-index", "--no-renames", *self._pathspec())
        fields = iter(self._run(*raw, given=given).split(b"\0"))
        touched: dict[str, _Touched] = {}
        commit: _Commit | None = None
        for one in fields:
            if not one.startswith(b":"):
                if touched:
                    yield touched
                commit, touched = commits.get(one.decode("ascii", "replace")), {}
                continue
            _, new_mode, old, new, _ = one.split(b" ")
            path = self._path(next(fields, b""))
            if commit and path and new_mode in _FILE_MODES:
                touched[path] = _Touched(commit, old.decode() if old.strip(b"0") else "", new.decode())
        if touched:
            yield touched

    def contents(self, refs: Iterable[str]) -> dict[str, bytes]:
        """Return object -> content of those that are there and not large."""
        sizes = self._run("cat-file", "--batch-check", given="".join(f"{ref}\n" for ref in refs).encode())
        wanted = []
        for line in sizes.decode("ascii", "replace").split("\n"):
            ref, _, facts = line.partition(" ")
            kind, _, size = facts.partition(" ")
            if kind == "blob" and int(size) <= MAX_FOUND_BYTES:
                wanted.append(ref)
        answer = self._run("cat-file", "--batch", given="".join(f"{ref}\n" for ref in wanted).encode())
        contents: dict[str, bytes] = {}
        at = 0
        for ref in wanted:
            end = answer.index(b"\n", at)
            size_bytes = int(answer[at:end].rpartition(b" ")[2])
            contents[ref] = answer[end + 1 : end + 1 + size_bytes]
            at = end + size_bytes + 2
        return contents

    def _path(self, name: bytes) -> str:
        """Return a path from the top as one below the task's folder; empty for one that is not."""
        path = name.decode("utf-8", "surrogateescape")
        if self.below == ".":
            return path
        return path.removeprefix(f"{self.below}/") if path.startswith(f"{self.below}/") else ""

    def _pathspec(self) -> list[str]:
        return ["--"] if self.below == "." else ["--", self.below]

    def _run(self, *words: str, given: bytes = b"", check: bool = True) -> bytes:
        """Raises: InputError, also when the time is up."""
        return run_git(self.git_dir, *words, given=given, check=check, longest_s=max(self.left_s, 0.01))
