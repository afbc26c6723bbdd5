"""Running git in a clone that a stranger may have made, so that nothing runs that the clone names.

A clone's configuration can name programs: hooks, fsmonitor, filters, gpg, editors, pagers, ssh (git-config(1),
githooks(5), gitattributes(5)). Only plumbing goes through here. What could still name a program is overridden, and the
work tree that git is told of is an empty folder: a command that writes an index compares files of the same second with
it, and would pass them through the clone's filters.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from subprocess import CompletedProcess

from selfheal_tui.errors import InputError
from selfheal_tui.text import one_line

BY_HAND = "Write the files (sessions apply) and commit by hand."
_OVERRIDES = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.sshCommand": "false",
    "core.askPass": "",
    "protocol.allow": "never",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "commit.gpgSign": "false",
    "i18n.commitEncoding": "UTF-8",
    "user.useConfigOnly": "true",
}
_KEPT = ("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
"""Beginnings of the user's own variables that git is given; a variable that points to another place is not."""
_ENVIRONMENT = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "false",
    "LC_ALL": "C",
}
LONGEST_S = 60.0
"""For one command, where its caller does not say less."""
_LISTING_S = 10.0
_NO_MERGE = 128
"""From this exit code on `git merge-file` tells of an error, below it counts conflicts (git-merge-file(1))."""


def find_git_dir(top: Path, longest_s: float = LONGEST_S) -> Path:
    """Return where git keeps the repository of a folder. Raises: InputError, also when git holds it for another's."""
    said = _run(["rev-parse", "--absolute-git-dir"], top, {}, b"", longest_s)
    if said.returncode != 0:
        raise InputError(f"{top} is a repository that git cannot use.", _reason(said))
    return Path(said.stdout.decode("utf-8", "surrogateescape").rstrip("\n"))


def is_kept_here(top: Path, git_dir: Path) -> bool:
    """Tell whether the repository that `find_git_dir` has found is the folder's own, or one that knows the folder.

    Whoever made the folder can let its `.git` lead to any repository of the user's.
    """
    link = git_dir / "gitdir"
    if git_dir == top / ".git" and not (top / ".git").is_symlink():
        return True
    # A linked worktree: its own folder in the repository names it in turn (gitrepository-layout(5)).
    return link.is_file() and link.read_text("utf-8", "replace").strip() == str(top / ".git")


def holds_its_objects(git_dir: Path) -> bool:
    """Tell whether a repository that is kept here borrows no objects from another place, which may be private."""
    try:
        linked = git_dir.name != ".git"
        shared = (git_dir / "commondir").read_text("utf-8").strip() if linked else ""
        objects = (git_dir.parent.parent if linked else git_dir) / "objects"
        if shared != ("../.." if linked else "") or (not linked and os.path.lexists(git_dir / "commondir")):
            return False
        elsewhere = objects.is_symlink() or any((objects / name).is_symlink() for name in os.listdir(objects))
        return not elsewhere and not os.path.lexists(objects / "info" / "alternates")
    except (OSError, UnicodeDecodeError):
        return False


def git_text(git_dir: Path, *words: str, given: bytes = b"", lacking: str = "", index: Path | None = None) -> str:
    """Return what git says, without the end of the line; as `run_git`."""
    said = run_git(git_dir, *words, given=given, lacking=lacking, index=index)
    return said.decode("utf-8", "replace").strip()


def run_git(
    git_dir: Path,
    *words: str,
    given: bytes = b"",
    lacking: str = "",
    index: Path | None = None,
    check: bool = True,
    longest_s: float = LONGEST_S,
) -> bytes:
    """Run a plumbing command in a repository that `find_git_dir` has found; return its output.

    `given` is its input, `lacking` says what a refusal means, `index` takes the place of the repository's own.
    Raises: InputError when git cannot be run, and when it refuses, unless `check` is off.
    """
    with tempfile.TemporaryDirectory(prefix="selfheal-git-") as nothing:
        places = {"GIT_DIR": str(git_dir), "GIT_WORK_TREE": nothing}
        own_index = {"GIT_INDEX_FILE": str(index)} if index else {}
        said = _run(words, Path(nothing), places | own_index, given, longest_s)
    if check and said.returncode != 0:
        if lacking:
            raise InputError(lacking, _reason(said))
        raise InputError(f"git {words[0]} refused: {_reason(said) or 'it did not say why'}.", BY_HAND)
    return said.stdout


