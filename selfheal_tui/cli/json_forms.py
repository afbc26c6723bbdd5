"""What `--json` prints, as types: docs/json.md is written from them, and a test compares them with what is printed.

A key that is `NotRequired` is printed by some of the commands, or where it says something.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, NotRequired, TypedDict

from selfheal_tui.engine.history.check import CheckReport
from selfheal_tui.engine.history.compare import Comparison
from selfheal_tui.engine.moment.doubts import Doubt
from selfheal_tui.engine.moment.failures import Failure
from selfheal_tui.engine.moment.state import Advice, Spent
from selfheal_tui.engine.moment.timeline import Branch
from selfheal_tui.engine.task.demos import Demo
from selfheal_tui.engine.workshop.trial import Tried
from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.store.lessons import Lesson
from selfheal_tui.store.sessions import SessionRow
from selfheal_tui.store.usage import UsageRow


class Group(TypedDict):
    """Failing cases that run the same and fail alike."""

    cases: list[str]
    """Their ids."""
    path: str
    """The program's file; that of the test where no function of the program is known."""
    function: str
    """Name within the file, as `Cart.total`; empty for the module itself, and for a test."""
    error: str
    """Type of the exception; `timeout`, or `error` where there is none."""
    in_one_line: str
    """All of this for people."""


class DoctorRow(TypedDict):
    """One line of the doctor's report."""

    subject: str
    ok: bool
    text: str
    plugin: NotRequired[dict[str, Any]]
    """Of a plug-in: its package, version, group and name, and whether it is enabled."""


class Review(TypedDict):
    """A question that waits for a decision."""

    kind: str
    """diagnosis, repair, code, tests, budget, stalled or end."""
    checkpoint_id: str
    """Its moment: `sessions decide --at` takes it."""
    proposal: dict[str, Any]
    """What is proposed; its fields go by the kind. `sessions decide edit --value FILE` takes such an object."""
    evidence: dict[str, Any]
    """What to decide on: always `report`; of a repair also `candidates`, by label."""


class Lane(TypedDict):
    """One lane of a race."""

    branch: str
    set: str
    """What it does differently."""
    checkpoint_id: str
    """Where it ended."""
    outcome: str
    """As of a run."""
    reason: str
    same: str
    """That a better lane came to the same, one sentence; empty where none did."""
    has: str
    """What it has to show, in few words."""
    asks: str | None
    """The kind of question at which it waits."""
    passed: int | None
    """Cases; null before the tests ran."""
    failed: int | None
    doubts: list[Doubt]
    """What speaks against what it took where nobody looked."""
    confidence: float | None
    """0 to 1: how sure the search is of that; null where nobody can say."""
    spent: Spent


class RunResult(TypedDict):
    """How a run ended, or which question it stopped at."""

    session_id: str
    branch: str
    """The branch that ran; empty where nothing was saved yet."""
    checkpoint_id: str
    """The moment at which it stands; empty where nothing was saved yet."""
    iteration: int
    """How many repairs went in; 0 is the program as given."""
    outcome: Literal["healed", "nothing_to_heal", "waiting", "gave_up", "stalled", "budget", "stopped", "failed"]
    reason: str
    """One sentence or two for people."""
    review: Review | None
    """With the outcome `waiting`: the question."""
    report: SuiteReport | None
    """The newest run of the tests."""
    files: dict[str, str]
    """The program: path to text."""
    changed: list[str]
    """Paths that differ from what was given."""
    diff: str
    """The change against what was given; `patch -p1` takes it."""
    doubts: list[Doubt]
    """What speaks against it; empty for a heal without doubts."""
    confidence: float | None
    """0 to 1: how sure the search is of the repair that was taken; null where nobody can say."""
    spent: Spent
    """What the branch has used."""
    failures: dict[str, Failure]
    """Strategies that gave no repair in the last round, with the reason."""
    groups: list[Group]
    """The failing cases of the report, by what they run and how they fail."""
    advice: dict[str, Advice]
    """What each advisor said that was asked for."""
    not_run: dict[str, list[int]]
    """Lines of the finished program that no case ran, by path."""
    next: NotRequired[str]
    """The command that goes on; empty where there is none that is complete."""
    left_for_you: NotRequired[str | None]
    """The moment of a repair that full autonomy left for a person."""
    lanes: NotRequired[list[Lane]]
    """Of a race that ended meanwhile: how each lane did, the best first."""


