"""What the run screen shows, as one frozen value: committed moments plus a live overlay; no Textual here.

`reduce` folds an event into the model and is total over `Event`. Model text does not pass through it: tokens
go to the transcript directly. Looking at the past swaps the shown snapshot and touches nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from selfheal_tui.engine.moment.attempts import diagnosis_attempt
from selfheal_tui.engine.moment.closed import still_closed
from selfheal_tui.engine.moment.event_words import event_words
from selfheal_tui.engine.moment.events import (
    CallBegun,
    CallFinished,
    CallWaits,
    CandidateRehearsed,
    CaseFinished,
    CheckpointSaved,
    DriverSeen,
    Event,
    LaneTold,
    NodeStarted,
    NoteRead,
    Noticed,
    PromptShortened,
    RaceFinished,
    ReviewRequested,
    RunFailed,
    RunFinished,
    SearchProgressed,
    StrategyEnded,
    SuiteRan,
    ThoughtStreamed,
    TokenStreamed,
    ToolCalled,
)
from selfheal_tui.engine.moment.node_facts import asked_by, facts_of
from selfheal_tui.engine.moment.review import ReviewKind
from selfheal_tui.engine.moment.snapshot import Beginning, Snapshot
from selfheal_tui.engine.moment.steering import Avoid, avoid_words
from selfheal_tui.engine.moment.timeline import Checkpoint, Timeline, build_timeline
from selfheal_tui.errors import SelfHealError
from selfheal_tui.sandbox.base import CaseResult
from selfheal_tui.setting_values import SEARCH

from .past_answers import PastAnswer, answer_words, taken_label
from .timeline_rows import has_row


@dataclass(frozen=True, slots=True)
class LiveView:
    """What happens between two checkpoints; forgotten at the next one."""

    node: str = ""
    """The node that runs; empty when none does."""
    cases: tuple[CaseResult, ...] = ()
    """Cases of the running suite so far."""
    of_cases: int = 0
    """How many cases that suite has; 0 while that is not known."""
    search: SearchProgressed | None = None
    rehearsed: tuple[CandidateRehearsed, ...] = ()
    call: CallFinished | None = None
    """The newest model call of this node."""
    waits: CallWaits | None = None
    """A model call that failed and will be tried again."""
    thinks: str = ""
    """Role, or strategy, whose model was asked and has not begun its answer."""

    @property
    def searching(self) -> bool:
        """Whether a search runs that has something to show for it."""
        return self.search is not None and bool(self.search.best) and not self.rehearsed

    @property
    def doing(self) -> str:
        """What happens now, in words: `running the tests: 4 of 12`; empty while no node runs."""
        ended = f": {len(self.cases)} of {self.of_cases}" if self.cases and self.of_cases else ""
        return facts_of(self.node).doing + ended if self.node else ""


@dataclass(frozen=True, slots=True)
class Review:
    """A question and where it stands."""

    checkpoint_id: str
    kind: ReviewKind
    again: bool = False
    """It was answered before: a new answer makes a new branch."""
    before: tuple[str, ...] = ()
    """How it was answered, oldest first."""
    attempt: int = 1
    """Of a diagnosis: 2 after the human rejected one."""


@dataclass(frozen=True, slots=True)
class InFolder:
    """How the user's folder stands to a healed program."""

    checkpoint_id: str
    """The moment whose program it is."""
    words: str = ""
    """What was done: `written into your files (/home/me/shop)`; empty while the folder holds none of it."""
    merged: bool = False
    """Whether files hold it together with changes of the user's: no suite ran over these."""
    committed: bool = False
    """Whether it was committed from here."""
    back: str = ""
    """The command that takes such a commit back."""
    tests: str = ""
    """The new tests that were written with it: `2 new tests in test_shop.py`; empty for none."""
    elsewhere: str = ""
    """The commit beside the user's files: `committed as 1a2b3c on the new branch heal-shop`; empty for none."""
    blocked: str = ""
    """Why nothing can be written into it, a sentence: a file is a folder or a link now, or gone; empty where it can."""


