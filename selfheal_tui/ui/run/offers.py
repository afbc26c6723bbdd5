"""Which keys of the run screen do something now; the others are neither shown nor heard."""

from __future__ import annotations

from ..kit.arming import Arming
from ..kit.keys import changes
from .applying import Applying
from .cards.diagnosis import DiagnosisCard
from .cards.end import EndCard
from .cards.repair import RepairCard
from .cards.stalled import StalledCard
from .commenting import Commenting
from .hunks import Hunks
from .noting import Noting
from .outside_diff import OutsideDiff
from .port import RunPort
from .racing import lane_of


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
    ) -> None:
        self._port, self._arming, self._hunks = port, arming, hunks
        self._commenting, self._noting, self._applying = commenting, noting, applying
        self._outside_diff = outside_diff

    @property
    def writing(self) -> bool:
        """Whether an editor, a form or a line is open: it has its own keys, even before the focus has reached it."""
        tabs, side = self._port.evidence.tabs, self._port.side
        trying = tabs.is_open("try") and tabs.active == "try"
        return (
            tabs.is_open("edit") or trying or side.has_class("-editing") or side.prompt.is_open or side.picker.is_open
        )

    def has(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Tell whether the action is offered."""
        model = self._port.model
        if model.watched is not None and changes(action):
            return action == "retry" and not model.watched
        match action:
            case "pick" if lane_of(model, _number(parameters)):
                return self._arming.armed
            case "approve" | "edit" | "reject" | "stop_run" | "pick" | "rule" | "answer" | "hunk":
                takes = self._card_takes(action, parameters)
                return takes and self._arming.armed and model.question is not None and not self.writing
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
                return not self.writing and model.has_folder and self._applying.can_apply
            case "patch" | "copy_change":
                return not self.writing and self._applying.can_apply
            case "pause":
                return model.running
            case "retry":
                return not model.running and model.review is None and not model.outcome
            case "fork" | "model" | "set" | "race":
                return model.position is not None and not model.running and not self.writing
            case "search":
                return bool(model.timeline.checkpoints) and not self.writing
            case "undo" | "redo":
                return not self.writing
        return True

    def _card_takes(self, action: str, parameters: tuple[object, ...]) -> bool:
        card = self._port.side.card
        match action:
            case "edit":
                return not isinstance(card, StalledCard | EndCard)
            case "rule":
                return isinstance(card, RepairCard)
            case "answer":
                return card is not None and bool(card.question)
            case "pick":
                return isinstance(card, RepairCard | DiagnosisCard) and _number(parameters) <= len(card.labels)
            case "hunk":
                return self._hunks.can_choose or self._hunks.can_mark
        return True


def _number(parameters: tuple[object, ...]) -> int:
    return int(str(parameters[0]))
