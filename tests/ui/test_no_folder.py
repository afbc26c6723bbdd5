"""What becomes of a healed program whose files came from no folder: a demo."""

from __future__ import annotations

from dataclasses import replace

import pytest

from selfheal_tui.errors import InputError
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.run.cards.side import Side
from selfheal_tui.ui.view.steering import closable, closed_and_why, closed_by
from tests.ui.fakes import FakeSession, FakeWorkbench, repair, settle, snapshot
from tests.ui.running import Run


async def test_a_demo_offers_no_key_that_writes_into_a_folder() -> None:
    session = FakeSession("s1")
    session.root_folder = None
    app = SelfHealApp(FakeWorkbench(session), session_id="s1")  # type: ignore[arg-type]
    async with app.run_test(size=(140, 45)) as pilot:
        run = Run(app, pilot, session)
        await settle(pilot)
        await run.press("a", "a")
        assert run.screen.model.outcome == "healed"
        assert not run.screen.offers.has("write", ()) and not run.screen.offers.has("commit", ())
        assert run.screen.offers.has("patch", ()) and run.screen.offers.has("copy_change", ())
        words = " ".join(str(part.render()) for part in run.screen.query_one(Side).query("Static").results())
        assert "came from no folder" in words and "W writes" not in words


def test_both_places_of_a_repair_can_be_left_alone() -> None:
    program = {
        "a.py": "def total(x):\n    return x + 1\n",
        "b.py": "def net(x):\n    return x\n\n\ndef total(x):\n    return x\n",
    }
    new = {"a.py": program["a.py"].replace("+", "-"), "b.py": program["b.py"].replace("return x\n\n", "return -x\n\n")}
    now = replace(
        snapshot("c1", "rank"),
        program=program,
        candidates={"1": {**repair("", 0, 1), "changes": new, "strategy": "search"}},
    )
    choices = closable(now)
    assert [words for _, words in choices] == ["not in total", "not line 2 of a.py", "not in net", "not line 2 of b.py"]
    assert closed_by("not in net", choices) == ["function:b.py:net"]
    for words in ("not in this function", "not line 2"):
        with pytest.raises(InputError, match=r"one of several: [12] .* · [34] "):
            closed_by(words, choices)
    new["b.py"] = program["b.py"].removesuffix("x\n") + "-x\n"
    assert ("function:b.py:total", "not in total of b.py") in closable(now)


def test_a_number_that_no_choice_has_is_no_reason() -> None:
    choices = [("function:merge", "not in merge"), ("data", "not in tables of constants")]
    assert closed_by("1, 2", choices) == ["function:merge", "data"]
    for words in ("not in this function", "Not in merge().", "merge", "avoid merge"):
        assert closed_by(words, choices) == ["function:merge"]
    assert closed_by("data", choices) == ["data"] and closed_by("not good enough", choices) == []
    with pytest.raises(InputError, match=r"can leave alone: 1 not in merge · 2 not in tables"):
        closed_by("not in the other function", choices)
    assert closed_by("9", []) == [] and closed_by("too slow", choices) == []
    for words in ("2 the size is right", "2, the size is right", "2: the size is right"):
        assert closed_and_why(words, choices) == (["data"], "the size is right")
    assert closed_and_why("1, 2 both", choices) == (["function:merge", "data"], "both")
    for words in ("28 is right", "3 cases fail", "2.5 is right", "too slow"):
        assert closed_and_why(words, choices) == ([], words)
    with pytest.raises(InputError, match="no choice 9"):
        closed_by("9", choices)
