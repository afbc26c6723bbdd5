"""Tool: the lines that the failing cases run and the passing ones do not, with scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from selfheal_tui.text import one_line

from ...workshop.role_context import RoleContext
from ...workshop.suspects import find_suspects

if TYPE_CHECKING:
    from selfheal_tui.search.program.localise import Suspect

_MOST = 12


async def localise(context: RoleContext) -> str:
    """Run the suite with coverage; return the most suspicious lines first. Raises: SandboxError."""
    suspects, _ = await find_suspects(context)
    return suspects_text(suspects, context.workspace.program_texts)


def suspects_text(suspects: Sequence[Suspect], program: Mapping[str, str]) -> str:
    """Return the most suspicious lines in words."""
    if not suspects:
        return "That cannot be done: no line stands out: the program holds no code that a case ran."
    lines = {path: text.splitlines() for path, text in program.items()}
    suspect_lines = [
        f"{s.score:.2f}  {s.path}:{s.line}  {one_line(lines[s.path][s.line - 1], 100)}  ({s.reason})"
        for s in suspects[:_MOST]
        if 0 < s.line <= len(lines[s.path])
    ]
    more = f"\n({len(suspects) - _MOST} lines of lower score left out)" if len(suspects) > _MOST else ""
    return "Suspicious lines, 1.00 is the most:\n" + "\n".join(suspect_lines) + more