class Refusal(TypedDict):
    """A command that was refused, or failed before it had a result; the same sentence stands on stderr."""

    error: str
    """What is wrong and what to do."""
    exit_code: int


class Cancelled(TypedDict):
    """A run that was cancelled, as by Ctrl-C."""

    error: Literal["cancelled"]
    session_id: str
    """Empty where no session was made yet."""
    next: str
    """The command that goes on; empty where there is no session."""


class RaceResult(TypedDict):
    """How a race ended."""

    session_id: str
    checkpoint_id: str
    """Where its lanes began."""
    best: str
    """Branch of the best lane."""
    kept: str | None
    """The branch that the session goes on with, where one was kept."""
    lanes: list[Lane]
    """The best first."""
    spent: Spent
    """All lanes together."""
    over: str
    """That they used more than their budget, and why; empty where they did not."""


class MadeDecision(TypedDict):
    """How a question was answered."""

    kind: str
    """Of the question."""
    verdict: str
    """approve, edit, reject or stop."""
    note: str
    """What was said with it."""
    by: NotRequired[str]
    """human, policy (the run's autonomy), or the name of a rule."""
    together: NotRequired[str]
    """Where several candidates were taken at once: their numbers."""
    comments: NotRequired[str]
    """How many comments went with it."""


class CheckpointRow(TypedDict):
    """One moment of a session."""

    checkpoint_id: str
    parent_id: str | None
    """The moment before; null for the first."""
    branch: str
    step: int
    """Counts from the first moment on."""
    node: str
    """The step of the loop that was taken."""
    iteration: int
    created_at: str
    """UTC, ISO 8601."""
    passed: int | None
    """Cases; null before the tests ran."""
    failed: int | None
    decision: MadeDecision | None
    """The answer that was given here."""
    pending: bool
    """A question waits here."""
    gist: str
    """What the step did, in few words; empty in sessions of earlier versions."""
    note_read: str
    """The note that this step read; empty for none."""


class History(TypedDict):
    """A session with all its branches and moments."""

    session: SessionRow
    branches: list[Branch]
    checkpoints: list[CheckpointRow]
    usage: list[UsageRow]
    """What each step and role used."""
    allowed: NotRequired[list[str]]
    """What the tests could reach by `--allow-read` and `--allow-network`; missing of a damaged session."""
    allowed_now: NotRequired[list[str]]
    """The same for when it goes on."""


class ModelRow(TypedDict):
    """A model that can be used or asked for."""

    model: str
    """PROVIDER:NAME, as `--model` takes it."""
    context_tokens: int | None
    output_tokens: int | None
    input_usd: float | None
    """For a million tokens; null where the price is not known."""
    output_usd: float | None
    thinks: bool | None
    """Whether it thinks before it answers; null where that is not known."""
    efforts: list[str]
    """The levels that it takes."""
    ends: str | None
    """When its vendor ends it."""
    has_ended: bool
    size_bytes: int | None
    """On this machine."""
    fits: bool | None
    """Whether this machine can hold it; null for a model elsewhere, and where nobody can tell."""
    here: str
    """How it runs or would run on this machine; empty for a model elsewhere."""


class Models(TypedDict):
    """What can be used now."""

    models: list[ModelRow]
    notes: list[str]
    """What else there is to know, as which provider did not answer."""


class ValueRow(TypedDict):
    """A setting in force."""

    value: Any
    origin: str
    """Where it came from."""


class Undone(TypedDict):
    """What was taken back, or done again, and where the session stands now."""

    undone: NotRequired[str]
    """The kind of what was taken back: decision, fork, delete, ..."""
    redone: NotRequired[str]
    """The same with `--redo`."""
    what: str
    """It in words."""
    branch: str
    """The branch that the session stands on; empty for none."""
    checkpoint_id: str
    """Its last moment; empty for none."""
    next_undo: str
    """What the next undo takes back; empty for nothing."""
    outcome: str
    """Of the branch, or `running` while its race does not wait and has not ended."""


