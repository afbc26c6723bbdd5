"""A git commit of exactly the healed files, and of nothing else that the user has changed or staged.

`git commit` and `git add` are never called, as they run what a clone names (`git.py`). The tree is that of the last
commit with the healed files in their place, which must be there what the session was given.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from selfheal_tui.errors import InputError
from selfheal_tui.store.writing import FileChange, file_bytes
from selfheal_tui.text import one_line, plural, strip_controls

from .git import BY_HAND, find_git_dir, git_text, run_git

_UNFINISHED = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
}
_FILES = ("100644", "100755")
_MESSAGE_LIMIT = 4_000


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    """From the top of the repository."""
    mode: str
    old: str
    """Object of the content that the last commit has."""
    new: bytes


@dataclass(frozen=True, slots=True)
class Committable:
    """A commit that can be made."""

    top: Path
    """The top folder of the repository."""
    git_dir: Path
    line: str
    """The branch that it goes to; empty when none is checked out."""
    author: str
    """`Name <address>`."""
    head: str
    files: tuple[_File, ...]

    @property
    def words(self) -> str:
        """What is committed where: `1 file to main in /home/me/shop, as Me <me@here>`."""
        where = f"to {one_line(self.line, 60)} in" if self.line else "to no branch, in"
        return f"{plural(len(self.files), 'file')} {where} {self.top}, as {self.author}"


def default_message(changes: Sequence[FileChange]) -> str:
    """Return the message that is offered: `Heal shop.py`."""
    return f"Heal {one_line(changes[0].path)}" if len(changes) == 1 else f"Heal {plural(len(changes), 'file')}"


def plan_commit(folder: Path, changes: Sequence[FileChange]) -> Committable:
    """Return the commit of these changes of a folder's files; nothing is written.

    Raises: InputError where the folder is in no repository or git knows no identity, in the middle of a merge, and for
    a file whose last commit is not what the session was given: the commit would hold more than the repair.
    """
    if not changes:
        raise InputError("The program is as it was given: there is nothing to commit.")
    top, git_dir = _repository(folder)
    none_yet = "The repository has no commit yet."
    head = git_text(git_dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}", lacking=none_yet)
    files = [file for change in changes if (file := _file(top, git_dir, head, folder, change))]
    if not files:
        raise InputError("The last commit holds this program already: there is nothing to commit.")
    author = _author(git_dir)
    branch = run_git(git_dir, "symbolic-ref", "--quiet", "--short", "HEAD", check=False)
    line = branch.decode("utf-8", "replace").strip()
    return Committable(top, git_dir, line, author, head, tuple(files))


def commit(planned: Committable, message: str) -> str:
    """Make the commit; return the first letters of its id. The files themselves are not touched. Raises: InputError."""
    message = strip_controls(message).strip()[:_MESSAGE_LIMIT]
    if not message:
        raise InputError("A commit needs a message.")
    at, given = planned.git_dir, f"{message}\n".encode()
    new = [git_text(at, "hash-object", "-w", "--no-filters", "--stdin", given=file.new) for file in planned.files]
    with tempfile.TemporaryDirectory(prefix="selfheal-commit-") as scratch:
        index = Path(scratch) / "index"
        run_git(at, "read-tree", planned.head, index=index)
        _put(planned, new, index)
        tree = git_text(at, "write-tree", index=index)
    made = git_text(at, "commit-tree", "--no-gpg-sign", "-p", planned.head, "-F", "-", tree, given=given)
    # The index first: where that fails, the branch has not moved.
    _put_into_own_index(planned, new)
    try:
        run_git(at, "update-ref", "-m", f"commit: {one_line(message, 200)}", "HEAD", made, planned.head)
    except InputError:
        _put_into_own_index(planned, [file.old for file in planned.files])
        raise
    return git_text(at, "rev-parse", "--short", made)


def committed_words(planned: Committable, made: str) -> str:
    """Say what was done, and how it is taken back."""
    where = f" on {one_line(planned.line, 60)}" if planned.line else ""
    count = plural(len(planned.files), "file")
    return f"Committed {made}{where}: {count}. No hook ran. Take it back: git revert {made}"


def commit_that_stays(folder: Path, changes: Sequence[FileChange]) -> str:
    """Return the first letters of the newest commit of these files where it holds them as healed; empty otherwise.

    `changes` put the files back as they were given.
    """
    try:
        planned = plan_commit(folder, changes)
    except InputError:
        return ""
    paths = [file.path for file in planned.files]
    return git_text(planned.git_dir, "rev-list", "-1", "--abbrev-commit", planned.head, "--", *paths)


def _repository(folder: Path) -> tuple[Path, Path]:
    """Return the top of the repository that a folder is in, and where git keeps it.

    Raises: InputError for none, and for one that is kept elsewhere.
    """
    top = next((at for at in (folder, *folder.parents) if os.path.lexists(at / ".git")), None)
    if top is None:
        raise InputError(f"{folder} is in no git repository.", "Write the files (sessions apply) without a commit.")
    git_dir = find_git_dir(top)
    link = git_dir / "gitdir"
    is_own = git_dir == top / ".git" and not (top / ".git").is_symlink()
    # A linked worktree: its own folder in the repository names it in turn (gitrepository-layout(5)).
    if not is_own and not (link.is_file() and link.read_text("utf-8", "replace").strip() == str(top / ".git")):
        raise InputError(f"{top} keeps its commits in another place, {git_dir}.", BY_HAND)
    for name, action in _UNFINISHED.items():
        if os.path.lexists(git_dir / name):
            raise InputError(f"The repository is in the middle of a {action}.", "Finish it first.")
    return top, git_dir


def _author(git_dir: Path) -> str:
    lacking = "Git does not know who you are."
    git_text(git_dir, "var", "GIT_COMMITTER_IDENT", lacking=lacking)
    identity = git_text(git_dir, "var", "GIT_AUTHOR_IDENT", lacking=lacking)
    return one_line(identity.rpartition(">")[0] + ">", 120)


def _file(top: Path, git_dir: Path, head: str, folder: Path, change: FileChange) -> _File | None:
    """Return what the commit changes in a file; None where the last commit has that. Raises: InputError."""
    full_path = folder / change.path
    path = full_path.relative_to(top).as_posix()
    entry = run_git(git_dir, "ls-tree", "-z", "--full-tree", head, "--", path).decode("utf-8", "surrogateescape")
    mode, _, rest = entry.partition(" ")
    old = rest.removeprefix("blob ").partition("\t")[0]
    if mode not in _FILES or change.before is None:
        raise InputError(f"{full_path} is not in the last commit.", BY_HAND)
    now = full_path.read_bytes() if full_path.is_file() and not full_path.is_symlink() else None
    committed = run_git(git_dir, "cat-file", "blob", old)
    if committed == file_bytes(change, change.after, now):
        return None
    if committed != file_bytes(change, change.before, now):
        raise InputError(
            f"{full_path} is another one in the last commit than the session was given.",
            f"Then the commit would hold more than the repair. {BY_HAND}",
        )
    staged = run_git(git_dir, "ls-files", "--stage", "-z", "--", path).decode("utf-8", "surrogateescape")
    if staged != f"{mode} {old} 0\t{path}\0":
        raise InputError(f"{full_path} has changes that are staged.", "Commit or unstage them first.")
    return _File(path, mode, old, file_bytes(change, change.after, now))


def _put_into_own_index(planned: Committable, objects: Sequence[str]) -> None:
    """Put the objects into the repository's own index, and keep the index's time.

    By it git knows which files it has yet to compare (Racy Git, git's technical documentation).
    """
    index = planned.git_dir / "index"
    before = os.lstat(index)
    _put(planned, objects)
    os.utime(index, ns=(before.st_atime_ns, before.st_mtime_ns), follow_symlinks=False)


def _put(planned: Committable, objects: Sequence[str], index: Path | None = None) -> None:
    pairs = zip(planned.files, objects, strict=True)
    lines = "".join(f"{file.mode} {one} 0\t{file.path}\0" for file, one in pairs)
    given = lines.encode("utf-8", "surrogateescape")
    run_git(planned.git_dir, "update-index", "-z", "--index-info", given=given, index=index)
