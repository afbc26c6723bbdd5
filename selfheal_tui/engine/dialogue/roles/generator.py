"""Role: writes the program from the specification and from the tests written for it."""

from __future__ import annotations

from ...moment.state import Spent
from ...workshop.role_context import RoleContext
from ..describe import plain
from ..reply import ask_model

PROGRAM_PATH = "solution.py"


async def write_program(context: RoleContext) -> tuple[dict[str, str], Spent]:
    """Return program path -> text and what it cost. Raises: ReplyInvalid, ProviderError."""
    values = {"spec": context.spec, "tests": plain(context.workspace.test_texts)}
    reply, spent = await ask_model(context, "generator", values, context.salt)
    return {PROGRAM_PATH: str(reply["code"])}, spent
