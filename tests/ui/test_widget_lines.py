"""The transcript and the status bar."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from textual.app import App, ComposeResult

from selfheal_tui.engine.moment.state import RunLimits, Spent, no_spend
from selfheal_tui.engine.moment.words import bill_words
from selfheal_tui.ui.kit.transcript import MAX_LINES, Transcript
from selfheal_tui.ui.run.status_bar import StatusBar, StatusLine, build_status
from selfheal_tui.ui.view.spark import spark
from selfheal_tui.ui.view.words import role_words


class Host(App[None]):
    """Holds one transcript and one status bar."""

    def compose(self) -> ComposeResult:
        yield Transcript()
        yield StatusBar()


def screen_lines(view: Transcript) -> list[str]:
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


async def flushed(app: App[None], wanted: str) -> Transcript:
    """Wait until the text has been drawn."""
    view = app.query_one(Transcript)
    for _ in range(200):
        if wanted in view.text:
            return view
        await asyncio.sleep(0.01)
    raise AssertionError(f"{wanted!r} was not shown; {view.text!r} was")


async def test_pieces_of_a_line_join_and_escape_codes_cut_in_two_vanish() -> None:
    async with Host().run_test(size=(40, 10)) as pilot:
        view = pilot.app.query_one(Transcript)
        view.append("[red]a\x1b[3")
        await flushed(pilot.app, "[red]a")
        view.append("1mb\nnext")
        await flushed(pilot.app, "next")
        assert screen_lines(view)[:2] == ["[red]ab", "next"]


async def test_a_whole_line_ends_an_unfinished_one() -> None:
    async with Host().run_test(size=(40, 10)) as pilot:
        view = pilot.app.query_one(Transcript)
        view.append("half")
        view.write_line("whole")
        view.write_line("more")
        await flushed(pilot.app, "more")
        assert screen_lines(view)[:3] == ["half", "whole", "more"]


@pytest.mark.parametrize("width", [24, 140])
async def test_long_lines_wrap(width: int) -> None:
    async with Host().run_test(size=(width, 20)) as pilot:
        view = pilot.app.query_one(Transcript)
        view.append("word " * 40 + "last")
        await flushed(pilot.app, "last")
        lines = screen_lines(view)
        assert all(len(line) <= width for line in lines)
        assert "".join(lines).replace(" ", "").endswith("wordlast")


async def test_text_written_before_mounting_is_shown_and_clear_forgets() -> None:
    class Early(App[None]):
        def compose(self) -> ComposeResult:
            view = Transcript()
            view.write_line("early")
            yield view

    async with Early().run_test(size=(40, 10)) as pilot:
        view = await flushed(pilot.app, "early")
        view.clear()
        assert view.text == ""
        assert screen_lines(view)[0] == ""


async def test_it_stays_at_the_end_unless_the_user_scrolled_up() -> None:
    async with Host().run_test(size=(40, 10)) as pilot:
        view = pilot.app.query_one(Transcript)
        view.append("".join(f"line {n}\n" for n in range(100)))
        await flushed(pilot.app, "line 99")
        await pilot.pause()
        assert screen_lines(view)[-1] == "line 99"
        view.scroll_to(y=10, animate=False)
        view.write_line("newest")
        await flushed(pilot.app, "newest")
        await pilot.pause()
        assert screen_lines(view)[0] == "line 10"


async def test_only_the_newest_lines_are_kept() -> None:
    async with Host().run_test(size=(40, 10)) as pilot:
        view = pilot.app.query_one(Transcript)
        view.append("x\n" * MAX_LINES + "newest\n")
        await flushed(pilot.app, "newest")
        assert view.text.count("\n") == MAX_LINES - 1


LINE = StatusLine(
    session="binary search",
    branch="main",
    iteration=2,
    max_iterations=8,
    state="your decision",
    spent="3 calls · $0.02",
    model="anthropic:model",
    isolation=("namespaces", "seccomp"),
    past=False,
)


def test_a_wide_bar_says_everything() -> None:
    text = build_status(LINE, 140).plain
    for part in ("binary search", "main", "iteration 2/8", "your decision", "$0.02", "anthropic", "sandboxed"):
        assert part in text


@pytest.mark.parametrize("width", [40, 80, 140])
def test_a_bar_says_what_tests_may_have_beyond_the_sandbox(width: int) -> None:
    for allowed, badge in (
        (("network allowed",), " NETWORK ALLOWED "),
        (("reads /srv/data",), " READS /srv/data "),
        (("reads /srv/\x1b[2Ja-very-long-name-of-a-folder",), " READS …y-long-name-of-a-folder "),
        (("network allowed", "reads /a", "reads /b"), " NETWORK ALLOWED · READS 2 PATHS "),
    ):
        assert badge in build_status(replace(LINE, allowed=allowed, state="r"), width).plain
    assert "READS" not in build_status(LINE, width).plain


def test_a_bar_says_who_thinks_and_for_how_long() -> None:
    thinks = replace(LINE, state="▸ looking for the cause", thinks="debugger", thinks_s=40.4)
    assert "▸ looking for the cause · debugger thinks 40 s" in build_status(thinks, 100).plain
    assert "thinks" not in build_status(replace(thinks, thinks_s=0.4), 100).plain, "a quick answer flickers nowhere"


@pytest.mark.parametrize("width", [10, 24, 40, 60, 80, 100])
def test_a_narrow_bar_drops_the_least_first_and_fits(width: int) -> None:
    text = build_status(LINE, width)
    assert text.cell_length <= width
    assert "your" in text.plain
    if width >= 40:
        assert "iteration 2/8" in text.plain
    if width <= 60:
        assert "binary search" not in text.plain


WORKED = replace(
    LINE, trust="verified", bars="▁▅█", passed="7/7", worked_s=187.4, max_time_s=600.0, state="▸ looking for the cause"
)


def test_the_bar_tells_the_cases_the_time_and_what_the_verdict_is_worth() -> None:
    text = build_status(WORKED, 200).plain
    for part in ("▁▅█ 7/7", "3 min 07 s of 10 min 00 s", "sandboxed, verified"):
        assert part in text


def test_eighty_columns_hold_where_how_far_and_how_long() -> None:
    text = build_status(WORKED, 80)
    assert text.cell_length <= 80
    for part in ("looking for the cause", "main", "iteration 2/8", "▁▅█ 7/7"):
        assert part in text.plain
    assert "anthropic" not in text.plain


async def test_the_time_goes_on_only_while_the_run_works(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("selfheal_tui.ui.run.status_bar.time.monotonic", lambda: now[0])
    bar = StatusBar()
    bar.show(replace(WORKED, ticks=True))
    now[0] += 5
    assert "3 min 12 s" in bar.said(200).plain
    bar.show(replace(WORKED, ticks=True, state="▸ comparing"))
    assert "3 min 12 s" in bar.said(200).plain, "another word does not set the clock back"
    bar.show(replace(WORKED, past=True, worked_s=3.0))
    assert "3 s" in bar.said(200).plain, "an earlier moment has its own time"
    now[0] += 2
    bar.show(replace(WORKED, ticks=True))
    assert "3 min 14 s" in bar.said(200).plain, "a look at the past takes time too"
    bar.show(WORKED)
    now[0] += 60
    assert "3 min 07 s" in bar.said(200).plain


def test_another_process_drives_is_never_dropped() -> None:
    text = build_status(replace(LINE, read_only=True), 40).plain
    assert "READ ONLY" in text and "your decision" in text


def test_a_bar_is_full_only_when_all_pass() -> None:
    assert spark([(0, 7), (1, 1000), (6, 7), (7, 7), (0, 0)]) == "▁▂▇█▁"
    assert len(spark([(1, 2)] * 100)) == 12


def test_the_bill_names_its_budgets_and_a_role_with_a_model_of_its_own() -> None:
    limits: RunLimits = {"max_iterations": 6, "max_tokens": 20_000, "max_cost_usd": 1.0, "max_time_s": None}
    spent: Spent = {**no_spend(), "calls": 3, "input_tokens": 1_000, "output_tokens": 200, "cost_usd": 0.02}
    assert bill_words(spent, limits) == "3 calls · 1.2k/20k tokens · $0.02/$1.00"
    assert bill_words(no_spend(), {**limits, "max_tokens": None, "max_cost_usd": None}) == "no model calls"
    assert role_words({"*": "search", "debugger": "ollama:q", "critic": "search"}) == "search, debugger: ollama:q"


def test_past_and_unsandboxed_are_never_dropped() -> None:
    text = build_status(replace(LINE, past=True, isolation=("UNSANDBOXED",)), 40).plain
    assert text.startswith("  PAST   UNSANDBOXED  your decision")


def test_names_are_text_not_markup() -> None:
    text = build_status(replace(LINE, session="[red]x\x1b[31m\n", branch="[b]"), 140).plain
    assert "[red]x" in text
    assert "[b]" in text
    assert "\x1b" not in text


async def test_the_bar_marks_the_past() -> None:
    async with Host().run_test(size=(80, 10)) as pilot:
        bar = pilot.app.query_one(StatusBar)
        bar.show(replace(LINE, past=True))
        await pilot.pause()
        assert bar.has_class("-past")
        assert " PAST " in bar.render_line(0).text
        bar.show(LINE)
        assert not bar.has_class("-past")
