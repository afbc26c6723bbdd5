"""The card that asks whether a program that passes every case is done: what the critic says, what nobody tested."""

from __future__ import annotations

from textual.content import Content

from selfheal_tui.engine.moment.not_run import idle_in
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.words import not_verified_line
from selfheal_tui.text import one_line, strip_controls

from ...view.model import InFolder
from ...view.rivals import question_parts
from .review_card import Keys, ReviewCard

_DIM = "$foreground 60%"
Part = tuple[str, str]
APPLY_KEYS: Keys = [
    ("D", "diff", "change"),
    ("W", "write", "write"),
    ("K", "commit", "commit"),
    ("S", "save patch", "patch"),
    ("Y", "copy", "copy_change"),
]
"""What can become of a program that passes every case."""


def apply_keys(has_folder: bool, in_folder: InFolder | None = None, has_git: bool = True) -> Keys:
    """Return the keys of what can become of it, without those that would be refused.

    What is committed, has no folder or repository, or would go into a file that is none any more, is not offered.
    """
    done = in_folder is not None and bool(in_folder.words)
    out: set[str] = set()
    if in_folder is not None and in_folder.blocked:
        out.add("write")
    if not has_folder or (in_folder is not None and in_folder.committed):
        out |= {"write", "commit"}
    if not has_git:
        out.add("commit")
    keys = [("W", "put back", "write") if done and key[2] == "write" else key for key in APPLY_KEYS]
    return [key for key in keys if key[2] not in out]


class EndCard(ReviewCard):
    """Asks for the end, or for more."""

    KIND = "end"
    QUESTION = "is it healed"
    TAB = "diff"
    has_folder = True
    """Whether the files came from a folder of the user."""
    has_git = True
    """Whether that folder is in a git repository."""
    in_folder: InFolder | None = None
    """What that folder holds of the program; None while it is not known."""

    def keys(self) -> Keys:
        """Return the keys that answer."""
        which = [("w", "which?" if self.question else "wrong?", "answer")]
        return [
            ("a", "approve", "approve"),
            ("r", "reject", "reject"),
            ("s", "stop", "stop_run"),
            *which,
            *self._apply_keys(),
        ]

    def _apply_keys(self) -> Keys:
        again = self.review is not None and self.review.again
        return [
            key for key in apply_keys(self.has_folder, self.in_folder, self.has_git) if key[2] == "change" or not again
        ]

    def describe(self) -> Content:
        """Return the outcome, the objection, the advice and what no case ran."""
        if self.snapshot is None:
            return Content("")
        question_text = [("\n", ""), *question_parts(self.question)] if self.question else []
        done = self.in_folder.words or self.in_folder.elsewhere if self.in_folder is not None else ""
        if self.in_folder is not None and self.in_folder.tests:
            done += f", with {self.in_folder.tests}"
        if self.in_folder is not None and self.in_folder.back:
            done += f"; take it back: {self.in_folder.back}"
        blocked = self.in_folder.blocked if self.in_folder is not None else ""
        return Content.assemble(
            (f"✓ {strip_controls(self.snapshot.reason)}", "bold $text-success"),
            (f"\n✓ {done}" if done else "", "$text-success"),
            (f"\n! {blocked}" if blocked else "", "$text-warning"),
            *question_text,
            *doubts(self.snapshot),
        )


def doubts(snapshot: Snapshot) -> list[Part]:
    """Return what speaks against calling a green program right: not verified, not run, objections, advice."""
    parts: list[Part] = []
    report, objection = snapshot.report, snapshot.objection
    if doubt := not_verified_line(report):
        label, colon, why = doubt.partition(": ")
        parts += [(f"\n? {label}{colon}", "$text-warning"), (strip_controls(why), "")]
    if objection is not None:
        changed = [path for path, text in snapshot.program.items() if snapshot.base.get(path) != text]
        for path, lines in idle_in(objection["unexercised"], changed).items():
            parts += [
                ("\n? no case runs ", "$text-warning"),
                (f"{path} line{'s' * (not lines.isdecimal())} {lines}", ""),
            ]
        parts += [(f"\n\nCritic ({objection['by']}): ", _DIM), (strip_controls(objection["summary"]), "")]
        if objection["test"] and not objection["confirmed"]:
            parts.append((f"\nIts counter-example was not confirmed: {strip_controls(objection['why'])}", _DIM))
    objection_words = objection["summary"] if objection is not None else ""
    for opinion in [o for o in snapshot.opinions if not objection_words or objection_words not in o]:
        parts += [("\nopinion ", _DIM), (strip_controls(opinion), "")]
    for by, advice in snapshot.advice.items():
        parts += [(f"\n\n{by.replace('_', ' ')}: ", _DIM), (strip_controls(advice["summary"]), "")]
        parts += [(f"\n· {one_line(i['file'])}:{i['line']} {strip_controls(i['why'])}", "") for i in advice["items"]]
    return parts