class Applied(TypedDict):
    """What was written to the folder."""

    folder: str
    written: list[str]
    """Absolute paths; empty where the folder holds the program already."""
    doubts: list[Doubt]
    """What speaks against the program; of `--undo` none."""
    merged: NotRequired[bool]
    """True where your own changes were kept beside the repair."""
    conflicts: NotRequired[int]
    """With `merged`: how many places hold both texts."""
    stays: NotRequired[str]
    """With `--undo`: what is not put back, and why."""
    commit: NotRequired[str]
    """With `--commit`: its hash; empty where none was made."""
    commits: NotRequired[list[str]]
    """With `--each`: one for each repair."""
    branch: NotRequired[str]
    """Git's new branch."""
    worktree: NotRequired[str]
    """Its folder."""


class ImportedSession(TypedDict):
    """A session that came in from a file."""

    session_id: str
    was: str
    """Its id where it comes from."""
    redacted: list[str]
    """Where keys or the home folder were taken out."""


class BranchSpent(TypedDict):
    """What a branch has used, from the session's start on."""

    calls: int
    tokens: int
    cost_usd: float | None
    time_s: float


class BranchRow(TypedDict):
    """A branch in the list of a session's."""

    name: str
    head: str
    """Its newest checkpoint."""
    forked_from: str | None
    """Checkpoint of another branch that it starts from; null for the first branch."""
    from_branch: str | None
    """That other branch."""
    outcome: str
    passed: int | None
    """Cases at its head; null where they have not run."""
    failed: int | None
    spent: BranchSpent | None
    size_bytes: int
    """Its own moments on disk, compressed."""
    note: str
    pinned: bool
    hidden: str
    """Why it is hidden: you, undone, race; empty where it is not."""


class BranchList(TypedDict):
    """The branches of a session."""

    stands: str
    """The branch on which the session goes on."""
    branches: list[BranchRow]


class BranchChanged(TypedDict):
    """What was done to a branch; which further fields there are goes by `change`."""

    branch: str
    change: str
    """rename, note, pin, unpin, hide, show, go, keep or delete."""
    name: NotRequired[str]
    """Its new name."""
    note: NotRequired[str]
    hidden: NotRequired[list[str]]
    """The other lanes of its race."""
    checkpoints: NotRequired[int]
    """How many left the disk."""
    bodies: NotRequired[int]
    freed_bytes: NotRequired[int]


class Renamed(TypedDict):
    """A session with its new title."""

    session_id: str
    title: str


class Deleted(TypedDict):
    """Sessions that were deleted."""

    deleted: list[str]
    """Their ids."""


class NotesWaiting(TypedDict):
    """Notes that the next step will be given."""

    waiting: list[str]


class Printed(NamedTuple):
    """What a command prints with `--json`."""

    commands: str
    """Which ones, as Markdown."""
    form: Any
    """Its type."""
    says: str = ""
    """What else there is to know of it."""


PRINTED = (
    Printed(
        "`fix`, `new`, `demo`, `resume`, `sessions decide`, `sessions fork --run`",
        RunResult,
        "`sessions fork` without `--run` prints the new branch's `session_id`, `branch` and `checkpoint_id`.",
    ),
    Printed("`run-tests`", SuiteReport),
    Printed("any command that is refused", Refusal, "The exit code says the same."),
    Printed("a run that is cancelled", Cancelled),
    Printed("`sessions list`", list[SessionRow]),
    Printed("`sessions show SESSION`", History),
    Printed("`sessions compare SESSION A B`", Comparison),
    Printed("`sessions race SESSION`", RaceResult),
    Printed("`sessions try SESSION CODE`", Tried),
    Printed("`sessions check SESSION`", CheckReport, "Without SESSION: a list with one for each session."),
    Printed("`sessions undo SESSION`", Undone),
    Printed("`sessions apply SESSION`", Applied),
    Printed("`sessions branch SESSION`", BranchList),
    Printed("`sessions branch SESSION CHANGE BRANCH`", BranchChanged),
    Printed("`sessions rename SESSION TITLE`", Renamed),
    Printed("`sessions note TEXT`", NotesWaiting),
    Printed("`sessions import FILE`", ImportedSession),
    Printed("`sessions delete SESSION`", Deleted),
    Printed("`lessons`", list[Lesson]),
    Printed("`demo --list`", list[Demo]),
    Printed("`models`", Models),
    Printed("`doctor`", list[DoctorRow]),
    Printed("`config`", dict[str, ValueRow], "Setting to value and origin."),
)
"""The forms, in the order in which the page tells them."""
