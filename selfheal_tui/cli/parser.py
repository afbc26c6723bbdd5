"""The parsers of the command line: plain sentences for errors, short usage lines, actions that are filled on use."""

from __future__ import annotations

import argparse
import copy
import importlib
import re
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from selfheal_tui.errors import InputError
from selfheal_tui.text import one_line

from .exit_codes import exits_text

SETTINGS = "settings"
"""Title of the group of flags that are settings; a usage line says this word and not each of them."""


_FEW = 3
"""So many names are all told: a shell that is not among three is not one of them mistyped."""
_MISSING = "the following arguments are required: "
EXITS = exits_text()


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
        own = [_as_used(a) for a in actions if getattr(a, "container", None) is None or not _is_setting(a)]
        has_settings = len(own) < len(list(actions))
        if has_settings and usage is None:
            own.append(argparse.Action([SETTINGS], SETTINGS, nargs=0))
        super().add_usage(usage, own, groups, prefix)


def _as_used(action: argparse.Action) -> argparse.Action:
    """Return how an argument is shown in a usage line: `[SESSION]` where it may be left out before another one."""
    if not getattr(action, "may_lack", False):
        return action
    shown = copy.copy(action)
    shown.nargs = "?"
    return shown


def _is_setting(action: argparse.Action) -> bool:
    return bool(action.container.title == SETTINGS)  # type: ignore[attr-defined]


class Parser(argparse.ArgumentParser):
    """A parser whose errors are InputErrors and whose help does not end the process."""

    first_word: str | None = None
    """The word after the command: only its action needs its arguments. None: all do, to describe them."""
    session_may_lack = False
    """Whether the first argument, SESSION, may be left out before another one: `sessions decide approve`."""
    _words: Sequence[str] = ()
    """What is parsed."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": _Formatter, "allow_abbrev": False, **options})

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Read the words of a command line. Raises: InputError; of a slip it says what was meant."""
        parsed, left = self.parse_known_args(args, namespace)
        if left:
            self._chosen(parsed).refuse_unknown(left)
        return parsed

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Keep the words for what is said of them."""
        self._words = list(args or ())
        try:
            return super().parse_known_args(args, namespace)
        except InputError as error:
            if not self.session_may_lack or not str(error).startswith("Missing: "):
                raise
            # An optional SESSION would take the only word, or no longer stand before a flag (bpo-15112).
            try:
                parsed, left = super().parse_known_args(["", *self._words], namespace)
            except InputError as slip:
                is_meant = slip.hint.startswith("Did you mean") or self._is_no_session(slip)
                raise (slip if is_meant else error) from None
            parsed.session = None
            return parsed, left

    def _is_no_session(self, slip: InputError) -> bool:
        """Tell whether the only word was refused as an answer and is no session either: those have digits."""
        words = [word for word in self._words if not word.startswith("-")]
        return slip.message.startswith("There is no ") and len(words) == 1 and not any(map(str.isdigit, words[0]))

    def refuse_unknown(self, words: Sequence[str]) -> NoReturn:
        """Say of the first word that has no meaning here what was meant. Raises: InputError."""
        see = f"See `{self.prog} --help`."
        flag = next((word.partition("=")[0] for word in words if word.startswith("-")), None)
        if flag is None:
            raise InputError(f"`{self.prog}` has no use for {one_line(words[0], 60)!r}.", see)
        from selfheal_tui.setting_values import nearest

        names = [name.removeprefix("--") for name in self._option_string_actions if name.startswith("--")]
        near = nearest(flag.lstrip("-"), names, see, "--{}".format)
        raise InputError(f"`{self.prog}` has no option {one_line(flag, 60)}.", near)

    def _chosen(self, parsed: argparse.Namespace) -> Parser:
        """Return the parser of the action that was chosen, to its innermost."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                chosen = action.choices.get(str(getattr(parsed, action.dest, "")))
                return chosen._chosen(parsed) if isinstance(chosen, Parser) else self
        return self

    def _unknown_flags(self) -> list[str]:
        flags = (word.partition("=")[0] for word in self._words if word.startswith("--"))
        return [flag for flag in flags if flag not in self._option_string_actions]

    def error(self, message: str) -> NoReturn:
        """Refuse the command line."""
        if message.startswith(_MISSING):
            if unknown := self._unknown_flags():
                self.refuse_unknown(unknown)
            may_lack = {action.metavar for action in self._actions if getattr(action, "may_lack", False)}
            lacking = message.removeprefix(_MISSING).split(", ")
            names = ", ".join([name for name in lacking if name not in may_lack] or lacking)
            choices = [a.choices for a in self._actions if names in (a.metavar, a.dest) and a.choices]
            hint = f"There are: {', '.join(map(str, choices[0]))}." if choices else f"See `{self.prog} --help`."
            raise InputError(f"Missing: {names}.", hint)
        message = message.removeprefix("argument ")
        message = re.sub(r"ignored explicit argument (.*)$", r"takes no value, as \1 here", message)
        raise InputError(f"{message[:1].upper()}{message[1:]}.", f"See `{self.prog} --help`.")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Write help; argparse would not say that it could not."""
        print(message, end="", file=file or sys.stderr)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """End after help was printed."""
        raise Help

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            from selfheal_tui.setting_values import nearest

            names = [str(choice) for choice in action.choices]
            kind = str(action.metavar or action.dest).lower()
            few = f"There are: {', '.join(names)}." if len(names) <= _FEW else ""
            raise InputError(f"There is no {kind} {value!r}.", few or nearest(str(value), names))


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


def refuse_late(argv: Sequence[str], names: Iterable[str], prog: str, kind: str) -> None:
    """Say that the command or action comes first, where one follows options. Raises: InputError."""
    names = set(names)
    for at, word in enumerate(argv):
        # What follows a flag may be its value: `--sessions demo` names a folder.
        if word in names and at and not (argv[at - 1].startswith("-") and "=" not in argv[at - 1]):
            rest = shlex.join([*argv[:at], *argv[at + 1 :]])
            raise InputError(f"The {kind} comes first, its options after it.", f"Try: {prog} {word} {rest}")


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + ("" if words.endswith(".") else ".")
