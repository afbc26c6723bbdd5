"""The command that a refusal of `sessions apply` names does what was asked for, and not less of it."""

from __future__ import annotations

import re
import shlex
from argparse import Namespace

_COMMAND = re.compile(r"\b(selfheal sessions (?:apply) \S+)((?: [^\s.;:]\S*)*)")


def with_flags(hint: str, args: Namespace) -> str:
    """Return a hint whose commands have the flags of this call that they lack, as far as these go with theirs."""
    return _COMMAND.sub(lambda match: f"{match[1]}{_missing(match[2], args)}{match[2]}", hint)


def _missing(flags: str, args: Namespace) -> str:
    given = [f"--branch {shlex.quote(name)}" for name in args.branch]
    if " -o" not in flags and " --undo" not in flags:
        given += ["--commit"] if args.commit else []
        given += ["--each"] if args.each and " --merge" not in flags else []
        if args.worktree is not None:
            given.append(f"--worktree {shlex.quote(args.worktree)}" if args.worktree else "--worktree")
        given += ["--with-tests"] if args.with_tests else []
        given += [f"--message {shlex.quote(args.message)}"] if args.message else []
    given += ["--unhealed"] if args.unhealed and " --undo" not in flags else []
    return "".join(f" {one}" for one in given if f" {one} " not in f"{flags} ")
