"""What a running session tells: a closed union of frozen values; four of them end a run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from selfheal_tui.errors import SelfHealError
from selfheal_tui.llm.base import Usage
from selfheal_tui.sandbox.base import CaseFinished, SuiteReport

from .doubts import Doubt
from .review import ReviewKind
from .snapshot import Snapshot
from .state import WELL_ENDED, Spent
from .timeline import Checkpoint


@dataclass(frozen=True, slots=True)
class NodeStarted:
    """A node of the graph began."""

    node: str


@dataclass(frozen=True, slots=True)
class CallBegun:
    """A model is being asked; nothing of its answer is there yet."""

    role: str
    by: str = ""
    """Strategy that asked, where several run side by side."""


@dataclass(frozen=True, slots=True)
class ThoughtStreamed:
    """Text that a model thinks before it answers; may hold anything, strip before it meets a terminal."""

    role: str
    text: str
    by: str = ""
    """Strategy that asked, where several run side by side."""


@dataclass(frozen=True, slots=True)
class TokenStreamed:
    """Text of a model's reply; may hold anything, strip before it meets a terminal."""

    role: str
    text: str
    by: str = ""
    """Strategy that asked, where several run side by side."""


@dataclass(frozen=True, slots=True)
class CallFinished:
    """A model call ended."""

    role: str
    model: str
    usage: Usage
    replayed: bool
    """Served from the ledger: nothing was paid."""
    degraded: str
    """Why the reply had to be salvaged or asked for again; empty when it was fine."""
    by: str = ""
    """Strategy that asked, where several run side by side."""


@dataclass(frozen=True, slots=True)
class PromptShortened:
    """A prompt was too long for the model's context: the oldest evidence is not in it."""

    role: str
    context_tokens: int
    left_out: tuple[str, ...]
    """What is missing, in words: `3 older repairs`; never empty."""

    def words(self) -> str:
        """Say it in a few words."""
        return f"history shortened to fit {self.context_tokens:,} tokens: without {', '.join(self.left_out)}"


@dataclass(frozen=True, slots=True)
class SearchProgressed:
    """The search healer judged more candidates."""

    judged: int
    total: int
    """Candidates that were drawn so far; grows from round to round."""
    best: str
    """What the best candidate so far does, one line; empty when none helps yet."""
    mends: int = 0
    """How many of the `failing` cases pass with the best."""
    failing: int = 0
    elapsed_s: float = 0.0
    """How long the search has run, of the `time_s` seconds that it may; 0 of 0 where that is not known."""
    time_s: float = 0.0
    stage: str = ""
    """What it does now where no edit is tried: `preparing the edits`."""
    by: str = ""
    """Strategy that searches, where several run side by side."""
    breaks: int = 0
    """How many cases that passed fail with the best."""


@dataclass(frozen=True, slots=True)
class CallWaits:
    """A model call failed and is tried again after a pause; its text so far is void."""

    role: str
    seconds: float
    attempt: int
    """The attempt that follows: 2 for the first retry."""
    why: str
    model: str = ""
    by: str = ""
    """Strategy that asked, where several run side by side."""


@dataclass(frozen=True, slots=True)
class SuiteRan:
    """The sandbox ran all tests of a moment, or of a repair, to the end."""

    purpose: Literal["tests", "rehearsal"]
    """What for: the program as it stands, or a repair that is tried."""
    verdict: Literal["passed", "failed", "error"]
    passed: int
    failed: int
    """Cases that did not pass: failed, error and timeout."""
    duration_s: float
    """As waited for here."""
    trust: Literal["provisional", "verified"]
    isolation: tuple[str, ...]
    """Layers in force, by name."""


def suite_ran(purpose: Literal["tests", "rehearsal"], report: SuiteReport, duration_s: float) -> SuiteRan:
    """Return the event of a run of the suite."""
    failed = report["failed"] + report["errors"] + report["timeouts"]
    trust, isolation = report["trust"], tuple(report["isolation"])
    return SuiteRan(purpose, report["verdict"], report["passed"], failed, round(duration_s, 3), trust, isolation)


@dataclass(frozen=True, slots=True)
class CandidateRehearsed:
    """A candidate ran against the suite."""

    label: str
    fixes: int
    breaks: int


@dataclass(frozen=True, slots=True)
class StrategyEnded:
    """A repair strategy came to nothing."""

    strategy: str
    why: str


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """The debugger used a tool."""

    tool: str
    arguments: str
    """One line."""
    thought: str
    observation: str
    """What it saw, as the model got it; may hold anything, strip before it meets a terminal."""


@dataclass(frozen=True, slots=True)
class Noticed:
    """Something went otherwise than asked, and the run goes on."""

    text: str


@dataclass(frozen=True, slots=True)
class NoteRead:
    """A step reads a note that the user wrote for it."""

    text: str
    node: str


@dataclass(frozen=True, slots=True)
class CheckpointSaved:
    """A moment is on disk."""

    checkpoint: Checkpoint
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class DriverSeen:
    """Who drives a session that is only looked at here; told at first and at each change."""

    by: str
    """`process 123 on HOST`; empty: nobody any more, so it can be taken over."""


