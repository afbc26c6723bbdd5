"""The command line: imports only the module of its command; turns errors into a sentence and an exit code."""

from __future__ import annotations

import errno
import importlib
import os
import shlex
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise

from selfheal_tui import __version__
from selfheal_tui.errors import InputError, SelfHealError
from selfheal_tui.extensions import take_problems
from selfheal_tui.interrupted import CANCELLED as CANCELLED
from selfheal_tui.interrupted import tell_interrupted
from selfheal_tui.text import strip_controls

from .hints import complete_commands
from .parser import Command, Help, build_parser, front_parser, refuse_late

BUG = 70
"""EX_SOFTWARE of BSD's sysexits(3): no script can mistake it for "ended unhealed"."""
UNREAD = 141
"""As a shell says of a program that SIGPIPE ended: whoever read the output went away before all was written."""

COMMANDS: dict[str, Command] = {
    "demo": Command("demo", "heal a bundled buggy program: no model, key or network needed"),
    "new": Command("new", "write code for a spec, then heal it"),
    "fix": Command("fix", "heal a file, several files, or a project folder"),
    "run-tests": Command("run_tests", "run the tests once in the sandbox, without healing"),
    "watch": Command("watch", "run a project's tests after each change, and offer to heal what fails"),
    "resume": Command("resume", "reopen a session where it stopped (default: the newest of this folder)"),
    "serve": Command("serve", "show the app in a browser, on this machine"),
    "acp": Command("acp", "serve the loop to an editor that speaks the Agent Client Protocol"),
    "mcp": Command(
        "mcp", "give other agents tools: run tests, localise, search repairs, heal (Model Context Protocol)"
    ),
    "sessions": Command("sessions", "list, show, decide, fork, race, undo, compare, export, import, check and more"),
    "lessons": Command("lessons", "list, turn off or delete what sessions have learnt for later ones"),
    "bench": Command("bench", "run a benchmark suite: hidden tests judge what the loop repaired"),
    "models": Command("models", "list the models that can be used now, with context and price; pull one into Ollama"),
    "completion": Command(
        "completion", "print a script that completes commands, flags and sessions in bash, zsh or fish"
    ),
    "doctor": Command("doctor", "say what works here: providers, sandbox, terminal, store"),
    "config": Command("config", "show the settings in force, and where each value came from"),
}

_SCARCE = {
    errno.ENOSPC: "The disk is full: the output could not be written. Free space, then ask again: "
    "what a session has done is kept (selfheal sessions list).",
    errno.EMFILE: "Too few files may be open at once here. Raise that (ulimit -n 1024), then start again.",
}


def main(argv: Sequence[str]) -> int:
    """Run a command line (without the program's name); return the exit code."""
    try:
        code = _told(list(argv))
        _tell_problems()
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _drop_output()
        return UNREAD
    except OSError as error:
        if error.errno not in _SCARCE:
            raise
        _drop_output()
        print(f"selfheal: {_SCARCE[error.errno]}", file=sys.stderr)
        return InputError.exit_code


def _tell_problems() -> None:
    """Say on stderr what went wrong with a plug-in while the command ran: it was left out, and the rest worked."""
    for sentence in take_problems():
        print(f"selfheal: {strip_controls(sentence)}", file=sys.stderr)


def _told(argv: list[str]) -> int:
    """Run a command line, its errors told as sentences."""
    try:
        return _run(argv)
    except Help:
        return 0
    except SelfHealError as error:
        sys.stdout.flush()
        if not error.shown:
            _print_refusal(argv, error)
        print(f"selfheal: {strip_controls(str(error))}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return tell_interrupted(argv)


def _print_refusal(argv: list[str], error: SelfHealError) -> None:
    """Give a program, which reads stdout, the object that it asked for with `--json`, or the line with `--events -`."""
    words = argv[: argv.index("--")] if "--" in argv else argv
    sentence = strip_controls(str(error))
    if "--events=-" in words or ("--events", "-") in pairwise(words):
        from selfheal_tui.engine.out.event_lines import plain_line

        told = {"session": "", "exit_code": error.exit_code, "outcome": "failed", "reason": sentence, "result": None}
        print(plain_line("result", told), end="", flush=True)
    elif "--json" in words:
        from selfheal_tui.money import json_text

        print(json_text({"error": sentence, "exit_code": error.exit_code}), flush=True)


def _drop_output() -> None:
    """Python flushes stdout once more at exit; where that cannot be, it would print a second error."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_OF_RUNS = ("--plain", "--headless", "--json")
"""Flags of the commands that run something; without one the app opens, which has no use for them."""


def _run(argv: list[str]) -> int:
    pytest_args: list[str] = []
    if "--" in argv:
        at = argv.index("--")
        argv, pytest_args = argv[:at], argv[at + 1 :]
    if argv and not argv[0].startswith("-"):
        return _run_command(argv[0], argv[1:], pytest_args)
    if argv == ["--version"]:  # asked by scripts, for each of which the parsers would be half a second
        _print_version()
        return 0
    refuse_late(argv, COMMANDS, "selfheal", "command")
    if flag := next((word for word in argv if word in _OF_RUNS), ""):
        raise InputError(f"{flag} needs a command before it.", f"As: selfheal fix {flag}, or demo, new or resume.")
    from . import app

    parser = front_parser()
    args = parser.parse_args(argv)
    if args.version:
        _print_version()
        return 0
    _refuse_pytest_args(pytest_args, "selfheal")
    return app.run(args)


def _print_version() -> None:
    print(f"selfheal {__version__}")


def _run_command(name: str, argv: list[str], pytest_args: list[str]) -> int:
    if name not in COMMANDS:
        from selfheal_tui.setting_values import nearest

        hint = nearest(name, COMMANDS, "`selfheal --help` lists the commands.")
        if os.path.exists(name):
            hint = f"To heal it: {shlex.join(['selfheal', 'fix', name])}"
        raise InputError(f"There is no command {name!r}.", hint)
    command = importlib.import_module(f"{__name__}.{COMMANDS[name].module}")
    argv = command.with_action(argv) if hasattr(command, "with_action") else argv
    parser = build_parser(f"selfheal {name}", COMMANDS[name].summary)
    parser.first_word = next((word for word in argv if not word.startswith("-")), "")
    command.add_arguments(parser)
    args = parser.parse_args(argv)
    args.words = (name, *argv)
    if hasattr(args, "takes_pytest_args"):
        args.pytest_args = tuple(pytest_args)
    else:
        _refuse_pytest_args(pytest_args, f"selfheal {name}")
    run: Callable[[Namespace], int] = args.run if hasattr(args, "run") else command.run

    def with_complete_hints(args: Namespace) -> int:
        try:
            return run(args)
        except SelfHealError as error:
            complete_commands(error, args)
            raise

    if not hasattr(args, "events"):
        return with_complete_hints(args)
    from .event_stream import run_with_events

    return run_with_events(args, with_complete_hints)


def _refuse_pytest_args(pytest_args: list[str], prog: str) -> None:
    if pytest_args:
        raise InputError(
            f"`{prog}` takes nothing after `--`.", "Only fix, run-tests and watch pass arguments to pytest."
        )
