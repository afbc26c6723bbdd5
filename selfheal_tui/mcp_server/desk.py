"""What all tools of one client share: its reach, the work in flight, and how an answer or a refusal is handed over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import ListRoots, Resolve
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ListRootsRequest, ListRootsResult, TextContent
from pydantic import Field

from selfheal_tui.errors import SelfHealError
from selfheal_tui.money import json_text
from selfheal_tui.settings import Settings
from selfheal_tui.text import one_line, strip_controls

from .front import Front
from .reach import Reach, reach_of
from .told import safe
from .work import Tell, Works, telling

Client = Context[Any, Any]
"""One call of a client, to answer it and to ask it back."""


async def client_roots(ctx: Client) -> ListRoots | ListRootsResult | None:
    """Ask the client for its roots, as its protocol has it; None where it has none to tell."""
    capabilities = ctx.client_capabilities
    if capabilities is None or capabilities.roots is None:
        return None
    if not ctx.session.can_send_request:
        return ListRoots()
    try:
        listed: ListRootsResult = await ctx.session.send_request(ListRootsRequest(), ListRootsResult)
    except MCPError:
        return None
    return listed


Roots = Annotated[ListRootsResult | None, Resolve(client_roots)]
Paths = Annotated[
    tuple[str, ...],
    Field(description="Program files, or one project folder; relative to the project. Default: all of it."),
]
Tests = Annotated[
    tuple[str, ...],
    Field(description="Test files, folders or node ids (test_x.py::test_y). Default: what pytest collects there."),
]
Spec = Annotated[str, Field(description="What the program should do, in words; its examples are tests too.")]


class Desk:
    """One client's."""

    def __init__(self, front: Front, works: Works) -> None:
        self.front = front
        self.works = works
        self._roots: tuple[str, ...] = ()
        """The client's roots, as it told them last: a resource cannot ask for them."""

    @property
    def reach(self) -> Reach:
        """How far the client reaches, by the roots that it told last."""
        return reach_of(self._roots)

    def reach_with(self, roots: ListRootsResult | None) -> Reach:
        """Return how far the client reaches with these roots, and keep them."""
        self._roots = tuple(str(root.uri) for root in roots.roots) if roots is not None else ()
        return self.reach

    async def settings(self) -> Settings:
        """Return the settings in force now, without what an agent may not have. Raises: SettingsError."""
        return await asyncio.to_thread(self.front.settings)

    def noted(self, settings: Settings, told: dict[str, Any]) -> dict[str, Any]:
        """Return what a run told, with the folder's own settings that did not count in it, where there are any."""
        if not (left_out := self.front.left_out(settings)):
            return told
        why = "The user accepts what this folder brings with: selfheal config --trust"
        return {**told, "settings_left_out": [*safe(left_out, "", 300), why]}

    async def answered(self, ctx: Client, work: Callable[[Tell], Awaitable[dict[str, Any] | str]]) -> CallToolResult:
        """Do the work and return what it found, a text as it is; an expected failure is a sentence for the agent."""

        async def done() -> dict[str, Any] | str:
            async with telling(ctx.report_progress) as tell:
                return await work(tell)

        try:
            value = await self.works.run(done)
        except SelfHealError as error:
            text = strip_controls(str(error))
            return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)
        if isinstance(value, str):
            return CallToolResult(content=[TextContent(type="text", text=value)])
        if not value.get("not_shown", True):
            del value["not_shown"]
        return CallToolResult(content=[TextContent(type="text", text=json_text(value))], structured_content=value)


def client_name(ctx: Client) -> str:
    """Return what the client calls itself, in one safe line."""
    params = ctx.session.client_params
    name = params.client_info.name if params is not None else ""
    return one_line(strip_controls(name), 40) or "without a name"
