"""kill -9 at many moments of a whole run, through the real command: what was paid and written down is never paid again.

A few fixed moments here; `SELFHEAL_KILLS=400 pytest -n 2 tests/e2e/test_killed_runs.py` tries so many random ones.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from random import Random

import pytest

from tests.e2e.killed_runs import CALLS, Moment, Ran, moments, run_killed

# In the middle of a reply; at the end of one that cannot be read; while one is written down; before one begins.
FIXED = [Moment(1, 0.5), Moment(2, 1.0, 0.03), Moment(2, 1.0, 0.005), Moment(1, 0.0)]
KILLS_IN_A_RUN = 10
RUNS = -(-int(os.environ.get("SELFHEAL_KILLS", "0")) // KILLS_IN_A_RUN)
PLANS = [FIXED, *(moments(KILLS_IN_A_RUN, Random(seed)) for seed in range(RUNS))]


@pytest.mark.parametrize("plan", PLANS, ids=["fixed", *(f"seed{seed}" for seed in range(RUNS))])
async def test_no_reply_is_paid_twice_once_it_is_on_disk(plan: list[Moment], tmp_path: Path) -> None:
    """The guarantee, by the server's own log:

    - A reply that is on disk at a kill, readable or not, is never asked for again.
    - So of all calls of a process, only the last one can be asked again by the next: a kill costs at most one call,
      the one in flight, whether the server had sent all of its reply or not.
    - The bill at the end names each call whose reply got to the disk once, whichever process paid it.
    - Verdict, files, cases and the history of the session are those of a run that nobody killed.
    """
    clean, killed = await asyncio.gather(
        run_killed(tmp_path / "clean", "ollama", []), run_killed(tmp_path / "killed", "ollama", plan)
    )
    assert len(clean.asked) == CALLS and all(asked.whole for asked in clean.asked)
    assert killed.on_disk or plan is not FIXED, "nothing was killed"
    assert killed.outcome == clean.outcome
    check_payments(killed, clean)


def check_payments(killed: Ran, clean: Ran) -> None:
    """Compare what the server was asked with what may be asked."""
    kills = len(killed.on_disk)
    for number, asked in enumerate(killed.asked):
        later = killed.asked[number + 1 :]
        if any(asked.question == other.question for other in later):
            assert asked.process < kills, f"call {number} was repeated, and its process was not killed"
            assert all(other.process > asked.process for other in later), f"call {number} was repeated: not the last"
    for kill, on_disk in enumerate(killed.on_disk):
        again = on_disk & {asked.question for asked in killed.asked if asked.process > kill}
        assert not again, f"after kill {kill} these were asked again: {again}"
    assert len(killed.asked) <= CALLS + kills
    first_asked = list(dict.fromkeys(asked.question for asked in killed.asked))
    assert first_asked == [asked.question for asked in clean.asked]
    billed = ("calls", "input_tokens", "output_tokens", "cost_usd")
    assert [killed.result["spent"][name] for name in billed] == [clean.result["spent"][name] for name in billed]
    assert killed.result["spent"]["replayed_calls"] <= kills
