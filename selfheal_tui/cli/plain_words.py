"""What can be typed in plain mode: the choices as numbered lines, and what a typed line means. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from selfheal_tui.engine.loop.reviews.table import REVIEWS
from selfheal_tui.engine.moment.review import ReviewKind
from selfheal_tui.errors import InputError
from selfheal_tui.setting_values import nearest
from selfheal_tui.text import one_line


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that can be typed."""

    word: str
    does: str
    takes: str = ""
    """What is typed behind the word; empty for nothing."""
    asks: str = ""
    """What is asked for where the word stands alone; empty where it needs nothing more."""


UNDO = Choice("undo", "take back what you did last")
REDO = Choice("redo", "do it again")
NOTE = Choice("note", "for the next step that asks a model", "TEXT", "Which note?")
REPEAT = Choice("show", "the question once more")
DIFF = Choice("diff", "what is changed so far")
CODE = Choice("code", "the program as it is now")
TESTS = Choice("tests", "each case and its outcome")
QUIT = Choice("quit", "leave; what was saved stays")
GO_ON = Choice("go on", "from the last saved moment")
STOP = Choice("stop", "end the run here, unhealed, after a yes")
WRITE = Choice("write", "the change into your files, after a yes")
_LOOKING = (DIFF, CODE, TESTS)
_SHORT = {
    "a": "approve",
    "e": "edit",
    "r": "reject",
    "s": "stop",
    "u": "undo",
    "i": "note",
    "q": "quit",
    "d": "diff",
    "continue": "go on",
    "exit": "quit",
    "c": "candidate",
}
"""Keys of the app, and words that people type, for a choice."""
_ELSEWHERE = ("approve", "candidate", "edit", "answer", "reject", "avoid", "always", "note", "show", "go on", "write")
"""Words that mean something at another moment."""


def at_question(kind: ReviewKind, labels: Collection[str], asks_call: bool) -> list[Choice]:
    """Return what answers a question; `asks_call`: on which the repairs disagree."""
    spec = REVIEWS[kind]
    choices = [Choice("approve", "what is shown")]
    if len(labels) > 1:
        what = "line" if kind == "diagnosis" else "candidate"
        does = f"show another {what} of {len(labels)}; approve takes it then"
        choices.append(Choice("candidate", does, "N", "Which number?"))
    if spec.edit is not None:
        opens = "; edit alone opens your editor" if spec.edit.of_files else ""
        hunks = "; edit hunks 1,3 takes these parts only" if spec.edit.in_hunks else ""
        form = "the whole text of a .py file, or JSON" if spec.edit.of_files else "as JSON"
        choices.append(Choice("edit", f"your own version, {form}{opens}{hunks}", "FILE"))
    if asks_call:
        choices.append(Choice("answer", "what the call should give; ? where you do not know", "VALUE", "Which value?"))
    if spec.needs_reason:
        choices.append(Choice("reject", "it is tried again", "REASON", "Why not?"))
    else:
        choices.append(Choice("reject", "what is asked"))
    if spec.steers:
        does = "reject, and edit nothing there: line:FILE:N, function:NAME or data"
        choices.append(Choice("avoid", does, "WHAT", "Avoid what?"))
    if spec.may_rule:
        does = "approve it, and from now on such repairs of at most N changed lines"
        choices.append(Choice("always", does, "N", "How many lines?"))
    return [*choices, STOP, NOTE, REPEAT, *_LOOKING, UNDO, REDO, QUIT]


def at_rest(*, paused: bool, failed: bool, can_write: bool) -> list[Choice]:
    """Return what can be typed where nothing runs and no question waits."""
    goes_on = [GO_ON] if paused or failed else []
    stops = [STOP] if paused else []
    return [*goes_on, *stops, *([WRITE] if can_write else []), *_LOOKING, UNDO, REDO, QUIT]


def numbered(choices: Sequence[Choice]) -> list[str]:
    """Return a line for each choice: `4. reject REASON: it is tried again`."""
    return [f"{n}. {one.word}{f' {one.takes}' if one.takes else ''}: {one.does}" for n, one in enumerate(choices, 1)]


def understood(line: str, choices: Sequence[Choice]) -> tuple[Choice, str]:
    """Return what a typed line chooses, and what stands behind it. Raises: InputError for anything else."""
    first, _, rest = line.strip().partition(" ")
    if (first.lower(), rest[:2].lower()) == ("go", "on"):
        first, rest = "go on", rest[2:]
    rest = rest.strip()
    if first.rstrip(".").isdecimal():
        number = int(first.rstrip("."))
        if not 1 <= number <= len(choices):
            raise InputError(f"There is no choice {number}.", f"Type a number from 1 to {len(choices)}, or a word.")
        return choices[number - 1], rest
    by_word = {one.word: one for one in choices}
    word = _SHORT.get(first.lower(), first.lower())
    if word in by_word:
        return by_word[word], rest
    why = f"{word!r} does nothing here." if word in _ELSEWHERE else f"There is no choice {one_line(first, 30)!r}."
    raise InputError(why, nearest(word, by_word))


_FLAGS = (
    ("the diff of each: see look below; another", "another"),
    ("in --value FILE", "in a file, as edit FILE"),
    ("approve --pick N", "candidate N"),
    ("edit --hunks", "edit hunks"),
    ("edit --answer", "answer"),
    ("reject --avoid", "avoid"),
)


def in_plain_words(line: str) -> str:
    """Return a line about `sessions decide` as it is typed here."""
    for flag, word in _FLAGS:
        line = line.replace(flag, word)
    return line
