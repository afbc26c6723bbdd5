"""Tool: Python that the model wrote, run in the sandbox beside the program as a suite of one case."""

from __future__ import annotations

from selfheal_tui.sandbox.base import SuiteReport, run_through
from selfheal_tui.text import truncate_middle

from ...workshop.role_context import RoleContext
from ...workshop.snippet import snippet_suite
from .common import Refused

_MOST_CODE = 20_000
_MOST_OUTPUT = 2_500
_MOST_TRACEBACK = 1_200
_SNIPPET = "selfheal_snippet.py"
_CASE = "test_selfheal_snippet.py"
# The snippet is a file of its own: nothing of it is re-indented or quoted.
_STARTER = f"""\
import pathlib
import runpy


def test_snippet():
    runpy.run_path(str(pathlib.Path(__file__).with_name({_SNIPPET!r})), run_name="__main__")
"""


async def run_snippet(context: RoleContext, code: str) -> str:
    """Return what the code printed and how it ended. Raises: Refused, SandboxError."""
    if not code.strip():
        raise Refused("`code` is empty; give Python that imports what it needs and prints what you want to see")
    if len(code) > _MOST_CODE:
        raise Refused(f"`code` has {len(code)} characters; at most {_MOST_CODE} are run")
    suite = snippet_suite(context.workspace, context.deps.suite_limits, {_SNIPPET: code, _CASE: _STARTER}, _CASE)
    return _outcome_text((await run_through(context.deps.sandbox, suite)).report)


def _outcome_text(report: SuiteReport) -> str:
    if not report["cases"]:
        return f"The code could not be run: {report['error'] or 'no case was found'}"
    ended = report["cases"][0]
    output = truncate_middle(ended["output"].strip("\n"), _MOST_OUTPUT)
    parts = [f"printed:\n{output}" if output else "It printed nothing."]
    match ended["outcome"]:
        case "passed":
            parts.append("It ended without an exception.")
        case "timeout":
            parts.append(f"It did not end in time. {ended['message']}".strip())
        case _:
            parts.append(f"It ended with {ended['message']}")
            if trace := _own_frames(ended["traceback"]):
                parts.append(truncate_middle(trace, _MOST_TRACEBACK))
    return "\n".join(parts)


def _own_frames(traceback: str) -> str:
    """Return the traceback without the lines that started the snippet."""
    return "\n".join(line for line in traceback.splitlines() if _CASE not in line and "runpy.run_path" not in line)
