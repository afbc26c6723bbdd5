"""LangSmith, only when the user's settings ask for it: it comes with LangGraph and sends code and prompts away."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from selfheal_tui.llm.departures import address_of

SWITCHES = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")
"""Both names of each: either alone would turn it on."""

TRACED = "langsmith:tracing"
"""What stands in the place of the model where a traced prompt is written down as sent."""


def set_tracing(wanted: bool) -> None:
    """Switch LangSmith's own tracing on or off for this process, whatever the environment says."""
    for name in SWITCHES:
        os.environ[name] = "true" if wanted else "false"


def flush() -> None:
    """Wait until what was traced has been sent, when anything was."""
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
    """Trace a model call under its role's name where tracing is on; put the reply into the list that is given."""
    reply: list[str] = []
    if os.environ.get(SWITCHES[0]) != "true":
        yield reply
        return
    from langsmith import trace

    inputs: dict[str, Any] = {"model": model, "prompt": prompt}
    async with trace(name=role, run_type="llm", inputs=inputs) as run:
        yield reply
        run.end(outputs={"reply": "".join(reply)})
