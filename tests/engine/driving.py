"""Small programs, scripted models and helpers to drive a session in tests."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import yaml

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import Event, ReviewRequested, RunFailed, RunFinished
from selfheal_tui.engine.session.session import Session
from selfheal_tui.engine.session.workbench import RunOptions, default_limits
from selfheal_tui.engine.task.task import Task

BUGGY = '''def total(prices, discount):
    """Sum the prices, less the discount."""
    amount = 0
    for price in prices:
        amount += price
    return amount + discount
'''
FIXED = BUGGY.replace("amount + discount", "amount - discount")
TESTS = """from shop import total


def test_no_discount():
    assert total([1, 2], 0) == 3


def test_discount():
    assert total([7, 2, 9], 4) == 14
"""

DIAGNOSIS: dict[str, Any] = {
    "fault": "code",
    "category": "operator",
    "cause": "The discount is added instead of subtracted.",
    "evidence": [{"file": "shop.py", "line": 6, "why": "amount + discount"}],
    "strategy": "Subtract the discount.",
    "confidence": 0.9,
}


HARD_PROGRAM = """def shuffled(text):
    seen = []
    for place, letter in enumerate(text):
        if place % 2 and letter not in seen:
            seen.append(letter.upper())
        elif letter in seen:
            seen.remove(letter)
        else:
            seen.insert(place // 3, letter * place)
    return "".join(seen[1:-1]) or text[::-1]
"""
HARD_TESTS = "from shop import shuffled\n\n\n" + "".join(
    f"def test_{word}():\n    assert shuffled({word!r}) == {right!r}\n\n\n"
    for word, right in (("walrus", "qzx"), ("heron", "17"), ("gnat", "never"))
)
"""With `HARD_PROGRAM`: what a search of a minute does not mend."""


def shop_task(source: str = BUGGY, tests: str = TESTS) -> Task:
    """Return a task of one small program."""
    return Task("fix", "shop", {"shop.py": source, "test_shop.py": tests}, ("shop.py",), ("test_shop.py",))


def repair_reply(text: str, summary: str = "Subtract the discount.") -> dict[str, Any]:
    """Return a repairer's reply."""
    return {"summary": summary, "files": [{"path": "shop.py", "text": text}]}


def script(path: Path, *replies: dict[str, Any]) -> str:
    """Write a script; return its model name."""
    path.write_text(yaml.safe_dump({"replies": list(replies)}), "utf-8")
    return f"scripted:{path}"


USAGE = {"input_tokens": 10, "output_tokens": 5, "cost_usd": 0.01}
ANSWERS: tuple[dict[str, Any], ...] = (
    {"role": "debugger", "reply": DIAGNOSIS, "usage": USAGE},
    {"role": "repairer", "reply": repair_reply(FIXED), "usage": USAGE},
)


def options(model: str = "search", autonomy: Any = "review_repairs", max_iterations: int = 6) -> RunOptions:
    """Return run options for one model."""
    return RunOptions(autonomy, {"*": model}, {**default_limits(), "max_iterations": max_iterations})


async def drain(events: AsyncIterator[Event]) -> list[Event]:
    """Run to the end; return all events."""
    return [event async for event in events]


async def to_review(events: AsyncIterator[Event]) -> ReviewRequested:
    """Run to the next question."""
    last = (await drain(events))[-1]
    assert isinstance(last, ReviewRequested), last
    return last


async def to_repair(session: Session, events: AsyncIterator[Event]) -> ReviewRequested:
    """Run to the next question about a repair, approving diagnoses on the way."""
    asked = await to_review(events)
    while asked.kind == "diagnosis":
        asked = await to_review(session.decide(asked.checkpoint_id, review.approve()))
    return asked


async def to_end(events: AsyncIterator[Event]) -> RunFinished:
    """Run to the end."""
    last = (await drain(events))[-1]
    assert isinstance(last, RunFinished), last
    return last


async def to_failure(events: AsyncIterator[Event]) -> RunFailed:
    """Run to a failure."""
    last = (await drain(events))[-1]
    assert isinstance(last, RunFailed), last
    return last


async def killed_at_here(program: str, *words: str) -> None:
    """Run Python text in a process of its own, and kill it as soon as it has written the line `here`."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, *words,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert child.stdout is not None
    assert await child.stdout.readline() == b"here\n"
    child.kill()
    await child.wait()
