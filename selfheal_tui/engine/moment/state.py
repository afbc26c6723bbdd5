"""What a checkpoint holds: plain JSON scalars and content hashes (`_ref`), never a body.

Bodies (manifest, files, reports, diagnoses, repairs, records) lie in the blob store by sha256, so the state
stays small and history grows only by what is new.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict, TypeVar

from selfheal_tui.llm.base import Usage
from selfheal_tui.money import round_usd
from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.setting_values import EFFORT_BY_ROLE, SEARCH

from .failures import Failure
from .review import Comment, Decision
from .steering import Avoid

_T = TypeVar("_T")
GRAPH_VERSION = 4
"""Stamped on every checkpoint; a session from another version is refused, never shown as finished."""

Mode = Literal["fix", "spec"]
Autonomy = Literal["review_all", "review_repairs", "full_auto"]
Ending = Literal["", "healed", "nothing_to_heal", "gave_up", "stalled", "budget", "stopped"]
WELL_ENDED: tuple[Ending, ...] = ("healed", "nothing_to_heal")
"""Every case passes; with the second they did before anything was changed."""
RepairFormat = Literal["edits", "functions", "files"]
Switch = Literal["auto", "on", "off"]
AUTONOMIES: tuple[Autonomy, ...] = ("review_all", "review_repairs", "full_auto")


class OtherEdit(TypedDict):
    """An edit at another line that goes with one of the search's."""

    file: str
    line: int
    edit: str


class Evidence(TypedDict):
    """A line that speaks for a diagnosis."""

    file: str
    line: int
    why: str
    also: NotRequired[list[OtherEdit]]
    """Of the search: the edits at other lines that go with the one here; absent where it goes alone."""


class Diagnosis(TypedDict):
    """Why the suite fails, as a proposal the user reviews."""

    fault: Literal["code", "test", "spec", "environment"]
    category: str
    """boundary, operator, constant, variable, logic, missing, exception, syntax, import, unknown..."""
    slip: NotRequired[str]
    """Of the search: the same in words, `of two things that change together one is left as it was`; absent where it
    has none, and in sessions of before."""
    cause: str
    evidence: list[Evidence]
    """Most suspicious first."""
    strategy: str
    """What to try, one or two sentences."""
    confidence: float
    """0..1."""
    by: str
    """`search`, `provider:model` or `human`."""
    cause_by: NotRequired[str]
    """Who wrote the cause, where the human edited other fields only; else absent: it is `by`."""
    disproof: NotRequired[str]
    """What would show that it is wrong."""
    edits: NotRequired[int]
    """Of the search: with how many edits every failing case passes; absent where it found none that do."""
    edits_refused: NotRequired[int]
    """Of the search: the same, of a diagnosis of this program that the human rejected; absent where there is none."""
    fixes: NotRequired[list[str]]
    """Of the search: ids of the failing cases that pass with the edit it names first; empty where none of its edits
    helps, absent where it tried none."""
    not_searched: NotRequired[list[str]]
    """Of the search: files of the project that failing cases run and that it may not edit; absent where none."""


class DebugStep(TypedDict):
    """One step of the debugger towards its diagnosis."""

    thought: str
    tool: str
    arguments: dict[str, str | int]
    """Those that the tool takes."""
    observation: str
    """What it saw, as the model got it."""


class Look(TypedDict):
    """One step of an earlier diagnosis, in short."""

    action: str
    """The tool with its arguments, as one line."""
    showed: str
    """The start of what it showed, as one line."""


class Inquiry(TypedDict):
    """An earlier diagnosis of this branch in short, for those that follow."""

    iteration: int
    """Repairs tried before it was made."""
    program: str
    """Hash of the program that it explains: what was looked at still holds for the same program."""
    fault: str
    cause: str
    confidence: float
    by: str
    looks: list[Look]
    """What the debugger looked at first; the newest."""


