"""A checkpoint with its bodies resolved: what a screen, an export or a script shows of one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.search.program.recent import RecentChange

from .budget import BudgetReached
from .review import Decision, ReviewKind
from .state import (
    Advice,
    Autonomy,
    DebugStep,
    Diagnosis,
    Ending,
    GroupTurn,
    Heard,
    Mode,
    Objection,
    Question,
    Record,
    Repair,
    Rule,
    RunLimits,
    RunPolicy,
    SetAside,
    Spent,
    SuspectLine,
    Unsettled,
    default_policy,
)
from .steering import Avoid


@dataclass(frozen=True, slots=True)
class HealedProgram:
    """The program as it was once some of the failing cases passed."""

    words: str
    """Which cases, as a group of them is called."""
    program: Mapping[str, str]
    """Path -> text."""
    cases: tuple[str, ...] = ()
    """Their ids."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One moment of a session; the same type live and in the past."""

    checkpoint_id: str
    branch: str
    node: str
    """The node that has just ended."""
    mode: Mode
    title: str
    spec: str
    iteration: int
    program: Mapping[str, str]
    """Program path -> text at this moment."""
    base: Mapping[str, str]
    """Program path -> text as given; a generated file is absent."""
    tests: Mapping[str, str]
    """Test path -> text."""
    report: SuiteReport | None
    diagnosis: Diagnosis | None
    candidates: Mapping[str, Repair]
    """Label -> repair, ranked first first; empty outside propose..review_repair."""
    decision: Decision | None
    feedback: tuple[str, ...]
    records: tuple[Record, ...]
    """The newest repairs reviewed on this branch, newest first; the last names an earlier one, if there is one."""
    spent: Spent
    limits: RunLimits
    models: Mapping[str, str]
    autonomy: Autonomy
    outcome: Ending
    reason: str
    pending: ReviewKind | None
    """The question that waits at this checkpoint."""
    budget: BudgetReached | None = None
    """The budget that is used up at this checkpoint."""
    policy: RunPolicy = field(default_factory=default_policy)
    written: str = ""
    """Kind of the generated suite that a tests review is about."""
    suite_files: Mapping[str, str] = field(default_factory=dict)
    """Path -> text of the generated tests that a tests review is about."""
    origins: Mapping[str, str] = field(default_factory=dict)
    """Path of a generated test file -> its suite (examples, spec, adversarial, critic); others are the user's."""
    aside: SetAside | None = None
    """What was red in the first run and is no task for a repair."""
    pinned: tuple[str, ...] = ()
    thrown_out: tuple[str, ...] = ()
    lessons: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    """Lessons of other sessions."""
    rules: tuple[Rule, ...] = ()
    failures: Mapping[str, str] = field(default_factory=dict)
    """Strategy of this round -> why it gave no candidate."""
    search_s: float = 0.0
    """Seconds that the search of this round had, where all of them were used up; else 0."""
    question: Question | None = None
    """What would tell which of the candidates is right."""
    rehearsed: int = 0
    """Repairs that were rehearsed on this branch; 0 in sessions of before."""
    unsettled: Unsettled | None = None
    """What the tests leave open about the newest repair, whoever took it."""
    unmet: tuple[Unsettled, ...] = ()
    """What examples of a text say that the program does not give, though every case passes."""
    unmet_rest: str = ""
    """How many more such examples there are, and how many gave no result."""
    doubts: tuple[str, ...] = ()
    """What speaks against repairs that were taken where nobody looked, a few sentences for each."""
    answers: tuple[tuple[str, str], ...] = ()
    """(call, right answer) that the human gave."""
    volunteered: int = 0
    """How many of the answers nobody had asked for."""
    unknown: tuple[str, ...] = ()
    """Calls that the human was asked about and does not know."""
    empty_rounds: tuple[str, ...] = ()
    """Why rounds since the last applied repair brought nothing to review."""
    repeated: str = ""
    """Why the loop is thought to be stalled."""
    debug_steps: tuple[DebugStep, ...] = ()
    """What the debugger looked at before its diagnosis, in order."""
    suspects: tuple[SuspectLine, ...] = ()
    """Lines that the failing cases of this moment's report point to, the most suspicious first."""
    recent: Mapping[tuple[str, int], RecentChange] = field(default_factory=dict)
    """(path, 1-based line) of the program at this moment -> the change that it saw lately."""
    avoid: tuple[Avoid, ...] = ()
    """What the search leaves as it is."""
    turn: GroupTurn | None = None
    """The group of failing cases that is healed now; None where all are healed together."""
    waiting: tuple[str, ...] = ()
    """Failing cases of other groups, which no run has in it until this group is healed."""
    healed_groups: tuple[HealedProgram, ...] = ()
    """The groups that were healed in their turn, oldest first."""
    heard: Heard | None = None
    """The notes that the newest step read which could read any."""
    objection: Objection | None = None
    opinions: tuple[str, ...] = ()
    advice: Mapping[str, Advice] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Beginning:
    """A session before its first moment."""

    snapshot: Snapshot
    """Of no checkpoint: its id is empty."""
    files: int
    """How many were copied; 0 for a session that begins with a spec."""
