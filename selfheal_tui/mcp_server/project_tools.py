"""Tools about a project as it lies on disk, without a session: what fails, where the cause is, which edits help.

Their names, arguments and descriptions are what an agent sees.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from mcp_types import CallToolResult, ListRootsResult

from selfheal_tui.engine.moment.sureness import has_sureness
from selfheal_tui.sandbox.base import CaseFinished

from .desk import Client, Desk, Paths, Roots, Spec, Tests
from .driving import Stood, searched
from .told import question_told, report_in_short, report_told, safe, suspects_told
from .work import Tell


class ProjectTools:
    """The tools."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def run_tests(self, ctx: Client, roots: Roots, paths: Paths = (".",), tests: Tests = ()) -> CallToolResult:
        """Run a Python project's tests once, in a sandbox without network. Tells the failing cases, each with its
        message, traceback and output; a single case named in `tests` is told at length."""
        reach = self._desk.reach_with(roots)

        async def work(tell: Tell) -> dict[str, Any]:
            settings = await self._desk.settings()
            task = await asyncio.to_thread(reach.task, paths, tests)
            ended = 0

            def told(event: CaseFinished) -> None:
                nonlocal ended
                ended += 1
                tell(f"{ended}{f' of {event.of}' if event.of else ''} cases have run")

            report = await self._desk.front.run_tests(task, settings, told)
            hidden: list[str] = []
            how = "run_tests with tests=[its id]" if len(report["cases"]) > 1 else "run it in a terminal"
            return self._desk.noted(settings, {**report_told(report, hidden, how), "not_shown": hidden})

        return await self._desk.answered(ctx, work)

    async def localise(
        self, ctx: Client, roots: Roots, paths: Paths = (".",), tests: Tests = (), spec: Spec = ""
    ) -> CallToolResult:
        """Find the lines that make tests fail, without a model: each suspicious line with its score (Ochiai over
        which cases run it, 0 to 1), and at which lines a small edit makes failing cases pass. Takes up to a minute or
        two; writes nothing."""

        def tell_places(stood: Stood, hidden: list[str]) -> dict[str, Any]:
            if stood.newest is None or (diagnosis := stood.newest.diagnosis) is None:
                return _ended(stood, hidden)
            evidence = [{"line": f"{one['file']}:{one['line']}", "why": one["why"]} for one in diagnosis["evidence"]]
            return {
                "cause": safe(diagnosis["cause"]),
                "confidence": diagnosis["confidence"] if has_sureness(diagnosis) else None,
                "places": safe(evidence, "", 600),
                "suspicious_lines": suspects_told(stood.newest, hidden),
                **_tests_of(stood, hidden),
            }

        return await self._search(ctx, roots, (paths, tests, spec), (), tell_places)

    async def search_repairs(
        self, ctx: Client, roots: Roots, paths: Paths = (".",), tests: Tests = (), spec: Spec = ""
    ) -> CallToolResult:
        """Search for small edits that make failing tests pass, without a model. Returns ranked candidates, each run
        against all tests: its diff, the cases that it fixes and breaks, how sure the search is and what speaks against
        it. Writes nothing into the project: to use one, apply its diff. Where several groups of cases fail, name the
        tests of one. Takes up to a minute or two."""

        def tell_candidates(stood: Stood, hidden: list[str]) -> dict[str, Any]:
            review = stood.result["review"]
            if review is None or review["kind"] != "repair":
                return _ended(stood, hidden)
            how = "`heal` keeps a session that has them whole"
            return {**question_told(review, hidden, how), **_tests_of(stood, hidden)}

        return await self._search(ctx, roots, (paths, tests, spec), ("diagnosis",), tell_candidates)

    async def _search(
        self,
        ctx: Client,
        roots: ListRootsResult | None,
        source: tuple[tuple[str, ...], tuple[str, ...], str],
        kinds: tuple[str, ...],
        tell_of: Callable[[Stood, list[str]], dict[str, Any]],
    ) -> CallToolResult:
        reach = self._desk.reach_with(roots)

        async def work(tell: Tell) -> dict[str, Any]:
            settings = await self._desk.settings()
            hidden: list[str] = []
            stood = await searched(self._desk.front, settings, lambda: reach.task(*source), kinds, tell)
            return self._desk.noted(settings, {**tell_of(stood, hidden), "not_shown": hidden})

        return await self._desk.answered(ctx, work)


def _tests_of(stood: Stood, hidden: list[str]) -> dict[str, Any]:
    """Return what failed before any edit, and how the failing cases belong together."""
    report, groups = stood.result["report"], stood.result["groups"]
    told = {"groups": safe([group["in_one_line"] for group in groups], "", 400)} if len(groups) > 1 else {}
    return {**told, "tests": report_in_short(report, hidden)} if report else told


def _ended(stood: Stood, hidden: list[str]) -> dict[str, Any]:
    """Return why there is nothing to tell of: every case passes, no edit helps, the tests could not run."""
    told = safe({name: stood.result[name] for name in ("outcome", "reason", "doubts", "failures")}, "", 2000)
    report = stood.result["report"]
    return {**told, "report": report_told(report, hidden, "run_tests with tests=[its id]")} if report else told