@dataclass(frozen=True, slots=True)
class ReviewRequested:
    """The run stopped with a question; nothing runs."""

    checkpoint_id: str
    branch: str
    kind: ReviewKind
    snapshot: Snapshot
    """Holds the proposal (`diagnosis` or `candidates`) and its evidence."""


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The run reached an end; `snapshot.outcome` and `.reason` say which."""

    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class RunFailed:
    """The run could not go on (provider, sandbox, session); what was saved stays and can be resumed."""

    error: SelfHealError


@dataclass(frozen=True, slots=True)
class LaneTold:
    """A lane of a race told something; its own run ends with the event's last three kinds, the race goes on."""

    branch: str
    event: Event


@dataclass(frozen=True, slots=True)
class LaneResult:
    """How a lane stands."""

    branch: str
    says: str
    """What it does differently: `strategies=minimal`."""
    checkpoint_id: str
    outcome: str
    """As of a branch; `failed` when it could not go on."""
    reason: str
    asks: ReviewKind | None
    """The question that waits on it."""
    passed: int | None
    failed: int | None
    """With the failing cases of other groups, which wait."""
    spent: Spent
    """In the race only."""
    result_ref: str = ""
    """Hash of what it came to: program, candidates and diagnosis."""
    beside_strategy: str = ""
    """What it does differently but for its strategies, where its repairs come from the search alone; else empty."""
    same: str = ""
    """That a better lane came to the same, one sentence; empty where none did."""
    has: str = ""
    """What it has to show: `3 repairs, 1: line 8 `<` -> `<=`, with it 8/8 pass`; empty for nothing."""
    would_pass: int | None = None
    """Cases that pass with the first of its repairs; None where none waits."""
    doubts: tuple[Doubt, ...] = ()
    """What speaks against what it took where nobody looked."""
    confidence: float | None = None
    """How sure the search is of that, 0..1; None where nobody can say."""


@dataclass(frozen=True, slots=True)
class RaceFinished:
    """Every lane of a race has come to rest: ended, asks, or could not go on."""

    snapshot: Snapshot
    """The moment that the lanes started from."""
    lanes: tuple[LaneResult, ...]
    """The best first."""
    spent: Spent
    """By all lanes together."""
    begun: tuple[str, ...] = ()
    """The lanes' branches in the order in which they began."""
    over: str = ""
    """That the lanes used more than their budget, and why; empty where they did not."""

    @property
    def best(self) -> str:
        """The branch that came further than all others; empty where two came as far, at whatever price."""
        came = [(lane.outcome in WELL_ENDED, max(lane.passed or 0, lane.would_pass or 0)) for lane in self.lanes[:2]]
        return self.lanes[0].branch if len(came) == 2 and came[0] > came[1] else ""

    @property
    def by_key(self) -> Sequence[LaneResult]:
        """The lanes as the keys 1, 2, ... name them, however they ended."""
        lanes = {lane.branch: lane for lane in self.lanes}
        return [lanes[branch] for branch in lanes_by_key([one for one in self.begun if one in lanes] or [*lanes])]

    def key_of(self, branch: str) -> int:
        """Return the number of the key that names a lane, counted from 1."""
        return [lane.branch for lane in self.by_key].index(branch) + 1


def lanes_by_key(branches: Sequence[str]) -> Sequence[str]:
    """Return the lanes of a race as the keys 1, 2, ... name them: as they began, but `race-group-1` before the second.

    `branches` are in the order in which they began.
    """
    numbered = {branch: re.fullmatch(r"(\D*)(\d+)", branch) for branch in branches}
    if len({match[1] for match in numbered.values() if match}) != 1 or not all(numbered.values()):
        return branches
    return sorted(branches, key=lambda branch: int(match[2]) if (match := numbered[branch]) else 0)


Event = (
    NodeStarted
    | CallBegun
    | ThoughtStreamed
    | TokenStreamed
    | CallFinished
    | CallWaits
    | PromptShortened
    | CaseFinished
    | SuiteRan
    | SearchProgressed
    | CandidateRehearsed
    | StrategyEnded
    | ToolCalled
    | Noticed
    | NoteRead
    | CheckpointSaved
    | DriverSeen
    | ReviewRequested
    | RunFinished
    | RunFailed
    | LaneTold
    | RaceFinished
)

__all__ = [
    "CallFinished",
    "CallWaits",
    "CandidateRehearsed",
    "CaseFinished",
    "CheckpointSaved",
    "DriverSeen",
    "Event",
    "LaneResult",
    "LaneTold",
    "NodeStarted",
    "NoteRead",
    "Noticed",
    "PromptShortened",
    "RaceFinished",
    "ReviewRequested",
    "RunFailed",
    "RunFinished",
    "SearchProgressed",
    "StrategyEnded",
    "SuiteRan",
    "ThoughtStreamed",
    "TokenStreamed",
    "ToolCalled",
    "suite_ran",
]
