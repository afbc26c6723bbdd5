"""The run screen: timeline, evidence, and the card that asks; the only place where keys become decisions.

`show` draws `RunModel`; events change it through `reduce`. Answer keys are dead until the card they answer
has been painted, and keys typed before that moment never count. What a key or a message does is in the parts, one
file each beside this one; they see the screen through `RunPort`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.css.query import QueryType
from textual.notifications import SeverityLevel
from textual.widget import Widget
from textual.widgets import TabbedContent
from textual.worker import Worker

from selfheal_tui.engine.moment.events import Event
from selfheal_tui.engine.moment.review import Answer
from selfheal_tui.engine.task.fix_command import not_searched_of, wider_command
from selfheal_tui.settings import sessions_flag
from selfheal_tui.text import with_session

from ..kit.arming import Arming
from ..kit.diff_view import DiffView
from ..kit.inline_prompt import InlinePrompt
from ..kit.key_footer import KeyFooter
from ..kit.key_owner import owner_of_keys
from ..kit.keys import ANSWERS, HUNKS, JOINED, MORE, RUN, TRAVEL, action_of, answer_keys
from ..kit.picker import Picker
from ..kit.restyle import switch_classes
from ..kit.suite_table import CaseList
from ..kit.timeline_tree import TimelineTree
from ..kit.too_small import TooSmall
from ..kit.working_screen import WorkingScreen
from ..view.model import RunModel, searches
from ..view.past_answers import taken_label
from .answering import Answering
from .applying import Applying
from .asking import Asking
from .branching import Branching
from .cards.diagnosis_form import DiagnosisForm
from .cards.review_card import ReviewCard
from .cards.side import Side
from .choices import Choices
from .commenting import Commenting
from .committing import Committing
from .driver import Driver
from .editing import Editing
from .forking import Forking
from .grouping import Grouping
from .hunks import Hunks
from .joining import Joining
from .looking import Looking
from .noting import Noting
from .offers import Offers
from .outside_diff import OutsideDiff
from .picking import Picking
from .questions import Questions
from .racing import Racing, lane_of
from .running import Running
from .searching import Searching
from .status import status_line, window_title
from .status_bar import StatusBar
from .tabs.edit_pane import EditPane
from .tabs.evidence import Evidence
from .tabs.try_pane import TryPane
from .taking import Taking
from .trying import Trying

if TYPE_CHECKING:
    from selfheal_tui.engine.moment.snapshot import Snapshot

    from ..app import SelfHealApp


class RunScreen(WorkingScreen[None]):
    """One session, live and in its past."""

    CSS_PATH = "run.tcss"
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [*ANSWERS, *TRAVEL, *RUN, *HUNKS]
    app: SelfHealApp

    def __init__(self, session_id: str, *, paused: bool = False, waits: bool = False) -> None:
        """`paused`: open it without going on; `waits`: also where it has not begun."""
        super().__init__()
        self.session_id = session_id
        self.model = RunModel(running=True)
        self.timeline = TimelineTree(id="timeline")
        self.evidence = Evidence(id="evidence")
        self.side = Side(id="side")
        self.status = StatusBar(id="status")
        self._arming = Arming()
        self._tabbed_to: Widget | None = None
        """Where tab went, while nothing else was pressed since."""
        self._asked_from_timeline = False
        self._drawn: tuple[object, object] = (None, None)
        self._offer_key: tuple[object, ...] = ()
        self.asking = Asking(self)
        self.branching = Branching(self)
        self.picking = Picking(self)
        self.racing = Racing(self, self.picking, self.branching, self._arming)
        self.forking = Forking(self, self.asking, self.picking)
        self.grouping = Grouping(self, self.picking, self.forking)
        self.editing = Editing(self, self.forking.fork)
        self.trying = Trying(self)
        self.choices = Choices(self)
        self.joining = Joining(self, self._arming, self.choices)
        self.hunks = Hunks(self, self._arming, self.joining, self.choices)
        self.commenting = Commenting(self, self.asking)
        self.noting = Noting(self, self.asking)
        self.applying = Applying(self, self.asking, self.picking, session_id)
        self.committing = Committing(self, self.asking, self.picking, self.applying)
        self.answering = Answering(
            self, self.asking, self.editing, self._with_attached, lambda: self.commenting.words, self.forking.fork
        )
        self.looking = Looking(self, session_id)
        self.searching = Searching(self, self.picking, self.looking, self.answering.show_candidate)
        self.taking = Taking(self, session_id)
        self.running = Running(self, self.branching, self.asking, session_id, paused=paused, waits=waits)
        self.outside_diff = OutsideDiff(self, self.editing)
        self.offers = Offers(
            self,
            self._arming,
            self.hunks,
            self.commenting,
            self.noting,
            self.applying,
            self.outside_diff,
            self.grouping,
        )
        self.questions = Questions(
            self,
            self._arming,
            answering=self.answering,
            editing=self.editing,
            choices=self.choices,
            trying=self.trying,
            offers=self.offers,
            running=self.running,
        )
        self.driver = Driver(self, self.running.tell, self.running.refuse, self.running.end)
        self._name_actions()

    def _name_actions(self) -> None:
        """Name what the keys of `kit/keys.py` run: the action `x` of a binding is `action_x` of the screen."""
        self.action_approve = self.answering.approve
        self.action_edit = self.answering.edit
        self.action_reject = self.answering.reject
        self.action_rule = self.answering.make_rule
        self.action_answer = self.answering.choose_answer
        self.action_step_hunk = self.hunks.step
        self.action_timeline = self.looking.turn_to_timeline
        self.action_step = self.looking.step
        self.action_view = self.looking.step_tab
        self.action_compare = self.looking.compare
        self.action_branches = self.branching.list_all
        self.action_redo = self.branching.redo
        self.action_fork = partial(self.forking.ask_fork, self.editing)
        self.action_search = self.searching.ask
        self.action_model = self.forking.ask_model
        self.action_set = self.forking.ask_setting
        self.action_race = self.racing.ask_lanes
        self.action_groups = self.grouping.ask
        self.action_try = self.trying.open
        self.action_difftool = self.outside_diff.open
        self.action_copy = self.taking.copy
        self.action_comment = self.commenting.open
        self.action_note = self.noting.open
        self.action_change = self.applying.show_change
        self.action_write = self.applying.write
        self.action_commit = self.committing.commit
        self.action_copy_change = self.applying.copy_change
        self.action_pause = self.running.pause
        self.action_retry = self.running.retry
        self.action_take_best = self.running.take_best

    def compose(self) -> ComposeResult:
        with Horizontal(id="body"):
            yield self.timeline
            with Vertical(id="main"):
                yield self.evidence
                yield self.side
        yield self.status
        yield KeyFooter(MORE, JOINED)
        yield TooSmall()

    def on_mount(self) -> None:
        """Paint first; the engine is imported after that."""
        self.timeline.border_title = "Timeline"
        self.show(self.model)
        self.call_after_refresh(self.running.open)

    @property
    def _address(self) -> str:
        """The session, as commands name it."""
        return self.session_id + sessions_flag(self.app.settings)

    def _wider(self, snapshot: Snapshot | None) -> str:
        """Return the command that searches also what failing cases run and this session does not search; else empty."""
        others, manifest = not_searched_of(snapshot), self.running.manifest
        return wider_command(manifest, self.app.settings, others) if manifest is not None else ""

    # what the parts use, see `RunPort`

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Say something at the edge; a command in it names this session."""
        words = with_session(message, self._address)
        super().notify(words, title=title, severity=severity, timeout=timeout, markup=markup)

    def show(self, model: RunModel) -> None:
        """Draw another model."""
        if not self.is_mounted:
            return
        self.model = model
        question, snapshot = model.question, model.shown
        self.questions.follow(question)
        wider = self._wider(snapshot)
        if model.past is None:
            self.app.wider_command = wider
        self.side.show(model, self._address, self.answering.pick or model.taken, wider)
        self.timeline.nothing = "Nothing is saved yet." if model.beginning else "Opening…" if model.running else ""
        if self._drawn[0] is not model.timeline or self._drawn[1] != model.position:
            self._drawn = (model.timeline, model.position)
            self.timeline.show(model.timeline, model.position)
        if snapshot is not None:
            self.evidence.show(model, self.side.pick or model.taken)
            self.looking.fill()
        self.trying.show_attached()
        self.noting.show_on_card()
        self.joining.follow_card()
        self.hunks.follow_card()
        self.commenting.follow_card()
        self.editing.show_drafts()
        self.status.show(status_line(model, self.running.title, self.running.allowed))
        self.app.window.show(window_title(model, self.running.title))
        self.racing.arm(model)
        self.applying.follow()
        offer_key = (
            *(question, model.running, model.past is None, model.outcome, model.error),
            *(model.watched, model.race, model.live.searching),
        )
        if offer_key != self._offer_key:
            self._offer_key = offer_key
            self.refresh_bindings()

    @property
    def hidden(self) -> bool:
        """Whether the terminal is too small for anything but the word that it is."""
        return self.has_class("-tiny") or self.has_class("-flat")

    @property
    def searches(self) -> bool:
        """Whether a search runs, which starts anew when the session is resumed."""
        return self.model.running and self.model.watched is None and searches(self.model)

    async def drive(self, events_: AsyncIterator[Event]) -> None:
        """End the run that goes on, if any, and draw these events instead."""
        await self.running.drive(events_)

    def show_timeline(self, wanted: bool) -> None:
        """Show the timeline where there is no room for it beside the evidence, or put it away."""
        switch_classes(self, {"-timeline": wanted}, self.timeline)
        if self.focused is self.timeline and not self.timeline.display:
            self.evidence.tabs.focus_view()  # keys would fold rows that nobody sees

    def begin_asking(self) -> None:
        """Remember whether the line or the list that is opened now is asked for from the timeline."""
        self._asked_from_timeline = self._asked_from_timeline or self.focused is self.timeline

    def end_asking(self, *, left: bool) -> None:
        """Go back to the timeline where what was asked from there was left, nothing taken."""
        if owner_of_keys(self) is not None:
            return  # A list that goes on in a line is one question.
        returns, self._asked_from_timeline = left and self._asked_from_timeline, False
        if returns:
            self.show_timeline(True)
            self.timeline.focus()

    def start_work(
        self, group: str, task: Callable[[], Coroutine[None, None, None]], *, exclusive: bool = True
    ) -> Worker[None]:
        """Run a task beside the screen; an exclusive one cancels those of its group first."""
        return self.run_worker(task, group=group, exclusive=exclusive)

    def stop_work(self, group: str) -> bool:
        """Cancel the tasks of a group; tell whether one was still running."""
        return any(not worker.is_finished for worker in self.workers.cancel_group(self, group))

    async def _with_attached(self, checkpoint_id: str, answer: Answer) -> Answer:
        """Put into an answer what goes with it: what was tried, and comments on lines."""
        await self._keep_chosen(checkpoint_id)  # the session takes it from the disk, and gives it back if undone
        return self.commenting.with_comments(checkpoint_id, self.trying.with_attached(checkpoint_id, answer))

    # which keys count

    def focus_next(self, selector: str | type[QueryType] = "*") -> Widget | None:
        """Go to the card where its text is cut; when tab is pressed again, on from there to the other panes."""
        body, focused = self.side.body, self.focused
        walks = focused is not None and focused in (self._tabbed_to, body)
        if walks or not body.is_cut or not body.focusable:
            self._tabbed_to = super().focus_next(selector)
        else:
            self.set_focus(body)
            self._tabbed_to = body
        return self._tabbed_to

    def on_key(self, event: events.Key) -> None:
        """Swallow answer keys that were pressed before their card could be read; say why a key does nothing now."""
        if event.key != "tab":
            self._tabbed_to = None
        action = action_of(self.app.keymap, event.aliases).partition("(")[0]
        opens_line = action in ("answer", "reject", "rule", "stop_run")
        is_answer = not answer_keys(self.app.keymap).isdisjoint(event.aliases)
        if why := self._why_silent(event):
            if is_answer:
                self._arming.miss(event.time, opens_line=opens_line)
            self.notify(why, markup=False)
            event.stop()
            event.prevent_default()
            return
        ends_run = action == "stop_run" and self.offers.can_stop
        only_picks = action in ("pick", "hunk") and self.model.race is None
        tells = action == "answer" and self.model.question is None and self.offers.can_tell
        is_answer = is_answer and not (ends_run or only_picks or tells)
        if is_answer and not self._arming.hears(event.time, opens_line=opens_line):
            if self._arming.armed and self.side.card is not None and not self.offers.writing:
                early = "That key came before this could be read: press it again."
                self.side.card.say(early)
                if self.has_class("-timeline"):
                    self.notify(early, markup=False)  # the card's own words may be below what is shown of it
            event.stop()
            event.prevent_default()

    def _why_silent(self, event: events.Key) -> str:
        """Say why a key does nothing now; empty where it does something, or is no key that one may wonder about."""
        action, _, number = action_of(self.app.keymap, event.aliases).partition("(")
        parameters = (number.rstrip(")"),) if number else ()
        return self.offers.why_not(action, parameters) if action and not self.hidden else ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer a key only where it does something that the user sees; Textual asks before there is anything."""
        return action == "leave" if self.hidden or not self.is_mounted else self.offers.has(action, parameters)

    def on_resize(self) -> None:
        """Use the room; a card that came back into sight has to be seen again before it is answered."""
        room = {"-snug": self.size.width < 140, "-roomy": self.size.width >= 180}
        switch_classes(self, room, self.timeline, self.side)
        self.side.fit_width()
        self.evidence.make_room(self.size.width >= 120 and self.size.height >= 50)
        self.joining.follow_card()
        if self.hidden:
            self.questions.hide(self.focused)
        else:
            self.questions.come_back()

    # actions of two parts, or of the screen itself

    def action_pick(self, number: int) -> None:
        """Keep a lane of a race that is over, else show another candidate."""
        if lane := lane_of(self.model, number):
            self.racing.keep(lane)
        else:
            self.answering.show_candidate(number)

    async def action_stop_run(self) -> None:
        """Ask before the run ends at a question; end one that works at once."""
        if self.model.running:
            await self.running.stop()
        else:
            self.answering.stop()

    def action_hunk(self) -> None:
        """Take or leave the hunk under the cursor, or mark the candidate; the editor has another text of it then."""
        self.hunks.turn_current()
        self.editing.show_drafts()

    def action_now(self) -> None:
        """Give up a report that is being made, else go back to the newest moment."""
        if not self.taking.stop():
            self.looking.show_now()

    def action_patch(self) -> None:
        """Save the whole change as a patch in the current folder."""
        self.taking.export("patch")

    def action_undo(self) -> None:
        """Take back what was done last: the write into the folder, else the newest act, which ends what runs."""
        self.start_work("branch", self._undo)

    async def _undo(self) -> None:
        stays = await self.applying.before_undo(self._take_back)
        if stays is not None:
            await self._take_back(stays)

    async def _take_back(self, stays: str) -> None:
        await self.branching.take_back(stays=stays)
        before, asked = await self.looking.answer_before(), self.model.committed
        if before is not None and asked is not None and (label := taken_label(asked, [before])):
            self.answering.pick = label
            self.hunks.take_again(asked, [before])
            self.show(self.model)

    async def action_sessions(self) -> None:
        """Close this session and list all."""
        paused = self.model.is_paused
        await self.close_session()
        self.app.show_sessions(paused=paused)

    async def close_session(self) -> None:
        """Close the session in order; what is being written, and what was chosen, is kept with it."""
        await self.editing.keep_all()
        if self.model.question is not None:
            await self._keep_chosen(self.model.question.checkpoint_id)
        await self.driver.close()

    async def _keep_chosen(self, checkpoint_id: str) -> None:
        await self.choices.save(checkpoint_id)
        await self.trying.save(checkpoint_id)

    async def action_leave(self) -> None:
        """Quit; the session stays as it is on disk."""
        await self.app.action_quit()

    # messages, each to its part

    def on_timeline_tree_highlighted(self, event: TimelineTree.Highlighted) -> None:
        self.looking.preview(event.checkpoint_id)

    def on_timeline_tree_chosen(self, event: TimelineTree.Chosen) -> None:
        self.looking.choose(event.checkpoint_id)

    @on(TabbedContent.TabActivated)
    def _fill_tab(self) -> None:
        self.looking.fill()

    def on_diff_view_pressed(self, event: DiffView.Pressed) -> None:
        self.hunks.turn_clicked(event.number)
        self.editing.show_drafts()

    async def on_case_list_asked(self, event: CaseList.Asked) -> None:
        await self.forking.change_case(event, self.editing)

    @on(EditPane.Typed)
    def _stop_trying(self) -> None:
        self.editing.stop_trying()

    def on_edit_pane_paused(self, event: EditPane.Paused) -> None:
        self.editing.try_texts(event.changes)

    @on(EditPane.Kept)
    @on(DiagnosisForm.Kept)
    def _keep_draft(self) -> None:
        self.editing.keep()

    @on(EditPane.Left)
    def _leave_editor(self) -> None:
        self.editing.leave()

    async def on_edit_pane_submitted(self, event: EditPane.Submitted) -> None:
        await self.editing.submit(event.changes)

    @on(TryPane.Left)
    def _close_try(self) -> None:
        self.trying.close()

    @on(TryPane.Switched)
    def _switch_try(self) -> None:
        self.trying.switch()

    @on(TryPane.Attached)
    def _attach_try(self) -> None:
        self.trying.attach()

    def on_try_pane_asked(self, event: TryPane.Asked) -> None:
        self.trying.try_text(event.text)

    @on(InlinePrompt.Cancelled)
    def _close_line(self) -> None:
        self.applying.left()
        self.asking.close(left=True)

    def on_picker_closed(self, event: Picker.Closed) -> None:
        self.picking.closed(left=event.left)

    @on(DiagnosisForm.Left)
    def _leave_form(self) -> None:
        self.answering.leave_form()

    @on(ReviewCard.Painted)
    def _arm_new_card(self) -> None:
        self.questions.arm_new_card()

    async def on_review_card_decided(self, event: ReviewCard.Decided) -> None:
        self.branching.offer_undo("u takes your answer back")
        await self.answering.decide(event.checkpoint_id, event.answer)
