"""The commands of a thread, as editors list them behind a slash."""

from __future__ import annotations

from typing import NamedTuple

from acp.schema import AvailableCommand, AvailableCommandInput, UnstructuredCommandInput


class Command(NamedTuple):
    """One command."""

    words: str
    """What it does."""
    hint: str = ""
    """What may follow it; empty for nothing."""


COMMANDS = {
    "fix": Command("Heal files, or this project", "PATH ... (default: this project); then -- and what it should do"),
    "new": Command("Write code for a text, then heal it; needs a model", "what the code should do"),
    "status": Command("Say where this session stands"),
    "resume": Command("Go on where it stopped, or be asked again"),
    "approve": Command("Answer the question: approve", "number of another candidate (default: the first)"),
    "reject": Command("Answer the question: reject", "the reason; the next attempt gets it"),
    "stop": Command("End the run here, unhealed"),
    "undo": Command("Take back what you did last in this session"),
    "fork": Command("Go on from here on a new branch with something changed", "FIELD=VALUE ..., as max_iterations=10"),
    "apply": Command("Show the change, ask, and write it into your files", "unhealed: also where cases still fail"),
}


def available_commands() -> list[AvailableCommand]:
    """Return them as the protocol has them."""
    return [
        AvailableCommand(
            name=name,
            description=command.words,
            input=AvailableCommandInput(root=UnstructuredCommandInput(hint=command.hint)) if command.hint else None,
        )
        for name, command in COMMANDS.items()
    ]
