"""What a review kind is made of; `table.py` has the kinds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ...moment.review import Decision, ReviewKind
from ...moment.snapshot import Snapshot
from ...moment.state import HealState
from .edit_checks import Problem

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class EditSpec:
    """What a user may make of a proposal."""

    problems: Callable[[Mapping[str, Any], Collection[str], Collection[str]], list[Problem]]
    """(edit, paths that it may change, test paths) -> what is wrong with it."""
    body: Callable[[Snapshot, Mapping[str, Any]], Body]
    """What is stored of an edit that has no problems."""
    files: Callable[[Snapshot, str], Collection[str]] = lambda snapshot, pick: snapshot.program
    """The paths that it may change, of the candidate labelled `pick`."""
    as_proposed: Callable[[Snapshot, str, Body], bool] = lambda snapshot, pick, body: False
    """Tells of what would be stored whether it is the proposal as it was: such an edit is an approval."""
    of_files: bool = True
    """It is `{"changes": {path: text}}`, so the text of a file alone can be one."""
    by_file: bool = False
    """The decision names each edited file by its own ref."""
    in_hunks: bool = False
    """It may name hunks of the candidate instead."""
    filled: Callable[[Snapshot, str, Body], Body] = lambda snapshot, pick, value: value
    """The edit with what it leaves out as it was proposed."""


@dataclass(frozen=True, slots=True)
class ReviewSpec:
    """One kind of question. A field that is left out says that the kind has no such thing."""

    kind: ReviewKind
    waits: str
    """To go on with "for your decision"."""
    instead: Callable[[HealState], Decision | None]
    """What the run's autonomy or a rule answers in the human's place; None where the human is asked."""
    proposal: Callable[[Snapshot, str], Body]
    """What is proposed, bodies resolved; of repairs with the label of the one decided on."""
    evidence: Callable[[Snapshot], Body] = lambda snapshot: {}
    """What a script gets to decide on besides the proposal and the newest report."""
    update: Callable[[HealState, Decision], HealState] = lambda state, decision: {}
    """What an approval, an edit or a rejection changes in the state."""
    edit: EditSpec | None = None
    """None where there is nothing to edit."""
    needs: str = ""
    """Field of the state and of the snapshot; while it is empty nothing is asked."""
    made_in: tuple[str, ...] = ()
    """Nodes that make what is asked about."""
    afresh: Callable[[Snapshot], tuple[HealState, str]] = lambda snapshot: ({}, "")
    """What a fork writes and the node it counts as, to have a model asked for it again; no node where none made it."""
    may_answer: bool = False
    """An edit may be the right answer to the question on which programs disagree."""
    may_rule: bool = False
    """An approval may make a rule."""
    labels: Callable[[Snapshot], Collection[str]] = lambda snapshot: snapshot.candidates
    """What may be picked of several."""
    picked: Callable[[Snapshot, str], Body] | None = None
    """What is stored of an approval of the one labelled so; None where its label alone says it."""
    steers: bool = False
    """A rejection may say what the search leaves as it is."""
    needs_reason: bool = True
    """A rejection needs a note."""
    choices: tuple[str, ...] = ()
    """What the verdicts mean here, as the command line says it."""

    @property
    def node(self) -> str:
        """The node that asks."""
        return f"review_{self.kind}"
