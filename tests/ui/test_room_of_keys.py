"""The keys that answer stay in sight whatever the card says, and a key that does nothing now says why."""

from __future__ import annotations

import asyncio
import re

import pytest

from selfheal_tui.engine.moment.events import LaneResult, RaceFinished
from selfheal_tui.engine.moment.review import ReviewKind
from selfheal_tui.engine.moment.state import no_spend
from selfheal_tui.errors import InputError
from selfheal_tui.ui.kit.commented_diff import CommentedDiff
from selfheal_tui.ui.kit.keys import ANSWERS, RUN, TRAVEL, binding_of
from selfheal_tui.ui.run.cards.panels import panel
from selfheal_tui.ui.run.cards.side import Side
from selfheal_tui.ui.view.model import RunModel
from tests.ui import fakes
from tests.ui.fakes import CANDIDATES, DIAGNOSIS, FIXED, FakeSession, repair, snapshot, two_hunks
from tests.ui.running import SIZES, Run, running


def painted(run: Run) -> str:
    """Return what of the side can be seen without scrolling."""
    side = run.screen.query_one(Side).region
    strips = run.screen._compositor.render_strips()
    return "\n".join(strips[y].crop(side.x, side.right).text for y in range(side.y, side.bottom))


def toasts(run: Run) -> list[str]:
    return [note.message for note in run.app._notifications]


