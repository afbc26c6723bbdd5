"""The flags that commands share; they derive from the fields of Settings."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction, Namespace
from typing import Literal, get_args, get_origin

from selfheal_tui.settings import setting_help, setting_type

from .completers import completer_of, completes, session_ids
from .event_stream import add_events
from .parser import SETTINGS, Parser

STORE_SETTINGS = (
    *(
        "sessions",
        "prompts",
        "sandbox",
        "python",
        "allow_unsandboxed",
        "allow_read",
        "allow_network",
        "suite_time_s",
        "case_time_s",
        "replay_only",
        "tracing",
        "otel",
        "plugins",
    ),
    *("prices", "call_time_s", "silence_s", "context_tokens"),
)
"""What every command that opens a session needs."""
RUN_SETTINGS = (
    "model",
    "effort",
    "autonomy",
    "max_iterations",
    "max_tokens",
    "max_cost_usd",
    "max_time_s",
    "max_calls",
    "strategies",
    "repair_format",
    "near_miss_s",
    "min_confidence",
    "debug_steps",
    "adversary",
    "critic",
    "oracle_calls",
    "advisors",
    "lessons",
    *STORE_SETTINGS,
)
_ON_BY_DEFAULT = ("lessons",)
"""Switches that a flag can turn off: `--no-lessons`."""
REPEATABLE = ("model", "effort", "allow_read", "plugins")
_METAVARS = {
    "effort": "LEVEL",
    "prices": "PRICES",
    "call_time_s": "S",
    "silence_s": "S",
    "suite_time_s": "S",
    "case_time_s": "S",
    "strategies": "NAMES",
    "advisors": "NAMES",
    "plugins": "NAMES",
    "near_miss_s": "S",
    "min_confidence": "X",
    "model": "MODEL",
    "sessions": "DIR",
    "prompts": "DIR",
    "max_cost_usd": "X",
    "max_time_s": "S",
    "python": "PATH",
    "allow_read": "PATH",
    "sandbox": "NAME",
    "theme": "NAME",
}


def add_settings(parser: ArgumentParser, names: tuple[str, ...], *, trust: bool = True) -> None:
    """Add the flags of these settings, and with `trust` `--trust`; a flag that is not given is None."""
    group = parser.add_argument_group(SETTINGS, "also in selfheal.yaml and SELFHEAL_* (see `selfheal config`)")
    sentences = setting_help()
    for name in names:
        flag = "--" + name.replace("_", "-")
        sentence = " ".join(sentences[name].split()).replace("%", "%%")
        if name in _ON_BY_DEFAULT:
            action = group.add_argument(flag, action=BooleanOptionalAction, default=None, help=sentence)
        elif setting_type(name) is bool:
            action = group.add_argument(flag, action="store_true", default=None, help=sentence)
        elif name in REPEATABLE:
            action = group.add_argument(flag, action="append", metavar=_METAVARS[name], help=sentence)
        else:
            choices = get_args(setting_type(name)) if get_origin(setting_type(name)) is Literal else ()
            metavar = "|".join(choices) if choices else _METAVARS.get(name, "N")
            action = group.add_argument(flag, metavar=metavar, help=sentence)
        if completer := completer_of(name):
            completes(action, completer)
    if not trust:
        return
    group.add_argument(
        "--trust",
        action="store_true",
        help="Accept what this folder brings (its selfheal.yaml and .env, prompts and interpreter), until it changes.",
    )


def add_store_settings(parser: ArgumentParser) -> None:
    """Add what every command that opens a session needs."""
    add_settings(parser, STORE_SETTINGS)


def add_json(parser: ArgumentParser, shape: str = "one JSON object") -> None:
    """Add `--json`; `shape` says what it prints."""
    parser.add_argument("--json", action="store_true", help=f"print {shape} and nothing else")


def add_session(parser: ArgumentParser, *, optional: bool = False, otherwise: str = "the newest") -> None:
    """Add SESSION; where it is `optional`, `otherwise` says which one is meant without it."""
    words = "its id, or the start of it" + (f" (default: {otherwise})" if optional else "")
    completes(
        parser.add_argument("session", metavar="SESSION", nargs="?" if optional else None, help=words), session_ids
    )


def add_waiting_session(parser: ArgumentParser) -> None:
    """Add SESSION before another argument; without it, the newest that waits for a decision is meant."""
    words = "its id, or the start of it (default: the newest of this folder that waits for a decision)"
    session = parser.add_argument("session", metavar="SESSION", help=words)
    completes(session, session_ids)
    session.may_lack = True  # type: ignore[attr-defined]
    if isinstance(parser, Parser):
        parser.session_may_lack = True


def whole_number(text: str) -> int:
    """Read a whole number. Raises: ArgumentTypeError."""
    try:
        return int(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no whole number") from None


def add_headless(parser: ArgumentParser) -> None:
    """Add the flags that run without the app."""
    parser.add_argument("--headless", action="store_true", help="no app: progress on stderr, result on stdout")
    parser.add_argument("--json", action="store_true", help="no app, and the result is one JSON object on stdout")
    plain = "no app: lines of text, and questions that are answered by typing, as for a screen reader"
    parser.add_argument("--plain", action="store_true", default=None, help=plain)
    add_events(parser, opens_app=True)


def given_run_settings(args: Namespace) -> tuple[str, ...]:
    """Return the run settings that were given as flags."""
    names = (name for name in RUN_SETTINGS if name not in STORE_SETTINGS)
    return tuple(name for name in names if getattr(args, name, None) is not None)