@dataclass(frozen=True, slots=True)
class RunModel:
    """Everything the run screen is drawn from."""

    timeline: Timeline = field(default_factory=lambda: build_timeline(()))
    beginning: Beginning | None = None
    """What is shown until the first moment is saved."""
    has_folder: bool = True
    """Whether the files came from a folder, into which they can be written; not those of a demo."""
    has_git: bool = True
    """Whether that folder is in a git repository, as far as is known."""
    in_folder: InFolder | None = None
    """What the folder holds of the program at its end; None while that is not known."""
    committed: Snapshot | None = None
    """The newest saved moment of the branch that is driven."""
    live: LiveView = field(default_factory=LiveView)
    running: bool = False
    review: Review | None = None
    """The question that waits now."""
    past: Snapshot | None = None
    """The earlier moment that is looked at instead of `committed`."""
    answers: tuple[PastAnswer, ...] = ()
    """What was decided at that earlier moment, or on the question that stood there; oldest first."""
    outcome: str = ""
    """How the run ended; empty while it has not."""
    error: SelfHealError | None = None
    """Why the run could not go on; it can be resumed."""
    lanes: Mapping[str, str] = field(default_factory=dict)
    """Lane of the race that runs or ran last -> the node that works on it; empty when it is at rest."""
    lanes_tell: Mapping[str, str] = field(default_factory=dict)
    """Lane -> how far its node is, in few words; absent where it has told nothing yet."""
    race: RaceFinished | None = None
    """How a race ended whose winner was not chosen yet."""
    search_lost: bool = False
    """Whether a search was interrupted by the pause: it starts anew when the run goes on."""
    notes: tuple[str, ...] = ()
    """Notes for the next step that no step reads yet, oldest first."""
    takes_note_back: bool = False
    """Whether an undo takes the newest of them back: nothing else was done since."""
    watched: str | None = None
    """Who drives the session, which is only looked at here; empty: nobody any more. None: it is driven here."""

    only_read: SelfHealError | None = None
    """Why the session can only be looked at, also while nobody drives it: it is damaged, or cannot be written."""
    rest: str = ""
    """How much of a damaged session is shown: `12 moments, without 1 that cannot be read`; empty: all of it."""

    @property
    def shown(self) -> Snapshot | None:
        """The snapshot that all tabs show."""
        return self.past or self.committed or (self.beginning.snapshot if self.beginning else None)

    @property
    def folder_now(self) -> InFolder | None:
        """What the folder holds of the program that is shown; None while that is not known."""
        return self.in_folder if self.in_folder and self.in_folder.checkpoint_id == self.position else None

    @property
    def position(self) -> str | None:
        """The checkpoint that is looked at; None before the first."""
        return (self.shown.checkpoint_id or None) if self.shown else None

    @property
    def question(self) -> Review | None:
        """The question that may be answered here: the waiting one, or an answered one of the past."""
        if self.watched is not None:
            return None
        if self.running:
            return None
        review = self.review if self.past is None else past_review(self.timeline, self.past.checkpoint_id)
        if review is not None and review.kind == "diagnosis":
            review = replace(review, attempt=diagnosis_attempt(self.timeline, review.checkpoint_id))
        if self.past is None or review is None or not review.again:
            return review
        return replace(review, before=tuple(answer_words(one, self.past) for one in self.answers))

    @property
    def is_paused(self) -> bool:
        """Whether nothing runs, asks or is over: `R` goes on."""
        return not self.running and self.review is None and not self.outcome and self.race is None

    @property
    def decided(self) -> PastAnswer | None:
        """The decision that the earlier moment made; None when it made none, or only asked."""
        made = self.past is not None and facts_of(self.past.node).asks is not None
        return self.answers[-1] if made and self.answers else None

    @property
    def taken(self) -> str:
        """Label of the candidate that was taken at the earlier moment, or from its question; empty for none."""
        return taken_label(self.past, self.answers) if self.past is not None else ""


def past_review(timeline: Timeline, checkpoint_id: str) -> Review | None:
    """Return the question asked at this checkpoint; None when nothing is asked there."""
    checkpoint = timeline.checkpoints.get(checkpoint_id)
    if checkpoint is None:
        return None
    answered = checkpoint.pending is None and not timeline.is_head(checkpoint_id)
    kind = checkpoint.pending or asked_by(checkpoint.next)
    if kind is None or (checkpoint.pending is None and not answered):
        return None
    return Review(checkpoint_id, kind, again=answered)


def start_run(model: RunModel) -> RunModel:
    """Return the model of a run that was just started: back to now, nothing asked, no error."""
    idle = replace(
        model, review=None, past=None, answers=(), outcome="", error=None, lanes={}, lanes_tell={}, race=None
    )
    return replace(idle, running=True, live=LiveView(), search_lost=False, takes_note_back=False)


def pause_run(model: RunModel) -> RunModel:
    """Return the model of a run that the user interrupted; what was saved stays."""
    return replace(model, running=False, live=LiveView(), search_lost=searches(model))


