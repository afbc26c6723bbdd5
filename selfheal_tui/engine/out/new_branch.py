"""A new branch of the user's repository, and a new work tree that it is checked out in.

`git checkout` is never called, as it runs the filters that a clone names (`git.py`): each file is written here as the
commit has it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath

from selfheal_tui.errors import InputError
from selfheal_tui.git import BY_HAND, find_git_dir, is_ignored, run_git
from selfheal_tui.text import one_line

from .added_tests import is_test_name

_LINK, _OTHER_REPOSITORY, _EXECUTABLE = "120000", "160000", "100755"
_AT_ONCE = 200


def check_new_branch(git_dir: Path, name: str) -> None:
    """Raise InputError for a branch that is there already, and for a name that git does not take."""
    shown = one_line(name, 80)
    if name.startswith("-") or not _succeeds(git_dir, "check-ref-format", f"refs/heads/{name}"):
        raise InputError(f"{shown!r} is no name for a branch of git.", "Give another one.")
    if _succeeds(git_dir, "rev-parse", "--verify", "--quiet", f"refs/heads/{name}"):
        raise InputError(f"The branch {shown} is there already: nothing was written.", "Give a new name.")


def top_of(folder: Path) -> Path | None:
    """Return the top folder of the repository around a folder; None where there is none."""
    return next((at for at in (folder, *folder.parents) if os.path.lexists(at / ".git")), None)


def beside(folder: Path | None, branch: str) -> Path:
    """Return where a work tree of a branch goes when no folder is named: `../shop-heal-cart` beside `shop`."""
    top = top_of(folder) if folder is not None else None
    return (top or Path("work")).with_name(f"{(top or Path('work')).name}-{branch.replace('/', '-')}")


def free_branch(folder: Path | None, paths: Sequence[str]) -> str:
    """Return a name for a branch that heals these files, which the repository of a folder does not have yet.

    `heal-shop` for `src/shop.py`, `src/shop/__init__.py`, and several files below `src/shop`. Raises: InputError.
    """
    what = re.sub(r"[^A-Za-z0-9_]+", "-", _subject(folder, paths)).strip("-")
    name = f"heal-{what or 'program'}"
    top = top_of(folder) if folder is not None else None
    if top is None:
        return name  # refused with its reason when the commit is planned
    git_dir, unique, number = find_git_dir(top), name, 1
    while _succeeds(git_dir, "rev-parse", "--verify", "--quiet", f"refs/heads/{unique}"):
        number += 1
        unique = f"{name}-{number}"
    return unique


def _subject(folder: Path | None, paths: Sequence[str]) -> str:
    """Return the name of the module that the files are, else of the package or folder around them."""
    own = [PurePosixPath(path) for path in paths if not is_test_name(path)] or [PurePosixPath(path) for path in paths]
    if len(own) == 1 and not own[0].stem.startswith("__"):
        return own[0].stem
    around = os.path.commonpath([path.parent for path in own]) if own else ""
    return PurePosixPath(around).name or (folder.name if folder is not None else "")


def new_folder(path: Path, top: Path) -> Path:
    """Return the absolute path of a folder that is to be made.

    Raises: InputError where something is there, and for one inside of the repository at `top` that git would show as a
    new file of yours.
    """
    absolute = Path(os.path.abspath(path))
    real = Path(os.path.realpath(absolute.parent)) / absolute.name
    if os.path.lexists(real):
        raise InputError(f"{real} is there already: nothing was written.", "Name a folder that is not there yet.")
    if real.is_relative_to(os.path.realpath(top)) and not is_ignored(real, top):
        raise InputError(
            f"{real} lies inside of the repository {top}: nothing was written.",
            "Name a folder outside of it, or one that its .gitignore leaves out.",
        )
    return real


def bare_around(folder: Path) -> Path | None:
    """Return the bare repository that a folder is in; None for none."""
    return next((at for at in (folder, *folder.parents) if is_bare(at)), None)


def is_in_repository(folder: Path) -> bool:
    """Tell whether a folder is in a git repository, of whatever kind: whether a commit goes there is another matter."""
    return top_of(folder) is not None or bare_around(folder) is not None


def is_bare(folder: Path) -> bool:
    """Tell whether a folder is a repository without files (gitrepository-layout(5))."""
    return (folder / "HEAD").is_file() and all((folder / name).is_dir() for name in ("objects", "refs"))


def start_branch(git_dir: Path, name: str, commit: str, worktree: Path | None) -> None:
    """Make a branch that begins at a commit, and check it out in a new folder. Raises: InputError, all undone."""
    run_git(git_dir, "update-ref", "-m", "branch: made by selfheal", f"refs/heads/{name}", commit, "")
    if worktree is None:
        return
    try:
        run_git(git_dir, "worktree", "add", "--no-checkout", str(worktree), name)
        _check_out(find_git_dir(worktree), worktree)
    except (InputError, OSError) as error:
        run_git(git_dir, "worktree", "remove", "--force", str(worktree), check=False)
        run_git(git_dir, "update-ref", "-d", f"refs/heads/{name}", commit, check=False)
        if isinstance(error, InputError):
            raise
        raise InputError(f"{worktree} cannot be made: {error.strerror}.", BY_HAND) from error


def _check_out(git_dir: Path, worktree: Path) -> None:
    """Write all files of the branch's commit. `read-tree` refuses names that lead elsewhere."""
    run_git(git_dir, "read-tree", "HEAD")
    links: list[tuple[Path, bytes]] = []
    entries = list(_entries(git_dir))
    for path in [path for mode, _, path in entries if mode == _OTHER_REPOSITORY]:
        (worktree / path).mkdir(parents=True, exist_ok=True)
    files = [entry for entry in entries if entry[0] != _OTHER_REPOSITORY]
    for (mode, _, path), content in zip(files, _contents(git_dir, [blob for _, blob, _ in files]), strict=True):
        target = worktree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if mode == _LINK:
            links.append((target, content))
            continue
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(target, flags, 0o777 if mode == _EXECUTABLE else 0o666), "wb") as file:
            file.write(content)
    # Links last: nothing is written through one.
    for target, content in links:
        os.symlink(content, target)


def _contents(git_dir: Path, blobs: list[str]) -> Iterator[bytes]:
    """Yield what each blob holds, some hundred read at a time. Raises: InputError for one that is missing."""
    for at in range(0, len(blobs), _AT_ONCE):
        wanted = blobs[at : at + _AT_ONCE]
        answer = run_git(git_dir, "cat-file", "--batch", given="".join(f"{blob}\n" for blob in wanted).encode())
        for blob in wanted:
            head, _, answer = answer.partition(b"\n")
            if not head.startswith(f"{blob} blob ".encode()):
                raise InputError(f"The repository lacks the content {blob[:12]} of its last commit.", BY_HAND)
            size = int(head.rsplit(b" ", 1)[1])
            yield answer[:size]
            answer = answer[size + 1 :]


def _entries(git_dir: Path) -> Iterator[tuple[str, str, str]]:
    """Yield mode, blob and path of every file of the index."""
    for entry in run_git(git_dir, "ls-files", "--stage", "-z").decode("utf-8", "surrogateescape").split("\0"):
        facts, _, path = entry.partition("\t")
        if path:
            mode, blob, _ = facts.split(" ")
            yield mode, blob, path


def _succeeds(git_dir: Path, *words: str) -> bool:
    with suppress(InputError):
        run_git(git_dir, *words)
        return True
    return False
