"""The parsers of the command line: plain sentences for errors, short usage lines, actions that are filled on use."""

from __future__ import annotations

import argparse
import importlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from selfheal_tui.errors import InputError
from selfheal_tui.setting_values import nearest

SETTINGS = "settings"
"""Title of the group of flags that are settings; a usage line says this word and not each of them."""


EXITS = """\
exit codes: 0 healed or done, 1 ended unhealed, 2 usage or bad input, 3 a decision is waiting,
            4 provider failure, 5 no sandbox, 6 session busy or damaged, 130 cancelled"""


class Help(Exception):
    """The user asked for help or the version and it was printed."""


class Command(NamedTuple):
    """A command or an action of one; its module offers `add_arguments(parser)` and `run(args) -> int`."""

    module: str
    summary: str


class _Formatter(argparse.RawDescriptionHelpFormatter):
    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[Any],
        prefix: str | None = None,
    ) -> None:
        own = [action for action in actions if getattr(action, "container", None) is None or not _is_setting(action)]
        has_settings = len(own) < len(list(actions))
        if has_settings and usage is None:
            own.append(argparse.Action([SETTINGS], SETTINGS, nargs=0))
        super().add_usage(usage, own, groups, prefix)


def _is_setting(action: argparse.Action) -> bool:
    return bool(action.container.title == SETTINGS)  # type: ignore[attr-defined]


class Parser(argparse.ArgumentParser):
    """A parser whose errors are InputErrors and whose help does not end the process."""

    first_word: str | None = None
    """The word after the command: only its action needs its arguments. None: all do, to describe them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": _Formatter, "allow_abbrev": False, **options})

    def error(self, message: str) -> NoReturn:
        """Refuse the command line."""
        message = message.removeprefix("argument ")
        message = re.sub(r"ignored explicit argument (.*)$", r"takes no value, as \1 here", message)
        raise InputError(f"{message[:1].upper()}{message[1:]}.", f"See `{self.prog} --help`.")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """End after help was printed."""
        raise Help

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            names = [str(choice) for choice in action.choices]
            kind = str(action.metavar or action.dest).lower()
            raise InputError(f"There is no {kind} {value!r}.", nearest(str(value), names))


def build_parser(prog: str, description: str) -> Parser:
    """Return a parser that keeps the epilog's lines and takes no abbreviated options."""
    return Parser(prog=prog, description=_sentence(description))


def front_parser() -> Parser:
    """Return the parser of `selfheal` without a command: it opens the app."""
    from . import COMMANDS, app

    parser = build_parser("selfheal", "Heal broken Python under human control, in the terminal.")
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:<{width}}  {command.summary}" for name, command in COMMANDS.items())
    parser.usage = "%(prog)s [settings]\n       %(prog)s COMMAND ..."
    parser.description = (
        f"{parser.description} Without a command: open the app on the list of sessions.\n\ncommands:\n{commands}"
        "\n\nselfheal COMMAND --help says what a command takes."
    )
    parser.epilog = EXITS
    parser.add_argument("--version", action="store_true", help="print the version")
    app.add_arguments(parser)
    return parser


def whole_parser(words: Sequence[str] | None = None) -> Parser:
    """Return one parser of the whole command line; of the commands only the one in `words` is complete, or all."""
    from . import COMMANDS

    parser = front_parser()
    parser.usage = None
    parser.first_word = None if words is None else next((word for word in words if word in COMMANDS), "")
    add_actions(parser, __package__, COMMANDS, "COMMAND", words)
    return parser


def add_actions(
    parser: Parser, package: str, actions: Mapping[str, Command], metavar: str, words: Sequence[str] | None = None
) -> None:
    """Add commands or actions to a parser, each with its arguments where `parser.first_word` asks for it."""
    choices = parser.add_subparsers(dest=metavar.lower(), required=metavar == "ACTION", metavar=metavar)
    for name, command in actions.items():
        one = choices.add_parser(name, help=command.summary, description=_sentence(command.summary))
        if parser.first_word in (None, name):
            if words:
                after = words[words.index(name) + 1 :]
                one.first_word = next((word for word in after if not word.startswith("-")), "")
            module = importlib.import_module(f"{package}.{command.module}")
            module.add_arguments(one)
            if hasattr(module, "run"):
                one.set_defaults(run=module.run)


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + ("" if words.endswith(".") else ".")
