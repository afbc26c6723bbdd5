"""What a provider promises: pieces that make up the completion, which comes last; closing at any time; calls apart.

All but the first is asked of a provider that its author opens with a stand-in for the model (`OPENS`).
"""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, cast

from selfheal_tui.llm.base import Completion, Provider, Request, TextDelta
from selfheal_tui.llm.plugged import ProviderPlugin

from .contract import Given, Promise, promise

_IMPORTED = """
import importlib, sys
getattr(importlib.import_module(sys.argv[1]), sys.argv[2])
print(",".join(sorted(set(sys.argv[3:]) & set(sys.modules))))
"""
_IMPORT_S, _END_S = 60, 5


def question(prompt: str = "Find the cause.", **fields: Any) -> Request:
    """Return a debugger's question in plain text."""
    system = "You are the debugger of a program-repair team."
    return Request(**{"role": "debugger", "model": "tiny", "system": system, "prompt": prompt, "schema": {}, **fields})


async def answer(
    provider: Provider, asked: Request | None = None, pieces: list[str] | None = None
) -> tuple[Completion, list[str]]:
    """Make one call; return its completion, which has to come last, and the pieces of text before it.

    They are added to `pieces` as they come.
    """
    pieces = [] if pieces is None else pieces
    last: Completion | None = None
    async for part in provider.stream(asked or question()):
        assert last is None, "something came after the completion"
        if isinstance(part, Completion):
            last = part
        elif isinstance(part, TextDelta):
            pieces.append(part.text)
    assert last is not None, "no completion"
    return last, pieces


def asked_promise(function: Callable[[Provider], Awaitable[None]]) -> Promise:
    """Register a promise that is put to an opened provider; the provider is closed at the end."""

    def run(given: Given) -> None:
        if given.opens is None:
            return

        async def ask(opens: Callable[[], Provider]) -> None:
            provider = opens()
            try:
                await function(provider)
            finally:
                await provider.aclose()

        asyncio.run(ask(given.opens))

    run.__name__, run.__doc__ = function.__name__, function.__doc__
    OF_OPENED[function.__name__] = function
    return promise("provider")(run)


OF_OPENED: dict[str, Callable[[Provider], Awaitable[None]]] = {}
"""Name -> promise, for who opens a provider by himself."""


@promise("provider")
def importing_it_imports_nothing_heavy(given: Given) -> None:
    """Its entry point can be imported without the packages that it needs: selfheal starts with it each time."""
    said: ProviderPlugin | Any = given.loaded
    module, _, name = given.target.partition(":")
    needs = said.needs if isinstance(said, ProviderPlugin) else ()
    if not given.target or not needs:
        return
    command = [sys.executable, "-c", _IMPORTED, module, name.partition(".")[0], *needs]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=_IMPORT_S, check=False)
    assert ran.returncode == 0, f"{given.name}: {ran.stderr}"
    assert not ran.stdout.strip(), f"{given.name}: importing it imports {ran.stdout.strip()}; import that on use"


@promise("provider")
def opens_by_model_and_limits(given: Given) -> None:
    """The function that opens it takes a model's name and time limits."""
    said: Any = given.loaded
    opener = said.open_provider if isinstance(said, ProviderPlugin) else said
    try:
        inspect.signature(opener).bind("tiny", None)
    except TypeError as error:
        raise AssertionError(f"{given.name}: it is opened as open_provider(model, limits), and {error}") from error


@asked_promise
async def pieces_make_up_the_completion(provider: Provider) -> None:
    """Text comes in pieces that are not empty, then the completion with all of it."""
    done, pieces = await answer(provider)
    assert done.text and pieces and all(pieces), "a stand-in says something to every question"
    assert "".join(pieces) == done.text
    assert done.stop_reason in ("end", "length", "refusal")
    assert done.usage.input_tokens >= 0 and done.usage.output_tokens >= 0


@asked_promise
async def text_that_is_no_unicode_does_no_harm(provider: Provider) -> None:
    """A program may hold half of a surrogate pair, which no JSON in UTF-8 can carry."""
    assert (await answer(provider, question("a \udc80 byte", shared="\ud800")))[0].text


@asked_promise
async def closing_twice_and_asking_again_goes_well(provider: Provider) -> None:
    """A closed provider opens again when it is asked."""
    await provider.aclose()
    assert (await answer(provider))[0].text
    await provider.aclose()
    await provider.aclose()


@asked_promise
async def a_stream_that_is_closed_leaves_nothing_behind(provider: Provider) -> None:
    """Who closes the stream early can ask again, and no task is left once the provider is closed."""
    async with aclosing(cast("AsyncGenerator[Any, None]", provider.stream(question()))) as parts:
        await anext(parts)
    assert (await answer(provider))[0].text
    await provider.aclose()
    if left := {task for task in asyncio.all_tasks() if task is not asyncio.current_task()}:
        # Closed connections end in a moment, also those of a stand-in server in the same loop.
        _, left = await asyncio.wait(left, timeout=_END_S)
    assert not left, f"left behind: {left}"
