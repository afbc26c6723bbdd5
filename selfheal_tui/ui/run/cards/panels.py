"""What the side shows when nothing is asked: what runs, how it ended, why it failed; pure text builders."""

from __future__ import annotations

from textual.content import Content

from selfheal_tui.engine.moment.comments import comment_words
from selfheal_tui.engine.moment.event_words import best_so_far, tried_so_far
from selfheal_tui.engine.moment.events import RaceFinished, lanes_by_key
from selfheal_tui.engine.moment.node_facts import facts_of
from selfheal_tui.engine.moment.not_run import idle_words
from selfheal_tui.engine.moment.review import Decision, ReviewKind
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import WELL_ENDED
from selfheal_tui.engine.moment.steering import TAKE_BACK
from selfheal_tui.engine.moment.unsettled import doubts_of_snapshot, unsettled_words
from selfheal_tui.engine.moment.words import (
    bill_words,
    decision_words,
    not_searched_words,
    not_verified_line,
    note_parts,
    still_failing_words,
    tried_words,
    verified_words,
)
from selfheal_tui.errors import SelfHealError, SessionDamaged
from selfheal_tui.text import and_list, both_ends, one_line, plural, strip_controls, with_session

from ...view.fork_rows import AUTONOMY_WORDS, can_race
from ...view.model import InFolder, LiveView, RunModel, steps_to_question, steps_to_rejection
from ...view.notes import note_words, unread_words
from ...view.past_answers import decided_words
from ...view.rivals import question_parts
from ...view.shown import is_changed
from ...view.timeline_rows import carried_out_words, fork_gist, moment_words
from ...view.words import counts, outcome_words, role_words
from .end import apply_keys
from .review_card import Keys

_DIM = "$foreground 60%"
Part = tuple[str, str]
Panel = tuple[str, str, Content, Keys]
"""Title, class that colours it, text, keys."""
_WRONG: list[Part] = [
    ("\nIf it is wrong all the same: ", ""),
    ("w", "bold $text-accent"),
    (" says what a call should give, and ", ""),
    ("t", "bold $text-accent"),
    (" tries one.", ""),
]
_WRONG_ELSEWHERE: list[Part] = [
    ("\nIf another call is wrong: ", ""),
    ("w", "bold $text-accent"),
    (" takes `f(3) should be 5` too.", ""),
]
_MOST_FILES = 6
"""Names of files before the rest is counted."""
_OWN_ANSWER: dict[ReviewKind, str] = {
    "code": "write the code",
    "tests": "write the tests",
    "diagnosis": "write the diagnosis",
    "repair": "write the repair",
    "budget": "set another limit",
}
"""What the key for an edit does at a question; nothing at the others."""
_OTHER_FORKS: Keys = [("m", "model", "model"), ("o", "options", "set")]
_RACE: Keys = [("F", "race", "race")]


def panel(model: RunModel, address: str, wider: str = "") -> Panel:
    """Return what to say about a model that asks nothing; `address` is the session, as commands name it.

    `wider` is the command that searches files too that were not searched.
    """
    if model.past is not None:
        return _past(model, model.past)
    if model.watched is not None:
        if not model.watched and model.only_read is not None:
            return _only_read(model, model.only_read, address)
        return _watched(model, model.watched)
    if model.running and model.lanes:
        return "⚑ Racing", "-running", _lanes(model), [("p", "pause", "pause"), ("u", "undo", "undo")]
    if model.running and not model.live.doing and model.beginning is None and model.committed is None:
        return "▸ Opening", "-running", Content("opening the session"), []
    if model.running:
        best: Keys = [("z", "take the best", "take_best")] if model.live.searching else []
        keys: Keys = [*best, ("p", "pause", "pause"), ("s", "stop", "stop_run"), ("u", "undo", "undo")]
        keys += [("i", "note", "note")]
        return "▸ Running", "-running", _working(model) + _notes(model), keys
    if model.error is not None:
        if isinstance(model.error, SessionDamaged):
            return "! Damaged", "-failed", _damaged(model.error, address), []
        return "! Could not go on", "-failed", _failed(model.error, address), _failed_keys(model)
    if model.race is not None:
        return _raced(model.race)
    if model.committed is not None and model.outcome:
        return _end(model, model.committed, address, wider)
    saved = (
        "What was saved stays." if model.beginning is None or model.committed is not None else "Nothing is saved yet."
    )
    anew = " The search starts anew when you go on." if model.search_lost else ""
    lanes = _lanes_that_ask(model)
    paused = Content(f"Nothing runs. {saved}{anew}{lanes}") + _given(model) + _notes(model)
    branches: Keys = [("B", "branches", "branches")] if lanes else []
    return "‖ Paused", "-running", paused, [("R", "go on", "retry"), *branches]