def ignored_paths(folder: Path, top: Path) -> frozenset[str]:
    """Return what `.gitignore` leaves out of a folder of the repository at `top`: paths below the folder.

    An ignored folder is named itself and not what it holds. Empty where git cannot tell, and for a folder that is
    ignored as a whole.
    """
    places = {"GIT_WORK_TREE": str(top), "GIT_OPTIONAL_LOCKS": "0"}
    words = ["-c", f"core.excludesFile={os.devnull}", "ls-files", "-oi", "--exclude-standard", "--directory", "-z"]
    try:
        places["GIT_DIR"] = str(find_git_dir(top))
        said = _run(words, folder, places, b"", _LISTING_S)
    except InputError:
        return frozenset()
    paths = {os.fsdecode(path).rstrip("/") for path in said.stdout.split(b"\0") if path}
    return frozenset() if said.returncode != 0 or "." in paths else frozenset(paths)


def is_ignored(folder: Path, top: Path) -> bool:
    """Tell whether `.gitignore` leaves a folder out of the repository at `top`; it need not be there yet."""
    places = {"GIT_WORK_TREE": str(top), "GIT_DIR": str(find_git_dir(top)), "GIT_OPTIONAL_LOCKS": "0"}
    # With literal pathspecs `check-ignore` refuses every path (git 2.39).
    words = ["--no-literal-pathspecs", "-c", f"core.excludesFile={os.devnull}", "check-ignore", "-q", f"{folder}/"]
    return _run(words, top, places, b"", _LISTING_S).returncode == 0


def merge_texts(base: bytes, ours: bytes, theirs: bytes, names: tuple[str, str, str]) -> tuple[bytes, int]:
    """Merge two texts that came from `base` with `git merge-file`; return the result and how many conflicts it marks.

    `names` are those of ours, base and theirs, as the marks of a conflict say them. Needs no repository.
    Raises: InputError when there is no git, and for what is no text.
    """
    with tempfile.TemporaryDirectory(prefix="selfheal-merge-") as folder:
        for name, content in (("ours", ours), ("base", base), ("theirs", theirs)):
            (Path(folder) / name).write_bytes(content)
        labels = [word for name in names for word in ("-L", name)]
        # The folder above is not looked into: a repository there is nobody's.
        places = {"GIT_CEILING_DIRECTORIES": os.path.realpath(tempfile.gettempdir())}
        said = _run(["merge-file", "-p", "--diff3", *labels, "ours", "base", "theirs"], Path(folder), places, b"")
    if not 0 <= said.returncode < _NO_MERGE:
        raise InputError(f"git cannot merge it: {_reason(said)}.", "Take the changes over by hand.")
    return said.stdout, said.returncode


def _run(
    words: Sequence[str], folder: Path, places: Mapping[str, str], given: bytes, longest_s: float = LONGEST_S
) -> CompletedProcess[bytes]:
    program = shutil.which("git")
    if program is None or not os.path.isabs(program):
        raise InputError("There is no git here.", "Install it; writing files that did not change needs none.")
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(_KEPT)}
    overrides = [word for name, value in _OVERRIDES.items() for word in ("-c", f"{name}={value}")]
    try:
        return subprocess.run(
            [program, "--no-pager", "--literal-pathspecs", *overrides, *words],
            cwd=folder,
            env={**own, **_ENVIRONMENT, **places},
            input=given,
            capture_output=True,
            timeout=longest_s,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"git {words[0]} could not be run: {one_line(str(error))}.", BY_HAND) from error


def _reason(said: CompletedProcess[bytes]) -> str:
    return one_line(said.stderr.decode("utf-8", "replace"), 300)
