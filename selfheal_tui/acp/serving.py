"""Serving an editor over this process's standard streams, which nothing else can reach from then on."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import cast

from acp.agent.connection import AgentSideConnection
from acp.interfaces import Agent
from acp.stdio import stdio_streams

from .agent import OpenDesk, SelfHealAgent
from .transport import LONGEST_BYTES, Lines


async def serve(open_desk: OpenDesk) -> None:
    """Answer the editor until it closes our input; then cancel what runs."""
    reader, writer = await _own_streams()
    agent = SelfHealAgent(open_desk)
    # An agent need not answer all that the SDK's type has: the rest is refused as a method that is not there.
    connection = AgentSideConnection(
        cast(Agent, agent), Lines(reader, writer), listening=False, use_unstable_protocol=True
    )
    try:
        await connection.listen()
        if (task := asyncio.current_task()) is not None and task.cancelling():
            raise asyncio.CancelledError  # a signal: the SDK takes it for the end of our input
    finally:
        await agent.aclose()
        await asyncio.shield(connection.close())


async def _own_streams() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Return the pipes to the editor, kept for the protocol alone.

    Whatever else is printed here, by a package or a process that we start, goes to stderr, and reads nothing.
    """
    usual = sys.stdin, sys.stdout
    usual[1].flush()
    ours = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb", 0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdin, sys.stdout = ours
    try:
        return await stdio_streams(LONGEST_BYTES)
    finally:
        sys.stdin, sys.stdout = usual