def _lanes_that_ask(model: RunModel) -> str:
    """Say which lanes of a paused race wait for a decision, and how it is given; empty for none."""
    branches = model.timeline.branches
    asking = [one_line(name, 44) for name in model.lanes if name in branches and branches[name].outcome == "waiting"]
    if not asking:
        return ""
    waits = "waits" if len(asking) == 1 else "wait"
    return f"\n\n{and_list(asking)} {waits} for your decision: B, then enter on the lane, leaves the race and asks it."


def _notes(model: RunModel) -> Content:
    return Content.assemble(
        *[(f"\n✎ {words}", "$text-accent") for words in (*note_words(model), unread_words(model)) if words]
    )


def _watched(model: RunModel, driver: str) -> Panel:
    """Say who drives the session, what it waits for there, and how to go on with it once nobody does."""
    if not driver:
        text = "Nobody drives this session any more.", "bold"
        rest = "\n\nEverything that was saved is here. R opens it for you, and goes on from where it stands.", _DIM
        return "◎ Read only", "-past", Content.assemble(text, rest), [("R", "go on", "retry")]
    parts: list[Part] = [(f"{driver[:1].upper()}{one_line(driver[1:], 120)} drives this session.", "bold")]
    if model.race is not None:
        parts.append(("\n⚑ a race waits for a choice there", "$text-warning"))
    elif model.lanes:
        parts.append(("\n⚑ a race runs there", "$text-primary"))
    elif model.outcome:
        glyph, word, style = outcome_words(model.outcome)
        parts.append((f"\n{glyph} {word}", style))
    elif model.review is not None:
        parts.append((f"\n◆ a {model.review.kind} waits for a decision there", "$text-warning"))
    elif model.live.node:
        parts.append((f"\n▸ then: {facts_of(model.live.node).doing}", "$text-primary"))
    parts.append(("\n\nWhat it saves appears here as it is saved. Nothing can be answered or changed here.", _DIM))
    return "◎ Read only", "-running", Content.assemble(*parts), [("[ or ]", "moment", "")]


def _only_read(model: RunModel, why: SelfHealError, address: str) -> Panel:
    """Say why the session can only be looked at, how much of it is shown, and which commands show it too."""
    is_damaged = isinstance(why, SessionDamaged)
    shown = f"Shown is what can be read: {model.rest}." if model.rest else "Everything that was saved is shown."
    rest = "" if is_damaged else " Once its folder can be written, open it again to go on."
    parts: list[Part] = [
        (one_line(why.message, 600), "bold"),
        (f"\n\n{shown} Nothing can be answered or changed here.{rest}", ""),
        *(_elsewhere(address) if is_damaged else []),
    ]
    title = "! Damaged: only read" if is_damaged else "◎ Read only"
    return title, "-failed" if is_damaged else "-past", Content.assemble(*parts), [("[ or ]", "moment", "")]


