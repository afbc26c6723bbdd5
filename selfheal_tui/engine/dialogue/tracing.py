"""Tracing by LangSmith, which sends code and prompts to its service: off unless the user's settings ask for it."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from selfheal_tui.llm.departures import address_of

SWITCHES = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")
"""The environment variables that turn it on, each in its old and its new spelling."""

TRACED = "langsmith:tracing"
"""Stands in the place of the model where a traced prompt is recorded as sent."""


def set_tracing(wanted: bool) -> None:
    """Switch LangSmith's own tracing on or off for this process, whatever the environment says."""
    for name in SWITCHES:
        os.environ[name] = "true" if wanted else "false"


def flush() -> None:
    """Wait until all traces have been sent."""
    if os.environ.get(SWITCHES[0]) == "true":
        from langchain_core.tracers.langchain import wait_for_all_tracers

        wait_for_all_tracers()


def traced_to() -> str:
    """Return the address that prompts and replies are traced to; empty while nothing is traced."""
    if os.environ.get(SWITCHES[0]) != "true":
        return ""
    from langsmith.utils import get_env_var

    return address_of(get_env_var("ENDPOINT", default="https://api.smith.langchain.com") or "")


@asynccontextmanager
async def span(role: str, model: str, prompt: str) -> AsyncIterator[list[str]]:
    """Trace a model call under its role's name while tracing is on; the caller adds the reply to the yielded list."""
    reply: list[str] = []
    if os.environ.get(SWITCHES[0]) != "true":
        yield reply
        return
    from langsmith import trace

    inputs: dict[str, Any] = {"model": model, "prompt": prompt}
    async with trace(name=role, run_type="llm", inputs=inputs) as run:
        yield reply
        run.end(outputs={"reply": "".join(reply)})
