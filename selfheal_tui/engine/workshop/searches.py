"""The searches that run now, and the wish that they end with the best they have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Searches:
    """Shared by all that a session runs at the same time."""

    def __init__(self) -> None:
        self._stopped: dict[object, bool] = {}
        """Search that runs -> whether it is to end."""

    @contextmanager
    def one_more(self) -> Iterator[Callable[[], bool]]:
        """Count a search as running; what is yielded tells whether it is to end now."""
        search = object()
        self._stopped[search] = False
        try:
            yield lambda: self._stopped[search]
        finally:
            del self._stopped[search]

    def take_best(self) -> bool:
        """Let every search that runs end with the best it has; tell whether one ran."""
        self._stopped = dict.fromkeys(self._stopped, True)
        return bool(self._stopped)
