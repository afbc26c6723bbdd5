"""The commits of a repair that stay when its files are put back as given, and how to take them back too.

By then the files differ from the last commit, and `git revert` refuses: it would overwrite them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from shlex import join, quote

from selfheal_tui.errors import InputError
from selfheal_tui.git import git_text, run_git
from selfheal_tui.store.writing import FileChange

from .applying import Writing
from .committing import Committable, plan_commit

_MOST = 30
"""Commits of these files that are looked at; a repair has at most one for each group of failing cases."""


def staying_words(writing: Writing) -> str:
    """Say which commits stay after putting files back, and the commands that take them back; empty for none."""
    planned = _planned(writing, writing.changes)
    holds_more = planned is not None and writing.wanted != writing.changes
    # What was merged into files that had changed was committed with these changes.
    planned = planned or _planned(writing, writing.wanted)
    if planned is None:
        return ""
    commits = _commits(planned)
    git = "git" if Path(os.path.realpath(".")) == planned.top else f"git -C {quote(str(planned.top))}"
    files = join(file.path for file in planned.files)
    stay = f"The commit {commits[0]} stays" if len(commits) == 1 else f"The commits {', '.join(commits)} stay"
    message = "-m 'Take back the repair'"
    if holds_more:  # the files do, than the repair
        return f"{stay}. To commit the undo without your own changes: {git} commit -p {message} -- {files}"
    undo = f"To commit the undo: {git} commit {message} -- {files}"
    if _hold_more(planned, commits):  # a revert would take away what is not of the repair
        return f"{stay}, with other files in {'it' if len(commits) == 1 else 'them'}. {undo}"
    instead = f"{git} restore -- {files} && {git} revert {' '.join(commits)}"
    return f"{stay}. {undo}\nOr revert instead: {instead}"


def _planned(writing: Writing, changes: Sequence[FileChange]) -> Committable | None:
    """Return the commit of what is put back; None where the last commit does not hold it."""
    try:
        return plan_commit(writing.folder, changes)
    except InputError:
        return None


def _hold_more(planned: Committable, commits: Sequence[str]) -> bool:
    """Tell whether the commits hold files that are not the repair's."""
    names = ("diff-tree", "--root", "--no-commit-id", "--name-only", "-r", "-z")
    held = {path for one in commits for path in git_text(planned.git_dir, *names, one).split("\0") if path}
    return not held <= {file.path for file in planned.files}


def _commits(planned: Committable) -> list[str]:
    """Return the short ids of the repair's commits, newest first: down to where the files were as given."""
    at, paths = planned.git_dir, [file.path for file in planned.files]
    given = [git_text(at, "hash-object", "--no-filters", "--stdin", given=file.new) for file in planned.files]
    listed = git_text(at, "rev-list", f"-{_MOST}", "--abbrev-commit", planned.head, "--", *paths).split()
    for count, commit in enumerate(listed, 1):
        before = [run_git(at, "rev-parse", "--quiet", "--verify", f"{commit}^:{path}", check=False) for path in paths]
        if [blob.decode().strip() for blob in before] == given:
            return listed[:count]
    return listed[:1]
