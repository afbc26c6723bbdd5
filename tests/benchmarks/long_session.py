"""A session of any length through the real graph, store and sandbox: a program that no repair heals, a human who
approves each, and a model that always has another idea. Every iteration is nine nodes and two questions."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import ReviewRequested
from selfheal_tui.engine.session.session import Session
from selfheal_tui.engine.session.workbench import RunOptions, Workbench, default_limits
from selfheal_tui.engine.task.task import Task
from selfheal_tui.llm.base import Completion, Request, TextDelta, Usage
from selfheal_tui.llm.registry import PROVIDERS
from selfheal_tui.llm.time_limits import TimeLimits

MODEL = "endless:any"
_FUNCTIONS = 12
TESTS = "import shop\n" + "".join(
    f"\n\ndef test_{n}():\n    assert shop.price_{n}(10) == {(n + 1) * 10 + 1}\n" for n in range(_FUNCTIONS)
)


def program(number: int) -> str:
    """Return a program of about 60 lines; `number` is where the wrong ones differ."""
    rest = "".join(
        f'\n\ndef price_{n}(amount):\n    """Return the price of an amount in class {n}."""\n'
        f"    factor = {n + 1}\n    return amount * factor + 1\n"
        for n in range(1, _FUNCTIONS)
    )
    return f"def price_0(amount):\n    return amount + {number} + 2\n{rest}"


class EndlessProvider:
    """Answers a diagnosis, and a repair that was never proposed before."""

    name = "endless"

    async def stream(self, request: Request) -> AsyncIterator[TextDelta | Completion]:
        """Stream one reply."""
        number = int((re.findall(r"return amount \+ (\d+) \+ 2", request.user) or ["0"])[0])
        reply = {
            "debugger": {
                "fault": "code",
                "category": "constant",
                "cause": f"The amount is raised by {number + 2} where it should be raised by one.",
                "evidence": [{"file": "shop.py", "line": 2, "why": f"adds {number} and then 2"}],
                "strategy": "Add another constant.",
                "confidence": 0.9,
            },
            "repairer": {
                "summary": f"Add {number + 1} instead.",
                "files": [{"path": "shop.py", "text": program(number + 1)}],
            },
            "summarizer": {"lessons": [f"Adding {number} does not help.", "Read the specification."]},
        }[request.role]
        yield Completion(json.dumps(reply), Usage(1500, 200, 0.002))

    async def aclose(self) -> None:
        """Nothing to close."""


def register() -> None:
    """Let sessions be made with the model."""
    PROVIDERS["endless"] = f"{__name__}:open_provider"


def open_provider(_: str, __: TimeLimits | None = None) -> EndlessProvider:
    """Return the provider; it has no models."""
    return EndlessProvider()


async def create(bench: Workbench) -> str:
    """Write the session down; return its id."""
    task = Task("fix", "endless", {"shop.py": program(0), "test_shop.py": TESTS}, ("shop.py",), ("test_shop.py",))
    limits = {**default_limits(), "max_iterations": 1_000_000}
    return await bench.create(task, RunOptions("review_repairs", {"*": MODEL}, limits))  # type: ignore[arg-type]


async def iterate(session: Session, asked: ReviewRequested | None, upto: int) -> ReviewRequested:
    """Run to the first question of iteration `upto`; `asked` is the question of an earlier call."""
    while asked is None or asked.snapshot.iteration < upto:
        events = session.resume() if asked is None else session.decide(asked.checkpoint_id, review.approve())
        last = [event async for event in events][-1]
        assert isinstance(last, ReviewRequested), last
        asked = last
    return asked


def session_file(bench: Workbench, session_id: str) -> Path:
    """Return the session's SQLite file."""
    return bench.store.folder(session_id) / "session.db"
