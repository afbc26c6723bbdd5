"""A piece of work asked of a Ray cluster: of one worker, and of another one when that dies."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from .connection import of_code

MOST_DEATHS = 3
"""Workers that may die of one piece of work: what kills its worker would go on for ever."""
_NO_WORD = "no last word"
"""Why a worker is taken for dead that ended without saying how."""


@dataclass(frozen=True, slots=True)
class Died:
    """The worker died, or ended before it had said all; the next one is asked, unless it was the last."""

    why: str


def on_workers(ray: Any, work: Callable[..., Any]) -> Any:
    """Return a generator function as what runs on a worker.

    One value is on its way at a time: the worker waits until the last one was taken.
    """
    return ray.remote(num_cpus=1, max_retries=0, num_returns="streaming", _generator_backpressure_num_objects=1)(work)


async def said_by_workers(
    ray: Any, work: Any, arguments: Callable[[], Awaitable[tuple[Any, ...]]]
) -> AsyncGenerator[Any, None]:
    """Yield what a worker says; after `Died` what the next one says, until it is closed or `MOST_DEATHS` have died.

    `arguments` are asked for before each worker begins. Raises: SelfHealError for what the code there raised.
    """
    for _ in range(MOST_DEATHS):
        told = None
        why = _NO_WORD
        try:
            told = work.remote(*await arguments())
            async for ref in told:
                yield await ref
        except ray.exceptions.RayTaskError as error:
            raise of_code(error) from error
        except ray.exceptions.RayError as error:
            why = type(error).__name__
        finally:
            # Of work that has ended nothing is left to cancel.
            with contextlib.suppress(ray.exceptions.RayError, ValueError, TypeError):
                if told is not None:
                    ray.cancel(told, force=False)
        yield Died(why)