def _elsewhere(address: str) -> list[Part]:
    """Name the commands that make the most of a damaged session."""
    return [
        ("\nwhat is damaged: ", _DIM),
        (f"selfheal sessions check {address}", ""),
        ("\nwhat can be read: ", _DIM),
        (f"selfheal sessions show {address}", ""),
        ("\nas a report: ", _DIM),
        (f"selfheal sessions export {address} -o FILE", ""),
    ]


def _working(model: RunModel) -> Content:
    """Say what happens now; before the first moment is saved, also what is worked on."""
    if model.beginning is None or model.committed is not None:
        return _live(model.live)
    return _live(model.live) + _given(model)


def _given(model: RunModel) -> Content:
    """Say what the run begins with, while no moment is saved."""
    if model.beginning is None or model.committed is not None:
        return Content("")
    given, parts = model.beginning.snapshot, list[Part]()
    if model.beginning.files:
        parts.append((f"\n\n{plural(model.beginning.files, 'file')} copied: your own stay as they are.", _DIM))
    for name, files in (("program", given.program), ("tests", given.tests)):
        paths = [f"{one_line(path, 60)} ({plural(len(text.splitlines()), 'line')})" for path, text in files.items()]
        more = [f"and {plural(len(paths) - _MOST_FILES, 'more file')}"] if len(paths) > _MOST_FILES else []
        for row, words in enumerate([*paths[:_MOST_FILES], *more]):
            parts += [(f"\n{'' if row else name:<9}", _DIM), (words, "")]
    asks = AUTONOMY_WORDS.get(given.autonomy, given.autonomy)
    parts += [("\nmodel    ", _DIM), (one_line(role_words(given.models), 120), ""), (f"\n{'':<9}{asks}", _DIM)]
    return Content.assemble("\n" if not model.beginning.files else "", *parts)


def _live(live: LiveView) -> Content:
    parts: list[Part] = [(live.doing or "starting", "bold")]
    if live.search is not None:
        parts.append((f"\n{tried_so_far(live.search)}", ""))
        if best := best_so_far(live.search):
            parts.append((f"\n{best}", _DIM))
    if live.cases:
        passed = sum(case["outcome"] in ("passed", "skipped") for case in live.cases)
        parts.append((f"\n✓ {passed}", "$text-success"))
        parts.append((f"  ✗ {len(live.cases) - passed}", "$text-error" if passed < len(live.cases) else _DIM))
        parts.append((f"\n{one_line(live.cases[-1]['id'], 60)}", _DIM))
    for done in live.rehearsed:
        parts.append((f"\n{done.label}: fixes {done.fixes}, breaks {done.breaks}", ""))
    if live.waits is not None:
        again = f"\nasks again in {live.waits.seconds:.0f} s (attempt {live.waits.attempt})"
        parts += [(f"\n! {one_line(live.waits.why)}", "$text-warning"), (again, _DIM)]
    if live.call is not None:
        replayed = " · replayed, nothing paid" if live.call.replayed else ""
        parts.append((f"\n{live.call.role} · {live.call.model}{replayed}", _DIM))
        if live.call.degraded:
            parts.append((f"\n! {one_line(live.call.degraded)}", "$text-warning"))
    return Content.assemble(*parts)


def _lanes(model: RunModel) -> Content:
    """Say what each lane does now and how its cases stand."""
    parts: list[Part] = []
    for number, name in enumerate(lanes_by_key([*model.lanes]), 1):
        node = model.lanes[name]
        branch = model.timeline.branches.get(name)
        head = model.timeline.checkpoints[branch.head] if branch is not None else None
        glyph, word, style = outcome_words(branch.outcome if branch is not None else "running")
        doing = facts_of(node).doing if node else word
        if not node and branch is not None and branch.outcome == "waiting":
            doing += ": p pauses the race, then B goes to it"
        total = (head.passed or 0) + (head.failed or 0) if head is not None else 0
        score = f"{head.passed}/{total}" if head is not None and total else ""
        parts += [(f"{number} ", "bold"), (f"{glyph} ", style), (both_ends(name, 44), "bold")]
        parts.append((f"  {score}\n    {doing}\n", _DIM))
        if node and (words := model.lanes_tell.get(name)):
            parts.append((f"    {one_line(words, 120)}\n", _DIM))
    return Content.assemble(*parts)


