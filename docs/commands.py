"""Write docs/commands.md, the page of all commands, from the parsers of the command line: `python docs/commands.py`."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from selfheal_tui.cli.options import RUN_SETTINGS, STORE_SETTINGS
from selfheal_tui.cli.parser import EXITS, SETTINGS, whole_parser

_OF_SESSIONS = {*STORE_SETTINGS, "trust"}
PAGE = Path(__file__).resolve().parent / "commands.md"
_START = """\
# All commands

Written from the program by `python docs/commands.py`; `--help` after a command says the same.
[The command line](command-line.md) explains what they are for.

In a usage line, `[settings]` stands for the flags under [Settings](#settings) that the command names."""
_SETTINGS = """\
## Settings

These flags are settings: they can also stand in `selfheal.yaml` and in `SELFHEAL_*`. [Settings](settings.md) says where
a value comes from."""


def page() -> str:
    """Return the page."""
    front = whole_parser()
    commands = _choices(front)
    settings = {action.dest: action for action in _settings(front)}
    parts = [_START, _block(EXITS)]
    for name, parser in commands.items():
        parts += _described(f"## {name}", parser, settings)
        for action, of_action in _choices(parser).items():
            parts += _described(f"### {name} {action}", of_action, settings)
    of_sessions = [action for name, action in settings.items() if name in _OF_SESSIONS]
    of_runs = [action for name, action in settings.items() if name not in _OF_SESSIONS]
    parts += [_SETTINGS, "### Settings of a session", _table(of_sessions), "### Settings of a run", _table(of_runs)]
    return "\n\n".join(parts) + "\n"


def _described(title: str, parser: argparse.ArgumentParser, all_settings: dict[str, argparse.Action]) -> Iterator[str]:
    yield title
    yield _safe(parser.description or "")
    if not _choices(parser):
        yield _block(_usage(parser))
    own = [
        action
        for action in parser._actions
        if action not in _settings(parser) and not isinstance(action, argparse._HelpAction | argparse._SubParsersAction)
    ]
    if own:
        yield _table(own)
    names = {action.dest for action in _settings(parser)}
    for action in _settings(parser):
        all_settings.setdefault(action.dest, action)
    if names:
        yield f"Settings: {_named(names)}."
    if parser.epilog:
        yield _block(parser.epilog) if "\n" in parser.epilog else _safe(_sentence(parser.epilog))


def _named(names: set[str]) -> str:
    """Name some settings: by the tables that hold all of them, else one by one."""
    of_runs, left = {*RUN_SETTINGS} - _OF_SESSIONS, set(names)
    words = []
    for title, link, whole in (("of a run", "run", of_runs), ("of a session", "session", _OF_SESSIONS)):
        if whole <= left:
            words.append(f"[those {title}](#settings-of-a-{link})")
            left -= whole
    return ", ".join([*words, *(f"`--{name.replace('_', '-')}`" for name in sorted(left))])


def _choices(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(groups[0].choices) if groups else {}


def _settings(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in parser._actions if action.container.title == SETTINGS]  # type: ignore[attr-defined]


def _usage(parser: argparse.ArgumentParser) -> str:
    return re.sub(r"\s+", " ", parser.format_usage().removeprefix("usage: ")).strip().replace(" [-h]", "")


def _table(actions: list[argparse.Action]) -> str:
    rows = [f"| {_names(action)} | {_help(action)} |" for action in actions]
    return "\n".join(["| argument | what it does |", "|---|---|", *rows])


def _names(action: argparse.Action) -> str:
    value = action.metavar or ("|".join(map(str, action.choices)) if action.choices else action.dest.upper())
    if not action.option_strings:
        return f"`{_in_cell(str(value))}`"
    takes = "" if action.nargs == 0 else f" {value}"
    return ", ".join(f"`{_in_cell(name + takes)}`" for name in action.option_strings)


def _help(action: argparse.Action) -> str:
    sentence = _sentence(" ".join((action.help or "").replace("%%", "%").split()))
    return _in_cell(_safe(sentence[:1].upper() + sentence[1:]))


def _in_cell(text: str) -> str:
    return text.replace("|", r"\|")


def _safe(text: str) -> str:
    """Keep what Markdown would take for markup, outside of backticks."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([*_<\[\]])", r"\\\1", part) for part in parts)


def _sentence(text: str) -> str:
    return text if not text or text.endswith(".") else text + "."


def _block(text: str) -> str:
    return f"```\n{text}\n```"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
