"""The keys of the run screen: one table, from which its bindings, the help and what may be rebound are made."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from textual.binding import Binding

ANSWERS = [
    Binding("a", "approve", "Approve", show=False, id="review.approve", tooltip="Approve the proposal that is shown"),
    Binding("e", "edit", "Edit", show=False, id="review.edit", tooltip="Go on with your own version of it"),
    Binding("r", "reject", "Reject", show=False, id="review.reject", tooltip="Reject with a reason; it is tried again"),
    Binding(
        "s",
        "stop_run",
        "Stop",
        show=False,
        id="review.stop",
        tooltip="End the run here, unhealed; at a question it asks first",
    ),
    Binding("A", "rule", "Always", show=False, id="review.rule", tooltip="Approve it, and such repairs from now on"),
    Binding(
        "w",
        "answer",
        "Which?",
        show=False,
        id="review.answer",
        tooltip="Say which answer is right, or what a call should give",
    ),
    Binding(
        "space",
        "hunk",
        "Hunk, mark",
        show=False,
        id="review.hunk",
        tooltip="Take or leave the hunk under the cursor; of a repair in one piece: mark it, to take several together",
    ),
    *(
        Binding(
            str(n), f"pick({n})", f"Candidate {n}", show=False, id=f"review.pick_{n}", tooltip=f"Show candidate {n}"
        )
        for n in range(1, 10)
    ),
]
"""What answers a question or picks what to answer about; dead until its card was painted."""

TRAVEL = [
    Binding("T", "timeline", "Timeline", key_display="T", id="run.timeline", tooltip="Go to the timeline, or leave it"),
    Binding("left_square_bracket", "step(-1)", "Earlier", key_display="[", id="run.back", tooltip="The moment before"),
    Binding(
        "right_square_bracket",
        "step(1)",
        "Later",
        key_display="]",
        show=False,
        id="run.on",
        tooltip="The next moment",
    ),
    Binding(
        "slash",
        "search",
        "Search",
        key_display="/",
        show=False,
        id="run.search",
        tooltip="Search moments, code and calls",
    ),
    Binding("n", "now", "Now", show=False, id="run.now", tooltip="Back to the newest moment"),
    Binding("escape", "now", "Now", show=False, id="run.escape", tooltip="Back to the newest moment"),
    Binding("C", "compare", "Compare", key_display="C", show=False, id="run.compare", tooltip="Compare two moments"),
    Binding("B", "branches", "Branches", key_display="B", show=False, id="run.branches", tooltip="All branches"),
    Binding("u", "undo", "Undo", id="run.undo", tooltip="Take back what you did last, also while it runs"),
    Binding("U", "redo", "Redo", key_display="U", show=False, id="run.redo", tooltip="Do it again"),
    Binding("f", "fork", "Fork", id="run.fork", tooltip="Run again from the moment shown, on a new branch"),
    Binding(
        "H",
        "groups",
        "Heal first",
        key_display="H",
        show=False,
        id="run.groups",
        tooltip="Heal one group of failing cases first, then the others",
    ),
    Binding("F", "race", "Race", key_display="F", show=False, id="run.race", tooltip="Fork it several ways at once"),
]

RUN = [
    Binding("z", "take_best", "Take the best", id="run.take_best", tooltip="End the search with the best so far"),
    Binding("t", "try", "Try", id="run.try", tooltip="Run Python or a case beside the code that is shown"),
    Binding("c", "comment", "Comment", show=False, id="run.comment", tooltip="Comment on the line of the diff"),
    Binding("i", "note", "Note", show=False, id="run.note", tooltip="A note for the next step; u takes it back"),
    Binding("D", "change", "Diff", key_display="D", show=False, id="run.change", tooltip="Show the change as a diff"),
    Binding("W", "write", "Write", key_display="W", show=False, id="run.write", tooltip="Write it to your folder"),
    Binding("K", "commit", "Commit", key_display="K", show=False, id="run.commit", tooltip="Commit it with git"),
    Binding(
        "S", "patch", "Save", key_display="S", show=False, id="run.patch", tooltip="Save it as a patch in this folder"
    ),
    Binding("Y", "copy_change", "Copy", key_display="Y", show=False, id="run.copy_change", tooltip="Copy the change"),
    Binding("p", "pause", "Pause", id="run.pause", tooltip="Interrupt the run; what was saved stays"),
    Binding("R", "retry", "Go on", key_display="R", id="run.retry", tooltip="Go on from the last saved moment"),
    Binding("m", "model", "Model", show=False, id="run.model", tooltip="Another model from here on, on a new branch"),
    Binding("o", "set", "Options", show=False, id="run.set", tooltip="Another setting from here on, on a new branch"),
    Binding(
        "tab",
        "app.focus_next",
        "Next pane",
        show=False,
        id="run.focus",
        tooltip="Go on to the card, whose text the arrows scroll then, and to the other panes",
    ),
    Binding("v", "view(1)", "View", id="run.view", tooltip="The next tab"),
    Binding("V", "view(-1)", "Previous view", show=False, id="run.view_back", tooltip="The previous tab"),
    Binding(
        "O",
        "difftool",
        "Diff tool",
        key_display="O",
        show=False,
        id="run.difftool",
        tooltip="Show the diff in your own tool; what you change there becomes an edit",
    ),
    Binding("y", "copy", "Copy", show=False, id="run.copy", tooltip="Copy what the tab shows: code, diff, case"),
    Binding(
        "b", "sessions", "Sessions", show=False, id="run.sessions", tooltip="Back to all sessions; the question waits"
    ),
    Binding(
        "comma", "app.settings", "Settings", key_display=",", show=False, id="run.settings", tooltip="All settings"
    ),
    Binding("question_mark", "app.help", "Help", key_display="?", id="run.help", tooltip="All keys"),
    Binding("q", "leave", "Quit", id="run.quit", tooltip="Quit; the session can be resumed"),
]

HUNKS = [
    Binding(
        "j", "step_hunk(1)", "Next hunk", id="diff.next", tooltip="Go to the next hunk, or down a line", show=False
    ),
    Binding(
        "k", "step_hunk(-1)", "Last hunk", id="diff.back", tooltip="Go to the hunk before, or up a line", show=False
    ),
]
"""The keys of the diff, heard in the Diff tab also while the focus is elsewhere, as `space` is."""

MORE = tuple(
    f"run.{name}"
    for name in ("note", "search", "compare", "branches", "copy", "sessions", "race", "model", "set", "settings")
)
"""Ids of keys that the footer names too where there is room, the most useful first."""

JOINED = {"run.back": ("run.on", "Moment")}
"""Binding -> the one that the footer names together with it, and the word for both: `[ Earlier ]` would be a button."""

GROUPS: list[tuple[str, list[Binding]]] = [("Answer a question", ANSWERS), ("Look back", TRAVEL), ("Run", RUN)]
"""Heading -> bindings, in the order the help shows them."""

_LOOKING = frozenset(
    (
        *("timeline", "step", "now", "view", "sessions", "leave", "compare", "branches", "copy", "settings"),
        *("search", "change", "difftool"),
    )
)
"""Actions of this table that are heard where somebody else drives the session."""


def changes(action: str) -> bool:
    """Tell whether an action changes the session: any of this table that is not in `_LOOKING`."""
    named = {b.action.partition("(")[0] for _, bindings in GROUPS for b in bindings if "." not in b.action}
    return action in named - _LOOKING


def answer_keys(keymap: Mapping[str, str]) -> frozenset[str]:
    """Return the keys that answer; `keymap` holds those rebound, binding id -> keys with commas."""
    return frozenset(key for binding in ANSWERS for key in keymap.get(binding.id or "", binding.key).split(","))


def action_of(keymap: Mapping[str, str], keys: Collection[str]) -> str:
    """Return the action of the run screen that one of these keys runs; empty for none."""
    bindings = (binding for _, group in GROUPS for binding in group)
    named = ((b.action, keymap.get(b.id or "", b.key).split(",")) for b in bindings)
    return next((action for action, own in named if not set(own).isdisjoint(keys)), "")


def binding_of(action: str) -> Binding | None:
    """Return the binding of the run screen that runs an action."""
    return next((b for _, bindings in GROUPS for b in bindings if b.action.removeprefix("app.") == action), None)
