"""kill -9 all over a session with strategies side by side, reviews, an answer changed and a fork: it ends as if nobody
had killed it.

A short chain of kills here; `SELFHEAL_KILLS=300 pytest -n 0 -s tests/e2e/test_killed_stories.py` makes at least so many
random ones and prints what it counted.
"""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

from tests.e2e.killed_stories import LANES, Moment, Player, Story, moments

# While the suite runs; among the strategies; before a rejection is taken; while a reply is written down; in the fork.
FIXED = [Moment(1, 0.01), Moment(6, 0.02), Moment(0, 0.05), Moment(5), Moment(2, 0.1)]
WANTED = int(os.environ.get("SELFHEAL_KILLS", "0"))
KILLS_IN_A_STORY = 40
"""Moments planned for each: more than there are processes, as some of them end before theirs."""
_clean: list[Story] = []


@pytest.fixture
async def clean(tmp_path: Path) -> Story:
    """The session that nobody kills; played once."""
    if not _clean:
        _clean.append(await Player(tmp_path / "clean", []).play())
    return _clean[0]


async def test_a_few_kills_change_nothing(clean: Story, tmp_path: Path) -> None:
    killed = await Player(tmp_path / "killed", FIXED).play()
    assert len(killed.disks) >= 3, "hardly anything was killed"
    check(killed, clean)


@pytest.mark.skipif(not WANTED, reason="SELFHEAL_KILLS says how many")
async def test_many_kills_change_nothing(clean: Story, tmp_path: Path) -> None:
    kills = calls = lost = seed = 0
    while kills < WANTED:
        killed = await Player(tmp_path / str(seed), moments(KILLS_IN_A_STORY, Random(seed))).play()
        try:
            check(killed, clean)
        except AssertionError as error:
            error.add_note(f"seed {seed}")
            raise
        seed += 1
        kills += len(killed.disks)
        calls += len(killed.asked)
        lost += len(killed.asked) - len(clean.asked)
        print(
            f"{kills} kills in {seed} sessions: {calls} calls, of them {lost} asked again because they were in flight"
        )


def check(killed: Story, clean: Story) -> None:
    """Compare a killed session with one that was not.

    - What every kill left on disk was whole, and stayed as it was to the end: rows, decisions, replies (`Player`).
    - The tree has the same shape, so no branch came about by accident and no step was taken twice.
    - The journal holds the same decisions at the same places, each once.
    - The newest moment of each branch is the same but for times: program, report, bill, lessons.
    - The ledger has the same keys. A reply on disk at a kill was never asked for again; a kill costs at most the calls
      in flight.
    """
    assert killed.tree == clean.tree
    assert killed.answers == clean.answers
    for branch, head in clean.heads.items():
        assert killed.heads[branch] == head, branch
    assert killed.outcome == clean.outcome
    for kill, disk in enumerate(killed.disks):
        again = set(disk.calls.values()) & {question for number, question in killed.asked if number > kill}
        assert not again, f"after kill {kill} these were asked again: {again}"
    assert len(killed.asked) <= len(clean.asked) + LANES * len(killed.disks)
    assert {question for _, question in killed.asked} == {question for _, question in clean.asked}
