"""A refusal of `sessions apply` names a command that does what was asked for."""

from __future__ import annotations

import shlex
from argparse import ArgumentParser

import pytest

from selfheal_tui.cli.apply import add_arguments
from selfheal_tui.cli.apply_again import with_flags

MERGE = "Nothing was written; to merge the repair into it: selfheal sessions apply SESSION --merge"


@pytest.mark.parametrize(
    ("asked", "hint", "command"),
    [
        ("--branch main --commit", MERGE, "--branch main --commit --merge"),
        ("--branch main --with-tests --yes", MERGE, "--branch main --with-tests --merge"),
        ("--commit --each", MERGE, "--commit --merge"),
        ("--branch main --branch 'a b'", MERGE.replace("--merge", "--branch 'a b' --merge"), "--branch main --branch"),
        ("--worktree ../w", MERGE.replace("--merge", "--branch heal --merge"), "--worktree ../w --branch heal --merge"),
        ("--worktree", MERGE.replace("--merge", "--branch heal --merge"), "--worktree --branch heal --merge"),
        ("--undo --branch main", MERGE.replace("--merge", "--undo --merge"), "--branch main --undo --merge"),
        ("--commit --unhealed", MERGE.replace("--merge", "-o DIR"), "--unhealed -o DIR"),
        ("--commit -o d", "Give one of them.", ""),
        ("", MERGE, "apply SESSION --merge"),
    ],
)
def test_what_was_asked_for_is_in_it(asked: str, hint: str, command: str) -> None:
    parser = ArgumentParser()
    add_arguments(parser)
    said = with_flags(hint, parser.parse_args(["S", *shlex.split(asked)]))
    assert command in said and (command or said == hint)
    if command:
        again = parser.parse_args(shlex.split(said[said.index("apply ") + 6 :]))
        assert again.merge is ("--merge" in hint) and again.session == "SESSION"
