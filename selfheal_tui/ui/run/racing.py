"""A race on the run screen: asking for its lanes, and keeping the one that goes on."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from textual.message import Message

from selfheal_tui.engine.moment.events import RaceFinished
from selfheal_tui.engine.session.lanes import parse_race
from selfheal_tui.errors import InputError

from ..kit.arming import Arming
from ..kit.picker import Question
from ..view import fork_rows, model_rows
from ..view.model import RunModel
from .branching import Branching
from .picking import Picking
from .port import RunPort


class Racing:
    """Starts a race, and keeps a lane of one that is over."""

    def __init__(self, port: RunPort, picking: Picking, branching: Branching, arming: Arming) -> None:
        self._port, self._picking, self._branching, self._arming = port, picking, branching, arming
        self._race: RaceFinished | None = None
        """The race whose lanes stand on the screen; none while the past is shown, whose questions take the keys."""

    def ask_lanes(self) -> None:
        """Ask for the lanes."""
        snapshot = self._port.model.shown
        if snapshot is not None:
            title = "Race from here: what does each lane do differently? Two at least."
            typed = "FIELD=VALUE | FIELD=VALUE | all max_calls=20"
            marked = fork_rows.first_lanes(snapshot)
            question = Question(title, self._start, typed, several=" | ", marked=marked, told_later=True)
            self._picking.ask_models(question, fork_rows.lane_rows(snapshot), value="model={}", text="model: {}")

    async def _start(self, text: str) -> None:
        session, position = self._port.driver.session, self._port.model.position
        if session is None or position is None:
            self._picking.close()
            return
        lanes, budget = parse_race(text)
        snapshot = self._port.model.shown
        if len(lanes) == 1 and snapshot is not None and (other := fork_rows.second_lane(text, snapshot)):
            raise InputError(f"A race has two lanes at least: mark a second one with space, as an example: {other}.")
        await model_rows.check_answering(model for lane in lanes for model in lane.get("model", {}).values())
        await self._port.drive(session.race(position, lanes, budget))
        # Its lanes tell of themselves alone: the moment that they start from stands in the middle.
        self._port.show(replace(self._port.model, committed=snapshot or self._port.model.committed))

    def keep(self, lane: str) -> None:
        """Go on with this lane."""
        self._port.start_work("branch", partial(self._keep, lane))

    async def _keep(self, lane: str) -> None:
        session, race = self._port.driver.session, self._port.model.race
        if session is not None and race is not None:
            await session.branches.keep(lane, [other.branch for other in race.lanes])
            self._branching.offer_undo("u takes the choice back")
            await self._branching.stand()

    def arm(self, model: RunModel) -> None:
        """Let the keys that keep a lane count once the lanes stand on the screen."""
        race = model.race if model.past is None else None
        if race is not self._race:
            self._race = race
            if race is not None:
                self._port.call_after_refresh(lambda: self._arming.arm(Message().time))
            elif model.question is None:
                self._arming.disarm()


def lane_of(model: RunModel, number: int) -> str:
    """Return the branch of a lane that may be kept now; empty when there is none of that number."""
    race = model.race
    if race is None or model.running or model.past is not None or number > len(race.lanes):
        return ""
    return race.by_key[number - 1].branch
