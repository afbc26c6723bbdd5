"""Which keys of the run screen do something now; the others are neither shown nor heard."""

from __future__ import annotations

from selfheal_tui.engine.moment.steering import edited_lines
from selfheal_tui.errors import SessionDamaged
from selfheal_tui.text import and_list, one_line

from ..kit.arming import Arming
from ..kit.keys import changes
from ..view.fork_rows import can_race
from ..view.model import RunModel
from ..view.shown import is_changed
from .applying import Applying
from .cards.diagnosis import DiagnosisCard
from .cards.end import EndCard
from .cards.repair import RepairCard
from .cards.stalled import StalledCard
from .commenting import Commenting
from .grouping import Grouping
from .hunks import Hunks
from .noting import Noting
from .outside_diff import OutsideDiff
from .port import RunPort
from .racing import lane_of

_OF_THE_END = ("write", "commit", "patch", "copy_change")
_FORKS = ("fork", "race", "groups", "model", "set")
_GOES_ON = ("retry", "undo", "redo")
"""Actions that go on with the session, from another moment too."""
_LOOKS = ("timeline", "step", "now", "search", "compare", "branches", "view", "copy", "undo", "sessions")
"""Actions that a form's fields would get the keys of."""
_ANSWERS = ("approve", "edit", "reject", "stop_run", "rule")
"""Actions that need a question."""
_WORDS = {
    "take_best": "Only while a search runs and has found something.",
    "pause": "Nothing runs: there is nothing to pause.",
    "note": "No step is to come that could read a note.",
    "comment": "A comment goes on a line of the Diff tab, where something is asked about it.",
    "hunk": "Only at a repair: in the Diff tab for its hunks, else to mark one of several candidates.",
    "difftool": "Only in the Diff tab, where something changes.",
    "try": "Nothing is saved yet.",
    "change": "Nothing is saved yet.",
    "search": "Nothing is saved yet.",
}
"""Action -> why it does nothing now."""