def _raced(race: RaceFinished) -> Panel:
    parts: list[Part] = []
    for lane in race.lanes:
        number, best = race.key_of(lane.branch), lane.branch == race.best
        glyph, word, style = outcome_words(lane.outcome)
        total = (lane.passed or 0) + (lane.failed or 0)
        asks = f": {lane.asks}" if lane.asks else ""
        doubtful = ", with doubts" if lane.outcome == "healed" and lane.doubts else ""
        parts += [
            (f"{number} ", "bold $text-accent"),
            (f"{glyph} ", style),
            (both_ends(lane.branch, 44), "bold"),
            ("  best" if best else "", "bold $text-success"),
            (
                f"  {word}{doubtful}{asks}" + (f" · {lane.passed}/{total} pass" if total else ""),
                style,
            ),
            (f"\n    {one_line(lane.has, 200)}" if lane.has else "", ""),
            (f"\n    {bill_words(lane.spent)} · {lane.spent['time_s']:.1f} s\n", _DIM),
        ]
        if lane.reason and lane.outcome not in WELL_ENDED:
            parts.append((f"    {one_line(lane.reason, 160)}\n", _DIM))
        if lane.same:
            parts.append((f"    {one_line(lane.same, 160)}\n", ""))
        else:
            parts += [(f"    ⚠ {one_line(one['why'], 160)}\n", "$text-warning") for one in lane.doubts]
    parts += [(f"\n{race.over}", "")] if race.over else []
    parts.append((f"\nTogether {bill_words(race.spent)}. Once you keep one, the others are hidden, not gone.", _DIM))
    keys: Keys = [
        ("1" if len(race.lanes) == 1 else f"1-{len(race.lanes)}", "keep", ""),
        ("C", "compare", "compare"),
        ("B", "branches", "branches"),
    ]
    keys.append(("u", "undo", "undo"))
    over = "Each lane asks" if all(lane.asks for lane in race.lanes) else "Race over"
    return f"⚑ {over}: which lane goes on?", "-past", Content.assemble(*parts), keys


def _past(model: RunModel, snapshot: Snapshot) -> Panel:
    title, parted = moment_words(model.timeline, snapshot.checkpoint_id), list[Part]()
    decision = snapshot.decision if facts_of(snapshot.node).asks else None
    if decision is not None and not fork_gist(model.timeline, snapshot.checkpoint_id):
        words = decided_words(model.decided, snapshot) if model.decided else decision_words(decision)
        carried_out = carried_out_words(model.timeline, snapshot.checkpoint_id)
        title = words if decision["verdict"] == "reject" or not carried_out else f"{carried_out} · {words}"
        parted = _answer_parts(decision, carried_out if decision["verdict"] == "reject" else "")
    parts: list[Part] = [
        (title, "bold"),
        (f"\nbranch {one_line(snapshot.branch, 60)} · iteration {snapshot.iteration}", _DIM),
    ]
    if counts(snapshot):
        parts.append((f"\n{counts(snapshot)}", ""))
    parts += parted
    parts.append(("\n\nThe tabs show this moment. A fork runs from here and leaves the rest as it is.", _DIM))
    can_fork = model.watched is None and not model.running
    race: Keys = _RACE if can_race(snapshot) else []
    forks: Keys = [("f", "fork here", "fork"), *race, *_OTHER_FORKS] if can_fork else []
    keys: Keys = [("n", "back to now", "now"), *forks, ("[ or ]", "moment", "")]
    return "◷ Past", "-past", Content.assemble(*parts), keys


