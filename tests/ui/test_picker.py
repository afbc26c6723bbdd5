"""The picker: filtering, marking, free text, refusals, and who has the keyboard; then each place that opens one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

import pytest
from textual.app import App, ComposeResult
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import Input, Static

from selfheal_tui.errors import InputError
from selfheal_tui.settings import Settings
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.kit.picker import Picker, Question
from selfheal_tui.ui.kit.picker_list import PickerList
from selfheal_tui.ui.screens.setting_rows import setting_order
from selfheal_tui.ui.screens.settings import SettingsScreen
from selfheal_tui.ui.view import model_rows
from selfheal_tui.ui.view.fork_rows import first_lanes, lane_rows, typed_words
from selfheal_tui.ui.view.model_rows import joined
from selfheal_tui.ui.view.picks import Pick, fitting
from tests.ui.fakes import FakeWorkbench, settle, snapshot
from tests.ui.running import SIZES, Run, running

CHECK_ANSWERING = model_rows.check_answering
"""The real one: the other tests have no Ollama."""
ROWS = (Pick("a", "apple", "red"), Pick("b", "banana", "long"), Pick("c", "[red]cherry\x1b[0m", "", ready=False))


class Host(App[None]):
    """A picker and what was handed on."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[str] = []
        self.seen: list[str] = []
        self.left = 0

    def compose(self) -> ComposeResult:
        yield Picker()

    def then(self, text: str) -> None:
        if text == "no":
            raise InputError("That cannot be.", "Take another.")
        self.taken.append(text)

    def leave(self) -> None:
        self.left += 1


@asynccontextmanager
async def asking(typed: str = "", several: str = "") -> AsyncIterator[tuple[Host, Picker, Pilot[None]]]:
    host = Host()
    async with host.run_test(size=(80, 24)) as pilot:
        picker = host.query_one(Picker)
        moved = lambda row: host.seen.append(row.value)  # noqa: E731
        picker.ask(Question("Which?", host.then, typed, several, moved=moved, left=host.leave), ROWS)
        yield host, picker, pilot


def hint(picker: Picker) -> str:
    return str(picker.query_one(".picker-hint", Static).render())


async def test_arrows_move_and_enter_takes() -> None:
    async with asking() as (host, picker, pilot):
        await pilot.press("down", "enter")
        assert (host.taken, picker.is_open, host.left) == (["b"], False, 0)
        assert host.seen == ["a", "b"], "each row under the cursor is told, to be previewed"


async def test_typing_filters_and_what_fits_no_row_is_text_only_where_that_is_asked_for() -> None:
    async with asking(typed="a name") as (host, picker, pilot):
        await pilot.press(*"ban")
        assert [row.value for row in picker.query_one(PickerList).rows] == ["b"]
        await pilot.press(*"dit", "enter")
        assert host.taken == ["bandit"]
    async with asking() as (host, picker, pilot):
        await pilot.press(*"zz", "enter")
        assert picker.is_open and host.taken == [] and "Nothing fits" in hint(picker)
        await pilot.press("escape")
        assert (host.left, picker.is_open) == (1, False)


async def test_space_marks_where_several_may_be_taken_and_is_a_blank_elsewhere() -> None:
    async with asking(several=" | ") as (host, _, pilot):
        await pilot.press("down", "space", "up", "space", "enter")
        assert host.taken == ["a | b"], "in the order of the list"
    async with asking(typed="text") as (host, _, pilot):
        await pilot.press(*"x", "space", *"y", "enter")
        assert host.taken == ["x y"]


async def test_a_refusal_is_shown_in_the_list_which_stays_with_the_text_and_the_keyboard() -> None:
    async with asking(typed="text") as (host, picker, pilot):
        await pilot.press(*"no", "enter")
        assert picker.is_open and picker.typed == "no" and "! That cannot be." in hint(picker)
        await pilot.press(*"w", "enter")
        assert host.taken == ["now"]


async def test_rows_that_come_later_leave_the_cursor_and_the_text_where_they_are() -> None:
    async with asking() as (host, picker, pilot):
        await pilot.press("down")
        picker.show((Pick("z", "zebra"), *ROWS), "asked all")
        await pilot.press("enter")
        assert host.taken == ["b"]


async def test_hostile_names_are_drawn_as_they_are() -> None:
    async with asking() as (_, picker, pilot):
        await pilot.pause()
        line = "".join(str(Content(cell.body.plain)) for cell in picker.query_one(PickerList).row(2, 60))
        assert "[red]cherry" in line and "\x1b" not in line