class Mark(TypedDict):
    """One reason to look at a repair twice: it may pass the cases by coincidence."""

    kind: str
    """As in `search/program/mark.py`; `reopened` where the human once closed the place to the search,
    `refuses` where cases end at a `raise` that it brings, `declined` where the human left a part of it out before."""
    why: str
    """One plain sentence for the user."""


class RepairPart(TypedDict):
    """One edit of a repair that was joined of several, each of which was run alone."""

    summary: str
    changes: dict[str, str]
    """Program path -> whole new text with this edit alone."""
    by: str
    fixes: list[str]
    """Case ids that failed before and pass with this edit alone."""


class Repair(TypedDict):
    """A proposed change, and once rehearsed what it does to the cases."""

    summary: str
    changes: dict[str, str]
    """Program path -> whole new text; only files that change. A repair of a test: path of a generated test file."""
    strategy: str
    """One of STRATEGIES, `blind retry`, `test`, `human`, or `<strategy> + search`."""
    by: str
    of_test: NotRequired[bool]
    """It changes a generated test, not the program."""
    parts: NotRequired[list[RepairPart]]
    """What it was joined of; absent for a repair in one piece, and in sessions of before."""
    part_of: NotRequired[str]
    """`key` of the whole repair that it is a part of, for a minimised one."""
    key: NotRequired[str]
    """Hash of the program with it, formatting and comments left out: how the same candidate is recognised."""
    question: NotRequired[Question]
    """On the first of a search's repairs: what would tell most about which is right."""
    same_as: NotRequired[str]
    """Where the same program was run before (`iteration 2 on main`); its report is that run's."""
    cost_usd: NotRequired[float | None]
    """What the call that proposed it cost; absent without a call."""
    regressions: NotRequired[list[str]]
    """Case ids that passed at some iteration of this branch and do not with this repair."""
    confidence: NotRequired[float]
    """0..1: how likely it is right beyond the cases that it was made from; absent where nobody can say."""
    marks: NotRequired[list[Mark]]
    """What speaks for a coincidence; absent where nothing does, and in sessions of before."""
    answers: NotRequired[dict[str, str]]
    """Of the search: calls that tell the repairs shown apart, and the repr that this one gives; `!Name` raises."""
    beside_tests: NotRequired[list[list[str]]]
    """Of the search: [call, answer now, answer with it] of calls that no test makes and whose answer it changes."""
    clusters: NotRequired[int]
    """Of a search's first repair: in how many ways those that pass every case behave; 0 when it could not be asked."""
    search_s: NotRequired[float]
    """Of the search: the seconds that it had, where all were used up."""
    at_chosen: NotRequired[bool]
    """Of the search: it edits a line that the human chose in the diagnosis."""
    mends_waiting: NotRequired[list[str]]
    """Failing cases of other groups, which wait, that pass with it; absent where none waits or it does not heal."""
    independent: NotRequired[bool]
    """Of a repair that mends some failing cases only: the others never run a line that it changes."""
    unseen_lines: NotRequired[bool]
    """Not independent, but no other case ran a changed line: of one no line that it ran was recorded."""
    against_said: NotRequired[list[str]]
    """What the human said that still fails, `fee(3) should be 5` each; only where no other case fails with it."""
    report: NotRequired[SuiteReport]
    """The rehearsal; absent before it."""
    fixes: NotRequired[list[str]]
    """Case ids that failed before and pass with this repair."""
    breaks: NotRequired[list[str]]
    """Case ids that passed before and do not with this repair."""
    diff: NotRequired[str]
    """Unified diff against the code it was proposed for."""
    rank: NotRequired[int]
    """1 is first."""
    reasons: NotRequired[list[str]]
    """Why it ranks where it does."""


class Spent(TypedDict):
    """What a branch has used up to a checkpoint."""

    calls: int
    replayed_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    """None once a call of unknown price was made."""
    time_s: float
    bills: NotRequired[list[int]]
    """Numbers of the bills that a node counted; struck out when it is saved, never part of the state."""


class RunLimits(TypedDict):
    """When the loop stops by itself; None is no limit."""

    max_iterations: int
    max_tokens: int | None
    max_cost_usd: float | None
    max_time_s: float | None
    max_calls: NotRequired[int | None]