def searches(model: RunModel) -> bool:
    """Tell whether a search runs, also one that has told nothing yet."""
    models, live = model.committed.models if model.committed is not None else {}, model.live
    diagnoses = live.node == "diagnose" and models.get("debugger", models.get("*")) == SEARCH
    return not live.rehearsed and (live.search is not None or diagnoses)


def look_at(model: RunModel, snapshot: Snapshot, answers: tuple[PastAnswer, ...] = ()) -> RunModel:
    """Show a moment and what was decided about it; the newest one is simply now."""
    now = model.committed is not None and snapshot.checkpoint_id == model.committed.checkpoint_id
    return back_to_now(model) if now else replace(model, past=snapshot, answers=answers)


def back_to_now(model: RunModel) -> RunModel:
    """Show the newest moment again."""
    return replace(model, past=None, answers=())


def step_from(model: RunModel, step: int, moment: str = "") -> str | None:
    """Return the moment before (-1) or after (1) a moment, or the one shown, that the tree has a row for.

    After a fork, on the line that leads to now.
    """
    checkpoints = model.timeline.checkpoints
    at = checkpoints.get(moment or model.position or "")
    line = model.timeline.lineage(model.committed.checkpoint_id) if step > 0 and model.committed else ()
    ours = {checkpoint.id for checkpoint in line}
    while at is not None:
        if step < 0:
            at = checkpoints.get(at.parent_id or "")
        else:
            later = model.timeline.children.get(at.id, ())
            at = checkpoints.get(next((c for c in later if c in ours), later[0] if later else ""))
        if at is not None and has_row(model.timeline, at):
            return at.id
    return None


def steps_to_question(model: RunModel) -> tuple[int, ReviewKind | None]:
    """Return how many moments before now, as `[` goes, the last question stands, and its kind; 0: there is none."""
    at, steps = replace(model, past=None), 0
    while (earlier := step_from(at, -1)) is not None:
        steps += 1
        if (review := past_review(model.timeline, earlier)) is not None:
            return steps, review.kind
        at = replace(at, past=replace(at.shown, checkpoint_id=earlier)) if at.shown is not None else at
    return 0, None


def steps_to_rejection(model: RunModel) -> tuple[int, int]:
    """Return how far back the newest answer stands that closed something to the search: moments to its question, as
    `[` goes, and answers, as undo takes them back; (0, 0) where there is none."""
    snapshot, timeline = model.committed, model.timeline
    if snapshot is None or not (closed := still_closed(snapshot.avoid, snapshot.report)):
        return 0, 0
    at, steps, answers = replace(model, past=None), 0, 0
    for moment in reversed(timeline.lineage(snapshot.checkpoint_id)):
        decision = moment.decision
        answers += decision is not None and decision.get("by") == "human"
        if decision is not None and _closes(decision, closed):
            question = moment.parent_id
            break
    else:
        return 0, 0
    while at.position != question and (earlier := step_from(at, -1)) is not None and at.shown is not None:
        steps += 1
        at = replace(at, past=replace(at.shown, checkpoint_id=earlier))
    return (steps, answers) if at.position == question else (0, answers)


def _closes(decision: Mapping[str, str], avoid: Sequence[Avoid]) -> bool:
    """Tell whether a rejection closed something to the search: one of a diagnosis does, whatever its reason."""
    if decision["verdict"] != "reject" or decision.get("by") != "human":
        return False
    return decision["kind"] == "diagnosis" or any(avoid_words([one]) in decision["note"] for one in avoid)


def earlier_moments(timeline: Timeline, checkpoint_id: str) -> tuple[str, ...]:
    """Return the two moments to look at for what changed: the one before, and the last of the iteration before."""
    *earlier, at = timeline.lineage(checkpoint_id) or (None,)
    if at is None or not earlier:
        return ()
    older = next((c.id for c in reversed(earlier) if c is not None and c.iteration < at.iteration), None)
    parent = earlier[-1].id if earlier[-1] is not None else None
    return tuple(dict.fromkeys(i for i in (parent, older) if i is not None))


