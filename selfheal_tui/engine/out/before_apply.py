"""Whether the user's files may be written now: the hook `before_apply` is asked, and may refuse.

Whatever writes or commits takes a `Permit`, and this is the one place that gives it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..moment.snapshot import Snapshot
from ..session.hook_story import SessionPlace
from ..session.hooks import Hooks

if TYPE_CHECKING:
    from .applying import Writing
    from .committing import Committable

Action = Literal["write", "commit", "put_back"]


@dataclass(frozen=True, slots=True)
class Permit:
    """That the hook was asked and did not refuse, or that there is none."""

    trouble: str = ""
    """What went wrong with the hook, one sentence; empty for nothing."""


def permit_for(
    hooks: Hooks | None,
    place: SessionPlace,
    snapshot: Snapshot,
    writing: Writing,
    planned: Committable | None = None,
    *,
    puts_back: bool = False,
) -> Permit:
    """Ask the user's hook once whether all of this may be written, and committed as `planned`. Blocks.

    Raises: InputError in the hook's words where it refuses; nothing is written then.
    """
    if hooks is None:
        return Permit()
    action: Action = "put_back" if puts_back else "commit" if planned is not None else "write"
    changes = writing.changes if planned is not None else writing.pending
    writes = {
        "action": action,
        "into": str(writing.folder),
        "files": [change.path for change in changes],
        "git_branch": planned.line if planned is not None else "",
        "new_branch": planned is not None and planned.new_branch,
    }
    return Permit(hooks.ask_before_apply(place, snapshot, writes))