@pytest.mark.parametrize("size", [(140, 45), (80, 24), (100, 30)], ids=str)
@pytest.mark.parametrize("keys", [(), ("T",)], ids=["alone", "timeline"])
async def test_all_keys_of_a_diagnosis_of_many_lines_are_seen(
    size: tuple[int, int], keys: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    places = [{"file": "intervals.py", "line": n, "why": "runs in every failing case"} for n in range(3, 11)]
    monkeypatch.setattr(fakes, "DIAGNOSIS", {**DIAGNOSIS, "evidence": places})
    async with running(size=size) as run:
        await run.press(*keys, "v")
        shown = painted(run)
        assert all(key in shown for key in ("a approve", "s stop", "1-8 pick", "i note")), shown


async def test_a_list_or_line_over_a_card_with_a_note_keeps_its_keys_and_its_refusal() -> None:
    async with running(two_hunks(), size=(80, 24)) as run:
        await run.press("i", *("mind zero " * 5), "enter", "T", "F")
        assert "esc cancels" in painted(run) and "Race from here" in painted(run)
        await run.press(*"nonsense=1", "enter")
        assert "cannot set 'nonsense'" in painted(run) and "max_time_s" in painted(run), painted(run)
        await run.press("escape", "T", "r")
        assert "Why not?" in painted(run) and "esc cancels" in painted(run)


async def test_what_becomes_of_the_hunks_is_said_where_all_is_rejected() -> None:
    def words(run: Run) -> str:
        return " ".join(painted(run).replace("█", " ").split())

    session = two_hunks()
    session.candidates.pop("b")
    async with running(session, size=(80, 24)) as run:
        await run.press("a", "r")
        assert "Both hunks go; to keep one: esc, then space in the Diff tab" in words(run)
        await run.press("escape", "space", "r")
        assert "What you took (hunk 2) goes too; to keep it: esc, then a." in words(run)


@SIZES
@pytest.mark.parametrize("several", [1, 9])
async def test_what_goes_along_takes_no_key_away(size: tuple[int, int], several: int) -> None:
    session = two_hunks()
    more = {str(n): repair(FIXED + f"# {n}\n", 0, n) for n in range(3, several + 1)}
    session.candidates = {**session.candidates, **more} if more else {"a": CANDIDATES["a"]}
    session.comments.kept["c5"] = [
        {"path": "intervals.py", "line": n, "text": "why " * 30, "quoted": "x", "pick": "a"} for n in (7, 8)
    ]
    async with running(session, size=size) as run:
        await run.press("a", "i", *"mind zero", "enter", "t", *"merge([])", "enter", "ctrl+t", "escape")
        run.screen.side.card.say("It does not fit: " + "because " * 12)  # type: ignore[union-attr]
        await run.settle()
        shown = painted(run)
        keys = ("a approve", "e edit", "r reject", "s stop", "c comment")
        assert all(key in shown for key in keys), shown
        assert "+ 1 result, 1 note, 2 comments" in shown, shown


@SIZES
async def test_j_and_space_act_on_the_same_hunk_wherever_the_focus_is(size: tuple[int, int]) -> None:
    async with running(two_hunks(), size=size) as run:
        await run.press("a")
        run.screen.set_focus(None)
        await run.press("j", "space")
        assert run.screen.query_one(CommentedDiff).hunk == 2
        assert "hunk 1 is taken, hunk 2 left out" in run.side_text()


async def test_what_the_hunks_do_is_seen_below_many_candidates() -> None:
    session = two_hunks()
    session.candidates = {**session.candidates, **{str(n): repair(FIXED + f"# {n}\n", 0, n) for n in range(3, 10)}}
    async with running(session) as run:
        await run.press("a", "space")
        assert "hunk 2 is taken, hunk 1 left out · ✓ every test passes · fixes 2, breaks 0" in painted(run)
        await run.press("9")
        assert "▶ 9" in painted(run)
        await run.press("1")
        assert "▶◧1" in painted(run), "the list marks the candidate of which a hunk is left out"


async def test_a_place_of_a_diagnosis_is_scrolled_to(monkeypatch: pytest.MonkeyPatch) -> None:
    places = [{"file": "intervals.py", "line": n, "why": "runs in every failing case"} for n in range(3, 12)]
    monkeypatch.setattr(fakes, "DIAGNOSIS", {**DIAGNOSIS, "evidence": places})
    async with running() as run:
        await run.press("9")
        assert "▶ 9 line 11" in painted(run)


async def test_the_same_repair_in_another_question_begins_with_all_hunks(monkeypatch: pytest.MonkeyPatch) -> None:
    session = two_hunks()
    monkeypatch.setitem(CANDIDATES, "b", session.candidates["a"])
    async with running(session) as run:
        await run.press("a", "space", "r", *"no", "enter")
        assert run.session.decisions[-1][1]["verdict"] == "reject"
        assert "left out" not in run.side_text(), "what was left out of a repair that was rejected is not left out here"
        await run.press("space")
        assert "hunk 2 is taken, hunk 1 left out" in run.side_text()
        assert len(run.session.tried) == 1, "it is known what they do"


async def test_a_half_is_tried_in_words_of_its_own() -> None:
    async with running(two_hunks()) as run:
        await run.press("a", "space", "t", *"merge([])", "enter")
        assert run.session.tried_texts[0][2] == "repair 1 (hunk 2 only)"


async def test_a_run_that_ended_unhealed_says_how_far_back_its_last_question_is() -> None:
    async with running() as run:
        await run.press("a", "s", "enter")
        times = re.search(r"\[(?: (\d+) times)? goes back to the last question", run.side_text())
        assert times is not None and "or write the repair (e)" in run.side_text(), run.side_text()
        for _ in range(int(times[1] or 1)):
            assert run.screen.model.question is None
            await run.press("e")
            assert "It is over" in toasts(run)[-1] or "Nothing was asked at this moment" in toasts(run)[-1]
            await run.press("left_square_bracket")
        assert run.screen.model.question is not None and run.screen.model.question.kind == "repair"


async def test_a_key_that_does_nothing_now_says_why() -> None:
    stall = asyncio.Event()
    async with running(FakeSession("s1", stall=stall)) as run:
        for key in ("W", "K", "w", "F", "m"):
            await run.press(key)
            assert toasts(run)[-1] == "Not while it runs: p pauses it.", key
            run.app.clear_notifications()
        for key in ("a", "e", "r", "z", "R"):
            await run.press(key)
            assert toasts(run), key
            run.app.clear_notifications()
        stall.set()
        await run.settle()
        for key, why in (
            ("p", "Nothing runs"),
            ("z", "Only while a search runs"),
            ("R", "It waits for your answer."),
            ("9", "There is no place 9: there are 2."),
            ("c", "A comment goes on a line of the Diff tab"),
            ("space", "Only at a repair"),
            ("O", "Only in the Diff tab"),
            ("right_square_bracket", "This is the newest moment."),
            ("A", "That is no answer to “is this the cause?”."),
        ):
            run.app.clear_notifications()
            await run.press(key)
            assert why in toasts(run)[-1], key
        run.app.clear_notifications()
        offers = run.screen.offers
        for action, _, number in (b.action.partition("(") for b in [*ANSWERS, *TRAVEL, *RUN] if "." not in b.action):
            parameters = (number.rstrip(")"),) if number else ()
            assert offers.has(action, parameters) or offers.why_not(action, parameters), action
        await run.press("W")
        assert "Nothing is changed so far" in toasts(run)[-1]
        await run.press("t", *"WKF", "escape")
        assert len(toasts(run)) == 1, "what is typed says nothing"


def lane(branch: str, asks: ReviewKind | None) -> LaneResult:
    return LaneResult(branch, "", "", "", "", asks, 1, 1, no_spend())


def test_a_race_is_not_over_while_every_lane_asks() -> None:
    for last, title in (("repair", "Each lane asks"), (None, "Race over")):
        lanes = lane("one", "diagnosis"), lane("two", "repair" if last else None)
        over = RaceFinished(snapshot("c1", "start"), lanes, no_spend())
        assert panel(RunModel(race=over), "s1")[0] == f"⚑ {title}: which lane goes on?"


async def test_what_a_list_has_to_say_is_cut_with_a_sign() -> None:
    async with running() as run:
        await run.press("m")
        run.screen.side.picker.show([], "needs a key " * 60)
        await run.settle()
        lines = [line for line in painted(run).splitlines() if "needs a key" in line]
        assert len(lines) == 3 and lines[-1].rstrip().endswith("…")


def test_one_key_has_one_word() -> None:
    binding = binding_of("retry")
    assert binding is not None and binding.description == "Go on"
    for model in (RunModel(), RunModel(error=InputError("no")), RunModel(watched="")):
        assert ("R", "go on", "retry") in panel(model, "s1")[3]
