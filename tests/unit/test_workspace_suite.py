"""The files of one moment as a suite."""

from __future__ import annotations

from selfheal_tui.engine.moment.workspace import Workspace
from selfheal_tui.sandbox.base import Limits


def test_a_suite_of_many_files_may_run_for_longer() -> None:
    def time_s(count: int) -> float:
        paths = tuple(f"tests/test_{n}.py" for n in range(count))
        return Workspace(dict.fromkeys(paths, ""), (), paths, paths, {}).suite(Limits(time_s=30)).limits.time_s

    assert time_s(1) == time_s(20) == 30 and time_s(220) == 630
