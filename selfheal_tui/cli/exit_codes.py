"""What each exit code means: one table, from which `--help` and docs/exit-codes.md are written."""

from __future__ import annotations

from typing import NamedTuple


class ExitCode(NamedTuple):
    """One way in which a command ends."""

    number: int
    short: str
    """A few words for `--help`; empty for one that it leaves out."""
    says: str
    """What it means, as Markdown."""


EXIT_CODES = (
    ExitCode(0, "healed or done", "healed, nothing to heal, or done"),
    ExitCode(
        1,
        "ended unhealed",
        "ended unhealed: out of iterations or budget, repetition, nothing left to try, stopped; also when `full_auto` "
        "ended at a repair that only a person should take: then `left_for_you` of `--json` has its moment, else null",
    ),
    ExitCode(
        2,
        "usage or bad input",
        "bad input, or the output cannot be written (a full disk, a closed stdout); one sentence says what to do",
    ),
    ExitCode(3, "a decision is waiting", "a decision is waiting: the run goes on with the answer"),
    ExitCode(4, "provider failure", "the model failed; the session can be resumed"),
    ExitCode(5, "no sandbox", "no sandbox"),
    ExitCode(
        6,
        "session busy or damaged",
        'session busy, damaged or from another version (in `sessions list` the last is "other version", with `--json` '
        "`other_version`)",
    ),
    ExitCode(70, "", "a bug in selfheal, with a traceback; please report it"),
    ExitCode(129, "", "ended by SIGHUP, as by a closed terminal; the session can be resumed"),
    ExitCode(130, "cancelled", "cancelled; the session can be resumed"),
    ExitCode(
        141,
        "",
        "whoever read the output went away before all was written, as in `selfheal sessions list | head -1`; a session "
        "that was begun can be resumed",
    ),
    ExitCode(143, "", "ended by SIGTERM, as by `kill`; the session can be resumed"),
)
_FIRST_ROW = 4


def exits_text() -> str:
    """Return the codes in two rows, for the end of a command's help."""
    words = [f"{code.number} {code.short}" for code in EXIT_CODES if code.short]
    return f"exit codes: {', '.join(words[:_FIRST_ROW])},\n            {', '.join(words[_FIRST_ROW:])}"