def _answer_parts(decision: Decision, refused: str) -> list[Part]:
    """Return what went with an answer, a line each: what was refused and chosen, the reason, tries, comments."""
    note = note_parts(decision)
    comments = [f"✎ {comment_words(comment)}" for comment in decision.get("comments", ())]
    lines = [
        *([f"refused: {refused.removeprefix('not ')}"] if refused else []),
        *([f"chosen: {note.chosen}"] if note.chosen else []),
        *([f"“{strip_controls(note.reason)}”"] if note.reason else []),
        *(f"result of a try: {one_line(words, 400)}" for words in note.tries),
        *comments,
        *([f"left alone, as commented: {note.commented}"] if note.commented else []),
    ]
    return [(f"\n{line}", _DIM) for line in lines]


def _failed(error: SelfHealError, address: str) -> Content:
    parts: list[Part] = [(strip_controls(with_session(error.message, address)), "bold")]
    if error.hint:
        parts.append((f"\n{strip_controls(with_session(error.hint, address))}", ""))
    parts.append(("\n\nEvery moment up to here is saved; R goes on from the last one.", _DIM))
    return Content.assemble(*parts)


def _damaged(error: SelfHealError, address: str) -> Content:
    """Say that nothing goes on with the session, and what can still be done with it."""
    words = "\n\nNothing goes on with a damaged session."
    if isinstance(error, SessionDamaged) and error.is_lost:
        words += f" Nothing of it can be read. {error.hint}"
        check = ("\nwhat is damaged: ", _DIM), (f"selfheal sessions check {address}", "")
        return Content.assemble((one_line(error.message, 600), "bold"), (words, ""), *check)
    return Content.assemble((one_line(error.message, 600), "bold"), (words, ""), *_elsewhere(address))


def _failed_keys(model: RunModel) -> Keys:
    """Name the ways on: the same again, with another model, or back before it; nothing saved leaves only the first."""
    ways: Keys = [("m", "another model", "model"), ("u", "undo", "undo")] if model.position is not None else []
    return [("R", "go on", "retry"), *ways]


def _becomes(has_folder: bool, in_folder: InFolder | None) -> str:
    """Say what became of the change, or what can become of it."""
    if in_folder is not None and in_folder.committed:
        back = f" Take it back: {in_folder.back}" if in_folder.back else ""
        return f"It is {in_folder.words}; D shows it.{back}"
    if in_folder is not None and in_folder.words:
        return f"It is {in_folder.words}; u puts back what was there."
    if has_folder and in_folder is not None and in_folder.blocked:
        return f"{in_folder.blocked} S saves the change as a patch; D shows it."
    if has_folder and in_folder is not None and in_folder.elsewhere:
        return f"It is {in_folder.elsewhere}; your files are as they were: W writes it into them. D shows it."
    if has_folder:
        return "W writes it into your files; D shows it."
    return "It came from no folder of yours: S saves the change as a patch; D shows it."


