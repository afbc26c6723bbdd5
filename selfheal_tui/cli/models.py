"""`selfheal models`: what can be used now, with context, price and thinking; and pulling a model into Ollama."""

from __future__ import annotations

import asyncio
import sys
from argparse import ArgumentParser, Namespace
from contextlib import aclosing
from time import monotonic
from typing import TYPE_CHECKING, Any

from selfheal_tui.errors import InputError
from selfheal_tui.money import json_text
from selfheal_tui.text import one_line, short_number, size_words, strip_controls

from . import CANCELLED
from .options import add_settings
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.llm.model_list import ListedModel, ModelList
    from selfheal_tui.llm.pull import PullProgress
    from selfheal_tui.settings import Settings

_LINE_EVERY_S = 10.0
"""How often a pull tells its progress where that is no terminal."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "action", choices=("list", "pull"), nargs="?", default="list",
        help="list (default): what can be used now; pull: let Ollama fetch a model, ctrl+c stops it",
    )  # fmt: skip
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="what to pull, as in Ollama's library: qwen2.5-coder:7b"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    add_settings(parser, ("model",))


def run(args: Namespace) -> int:
    """List the models or pull one; 130 for a pull that was stopped."""
    settings = load_from(args)
    if args.action == "pull":
        return _run_pull(args.name or "", args.json)
    if args.name:
        raise InputError("`selfheal models list` takes no name.", f"To get it: selfheal models pull {args.name}")
    asyncio.run(_list(settings, args.json))
    return 0


async def _list(settings: Settings, as_json: bool) -> None:
    from selfheal_tui.llm.model_list import list_models

    listed = await list_models([settings.model, *settings.role_models.values()], settings.prices)
    # Printed here: closing the loop can wait for a name server that does not answer.
    print(json_text(_json(listed), indent=1) if as_json else _table(listed), flush=True)


def _json(listed: ModelList) -> dict[str, Any]:
    return {
        "models": [
            {
                "model": one.model,
                "context_tokens": one.facts.context_tokens,
                "output_tokens": one.facts.output_tokens,
                "input_usd": one.price[0] if one.price else None,
                "output_usd": one.price[1] if one.price else None,
                "thinks": one.facts.thinks,
                "efforts": list(one.facts.efforts),
                "ends": one.facts.ends or None,
                "has_ended": one.facts.has_ended,
                "size_bytes": one.size_bytes,
                "fits": one.fits,
                "here": one.here,
            }
            for one in listed.models
        ],
        "notes": listed.notes,
    }


def _table(listed: ModelList) -> str:
    rows = [("MODEL", "CONTEXT", "$ IN/OUT", "THINKS", "NOTES"), *(_row(one) for one in listed.models)]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)) for row in rows]
    notes = [f"- {note}" for note in listed.notes]
    legend = ["$ for a million tokens of input and of output; ? is not known"]
    return "\n".join(strip_controls(line).rstrip() for line in [*lines, "", *legend, *notes])


def _row(one: ListedModel) -> tuple[str, str, str, str, str]:
    context = short_number(one.facts.context_tokens) if one.facts.context_tokens else "?"
    thinks = {True: "yes", False: "no", None: "?"}[one.facts.thinks]
    price = "?" if one.price is None else "free" if one.price == (0.0, 0.0) else f"{one.price[0]:g}/{one.price[1]:g}"
    is_search = ":" not in one.model
    ends = one.facts.ends and f"{'ended' if one.facts.has_ended else 'ends'} on {one.facts.ends}"
    size = size_words(one.size_bytes) if one.size_bytes else ""
    words = ", ".join(word for word in (ends, size, one.here) if word)
    return one_line(one.model, 60), "-" if is_search else context, price, thinks, words


def _run_pull(text: str, as_json: bool) -> int:
    from selfheal_tui.llm.pull import GOES_ON, pull_name

    name = pull_name(text)
    try:
        asyncio.run(_pull(name))
    except KeyboardInterrupt:
        print(f"selfheal: stopped. {GOES_ON}", file=sys.stderr)
        return CANCELLED
    model = f"ollama:{name}"
    print(json_text({"model": model, "pulled": True}) if as_json else f"{one_line(name)} is there: --model {model}")
    return 0


async def _pull(name: str) -> None:
    from selfheal_tui.llm.pull import pull

    telling = _Telling(name, sys.stderr.isatty())
    try:
        async with aclosing(pull(name)) as steps:  # type: ignore[type-var]
            async for progress in steps:
                telling.tell(progress)
    finally:
        telling.end()


class _Telling:
    """Progress on stderr: one line that is written over on a terminal, else a line for each step and now and then."""

    def __init__(self, name: str, on_terminal: bool) -> None:
        self._name = one_line(name, 40)
        self._on_terminal = on_terminal
        self._step = ""
        self._told_at = 0.0

    def tell(self, progress: PullProgress) -> None:
        """Tell how far it has come."""
        words = f"{self._name}: {progress.words}"
        if self._on_terminal:
            print(f"\r\x1b[K{words}", end="", file=sys.stderr, flush=True)
        elif progress.step != self._step or monotonic() - self._told_at >= _LINE_EVERY_S:
            print(words, file=sys.stderr, flush=True)
            self._told_at = monotonic()
        self._step = progress.step

    def end(self) -> None:
        """Leave the line that is written over."""
        if self._on_terminal and self._step:
            print(file=sys.stderr, flush=True)