class Best(TypedDict):
    """The iteration whose code passed most cases so far."""

    iteration: int
    passed: int
    failed: int
    changes: dict[str, str]
    report_ref: str


class Manifest(TypedDict):
    """What the session was created from, by ref."""

    files: dict[str, str]
    """Relative path -> content ref: the frozen copy."""
    program: list[str]
    """Paths that may be changed."""
    tests: list[str]
    """Test files or folders."""
    pytest_args: list[str]
    root: str | None
    """Absolute folder the files came from; None for a demo or a spec."""
    python: NotRequired[str]
    """The interpreter that ran the tests at first; absent for selfheal's own. It is told, and never run for it."""
    others_fail: NotRequired[int]
    """How many failing cases of the project are no part of the session; absent for none."""
    seen_red: NotRequired[bool]
    """A run of the user's own, or the user, named each failing case of the suite; absent where none did."""
    collected_only_here: NotRequired[str]
    """Sentences about test files that the user's own pytest could not collect; absent for none."""


class Taken(TypedDict):
    """What went in with a repair, and why: for a commit's message and for lessons."""

    cause: str
    """Why this repair mends: of the search's from the repair itself; empty where only its lines are known."""
    by: str
    """Whose cause it is."""
    evidence: list[Evidence]
    lines: list[list[str]]
    """[path, `-` or `+` and the line], as in the repair's diff."""
    by_hand: bool
    in_part: NotRequired[bool]
    """Only some hunks of what was proposed were taken, as they were. Absent in sessions of before."""
    confidence: NotRequired[float]
    """0..1: how likely the repair is right beyond the cases; absent where nobody can say, and in sessions of before."""
    doubt: NotRequired[str]
    """What speaks against it, as in the state's `doubts`. Absent where nothing does, and in sessions of before."""
    steps: NotRequired[list[TakenStep]]
    """The edits that it was joined of, in the order in which they can go in; absent for fewer than two."""


class TakenStep(TypedDict):
    """One edit of a joined repair, or several that mend nothing before the last of them is in."""

    taken: Taken
    mends: list[str]
    """Failing cases that pass once this step is in, and did not before."""
    changes: dict[str, str]
    """Program path -> whole text with this step and those before it."""


class Record(TypedDict):
    """One reviewed repair: a linked list from the newest, shared by forks."""

    prev: str
    """Ref of the record before; empty at the first."""
    iteration: int
    repair_ref: str
    changes_ref: str
    """Hash of the proposed changes: how a repetition is recognised."""
    verdict: str
    note: str
    by: str
    keys: list[str]
    """Hashes of the programs that this decision settled: the one taken, or all that were rejected."""
    refused: NotRequired[list[str]]
    """Of a rejection: hashes of the changes of all repairs that went with it (`search.hunt.candidates.changes_key`).
    Absent in sessions of before, where only those of `repair_ref` are known."""
    of_place: NotRequired[bool]
    """Of a rejection that says where not to edit: it speaks of the place, not of what the repair does."""
    edit: NotRequired[str]
    """Unified diff from what was proposed to what the human made of it."""
    declined: NotRequired[str]
    """Unified diff of the hunks that the human did not take, when some were taken."""
    comments: NotRequired[list[Comment]]
    """What the human wrote at lines of the proposal."""
    proposed_summary: NotRequired[str]
    """With an edit: the summary of the repair as it was proposed; absent in sessions of before."""
    taken: NotRequired[Taken]
    """Absent for one that was rejected, and in sessions of before."""


def is_as_given(state: HealState) -> bool:
    """Tell whether the user gave the program and nothing has been changed since."""
    return state["mode"] == "fix" and not state.get("changes") and not state.get("iteration", 0)


def iteration_of(record: Record) -> int:
    """Return the iteration that a repair was for, as models and humans count: 1 is the first; 0 is the code as given.

    A record holds the iteration of the program that its repair was proposed for: one less.
    """
    return record["iteration"] + 1