def _end(model: RunModel, snapshot: Snapshot, address: str, wider: str) -> Panel:
    outcome, has_folder, in_folder = model.outcome, model.has_folder, model.folder_now
    glyph, word, _ = outcome_words(outcome)
    reason = strip_controls(with_session(snapshot.reason.replace(TAKE_BACK, ""), address)).strip()
    if outcome == "healed":
        changed = [path for path, text in snapshot.program.items() if text != snapshot.base.get(path)]
        added = [in_folder.tests] if in_folder is not None and in_folder.tests else []
        change_words = f"changed: {', '.join([*changed, *added])}" if changed else "the code was not changed"
        doubt = not_verified_line(snapshot.report)
        unsettled = doubts_of_snapshot(snapshot)
        for words in unsettled:
            reason = reason.replace(words, "").strip()
        is_blocked = in_folder is not None and bool(in_folder.blocked)
        folder = "" if has_folder and not is_blocked else " -o FOLDER"
        is_to_do = changed and not (in_folder is not None and in_folder.words)
        parts: list[Part] = [
            (f"{counts(snapshot) or 'Every test passes'} · {change_words}\n", "bold $text-success"),
            (f"{_becomes(has_folder, in_folder)}\n" if changed else "", ""),
            (f"? {strip_controls(doubt)}\n" if doubt else "", "$text-warning"),
            _verified(snapshot, in_folder),
            (f"{reason}\n" if reason else "", ""),
            *((f"? {strip_controls(words)}\n", "$text-warning") for words in unsettled),
            *_not_run(snapshot),
            (f"{_by_rules(model)}{tried_words(snapshot)} · {bill_words(snapshot.spent)}\n", _DIM),
            ("later: ", _DIM),
            (f"selfheal sessions apply {address}{folder}" if is_to_do else f"selfheal sessions show {address}", ""),
        ]
        to_do = apply_keys(has_folder, in_folder, model.has_git) if changed else []
        keys = [*to_do, ("w", "wrong?", "answer"), ("u", "undo", "undo")]
        return f"{glyph} Healed{_but(snapshot)}", "-healed", Content.assemble(*parts), keys
    if outcome == "nothing_to_heal":
        return _nothing_to_heal(snapshot, reason, f"{glyph} Nothing to heal")
    others = not_searched_words(snapshot.diagnosis.get("not_searched", ()) if snapshot.diagnosis else ())
    parts = [
        (reason.replace(others, "").strip() or f"The run ended: {word}.", "bold"),
        *not_searched_parts(others, wider),
        (f"\n{counts(snapshot)}" if counts(snapshot) else "", ""),
        *(_won(snapshot, has_folder, in_folder) if is_changed(snapshot) else []),
        (f"\n{tried_words(snapshot)} · {bill_words(snapshot.spent)}", _DIM),
        *(_ways_back(model) if TAKE_BACK in snapshot.reason else _ways_on(*steps_to_question(model))),
    ]
    won = apply_keys(has_folder, in_folder, model.has_git) if is_changed(snapshot) else []
    return (
        f"{glyph} Not healed: {word}",
        "-unhealed",
        Content.assemble(*parts),
        [("f", "fork", "fork"), *(_RACE if can_race(snapshot) else []), *_OTHER_FORKS, *won, ("u", "undo", "undo")],
    )


def _won(snapshot: Snapshot, has_folder: bool, in_folder: InFolder | None) -> list[Part]:
    """Say what still fails at an end that is not healed, and what can become of the change all the same."""
    failing = still_failing_words(snapshot.report, len(snapshot.waiting))
    return [
        (f"\n✗ {strip_controls(failing)}" if failing else "", "$text-error"),
        (f"\nWhat went in can be kept all the same. {_becomes(has_folder, in_folder)}", ""),
    ]


def _verified(snapshot: Snapshot, in_folder: InFolder | None) -> Part:
    """Say whether the pass is verified; of a merge, that what is in the folder was never run."""
    if in_folder is not None and in_folder.merged:
        return "? merged with your changes: no suite ran over that yet; run your tests\n", "$text-warning"
    words = verified_words(snapshot.report)
    return (f"{words}\n" if words else "", "$text-success")


def not_searched_parts(others: str, wider: str) -> list[Part]:
    """Return the words on what was not searched, and on a line of its own the command that searches it; or nothing."""
    if not others:
        return []
    how = f"search there too: {wider}" if wider else "A new session that has all of them searches there too."
    return [(f"\n? {strip_controls(others)}\n", "$text-warning"), (strip_controls(how), "")]


def _but(snapshot: Snapshot) -> str:
    """Say in the title what a healed program's own pytest run may still be red for."""
    report = snapshot.report
    if report is None:
        return ""
    if report.get("collected_only_here"):
        return ", but your pytest does not collect all"
    return ", but not all could run here" if report.get("set_aside") else ""


