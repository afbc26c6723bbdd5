"""Role: writes a pytest file from the specification alone; its prompt never holds the code."""

from __future__ import annotations

from ...moment.state import Spent
from ...workshop.role_context import RoleContext
from .test_writing import ask_for_tests

TEST_PATH = "test_solution.py"


async def write_tests(context: RoleContext) -> tuple[str, Spent]:
    """Return the text of a test file and what it cost. Raises: InvalidReply, ProviderError."""
    return await ask_for_tests(context, "spec_tester", {"spec": context.spec})
