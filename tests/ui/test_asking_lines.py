"""A line that asks has the keyboard until it is closed; what is refused stays in it, to be mended."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual import events
from textual.widgets import Input, Static

from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.kit.arming import Arming
from selfheal_tui.ui.kit.inline_prompt import InlinePrompt
from selfheal_tui.ui.kit.key_footer import KeyFooter
from selfheal_tui.ui.kit.key_order import KeyOrder
from selfheal_tui.ui.kit.key_owner import owner_of_keys
from selfheal_tui.ui.kit.picker import Picker
from selfheal_tui.ui.kit.text_line import joined_lines
from tests.ui.fakes import FakeWorkbench, row, settle
from tests.ui.running import SIZES, Run, running
from tests.ui.test_sessions_screen import until_listed
from tests.wire.rig import until

_NAMES = {" ": "space", "=": "equals_sign", "|": "vertical_line", "[": "left_square_bracket", "\r": "enter"}


def burst(run: Run, text: str) -> None:
    """Type as a terminal does that is pasted into, or a quick hand: all keys before the app has seen the first."""
    for letter in text:
        run.app.post_message(events.Key(_NAMES.get(letter, letter), letter))


def line(run: Run) -> Input:
    owner = owner_of_keys(run.screen)
    assert owner is not None
    return owner.query_one(Input)


def hint(run: Run) -> str:
    owner = owner_of_keys(run.screen)
    assert owner is not None
    return [str(part.render()) for part in owner.query(Static) if part.display][-1]


@pytest.mark.parametrize("opens", ["F", "f", "m", "o", "r", "s"])
async def test_what_is_typed_at_once_lands_in_the_line_in_its_order(opens: str) -> None:
    async with running() as run:
        await run.press("a")
        words = "because u [q] n B , ? 1 a e r s"
        burst(run, opens + words)
        await run.settle()
        assert line(run).value == words and line(run).has_focus
        assert len(run.session.decisions) == 1 and run.session.forks == [] and run.screen.model.past is None


@pytest.mark.parametrize("opens", ["r", "i", "slash", "f", "c"])
async def test_tab_stays_in_the_line(opens: str) -> None:
    async with running() as run:
        await run.press("a", opens, "tab", "x", "shift+tab", "y")
        assert line(run).has_focus and line(run).value == "xy"
        run.screen.set_focus(run.screen.timeline)
        await run.press("tab", "z")
        assert line(run).has_focus and line(run).value == "xyz"


async def test_a_whole_answer_in_one_burst() -> None:
    async with running() as run:
        burst(run, "rtoo long\r")
        await run.settle()
        assert [answer["note"] for _, answer in run.session.decisions] == ["too long"]
        assert not run.screen.query_one(InlinePrompt).is_open


async def test_what_a_call_should_give_can_be_said_at_any_question() -> None:
    async with running() as run:
        burst(run, "wf(3) should be 5\r")
        await run.settle()
        assert run.session.fork_changes == [{"wrong": "f(3) should be 5"}]
        assert run.session.decisions == []


async def test_what_is_typed_after_a_key_that_was_not_heard_answers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running() as run:
        monkeypatch.setattr(Arming, "LINE", 3600.0)
        run.screen._arming.disarm()
        await run.press("w")
        run.screen._arming.arm(0.0)
        await run.press("a")
        assert run.session.decisions == [] and "press it again" in run.side_text()


async def test_a_line_for_yes_or_no_starts_empty() -> None:
    async with running() as run:
        prompt = run.screen.query_one(InlinePrompt)
        for key in ("u", "y"):
            prompt.ask("Really?", "", lambda _: None, takes="yes")
            await run.press(key, "escape")
            prompt.ask("Really?", "", lambda _: None, takes="yes")
            assert line(run).value == ""
            await run.press("escape")


async def test_keys_after_an_answer_wait_until_its_line_is_closed() -> None:
    async with running() as run:
        burst(run, "ifirst note\risecond note\r")
        await run.settle()
        await until(lambda: len(run.session.notes.texts) == 2, 10.0)
        assert run.session.notes.texts == ["first note", "second note"] and run.session.decisions == []


@pytest.mark.parametrize(("word", "ends"), [("no", False), ("N", False), ("y", True), ("", True), ("no idea", True)])
async def test_no_is_no_remark_for_the_end_of_a_run(word: str, ends: bool) -> None:
    async with running() as run:
        burst(run, f"s{word}\r")
        await run.settle()
        assert bool(run.session.decisions) == ends and owner_of_keys(run.screen) is None


@SIZES
@pytest.mark.parametrize("opens", ["f", "F", "m", "o", "slash", "i", "w", "r", "s", "A"])
async def test_what_is_asked_from_the_timeline_has_the_keys_and_its_escape_goes_back(
    opens: str, size: tuple[int, int]
) -> None:
    async with running(size=size) as run:
        await run.press("a", "T", opens)
        footer = run.screen.query_one(KeyFooter)
        assert line(run).has_focus and [key.word for key in footer.keys] == ["Cancel"]
        await run.press("escape")
        assert owner_of_keys(run.screen) is None and run.screen.timeline.has_focus and run.screen.timeline.display


async def test_a_list_that_goes_on_in_a_line_goes_back_to_the_timeline_too() -> None:
    async with running() as run:
        await run.press("a", "T", "o", *"max_iterations", "enter")
        assert run.screen.query_one(InlinePrompt).is_open or run.screen.query_one(Picker).is_open
        await run.press("escape")
        assert run.screen.timeline.has_focus and run.screen.timeline.display
        await run.press("T", "f", "escape")
        assert not run.screen.timeline.display, "what is asked elsewhere does not open it"


async def test_what_is_taken_does_not_bring_the_timeline_back() -> None:
    async with running() as run:
        await run.press("a", "T")
        burst(run, "imind the gap\r")
        await run.settle()
        await until(lambda: len(run.session.notes.texts) == 1, 10.0)
        assert not run.screen.timeline.display
        await run.press("f", "escape")
        assert not run.screen.timeline.display


async def test_a_paste_after_the_key_lands_in_the_line() -> None:
    async with running() as run:
        burst(run, "Fxy ")
        run.app.post_message(events.Paste("all max_calls=2"))
        burst(run, "0")
        await run.settle()
        assert line(run).value == "xy all max_calls=20"


_TRACEBACK = 'Traceback (most recent call last):\r\n  File "m.py", line 2\r\n\r\nValueError: no  name\r\n'


@pytest.mark.parametrize("opens", ["i", "r", "c"])
async def test_all_lines_of_what_is_pasted_are_kept(opens: str) -> None:
    async with running() as run:
        await run.press("a", opens)
        run.app.post_message(events.Paste(_TRACEBACK))
        await run.settle()
        assert line(run).value == 'Traceback (most recent call last): File "m.py", line 2 ValueError: no  name'


async def test_a_paste_that_is_too_long_for_the_line_is_taken_as_far_as_it_fits_and_said() -> None:
    async with running() as run:
        await run.press("i", "x")
        run.app.post_message(events.Paste("\n".join(["line"] * 500)))
        await run.settle()
        assert line(run).value == ("x" + " ".join(["line"] * 500))[:2000]
        told = [toast.message for toast in run.app._notifications]
        assert told == ["Only the first 1,999 of 2,499 characters were taken: no more fit in here."]


@pytest.mark.parametrize(
    ("pasted", "text"),
    [("a\n", "a"), ("  a  b ", "  a  b "), ("\n\na\n b\n", "a b"), ("a\r\rb\rc", "a b c"), ("\n", ""), ("", "")],
)
def test_lines_are_joined_by_one_blank(pasted: str, text: str) -> None:
    assert joined_lines(pasted) == text


def test_every_line_that_is_typed_in_is_one_that_loses_nothing_of_a_paste() -> None:
    from selfheal_tui import ui

    files = (path for path in Path(ui.__path__[0]).rglob("*.py") if path.name != "text_line.py")
    own = re.compile(r"class \w+\(Input\b|(?<![\w.])Input\(")
    assert [path.name for path in files if own.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    ("opens", "text", "why"),
    [
        ("F", "strategies=minimal | nonsense", "nonsense"),
        ("o", "nothing=1", "no setting"),
        ("r", "refuse me", "The edit cannot be used."),
    ],
)
async def test_what_is_refused_stays_with_its_text_and_the_reason(opens: str, text: str, why: str) -> None:
    async with running() as run:
        burst(run, f"{opens}{text}\r")
        await run.settle()
        assert line(run).value == text and hint(run).startswith("! ") and why in hint(run)
        assert line(run).has_focus
        burst(run, "u")
        await run.settle()
        assert line(run).value == f"{text}u" and run.session.decisions == []
        await run.press("escape")
        assert owner_of_keys(run.screen) is None and not run.screen.side.has_class("-asking-line")


async def test_a_rule_without_a_number_stays_too() -> None:
    async with running() as run:
        await run.press("a")
        burst(run, "Afive\r")
        await run.settle()
        assert hint(run) == "! 'five' is no number of lines." and line(run).value == "five"
        await run.press("ctrl+u", "0", "enter")
        assert hint(run).startswith("! Every repair changes a line") and len(run.session.decisions) == 1
        await run.press("ctrl+u", "enter")
        assert run.session.decisions[-1][1].get("rule_lines") == 2, "what an empty line means is said below it"


async def test_letters_go_to_the_line_when_the_focus_was_taken_from_it() -> None:
    async with running() as run:
        await run.press("F", "x")
        run.screen.evidence.tabs.focus_view()
        await run.settle()
        await run.press("u", "q", "backspace", "b")
        assert line(run).value == "xub" and run.app.screen is run.screen
        run.screen.evidence.tabs.focus_view()
        await run.settle()
        await run.press("escape")
        assert owner_of_keys(run.screen) is None


async def test_a_key_whose_widget_is_gone_does_not_hold_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KeyOrder, "PATIENCE_S", 0.01)
    async with running() as run:
        monkeypatch.setattr(KeyOrder, "passed", lambda self, event: event.stop())
        burst(run, "rxy")
        await until(lambda: owner_of_keys(run.screen) is not None and line(run).value == "xy", 30.0)
        assert line(run).value == "xy"


async def test_a_title_that_cannot_be_given_stays_in_its_line() -> None:
    workbench = FakeWorkbench(rows=[row("busy", "healed")])
    app = SelfHealApp(workbench)  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24)) as pilot:
        await until_listed(pilot, 1)
        await pilot.press("c", "ctrl+u", *"new", "enter")
        await settle(pilot)
        prompt = app.screen.query_one(InlinePrompt)
        assert prompt.is_open and "open in process" in str(prompt.query_one(".prompt-hint", Static).render())
        assert prompt.query_one(Input).value == "new"