def _not_run(snapshot: Snapshot) -> list[Part]:
    """Name the lines that no case ran, where the critic saw the program."""
    changed = [path for path, text in snapshot.program.items() if snapshot.base.get(path) != text]
    lines = idle_words(snapshot.objection["unexercised"], changed) if snapshot.objection else ""
    return [(f"? lines that no case ran: {lines}\n", "$text-warning")] if lines else []


def _by_rules(model: RunModel) -> str:
    """Say how many repairs a rule approved, which nobody looked at; empty for none."""
    line = model.timeline.lineage(model.position) if model.position else ()
    count = sum((at.decision or {}).get("by", "").startswith("rule ") for at in line)
    return f"{plural(count, 'repair')} approved by rule · " if count else ""


def _ways_on(steps: int, kind: ReviewKind | None) -> list[Part]:
    """Say how a run that did not heal can go on; the last question stands `steps` moments back, 0: there is none."""
    fork: list[Part] = [
        ("f", "bold $text-accent"),
        (" goes on from here with your own code, a model or more time.", _DIM),
    ]
    if not steps:
        return [("\n\n", _DIM), *fork]
    own = _OWN_ANSWER.get(kind) if kind is not None else None
    return [
        ("\n\n", _DIM),
        ("[", "bold $text-accent"),
        (f"{_times(steps)} goes back to the last question: answer it otherwise there", _DIM),
        *([(f", or {own} (", _DIM), ("e", "bold $text-accent"), (")", _DIM)] if own else []),
        (". ", _DIM),
        *fork,
    ]


def _ways_back(model: RunModel) -> list[Part]:
    """Say how the newest answer is taken back that left the search nothing to edit."""
    steps, answers = steps_to_rejection(model)
    if not answers:
        return _ways_on(*steps_to_question(model))
    parts: list[Part] = [("\n\n", _DIM)]
    if steps:
        parts += [("[", "bold $text-accent"), (f"{_times(steps)} goes back to where you said so last: ", _DIM)]
        parts.append(("answer it otherwise there. ", _DIM))
    return [*parts, ("u", "bold $text-accent"), (f"{_times(answers)} takes that answer back.", _DIM)]


def _times(count: int) -> str:
    return "" if count == 1 else f" {count} times"


def _nothing_to_heal(snapshot: Snapshot, reason: str, title: str) -> Panel:
    """Say that every case passed as it was given, what speaks against it, and how a mistake is told all the same."""
    question = snapshot.question["call"] if snapshot.question else ""
    unsettled = doubts_of_snapshot(snapshot)
    asked = [unsettled_words(one) for one in (snapshot.unsettled, *snapshot.unmet) if one and one["call"] == question]
    idle = snapshot.objection.get("summary", "") if snapshot.objection else ""
    for doubt in filter(None, (*unsettled, idle)):
        reason = reason.replace(doubt, "").strip()
    not_verified = not_verified_line(snapshot.report)
    parts: list[Part] = [
        (f"{reason}\n", "bold $text-success"),
        *([*question_parts(snapshot.question), ("\n", "")] if snapshot.question else []),
        *((f"? {strip_controls(doubt)}\n", "$text-warning") for doubt in unsettled if doubt not in asked),
        (f"? {strip_controls(not_verified)}\n" if not_verified else "", "$text-warning"),
        *_not_run(snapshot),
        (f"{tried_words(snapshot)} · {bill_words(snapshot.spent)}\n", _DIM),
        *(_WRONG_ELSEWHERE if snapshot.question else _WRONG),
    ]
    which = "which?" if snapshot.question else "wrong?"
    keys: Keys = [("w", which, "answer"), ("t", "try", "try"), ("f", "fork", "fork"), *_OTHER_FORKS]
    keys.append(("u", "undo", "undo"))
    return title, "-healed", Content.assemble(*parts), keys