def reduce(model: RunModel, event: Event) -> RunModel:
    """Fold one event into the model; never raises, whatever the order of events."""
    if model.watched is not None:
        model = _as_told_last(model, event)
    match event:
        case NodeStarted():
            live = LiveView(node=event.node)
            if not facts_of(event.node).runs_cases and model.live.node == event.node:
                live = replace(live, search=model.live.search)
            return replace(model, running=True, live=live)
        case CallBegun():
            return replace(model, live=replace(model.live, thinks=event.by or event.role, waits=None))
        case ThoughtStreamed():
            return model if model.live.waits is None else replace(model, live=replace(model.live, waits=None))
        case TokenStreamed():
            if model.live.waits is None and not model.live.thinks:
                return model
            return replace(model, live=replace(model.live, waits=None, thinks=""))
        case CallFinished():
            return replace(model, live=replace(model.live, call=event, waits=None, thinks=""))
        case PromptShortened() | StrategyEnded() | ToolCalled() | Noticed() | SuiteRan():
            return model
        case NoteRead():
            return replace(model, notes=tuple(note for note in model.notes if note != event.text))
        case CallWaits():
            return replace(model, live=replace(model.live, waits=event, thinks=""))
        case CaseFinished():
            return replace(model, live=replace(model.live, cases=(*model.live.cases, event.case), of_cases=event.of))
        case SearchProgressed():
            return replace(model, live=replace(model.live, search=event))
        case CandidateRehearsed():
            return replace(model, live=replace(model.live, rehearsed=(*model.live.rehearsed, event)))
        case CheckpointSaved():
            return replace(
                model,
                timeline=model.timeline.plus(event.checkpoint, event.checkpoint.branch),
                committed=event.snapshot,
                live=model.live if _goes_on(model.live, event.checkpoint) else LiveView(),
            )
        case DriverSeen():
            gone = not event.by
            live = LiveView() if gone else model.live
            return replace(model, watched=event.by, live=live, running=model.running and not gone)
        case ReviewRequested():
            return replace(
                model,
                timeline=_waiting(model.timeline, event),
                committed=event.snapshot,
                live=LiveView(),
                running=False,
                review=Review(event.checkpoint_id, event.kind),
            )
        case RunFinished():
            return replace(
                model,
                committed=event.snapshot,
                live=LiveView(),
                running=False,
                review=None,
                outcome=event.snapshot.outcome or "stopped",
            )
        case RunFailed():
            return replace(model, live=LiveView(), running=False, review=None, error=event.error)
        case LaneTold():
            return _lane_told(model, event)
        case RaceFinished():
            return replace(
                model, committed=model.committed or event.snapshot, live=LiveView(), running=False, race=event
            )
        case _:
            assert_never(event)


def _as_told_last(model: RunModel, event: Event) -> RunModel:
    """Leave out of a watched session how it stood before: nobody starts a run here, which would do so."""
    if isinstance(event, LaneTold | RaceFinished):
        return replace(model, review=None, outcome="")
    if isinstance(event, NodeStarted | ReviewRequested | RunFinished):
        return replace(model, review=None, outcome="", lanes={}, lanes_tell={}, race=None)
    return model


def _goes_on(live: LiveView, checkpoint: Checkpoint) -> bool:
    """Tell whether a node works already that a checkpoint only leads to: the first one begins before it is saved."""
    return bool(live.node) and checkpoint.next in ((live.node,), ("__start__",))


def _lane_told(model: RunModel, lane_event: LaneTold) -> RunModel:
    """Fold an event of a race's lane into the tree and the lane's line; the shown moment stays."""
    match lane_event.event:
        case CheckpointSaved():
            timeline = model.timeline.plus(lane_event.event.checkpoint, model.timeline.stands)
            return replace(model, timeline=timeline, running=True, lanes={**model.lanes, lane_event.branch: ""})
        case NodeStarted():
            lanes = {**model.lanes, lane_event.branch: lane_event.event.node}
            return replace(model, running=True, lanes=lanes, lanes_tell={**model.lanes_tell, lane_event.branch: ""})
        case ReviewRequested():
            timeline = _waiting(model.timeline, lane_event.event)
            return replace(model, timeline=timeline, lanes={**model.lanes, lane_event.branch: ""})
        case RunFinished() | RunFailed():
            return replace(model, lanes={**model.lanes, lane_event.branch: ""})
        case SearchProgressed() | CandidateRehearsed() | CallWaits() | CaseFinished():
            words = event_words(lane_event.event)
            return replace(model, lanes_tell={**model.lanes_tell, lane_event.branch: words})
    return model


def _waiting(timeline: Timeline, event: ReviewRequested) -> Timeline:
    checkpoint = timeline.checkpoints.get(event.checkpoint_id)
    if checkpoint is None or checkpoint.pending == event.kind:
        return timeline
    by_id = {**timeline.checkpoints, checkpoint.id: replace(checkpoint, pending=event.kind)}
    return build_timeline(by_id.values(), timeline.marks, timeline.stands)
