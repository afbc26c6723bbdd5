"""Tool: the lines that the failing cases run and the passing ones do not, with scores."""

from __future__ import annotations

from selfheal_tui.sandbox.base import run_through
from selfheal_tui.text import one_line

from ..roles.context import RoleContext
from .common import Refused

_MOST = 12


async def localise(context: RoleContext) -> str:
    """Run the suite with coverage; return the most suspicious lines first. Raises: Refused, SandboxError."""
    from selfheal_tui.search.localise import localise as suspects_of

    suite = context.workspace.suite(context.deps.suite_limits, coverage=True)
    finished = await run_through(context.deps.sandbox, suite)
    program = context.workspace.program_texts
    suspects = suspects_of(finished.report, finished.coverage, program)
    if not suspects:
        raise Refused("no line stands out: the program holds no code that a case ran")
    lines = {path: text.splitlines() for path, text in program.items()}
    shown = [
        f"{s.score:.2f}  {s.path}:{s.line}  {one_line(lines[s.path][s.line - 1], 100)}  ({s.why})"
        for s in suspects[:_MOST]
        if 0 < s.line <= len(lines[s.path])
    ]
    more = f"\n({len(suspects) - _MOST} lines of lower score left out)" if len(suspects) > _MOST else ""
    return "Suspicious lines, 1.00 is the most:\n" + "\n".join(shown) + more