class RivalAnswer(TypedDict):
    """What some of the repairs give for the call of a question."""

    text: str
    """A repr; `!Name` for an exception of that type."""
    repairs: int
    share: float
    """0..1: how likely the search holds it."""


class Opinion(TypedDict):
    """What a model says that the call of a question should give. It is shown and never counts as an answer."""

    text: str
    """A repr, in an option's words where one has this value; `!Name` for an exception; empty for no opinion."""
    agree: int
    """How many of its replies say so: more than half of `asked`; 0 for no opinion."""
    asked: int
    """How often it was to be asked."""
    by: str
    """`provider:model`."""


class Question(TypedDict):
    """A call on which programs that pass every case disagree: which answer is right?"""

    call: str
    answers: list[RivalAnswer]
    """Likeliest first."""
    now: NotRequired[str]
    """What the program gives, where every case passes and only programs one edit away disagree: they are `repairs`."""
    says: NotRequired[str]
    """The text whose example disagrees with the program, where no program does: `docstring`, `specification`."""
    opinion: NotRequired[Opinion]
    """What a model says; absent where none was asked, and in sessions of before."""


class Unsettled(TypedDict):
    """A call on which other repairs that pass every case differ from one that was taken where nobody looked."""

    call: str
    taken: str
    """What the repair that was taken gives: a repr, `!Name` for an exception, `!` for no answer in time."""
    others: list[str]
    """What the others give, likeliest first."""
    repairs: int
    """How many others there are."""
    passing: NotRequired[int]
    """How many other repairs pass every case, those that give the same included."""
    of_program: NotRequired[bool]
    """`taken` is of the program that is kept, changed or not, `others` of programs one edit away."""
    says: NotRequired[str]
    """The text that says so, where `taken` is of the program and the only other is of an example: `docstring`."""
    opinion: NotRequired[Opinion]
    """What a model says that the call should give; absent where none was asked."""


class Rule(TypedDict):
    """A decision the human has given in advance: approve repairs that fix all cases, break none and stay small."""

    name: str
    """`rule 1`; marks every decision it takes."""
    max_lines: int
    """Most changed lines."""


class Objection(TypedDict):
    """What the critic says of a program that passes every case."""

    verdict: Literal["approve", "object"]
    summary: str
    test: str
    """A pytest function that shows the objection; empty when it is an opinion."""
    confirmed: bool
    """The sandbox ran the test, and it fails."""
    why: str
    """How the test ended, or why it could not be run."""
    by: str
    unexercised: dict[str, list[int]]
    """Program path -> lines that no case ran."""
    basis: NotRequired[str]
    """The sentence that the test goes by, quoted from the specification or the program's own words."""
    untried: NotRequired[list[str]]
    """Classes of input that no case tries, in the critic's words."""


class Advice(TypedDict):
    """What an advisory node found in the finished program; never decides."""

    by: str
    """Name of the node."""
    summary: str
    items: list[Evidence]


class RunPolicy(TypedDict):
    """How the loop works, apart from its limits; a fork may change each."""

    strategies: list[str]
    """Repair strategies that compete in each round."""
    min_confidence: float
    """Below it a diagnosis is not used: the program is written anew from the spec and the failing case."""
    debug_steps: int
    """Most steps of the debugger with tools; 0 asks for the diagnosis at once."""
    near_miss_s: float
    """Seconds of search on a model's candidate that mends some cases but not all; 0 for none."""
    adversary: Switch
    """Tests by a hostile reader of the code; `auto`: in spec mode."""
    critic: Switch
    """A reader of the finished program; `auto`: whenever the loop has changed or written it."""
    advisors: list[str]
    """Advisory nodes that run after green."""
    lessons: bool
    """Offer lessons of other sessions to the models, and leave some for them."""
    effort: NotRequired[dict[str, str]]
    """Role, `*` for all others -> how much its model thinks; absent in sessions of before, which leave it to models."""
    repair_format: NotRequired[Literal["auto"] | RepairFormat]
    """How a model writes a repair down; absent in sessions of before, and then `auto`."""
    oracle_calls: NotRequired[int]
    """How often a model is asked what a call should give on which good repairs disagree; absent in sessions of before,
    and then 0."""
    plugins: NotRequired[dict[str, str]]
    """`kind:name` -> package, version and digest of the plug-ins that were enabled and can change results; absent where
    none were. Noted when the run begins, and no setting of its own."""


