"""Role: reads the code as an enemy and writes tests that it will fail if it is wrong anywhere."""

from __future__ import annotations

from collections.abc import Mapping

from ...moment.state import Spent
from ...workshop.prompt_room import Shrinkable
from ...workshop.role_context import RoleContext
from ..focus import changed_lines
from ..program_map import show_program
from .test_writing import ask_for_tests

TEST_PATH = "test_adversarial.py"


async def write_attacks(context: RoleContext, path: str, existing: Mapping[str, str]) -> tuple[str, Spent]:
    """Return the text of a test file to be named `path` and what it cost; `existing` are the tests there are.

    Raises: InvalidReply, ProviderError.
    """
    program = context.workspace.program_texts
    files = tuple(f"--- {name}\n{text}" for name, text in existing.items())
    values: dict[str, str | Shrinkable] = {
        "spec": context.spec or "(none: docstrings, names and the existing tests say what is right)",
        "program": show_program(program, changed_lines(context.workspace.base, program), with_numbers=True).text,
        "tests": Shrinkable(files, tuple((n, "test file") for n in range(len(files)))),
        "path": path,
    }
    return await ask_for_tests(context, "adversary", values)
