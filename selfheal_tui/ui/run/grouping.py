"""Several groups of failing cases: asking which is healed first, or racing a lane for each."""

from __future__ import annotations

from selfheal_tui.engine.session.lanes import MOST_LANES
from selfheal_tui.engine.suites.failing_groups import failing_groups, group_words

from ..kit.picker import Question
from ..view.picks import Pick
from .forking import Forking
from .picking import Picking
from .port import RunPort

_RACE = "race"


class Grouping:
    """Heals groups of failing cases one after another, on a new branch, or as a race."""

    def __init__(self, port: RunPort, picking: Picking, forking: Forking) -> None:
        self._port, self._picking, self._forking = port, picking, forking

    @property
    def can_ask(self) -> bool:
        """Whether several cases fail at the moment shown, so that there may be several groups."""
        model = self._port.model
        report = model.shown.report if model.shown is not None else None
        many = report is not None and report["failed"] + report["errors"] + report["timeouts"] > 1
        return many and model.position is not None and not model.running

    def ask(self) -> None:
        """Ask which group is healed first."""
        snapshot = self._port.model.shown
        groups = failing_groups(snapshot) if snapshot is not None else []
        if len(groups) < 2:
            self._port.notify("All failing cases are of one group.", markup=False)
            return
        rows = [Pick(str(number), group_words(group)) for number, group in enumerate(groups, 1)]
        lanes = min(len(groups), MOST_LANES)
        rows.append(Pick(_RACE, f"a race of {lanes} lanes, each with another group first"))
        title = "Heal which group first? The others follow, one after another."
        question = Question(title, self._start, told_later=True, enter="heals it first, on a new branch")
        self._picking.ask(question, rows)

    async def _start(self, value: str) -> None:
        session, snapshot, position = self._port.driver.session, self._port.model.shown, self._port.model.position
        if value != _RACE:
            await self._forking.fork({"group": value})
        elif session is None or snapshot is None or position is None:
            self._picking.close()
        else:
            lanes = min(len(failing_groups(snapshot)), MOST_LANES)
            await self._port.drive(session.race(position, [{"group": str(n)} for n in range(1, lanes + 1)], {}))