class Offers:
    """Tells for each action whether it does something that the user sees."""

    def __init__(
        self,
        port: RunPort,
        arming: Arming,
        hunks: Hunks,
        commenting: Commenting,
        noting: Noting,
        applying: Applying,
        outside_diff: OutsideDiff,
        grouping: Grouping,
    ) -> None:
        self._port, self._arming, self._hunks = port, arming, hunks
        self._commenting, self._noting, self._applying = commenting, noting, applying
        self._outside_diff, self._grouping = outside_diff, grouping

    @property
    def writing(self) -> bool:
        """Whether an editor, a form or a line is open: it has its own keys, even before the focus has reached it."""
        tabs, side = self._port.evidence.tabs, self._port.side
        trying = tabs.is_open("try") and tabs.active == "try"
        return (
            tabs.is_open("edit") or trying or side.has_class("-editing") or side.prompt.is_open or side.picker.is_open
        )

    @property
    def can_stop(self) -> bool:
        """Whether a run works that can be ended at once; a race is kept or undone instead."""
        model = self._port.model
        is_live = model.running and model.past is None and model.watched is None and model.committed is not None
        return is_live and not model.lanes and not self.writing

    @property
    def can_tell(self) -> bool:
        """Whether the user may say what is wrong: at the newest moment, while nothing runs."""
        model = self._port.model
        return model.position is not None and model.past is None and not model.running and model.race is None

    def has(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Tell whether the action is offered."""
        model = self._port.model
        if model.watched is not None and changes(action):
            return action == "retry" and not model.watched and model.only_read is None
        if isinstance(model.error, SessionDamaged) and (
            action in (*_FORKS, *_GOES_ON) or (action == "compare" and not model.timeline.checkpoints)
        ):
            return False
        if action in _LOOKS and self._port.side.has_class("-editing"):
            return False
        match action:
            case "pick" if lane_of(model, _number(parameters)):
                return self._arming.armed
            case "stop_run" if self.can_stop:
                return True
            case "answer":
                card = self._port.side.card
                asks = model.question is not None and card is not None and bool(card.question)
                # A question has to be on the screen before it is answered, an old one too.
                is_read = model.question is None or self._arming.armed
                return (asks or self.can_tell) and is_read and not self.writing
            case "approve" | "edit" | "reject" | "stop_run" | "pick" | "rule" | "hunk":
                takes = self._card_takes(action, parameters)
                return takes and self._arming.armed and model.question is not None and not self.writing
            case "step_hunk":
                return self._port.evidence.tabs.active == "diff" and not self.writing
            case "try" | "change":
                return model.position is not None and not self.writing
            case "difftool":
                return self._outside_diff.can_open and not self.writing
            case "take_best":
                return model.running and model.past is None and model.live.searching and not self.writing
            case "comment":
                return not self.writing and self._commenting.can_write
            case "note":
                return not self.writing and self._noting.can_write
            case "write" | "commit":
                has_place = model.has_folder and (action == "write" or model.has_git)
                return not self.writing and has_place and self._applying.can_apply
            case "patch" | "copy_change":
                return not self.writing and self._applying.can_apply
            case "pause":
                return model.running
            case "retry":
                return model.is_paused
            case "race" if model.shown is not None and not can_race(model.shown):
                return False
            case "fork" | "model" | "set" | "race":
                return model.position is not None and not model.running and not self.writing
            case "groups":
                return not self.writing and self._grouping.can_ask
            case "search":
                return bool(model.timeline.checkpoints) and not self.writing
            case "undo" | "redo":
                return not self.writing
        return True

    def why_not(self, action: str, parameters: tuple[object, ...] = ()) -> str:
        """Say why an action is not offered now; empty where it is, and where nobody would wonder."""
        model = self._port.model
        wonders = action in (*_OF_THE_END, *_FORKS, *_ANSWERS, *_WORDS, "answer", "retry", "pick")
        if not wonders or model.shown is None or self.writing or self.has(action, parameters):
            return ""
        if model.watched is not None:
            return "Nothing can be changed here: the session is only read."
        if action in _ANSWERS:
            return self._why_no_answer(action)
        if action == "pick":
            return self._why_no_pick(_number(parameters))
        if action == "note" and (model.lanes or model.race is not None):
            return "A race takes no note: its lanes would not run alike. Keep a lane first."
        card = self._port.side.card
        if action == "comment" and isinstance(card, RepairCard) and card.joined is not None:
            return f"{card.joined.words.capitalize()} together take no comment: take a mark back first (space)."
        if action in _WORDS:
            return _WORDS[action]
        if model.running:
            return "It runs already." if action == "retry" else "Not while it runs: p pauses it."
        if action in (*_FORKS, *_GOES_ON) and isinstance(model.error, SessionDamaged):
            return "The session is damaged: nothing goes on with it."
        if action == "retry" and model.race is not None:
            return "The number of a lane keeps it, and goes on with it."
        if action == "retry":
            return "It is over: f forks it." if model.outcome else "It waits for your answer."
        if action == "groups" and model.position is not None:
            return "No two cases fail here: there are no groups."
        if action == "race" and model.position is not None:
            return "Every case passes here: a race has nothing to go on with. [ goes to a moment before."
        if action in _FORKS:
            return "Nothing is saved yet."
        if model.past is not None:
            return "Not in the past: n goes back to now."
        if not model.has_folder and action in ("write", "commit"):
            saves = "S saves the change as a patch" + ("." if model.outcome else ", once the run is over.")
            return f"These files came from no folder: {saves}"
        if action == "commit" and not model.has_git and self._applying.can_apply:
            if model.folder_now is not None and model.folder_now.words:
                return "Your folder is in no git repository: the files are written, without a commit."
            return "Your folder is in no git repository: W writes the files without a commit."
        held = self._applying.still_written() if action in ("write", "commit") else ""
        if model.outcome:
            return f"The code was not changed. {held}".rstrip()
        if not is_changed(model.shown):
            so_far = "Nothing is changed so far: a repair goes in once it is approved."
            return f"Nothing is changed here. {held}" if held else so_far
        ends = "s ends it here" if model.question is not None else "R goes on"
        if held:
            return f"Not before the run is over ({ends}). {held}"
        return f"Not before the run is over ({ends}): then what it has won can be written, committed, saved or copied."

    def _why_no_answer(self, action: str) -> str:
        model, card = self._port.model, self._port.side.card
        if model.question is not None:
            # Of a question that is not painted yet nothing is said: its keys are not heard so far.
            is_wrong = self._arming.armed and not self._card_takes(action, ())
            name = f"“{card.QUESTION}?”" if card is not None else "this question"
            return f"That is no answer to {name}." if is_wrong else ""
        if model.running:
            if action == "stop_run":
                return _why_no_stop(model)
            return "Nothing is asked while it runs: p pauses it."
        if model.past is not None:
            return "Nothing was asked at this moment: [ and ] go to others."
        if model.outcome:
            return "It is over, and asks nothing: [ goes back to its questions."
        return "The number of a lane keeps it." if model.race is not None else "Nothing is asked now: R goes on."

    def _why_no_pick(self, number: int) -> str:
        card, race = self._port.side.card, self._port.model.race
        if race is not None and number > len(race.lanes):
            return f"There is no lane {number}: there are {len(race.lanes)}."
        if self._port.model.question is None:
            return "" if race is not None else self._why_no_answer("pick")
        if not self._arming.armed:
            return ""
        if not isinstance(card, RepairCard | DiagnosisCard) or not card.labels:
            return "There is nothing to pick from here."
        is_repair, count = isinstance(card, RepairCard), len(card.labels)
        if count == 1 and not is_repair and (words := self._lines_together()):
            return f"{words} are changed together: that is one place, and no number picks another."
        if count == 1:
            return f"There is only one {'candidate' if is_repair else 'place'}: no number picks another."
        return f"There is no {'candidate' if is_repair else 'place'} {number}: there are {count}."

    def _lines_together(self) -> str:
        """Name the lines of the only place of a diagnosis, where there are several: `Lines 3 and 7`."""
        shown = self._port.model.shown
        place = shown.diagnosis["evidence"][0] if shown is not None and shown.diagnosis is not None else None
        at = edited_lines(place) if place is not None else []
        several = len({path for path, _ in at}) > 1
        named = and_list([f"{one_line(path, 60)}:{line}" if several else str(line) for path, line in at])
        return f"Lines {named}" if len(at) > 1 else ""

    def _card_takes(self, action: str, parameters: tuple[object, ...]) -> bool:
        card = self._port.side.card
        match action:
            case "edit":
                return not isinstance(card, StalledCard | EndCard)
            case "rule":
                return isinstance(card, RepairCard)
            case "pick":
                return isinstance(card, RepairCard | DiagnosisCard) and _number(parameters) <= len(card.labels)
            case "hunk":
                return self._hunks.can_choose or self._hunks.can_mark
        return True


def _why_no_stop(model: RunModel) -> str:
    if model.past is not None:
        return "Not in the past: n goes back to now."
    if model.lanes:
        return "A race is not stopped as a whole: p pauses it, u takes it back."
    return "Nothing is saved yet: p pauses it."


def _number(parameters: tuple[object, ...]) -> int:
    return int(str(parameters[0]))
