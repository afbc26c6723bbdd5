"""The Calls tab: which calls it lists, what it tells of one, and that prompts and replies stay text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from textual.app import App, ComposeResult

from selfheal_tui.engine.history.calls import MomentCall
from selfheal_tui.llm.base import Usage
from selfheal_tui.store.call_uses import UsedCall
from selfheal_tui.store.sent import SentFile, SentRequest
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.kit import reading_view
from selfheal_tui.ui.kit.reading_view import ReadingView
from selfheal_tui.ui.run.tabs.calls_view import CallRows, CallsView, call_parts, heading, reply_text
from tests.ui.fakes import FakeSession, FakeWorkbench, settle


class Host(App[None]):
    """Holds one list of calls."""

    def compose(self) -> ComposeResult:
        yield CallsView()


def call(**facts: Any) -> MomentCall:
    values: dict[str, Any] = {
        "role": "repairer",
        "model": "ollama:qwen3",
        "node": "propose",
        "iteration": 1,
        "branch": "main",
        "checkpoint_id": "c5",
        "prompt": "You mend code.\n\nThe program:\n[red]def f():[/red]\x1b[31m",
        "reply": {"summary": "compare with <", "code": "def f():\n    return 1\n", "confidence": 0.5},
        "input_tokens": 1_200,
        "output_tokens": 340,
        "cost_usd": 0.0123,
        "time_s": 2.34,
        "at": "2026-01-01T00:00:00Z",
        "replayed": False,
        "degraded": "",
        "prompt_name": "repairer",
        "prompt_version": 3,
        "prompt_sha256": "ab12cd34ef56ab12",
        **facts,
    }
    return MomentCall(**values)


def rows_of(view: CallsView) -> list[str]:
    rows = view.query_one(CallRows)
    return [rows.render_line(y).text.rstrip() for y in range(len(rows.calls))]


@pytest.mark.parametrize("width", [40, 80, 140])
async def test_each_call_names_role_model_and_bill(width: int) -> None:
    async with Host().run_test(size=(width, 24)) as pilot:
        view = pilot.app.query_one(CallsView)
        view.show([call(), call(role="debugger", checkpoint_id="c3", replayed=True, time_s=0.0)], "c5")
        await pilot.pause()
        first, second = rows_of(view)
        assert first.startswith("▸ repairer") and first.endswith("1.2k→340 · $0.0123 · 2.3 s")
        assert second.startswith("  debugger") and second.endswith("1.2k→340 · replayed")


async def test_the_text_follows_the_cursor_and_is_never_markup() -> None:
    async with Host().run_test(size=(80, 24)) as pilot:
        view = pilot.app.query_one(CallsView)
        view.show([call(), call(role="debugger", degraded="The reply was cut.")], "c5")
        await pilot.pause()
        text = view.query_one(ReadingView)
        assert "prompt repairer v3 ab12cd34ef56" in text.text and "    return 1" in text.text
        assert "[red]def f():[/red]" in text.text and "\x1b" not in text.text
        view.query_one(CallRows).focus()
        await pilot.press("down")
        assert "The reply was cut." in text.text
        await pilot.press("enter")
        assert text.has_focus


async def test_a_prompt_of_a_megabyte_is_drawn_by_the_screenful(monkeypatch: pytest.MonkeyPatch) -> None:
    wrapped: list[int] = []
    wrap = reading_view._wrap

    def wrap_and_note(line: str, width: int) -> list[str]:
        wrapped.append(width)
        return wrap(line, width)

    monkeypatch.setattr(reading_view, "_wrap", wrap_and_note)
    async with Host().run_test(size=(80, 24)) as pilot:
        view = pilot.app.query_one(CallsView)
        view.show([call(prompt="x" * 1_000_000)], "c5")
        await pilot.pause()
        text = view.query_one(ReadingView)
        text.focus()
        await pilot.press("end")
        await pilot.pause()
        assert text.scroll_offset.y > 10_000
        assert min(wrapped) > 70, "wrapped for a width that no screen has"


def test_the_heading_counts_what_was_paid() -> None:
    said = heading([call(), call(replayed=True, checkpoint_id="c2")], "c5").plain
    assert said == "2 calls in iteration 1, 1 at this moment ▸  1.5k tokens · $0.0123 paid"
    assert "price unknown" in heading([call(cost_usd=None)], "").plain
    assert heading([], "c5").plain == "No model was called up to this moment."


def test_a_reply_is_read_field_by_field_and_an_unread_one_as_it_came() -> None:
    assert reply_text({"code": "a\nb\n", "n": 1}) == "code: \n  a\n  b\nn: 1"
    assert reply_text("{not json") == "{not json"


def test_a_call_tells_what_left_this_machine() -> None:
    words = "shop.py, part of test_shop.py to http://127.0.0.1:11434, 2,310 bytes"
    lines = [text for text, _ in call_parts(call(sent_words=words))]
    assert f"sent: {words}" in lines
    assert "sent: not recorded" in [text for text, _ in call_parts(call())], "a call of an earlier selfheal"


async def test_the_tab_shows_the_calls_of_the_moment_that_is_looked_at() -> None:
    session = FakeSession("s1")
    used = UsedCall(
        "debugger", "ollama:q", "Why?", {"cause": "<="}, Usage(10, 5, 0.0), 0.4, "2026", False, "", "debugger v1 ab"
    )
    session.calls["c2"] = [replace(used, number=0)]
    files = (SentFile(path="shop.py", whole=True), SentFile(path="test_shop.py", whole=False))
    request = SentRequest("2026", "c2", "main", 0, "debugger", "ollama:q", "http://h:1", 2310, files, "answered")
    session.requests = [request, replace(request, number=-1), replace(request, asked_at="c1")]
    app = SelfHealApp(FakeWorkbench(session), session_id="s1")  # type: ignore[arg-type]
    async with app.run_test(size=(140, 45)) as pilot:
        await settle(pilot)
        for _ in range(6):
            await pilot.press("v")
            await settle(pilot)
        view = app.screen.query_one(CallsView)
        assert [row[:10] for row in rows_of(view)] == ["▸ debugger"]
        assert "cause: <=" in view.query_one(ReadingView).text
        told = "sent: shop.py, part of test_shop.py to http://h:1, 2,310 bytes\n"
        assert told in view.query_one(ReadingView).text
        await pilot.press("left_square_bracket")
        await settle(pilot)
        assert rows_of(view) == [], "the debugger had not been asked yet"
        assert "No model was called" in str(view.query_one("#calls-heading").render())