STRATEGIES = ("minimal", "rewrite", "defensive", SEARCH)


def default_policy() -> RunPolicy:
    """Return the policy of a run that names none."""
    return {
        "strategies": ["minimal"],
        "min_confidence": 0.3,
        "debug_steps": 4,
        "near_miss_s": 3.0,
        "adversary": "auto",
        "critic": "auto",
        "advisors": [],
        "lessons": True,
        "effort": dict(EFFORT_BY_ROLE),
        "repair_format": "auto",
        "oracle_calls": 3,
    }


def no_spend() -> Spent:
    """Return a zero bill."""
    return {
        "calls": 0,
        "replayed_calls": 0,
        "input_tokens": 0,
        "output_tokens": 0,
        "cost_usd": 0.0,
        "time_s": 0.0,
    }


def spend_of(usage: Usage) -> Spent:
    """Return the bill of one paid call."""
    return {
        **no_spend(),
        "calls": 1,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": usage.cost_usd,
    }


def add_spent(total: Spent | None, more: Spent | None) -> Spent:
    """Add two bills; nodes return what they spent and never the sum. An unknown price stays unknown."""
    a, b = total or no_spend(), more or no_spend()
    cost = None if a["cost_usd"] is None or b["cost_usd"] is None else round_usd(a["cost_usd"] + b["cost_usd"])
    bills = [*a.get("bills", []), *b.get("bills", [])]
    return {
        **({"bills": bills} if bills else {}),  # type: ignore[typeddict-item]
        "calls": a["calls"] + b["calls"],
        "replayed_calls": a["replayed_calls"] + b["replayed_calls"],
        "input_tokens": a["input_tokens"] + b["input_tokens"],
        "output_tokens": a["output_tokens"] + b["output_tokens"],
        "cost_usd": cost,
        "time_s": round(a["time_s"] + b["time_s"], 3),
    }


def spent_between(before: Spent, after: Spent) -> Spent:
    """Return one bill minus another; the cost is None when either is unknown."""
    unknown = before["cost_usd"] is None or after["cost_usd"] is None
    return {
        "calls": after["calls"] - before["calls"],
        "replayed_calls": after["replayed_calls"] - before["replayed_calls"],
        "input_tokens": after["input_tokens"] - before["input_tokens"],
        "output_tokens": after["output_tokens"] - before["output_tokens"],
        "cost_usd": None if unknown else round_usd((after["cost_usd"] or 0.0) - (before["cost_usd"] or 0.0)),
        "time_s": round(after["time_s"] - before["time_s"], 3),
    }


def counted(total: Spent | None, more: Spent | None) -> Spent:
    """Add a node's bill to the state's."""
    both = add_spent(total, more)
    both.pop("bills", None)
    return both


def merge_round(old: dict[str, _T] | None, new: dict[str, _T] | None) -> dict[str, _T]:
    """Merge what the strategies of a round return, by label; None clears, so nothing of an earlier round is left."""
    return {} if new is None else {**(old or {}), **new}


def newest(_: str | None, new: str) -> str:
    """Keep the newest value: nodes that run side by side all write it."""
    return new


class SuspectLine(TypedDict):
    """A program line that failing cases ran, or that their tracebacks name."""

    path: str
    line: int
    """1-based."""
    score: float
    """0..1, Ochiai; 1 is the most suspicious."""
    why: str
    """Half a sentence for the user."""