async def test_what_enter_does_with_a_text_that_is_no_row_is_said_while_it_is_typed() -> None:
    async with asking(typed="a name") as (_, picker, pilot):
        await pilot.press(*"zz")
        assert "Nothing in the list fits: enter takes what you typed" in hint(picker)
    async with asking() as (_, picker, pilot):
        await pilot.press(*"zz")
        assert "Nothing fits; type less." in hint(picker)
        await pilot.press("backspace", "backspace")
        assert "enter chooses" in hint(picker)
    async with running() as run:
        await run.press("f", *"+x")
        assert "enter runs again on a new branch called +x" in hint(run.screen.side.picker)
    assert typed_words("!y") == "asks the models afresh on a new branch called y"
    assert typed_words("effort=low") == "runs again on a new branch with effort=low"


def test_every_typed_word_must_be_in_the_name() -> None:
    assert fitting(ROWS, "AN ba") == [ROWS[1]] and fitting(ROWS, "long") == []


def test_what_the_providers_say_of_a_model_takes_the_place_of_what_was_known() -> None:
    known = [Pick("search", "search"), Pick("x:y", "x:y", "in your settings")]
    listed = [Pick("x:y", "x:y", "ready: free"), Pick("x:z", "x:z", "ready: free")]
    assert [(row.value, row.why) for row in joined(known, listed)] == [
        ("search", ""),
        ("x:y", "ready: free"),
        ("x:z", "ready: free"),
    ]


async def choose(run: Run, key: str, *keys: str) -> list[dict[str, object]]:
    await run.press(key)
    await run.press(*keys)
    return run.session.fork_changes


