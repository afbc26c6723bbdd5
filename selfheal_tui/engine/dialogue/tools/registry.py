"""The debugger's tools by name, their arguments, and how one is used. Whatever goes wrong is an observation."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from selfheal_tui.errors import SandboxError
from selfheal_tui.text import strip_controls, truncate_middle

from ...workshop.role_context import RoleContext
from .common import Refused, alternatives
from .diff_iterations import diff_iterations
from .inspect_function import inspect_function
from .localise import localise
from .read_file import read_file
from .run_case import run_case
from .run_snippet import run_snippet

CONCLUDE = "conclude"
"""The action that uses no tool: it gives the diagnosis."""
OBSERVATION_LIMIT = 4_000
"""Most characters of what a tool shows; of longer text the middle is left out."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A way to look at the program."""

    use: Callable[..., str | Awaitable[str]]
    """Takes the context and its arguments by name. Raises: Refused, SandboxError."""
    takes: Mapping[str, str | int]
    """Argument -> its value when the model leaves it out."""


TOOLS: Mapping[str, Tool] = {
    "run_snippet": Tool(run_snippet, {"code": ""}),
    "inspect_function": Tool(inspect_function, {"name": "", "path": ""}),
    "diff_iterations": Tool(diff_iterations, {"first": 0, "last": 0}),
    "run_case": Tool(run_case, {"case": "", "lines": ""}),
    "localise": Tool(localise, {}),
    "read_file": Tool(read_file, {"path": "", "first": 0, "last": 0}),
}


def arguments_of(action: Mapping[str, Any]) -> dict[str, str | int]:
    """Pick the arguments that the action's tool takes; a value of another type counts as left out."""
    tool = TOOLS.get(str(action.get("action")))
    takes = tool.takes if tool else {}
    return {name: value if type(value := action.get(name)) is type(usual) else usual for name, usual in takes.items()}


async def observe(context: RoleContext, name: str, arguments: Mapping[str, str | int]) -> tuple[str, bool]:
    """Use a tool; return its observation, as text that is safe to store and show, and whether it may be recorded.

    It may not when the sandbox did not start: that says nothing about the program.
    """
    lasting = True
    try:
        tool = TOOLS.get(name)
        if tool is None:
            raise Refused(f"there is no action {name[:80]!r}; {alternatives(name, [*TOOLS, CONCLUDE])}")
        result = tool.use(context, **arguments)
        text = await result if inspect.isawaitable(result) else result
    except Refused as error:
        text = f"That cannot be done: {error}."
    except SandboxError as error:
        text, lasting = could_not_run(error), False
    except RecursionError:
        text = "That cannot be done: the source is nested too deeply."
    return as_seen(text), lasting


def could_not_run(error: SandboxError) -> str:
    """Say that the sandbox failed, not the program."""
    return f"The sandbox could not run this: {error.message}"


def as_seen(text: str) -> str:
    """Return what a tool shows as text that is safe to store and show, and not too long."""
    return truncate_middle(strip_controls(text), OBSERVATION_LIMIT)