class SetAside(TypedDict):
    """What was red in the first run and is no task for a repair of the program."""

    tests: list[str]
    """The tests without it: files, folders or node ids."""
    why: dict[str, str]
    """Case or test file -> why it is left as it is, one sentence."""
    flaky: list[str]
    """The cases of it that failed and passed with the same code."""
    brief: NotRequired[dict[str, str]]
    """Failing case or test file of it -> why, in a few words; missing in older sessions."""
    first_failed: NotRequired[int]
    """How many cases failed in the first run, with those that are set aside; missing in older sessions."""
    red_only_here: NotRequired[list[str]]
    """Cases of it that nobody saw fail outside of the sandbox: they may pass there."""
    lacks: NotRequired[dict[str, str]]
    """Case of it that a flag would let run -> what that allows, as a report's `isolation` names it."""
    packages: NotRequired[list[str]]
    """The packages that it needs and that the interpreter of the tests lacks."""
    waiting: NotRequired[list[str]]
    """Failing cases of groups whose turn comes later; absent where all are healed together."""
    whole: NotRequired[list[str]]
    """The tests with those that wait."""


class GroupTurn(TypedDict):
    """The group of failing cases that is healed while others wait."""

    words: str
    """What the group is, one line."""
    place: str
    """`shop/cart.py total`: the function in which its cases fail, or that they call."""
    cases: list[str]
    """Ids of its cases."""
    picked: bool
    """The human has just picked it, and the suite did not run since."""


class HealedGroup(TypedDict):
    """A group of failing cases that was healed in its turn."""

    words: str
    """What the group was, one line."""
    cases: list[str]
    """Ids of its cases."""
    changes: dict[str, str]
    """Program path -> content ref, as the program was once the group passed."""


class Suspects(TypedDict):
    """The lines, and the program that they count for."""

    of: dict[str, str]
    """Program path -> content ref of the text that ran."""
    lines: list[SuspectLine]


FEEDBACK_KEPT = 8
"""Reasons and notes that reach the next attempt; the newest."""


class Heard(TypedDict):
    """Notes that the user wrote while the run worked, as a step read them."""

    by: str
    """The node that read them."""
    notes: list[list[str]]
    """[id, text], oldest first."""


