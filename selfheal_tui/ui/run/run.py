"""The run screen: timeline, evidence, and the card that asks; the only place where keys become decisions.

`_show` draws `RunModel`; events change it through `reduce`. Answer keys are dead until the card they answer
has been painted, and keys typed before that moment never count.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widget import Widget

from selfheal_tui.engine.moment.events import CheckpointSaved, DriverSeen, Event, TokenStreamed
from selfheal_tui.errors import InputError, SelfHealError
from selfheal_tui.settings import sessions_flag

from ..kit.arming import Arming
from ..kit.key_footer import KeyFooter
from ..kit.keys import ANSWERS, MORE, RUN, TRAVEL, answer_keys, changes
from ..kit.timeline_tree import TimelineTree
from ..kit.too_small import TooSmall
from ..view.model import Review, RunModel, pause_run, reduce, start_run
from .branching import Branching
from .cards.end import EndCard
from .cards.repair import RepairCard
from .cards.side import Side
from .cards.stalled import StalledCard
from .driver import Driver
from .looking import Looking
from .status import status_line, window_title
from .status_bar import StatusBar
from .tabs.evidence import Evidence
from .taking import Taking
from .trying import Trying

if TYPE_CHECKING:
    from selfheal_tui.engine.session.session import Session

    from ..app import SelfHealApp


_LONG_S = 3.0
"""A run that took longer rings the bell when it asks, even in the window in front."""


class RunScreen(Taking, Looking, Trying, Branching):
    """One session, live and in its past."""

    CSS_PATH = "run.tcss"
    AUTO_FOCUS = None
    BINDINGS: ClassVar[list[BindingType]] = [*ANSWERS, *TRAVEL, *RUN]
    app: SelfHealApp

    def __init__(self, session_id: str) -> None:
        super().__init__()
        self.session_id = session_id
        self.model = RunModel(running=True)
        self.title = session_id
        self._before = self.model
        self._pick = ""
        self._arming = Arming()
        self._asked: Review | None = None
        self._driven_at = Message().time
        self._drawn: tuple[object, object] = (None, None)
        self._offers: tuple[object, ...] = ()
        self._left: Widget | None = None
        """What had the focus when the terminal became too small."""
        self.driver = Driver(self, self._on_event, self._on_refused, self._on_ended)

    def compose(self) -> ComposeResult:
        with Horizontal(id="body"):
            yield TimelineTree(id="timeline")
            with Vertical(id="main"):
                yield Evidence(id="evidence")
                yield Side(id="side")
        yield StatusBar(id="status")
        yield KeyFooter(MORE)
        yield TooSmall()

    def on_mount(self) -> None:
        """Paint first; the engine is imported after that."""
        self.query_one("#timeline").border_title = "Timeline"
        self._show(self.model)
        self.call_after_refresh(self.driver.open, self.app.workbench, self.session_id, self._opened)

    def _opened(self, session: Session) -> None:
        self.title = session.title
        self._begin(session)

    @work(group="begin")
    async def _begin(self, session: Session) -> None:
        timeline, watched = await session.timeline(), self.driver.watched
        self._show(replace(self.model, timeline=timeline, watched="" if watched else None))
        self.app.settle()
        self.query_one(Evidence).tell_history(timeline.lineage(next(reversed([*timeline.checkpoints]), "")))
        await self._drive(watched.follow() if watched else session.resume())

    # events in

    async def _drive(self, events_: AsyncIterator[Event]) -> None:
        self._before = self.model
        self._driven_at = Message().time
        self.remove_class("-timeline")
        self._show(start_run(self.model))
        await self.driver.start(events_)

    def _on_event(self, event: Event) -> None:
        self.query_one(Evidence).tell(event)
        if isinstance(event, DriverSeen) or self._goes_back(event):
            self.reload_tree()
        if not isinstance(event, TokenStreamed) or self.model.live.waits is not None:
            self._show(reduce(self.model, event))

    def _goes_back(self, event: Event) -> bool:
        """Tell whether who drives the session took something back: branches then have other names."""
        return (
            self.model.watched is not None
            and isinstance(event, CheckpointSaved)
            and event.checkpoint.id in self.model.timeline.checkpoints
        )

    def _on_refused(self, error: SelfHealError) -> None:
        if isinstance(error, InputError) and self._before.committed is not None:
            self._grace("")
            self._show(self._before)
            card = self.query_one(Side).card
            if card is not None:
                card.say(str(error))
            else:
                self.notify(str(error), severity="error", markup=False)
            return
        self._show(replace(self.model, running=False, error=error))

    def _on_ended(self) -> None:
        self.reload_tree()

    # the model on the screen

    def _show(self, model: RunModel) -> None:
        if not self.is_mounted:
            return
        self.model = model
        question, shown = model.question, model.shown
        if question != self._asked:
            self._asked = question
            self._pick = ""
            self._arming.disarm()
            self._close_editor("code")
            if question is not None:
                self.call_after_refresh(self._arm, question)
        side = self.query_one(Side)
        side.show(model, self.session_id + sessions_flag(self.app.settings), self._pick)
        if self._drawn[0] is not model.timeline or self._drawn[1] != model.position:
            self._drawn = (model.timeline, model.position)
            self.query_one(TimelineTree).show(model.timeline, model.position)
        if shown is not None:
            self.query_one(Evidence).show(shown, side.pick, past=model.past is not None)
            self._fill()
        self.follow_card()
        self.set_class(model.past is not None, "-past")
        self.query_one(StatusBar).show(status_line(model, self.title or self.session_id))
        self.app.window.show(window_title(model, self.title or self.session_id))
        self._arm_race(model)
        offers = (
            *(question, model.running, model.past is None, model.outcome, model.error),
            *(model.watched, model.race),
        )
        if offers != self._offers:
            self._offers = offers
            self.refresh_bindings()

    def _arm(self, question: Review) -> None:
        if self._asked != question or self._hidden:
            return
        card = self.query_one(Side).card
        if card is not None and not card.painted:
            return
        evidence = self.query_one(Evidence)
        left, self._left = self._left, None
        if evidence.trying or self._writing:
            # What is typed there must not end up answering the question.
            if left is not None:
                left.focus()
        elif card is not None and question.again:
            evidence.bring(card.TAB)
        elif card is not None:
            evidence.activate(card.TAB)
        now = Message().time
        if self.app.settings.bell and (not self.app.app_focus or now - self._driven_at > _LONG_S):
            self.app.bell()
        self._arming.arm(now)

    def on_review_card_painted(self) -> None:
        """Arm the first question of a card, which was mounted for it."""
        if self._asked is not None:
            self._arm(self._asked)

    def on_key(self, event: events.Key) -> None:
        """Swallow answer keys that were pressed before their card could be read."""
        if not answer_keys(self.app.keymap).isdisjoint(event.aliases) and not self._arming.hears(event.time):
            event.stop()
            event.prevent_default()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer a key only where it does something that the user sees."""
        if self._hidden:
            return action == "leave"
        if self.model.watched is not None and changes(action):
            return action == "retry" and not self.model.watched
        match action:
            case "edit" | "rule" if isinstance(self._card, StalledCard | EndCard):
                return False
            case "rule" if not isinstance(self._card, RepairCard):
                return False
            case "answer" if self._card is None or not self._card.question:
                return False
            case "pick" if self._race_lane(int(str(parameters[0]))):
                return self._arming.armed
            case "pick" if not isinstance(self._card, RepairCard) or int(str(parameters[0])) > len(self._card.labels):
                return False
            case "hunk" if not self.can_choose:
                return False
            case "approve" | "edit" | "reject" | "stop_run" | "pick" | "rule" | "answer" | "hunk":
                return self._arming.armed and self.model.question is not None and not self._writing
            case "try":
                return self.model.shown is not None and not self._writing
            case "pause":
                return self.model.running
            case "retry":
                return not self.model.running and self.model.review is None and not self.model.outcome
            case "fork" | "model" | "set" | "race":
                return self.model.shown is not None and not self.model.running and not self._writing
            case "undo" | "redo":
                return not self._writing
        return True

    @property
    def _hidden(self) -> bool:
        """Whether the terminal is too small for anything but the word that it is."""
        return self.has_class("-tiny") or self.has_class("-flat")

    @property
    def _writing(self) -> bool:
        """Whether an editor, a form or a line is open: it has its own keys, even before the focus has reached it."""
        evidence, side = self.query_one(Evidence), self.query_one(Side)
        trying = evidence.trying and evidence.tab == "try"
        return evidence.editing or trying or side.has_class("-editing") or side.prompt.is_open

    def on_resize(self) -> None:
        """Use the room; a card that came back into sight has to be seen again before it is answered."""
        self.set_class(self.size.width < 140, "-snug")
        self.set_class(self.size.width >= 180, "-roomy")
        self.query_one(Evidence).make_room(self.size.width >= 120 and self.size.height >= 50)
        if self._hidden:
            self._arming.disarm()
            self._left = self._left or self.focused
        elif self.model.question is not None and not self._arming.armed:
            self.call_after_refresh(self._arm, self.model.question)

    # the run

    async def action_pause(self) -> None:
        """Interrupt the run."""
        await self.driver.pause()
        self._show(pause_run(self.model))

    async def action_retry(self) -> None:
        """Go on from the last saved moment; one that could not be opened, or that nobody drives now, is opened."""
        if self.model.watched is not None:
            await self.driver.close()
            self._show(replace(self.model, watched=None))
        session = self.driver.session
        if session is not None:
            await self._drive(session.resume())
        else:
            self._show(start_run(self.model))
            self.driver.open(self.app.workbench, self.session_id, self._opened)

    async def action_sessions(self) -> None:
        """Close this session and list all."""
        await self.driver.close()
        self.app.show_sessions()

    async def action_leave(self) -> None:
        """Quit; the session stays as it is on disk."""
        await self.app.action_quit()