@pytest.mark.parametrize(
    ("key", "keys", "changes"),
    [
        ("f", ("enter",), {}),
        ("f", (*"ask afresh", "enter"), {"afresh": "yes"}),
        ("f", (*"autonomy", "enter", *"full", "enter"), {"autonomy": "full_auto"}),
        ("f", (*"max_calls", "enter", *"7", "enter"), {"max_calls": "7"}),
        ("f", ("!", *"third", "enter"), {"afresh": "yes"}),
        ("f", (*"critic=off", "enter"), {"critic": "off"}),
        ("o", (*"critic", "enter", *"on", "enter"), {"critic": "on"}),
        ("o", (*"advisors", "enter", "down", "space", "enter"), {"advisors": "security_review"}),
        ("m", (*"ollama:q", "enter"), {"model": {"*": "ollama:q"}}),
        ("o", (*"model", "enter", *"ollama:q", "enter"), {"model": {"*": "ollama:q"}}),
        ("m", (*"debugger=ollama:q", "enter"), {"model": {"debugger": "ollama:q"}}),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
async def test_a_fork_is_picked_or_typed(key: str, keys: tuple[str, ...], changes: dict[str, object]) -> None:
    async with running() as run:
        assert await choose(
            run, key, *("exclamation_mark" if k == "!" else "space" if k == " " else k for k in keys)
        ) == [changes]
        assert not run.screen.side.picker.is_open


async def test_a_timeline_that_makes_room_for_a_list_has_the_keyboard_no_longer() -> None:
    async with running() as run:
        await run.press("T")
        assert run.screen.timeline.has_focus and run.screen.timeline.display
        await run.press("f")
        assert not run.screen.timeline.display and not run.screen.timeline.has_focus


async def test_strategies_start_marked_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running() as run:
        assert await choose(run, "f", *"strategies", "enter", "down", "space", "enter") == [
            {"strategies": "minimal,rewrite"}
        ]


async def test_models_come_with_what_their_providers_say_and_only_once_they_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Settings] = []

    async def listed(settings: Settings) -> tuple[list[Pick], str]:
        asked.append(settings)
        return [Pick("ollama:qwen3", "ollama:qwen3", "ready: free, 5 GB")], "No key for others."

    monkeypatch.setattr(model_rows, "listed_rows", listed)
    async with running() as run:
        assert asked == []
        await run.press("m")
        rows = {row.value: row for row in run.screen.side.picker.query_one(PickerList).rows}
        assert len(asked) == 1 and rows["ollama:qwen3"].why == "ready: free, 5 GB"
        assert not rows["anthropic:claude-haiku-5-5"].ready
        assert rows["anthropic:claude-haiku-5-5"].why == "ANTHROPIC_API_KEY is not set"
        assert "No key for others." in str(run.screen.side.picker.query_one(".picker-note", Static).render())


@pytest.mark.parametrize("opens", ["m", "F"])
async def test_why_a_provider_does_not_answer_can_be_read(opens: str, monkeypatch: pytest.MonkeyPatch) -> None:
    why = (
        "openai, qwen: The openai package is not installed. Install it: pip install 'selfheal[openai]'. "
        "Ollama at http://127.0.0.1:11434 cannot be reached (Connection refused)."
    )

    async def listed(settings: Settings) -> tuple[list[Pick], str]:
        return [], f"{why} Not set: ANTHROPIC_API_KEY."

    monkeypatch.setattr(model_rows, "listed_rows", listed)
    async with running() as run:
        await run.press(opens)
        picker, note = run.screen.side.picker, run.screen.side.picker.query_one(".picker-note", Static)
        shown = " ".join(strip.text.strip() for strip in note.render_lines(note.size.region))
        assert why in shown and picker.region.contains_region(note.region)


async def test_a_model_that_cannot_be_asked_is_refused_in_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    async def missing(models: Iterable[str]) -> tuple[str, str]:
        return "qwen3" if "ollama:qwen3" in set(models) else "", ""

    monkeypatch.setattr(model_rows, "missing_model", missing)
    monkeypatch.setattr(model_rows, "check_answering", CHECK_ANSWERING)
    async with running() as run:
        for key, text in (("m", "ollama:qwen3"), ("F", "model=ollama:qwen3 | model=search")):
            await run.press(key)
            run.screen.side.picker.query_one(Input).value = text
            await run.press("enter")
            picker = run.screen.side.picker
            assert picker.is_open and picker.typed == text and run.session.fork_changes == []
            assert "! Ollama does not have qwen3. `selfheal models pull qwen3` gets it." in hint(picker)
            await run.press("escape")


@SIZES
async def test_lanes_are_marked_with_space(size: tuple[int, int]) -> None:
    async with running(size=size) as run:
        await run.press("F")
        picker = run.screen.side.picker
        rows = picker.query_one(PickerList)
        names = [row.text for row in rows.rows]
        assert names[:2] == ["look first at intervals.py:8", "look first at intervals.py:15"]
        assert names[2] == "not in overlap" and "not in tables of constants" not in names and "ask afresh" not in names
        assert not any("minimal" in name for name in names), "the search knows no strategies"
        assert all(name.startswith("model: ") for name in names[names.index("not line 15 of intervals.py") + 1 :])
        assert rows.marked == {"place=1", "place=2"}
        await run.press("space", "down", "down", "space")
        assert rows.marked == {"place=2", "avoid=function:intervals.py:overlap"}
        assert picker.typed == ""
        await run.press("escape")


def test_lanes_of_a_model_are_its_strategies() -> None:
    now = snapshot("c3", "diagnose", models={"*": "ollama:qwen3"})
    texts = [row.text for row in lane_rows(now)]
    assert texts[:2] == ["repairs: minimal", "repairs: rewrite"] and "ask afresh" in texts and first_lanes(now) == []


async def test_what_is_so_already_makes_no_branch() -> None:
    async with running() as run:
        await run.press("s", "enter")
        assert run.screen.model.outcome
        await run.press("m")
        run.screen.side.picker.query_one(Input).value = "search"
        await run.press("enter")
        assert "That is so already" in hint(run.screen.side.picker) and run.session.fork_changes == []
    async with running() as run:
        for key, text in (("m", "search"), ("o", "autonomy=review_all"), ("o", "max_iterations=6")):
            await run.press(key)
            run.screen.side.picker.query_one(Input).value = text
            await run.press("enter")
            assert "That is so already" in hint(run.screen.side.picker) and run.session.fork_changes == []
            await run.press("escape")


async def test_a_theme_is_previewed_and_escape_takes_it_back() -> None:
    app = SelfHealApp(FakeWorkbench())  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        before = app.theme
        await pilot.press("comma")
        await settle(pilot)
        assert isinstance(app.screen, SettingsScreen)
        await pilot.press(*["down"] * setting_order().index("theme"), "enter", *"contrast")
        assert app.theme == "selfheal-contrast"
        await pilot.press("escape")
        assert app.theme == before and app.unsaved_settings == {}
        await pilot.press("enter", *"contrast", "enter")
        assert app.theme == "selfheal-contrast" and app.unsaved_settings == {"theme": "selfheal-contrast"}