class HealState(TypedDict, total=False):
    """The checkpointed state: scalars and refs only."""

    graph_version: int
    node: Annotated[str, newest]
    """The node that wrote this checkpoint."""
    gist: Annotated[str, newest]
    """What that node did, in few words; empty where its name says it. Absent in sessions of before."""
    mode: Mode
    title: str
    spec_ref: str
    manifest_ref: str
    changes: dict[str, str]
    """Program path -> content ref, where it differs from the manifest."""
    recent_ref: str
    """Ref of the RecentLines of the program as given, as git told when the session began; absent where it told nothing,
    and in sessions of before."""
    suites: dict[str, str]
    """Generated suites: kind (examples, spec, adversarial, critic) -> ref of `{path: text}`; the user's own tests
    are in the manifest."""
    green: bool
    """Every case of the newest report passes."""
    written: str
    """Kind of the suite that was written last and waits for its review; empty when none does."""
    pinned: list[str]
    """Generated cases that the human vouches for: no repair may change them."""
    thrown_out: list[str]
    """Why generated cases were thrown out before they were used, one sentence each."""
    set_aside_ref: str
    """Ref of what the first run has SetAside, and of the cases that wait; absent or empty where it was nothing."""
    turn: GroupTurn | None
    """The group of failing cases that is healed now; None or absent where all are healed together."""
    healed_groups: list[HealedGroup]
    """The groups that were healed in their turn on this branch, oldest first."""
    report_ref: str
    passed: int
    """Cases passed in the newest report; absent before it."""
    failed: int
    """Cases failed, in error or timed out in the newest report."""
    diagnosis_ref: str
    debug_ref: str
    """Ref of the debugger's steps that led to the diagnosis; empty when there were none."""
    inquiries_ref: str
    """Ref of the newest Inquiries of this branch, oldest first; the last is that of the diagnosis."""
    suspects_ref: str
    """Ref of the Suspects of the newest report, found with its diagnosis; empty before it and when unknown."""
    search_ref: str
    """Ref of the KeptSearch that a diagnosis was made from; it says what it is for. Absent where a model diagnosed."""
    avoid: list[Avoid]
    """What the search leaves as it is, oldest first."""
    round: list[str]
    """Strategies of this round."""
    strategy: str
    """The one strategy that a `propose` task is given; set in its input only."""
    proposed: Annotated[dict[str, str], merge_round]
    """Label -> ref of a rehearsed Repair, as the strategies return them."""
    failures: Annotated[dict[str, Failure | str], merge_round]
    """Strategy -> why it gave no candidate; read by `read_failures`, as sessions of before hold texts."""
    candidates: dict[str, str]
    """Label (`1` is the best) -> ref of a ranked Repair."""
    ever_passed_ref: str
    """Ref of the sorted ids of cases that passed at some iteration of this branch."""
    repeats: int
    """Rounds in a row that brought nothing but programs tried before on this branch."""
    repeated: str
    """Which, one sentence; empty when the last round brought something new."""
    clean_lines: int
    """Lines that the first-ranked candidate changes when it makes every case pass and breaks none, else 0."""
    question_ref: str
    """Ref of the Question that this round of repairs raises, or that a program raises that passes every case; empty
    when nothing is asked."""
    answers: list[list[str]]
    """[call, right answer] that the human gave, oldest first; they are cases of the suite `answers`."""
    misjudged: int
    """How often an answer of the human spoke against the repair that stood first; absent for never."""
    volunteered: int
    """How many of the answers nobody had asked for; absent for none."""
    unknown: list[str]
    """Calls that the human was asked about and does not know; absent for none."""
    unmet: list[Unsettled]
    """What examples of the specification or of docstrings say that no case holds and the program does not give."""
    unmet_rest: str
    """What else is to be said of those examples: how many more there are, and how many gave no result; or empty."""
    again: bool
    """The suite runs again for an answer only: the diagnosis stands."""
    unseen: str
    """Label of the candidate that may be taken where nobody looks; empty when none may."""
    withheld: str
    """Why the first-ranked candidate may not, one sentence; empty when it may."""
    unsettled: Unsettled | None
    """What the tests leave open about the newest repair; None when nothing is known."""
    doubts: list[str]
    """What speaks against repairs that were taken where nobody looked, a few sentences for each, oldest first."""
    rehearsed: int
    """Repairs that were rehearsed on this branch, taken or not; absent in sessions of before."""
    gain: int
    """Cases that the first-ranked candidate fixes minus those it breaks."""
    decision: Decision | None
    """The newest answer, human or by policy."""
    feedback: list[str]
    """The human's reasons and notes since the last applied repair, newest last."""
    heard: Heard | None
    """The notes that the newest step read which could read any; None when it found none."""
    empty_rounds: list[str]
    """Why rounds since the last applied repair brought nothing to review, newest last: the loop's words, not the
    human's."""
    lessons: list[str]
    """What this branch has learnt, at most five, oldest first."""
    offered: list[str]
    """Lessons of other sessions that fit this task."""
    rules: list[Rule]
    """Decisions given in advance, in force."""
    policy: RunPolicy
    objection_ref: str
    """Ref of the critic's Objection to this program; empty before it was asked."""
    opinions: list[str]
    """Objections that the sandbox did not confirm, one sentence each."""
    advice: Annotated[dict[str, str], merge_round]
    """Advisory node -> ref of its Advice on the finished program."""
    iteration: int
    """Number of repairs tried; 0 is the code as given."""
    attempt: int
    """Proposals and diagnoses asked for since the last applied repair; part of the request's salt."""
    afresh: str
    """Set by a fork that asks the models again what they have answered; part of the request's salt from there on."""
    head: str
    """Ref of the newest Record."""
    spent: Annotated[Spent, counted]
    limits: RunLimits
    models: dict[str, str]
    """Role -> `provider:model`."""
    autonomy: Autonomy
    best: Best | None
    budget_ref: str
    """Ref of the BudgetReached that is asked about; empty when none is."""
    budget_next: str
    """The node that runs once there is room again."""
    outcome: Ending
    reason: str
    """One sentence on the outcome."""
