"""Role: writes pytest files from the specification alone; the code never reaches its prompt."""

from __future__ import annotations

from ..reply import ask_model
from ..state import Spent
from .context import RoleContext

TEST_PATH = "test_solution.py"


async def write_tests(context: RoleContext) -> tuple[dict[str, str], Spent]:
    """Return test path -> text and what it cost. Raises: ReplyInvalid, ProviderError."""
    values = {"spec": context.spec}
    reply, spent = await ask_model(
        context.deps, context.emit, context.model("spec_tester"), "spec_tester", values, context.salt
    )
    return {TEST_PATH: str(reply["tests"])}, spent
