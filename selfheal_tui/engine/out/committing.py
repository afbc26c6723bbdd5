"""A git commit of exactly the healed files, and of nothing else that the user has changed or staged.

`git commit` and `git add` are never called, as they run what a clone names (`git.py`). The tree is that of the last
commit with the healed files in their place, which must be there what the session was given.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from shlex import quote

from selfheal_tui.errors import FileChanged, HeldAlready, InputError
from selfheal_tui.git import BY_HAND, find_git_dir, git_text, is_kept_here, run_git
from selfheal_tui.store.writing import FileChange, file_bytes
from selfheal_tui.text import one_line, plural, strip_controls

from .before_apply import Permit
from .commit_message import MESSAGE_LIMIT
from .merging import merge_into
from .new_branch import bare_around, check_new_branch, new_folder, start_branch, top_of

_UNFINISHED = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
}
_FILES = ("100644", "100755")


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
    changes: tuple[FileChange, ...] = ()
    """Those that the last commit does not hold yet: what the message is about."""
    new_branch: bool = False
    """Whether `line` is made for it; then no file, and not the branch that is checked out, is touched."""
    worktree: Path | None = None
    """The folder that the new branch is checked out in."""

    @property
    def words(self) -> str:
        """What is committed where: `1 file to main in /home/me/shop, as Me <me@here>`."""
        new = "the new branch " if self.new_branch else ""
        where = f"to {new}{one_line(self.line, 60)} in" if self.line else "to no branch (detached HEAD), in"
        if self.worktree is not None:
            where = f"to {new}{one_line(self.line, 60)}, checked out in {self.worktree}, in"
        return f"{plural(len(self.files), 'file')} {where} {self.top}, as {self.author}"


def plan_commit(
    folder: Path,
    changes: Sequence[FileChange],
    *,
    branch: str = "",
    worktree: Path | None = None,
    merge: bool = False,
) -> Committable:
    """Return the commit of these changes of a folder's files; nothing is written.

    With `branch` it goes to a new branch of that name from the last commit, and is checked out in the new folder
    `worktree` if there is one. `merge` brings the change into files whose last commit differs from what the session was
    given. Raises: InputError where the folder is in no repository or git knows no identity, in the middle of a merge,
    for a branch or folder that is there, and for a file whose last commit is another: the commit would hold more than
    the repair.
    """
    if not changes:
        raise InputError("The program is as it was given: there is nothing to commit.")
    top, git_dir = _repository(folder)
    if branch:
        check_new_branch(git_dir, branch)
    else:
        _check_finished(git_dir)
    if worktree is not None:
        worktree = new_folder(worktree, top)
    none_yet = "The repository has no commit yet."
    head = git_text(git_dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}", lacking=none_yet)
    where = f"--branch {quote(branch)}" if branch else "--commit"
    kept = [(change, _file(top, git_dir, head, folder, change, merge, where)) for change in changes]
    files = [file for _, file in kept if file is not None]
    new = tuple(change for change, file in kept if file is not None)
    if not branch:
        _check_not_staged(git_dir, files)
    if not files:
        raise HeldAlready("The last commit holds this program already: there is nothing to commit.")
    author = _author(git_dir)
    if branch:
        return Committable(top, git_dir, branch, author, head, tuple(files), new, True, worktree)
    checked_out = run_git(git_dir, "symbolic-ref", "--quiet", "--short", "HEAD", check=False)
    line = checked_out.decode("utf-8", "replace").strip()
    return Committable(top, git_dir, line, author, head, tuple(files), new)


def commit(planned: Committable, message: str, permit: Permit) -> str:
    """Make the commit; return the first letters of its id. The files themselves are not touched. Raises: InputError.

    `permit`: the user's hook was asked.
    """
    message = strip_controls(message).strip()[:MESSAGE_LIMIT]
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
    if planned.new_branch:
        start_branch(at, planned.line, made, planned.worktree)
        return git_text(at, "rev-parse", "--short", made)
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
    if planned.worktree is not None:
        away = f"git worktree remove --force {quote(str(planned.worktree))} && git branch -D {quote(planned.line)}"
        at = f"checked out in {planned.worktree}"
        return f"Committed {made}{where}: {count}, {at}. No git hook and no filter ran. Take it back: {away}"
    if planned.new_branch:
        untouched = "Your files and the branch that is checked out stay as they are"
        see = f"Look at it: git show {quote(planned.line)}. Take it back: git branch -D {quote(planned.line)}"
        return f"Committed {made}{where}: {count}. {untouched}; no git hook ran. {see}"
    if not planned.line:
        keep = f"No branch holds it yet: git branch NAME {made} keeps it."
        return f"Committed {made}: {count}. {keep} No git hook ran. Take it back: git revert {made}"
    return f"Committed {made}{where}: {count}. No git hook ran. Take it back: git revert {made}"


def _repository(folder: Path) -> tuple[Path, Path]:
    """Return the top of the repository that a folder is in, and where git keeps it.

    Raises: InputError for none, and for one that is kept elsewhere.
    """
    top = top_of(folder)
    if top is None:
        bare = bare_around(folder)
        if bare is not None:
            raise InputError(f"{bare} is a bare repository: it has no files to commit from.", "Use a clone of it.")
        raise InputError(f"{folder} is in no git repository.", "Write the files without a commit.")
    git_dir = find_git_dir(top)
    if (".git", "modules") in pairwise(git_dir.parts) and (top / ".git").is_file():
        raise InputError(f"{top} is a submodule: nothing is committed into one.", BY_HAND)
    if not is_kept_here(top, git_dir):
        raise InputError(f"{top} keeps its commits in another place, {git_dir}.", BY_HAND)
    return top, git_dir


def _check_finished(git_dir: Path) -> None:
    for name, action in _UNFINISHED.items():
        if os.path.lexists(git_dir / name):
            raise InputError(f"The repository is in the middle of a {action}.", "Finish it first.")


def _author(git_dir: Path) -> str:
    try:
        git_text(git_dir, "var", "GIT_COMMITTER_IDENT")
        identity = git_text(git_dir, "var", "GIT_AUTHOR_IDENT")
    except InputError:
        # Not git's own words: they are a page with an example.
        raise InputError("Git does not know who you are.", "Set user.name and user.email with git config.") from None
    return one_line(identity.rpartition(">")[0] + ">", 120)


def _file(
    top: Path, git_dir: Path, head: str, folder: Path, change: FileChange, merge: bool, where: str
) -> _File | None:
    """Return what the commit changes in a file; None where the last commit has that.

    `where` are the flags that name the place of the commit. Raises: InputError.
    """
    full_path = folder / change.path
    path = full_path.relative_to(top).as_posix()
    entry = run_git(git_dir, "ls-tree", "-z", "--full-tree", head, "--", path).decode("utf-8", "surrogateescape")
    mode, _, rest = entry.partition(" ")
    old = rest.removeprefix("blob ").partition("\t")[0]
    if mode not in _FILES or change.before is None:
        if (inner := top_of(full_path.parent)) is not None and inner != top:
            raise InputError(f"{full_path} belongs to another repository, {inner}.", BY_HAND)
        raise InputError(f"{full_path} is not in the last commit.", BY_HAND)
    committed = run_git(git_dir, "cat-file", "blob", old)
    change = _as_committed(change, committed)
    if committed == file_bytes(change, change.after, committed):
        return None
    if committed == file_bytes(change, change.before or "", committed):
        return _File(path, mode, old, file_bytes(change, change.after, committed))
    differs = f"{full_path} is another one in the last commit than the session was given"
    if not merge:
        why = "then the commit would hold more than the repair"
        command = f"selfheal sessions apply SESSION {where} --merge"
        raise FileChanged(f"{differs}: {why}.", f"To merge the repair into it: {command}", str(full_path))
    new, conflicts = merge_into(change, committed)
    if conflicts:
        raise InputError(f"{differs}, and the repair conflicts with it: nothing was written.", BY_HAND)
    return None if new == committed else _File(path, mode, old, new)


def _as_committed(change: FileChange, committed: bytes) -> FileChange:
    """Return the change with the line ends of the last commit, where git keeps other ones than the file has.

    `core.autocrlf` and the attribute `eol` do that (gitattributes(5)).
    """
    if b"\r\n" in committed or "\r\n" not in (change.before or ""):
        return change
    before, after = ((text or "").replace("\r\n", "\n") for text in (change.before, change.after))
    return FileChange(change.path, before, after)


def _check_not_staged(git_dir: Path, files: Sequence[_File]) -> None:
    for file in files:
        staged = run_git(git_dir, "ls-files", "--stage", "-z", "--", file.path).decode("utf-8", "surrogateescape")
        if staged != f"{file.mode} {file.old} 0\t{file.path}\0":
            raise InputError(f"{file.path} has changes that are staged.", "Commit or unstage them first.")


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
