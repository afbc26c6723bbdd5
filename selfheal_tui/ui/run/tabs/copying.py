"""What `y` copies: the text behind the tab in front, whole, not what happens to be on the screen.

The clipboard gets it without control characters, as pasted text may reach a shell; the file beside the sessions gets it
exactly, for terminals that take no text (OSC 52) or not so much.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from textual.widget import Widget
from textual.widgets import Static

from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.workspace import unified_diff
from selfheal_tui.sandbox.base import CaseResult
from selfheal_tui.text import plural
from selfheal_tui.whole_file import write_whole

from ...kit.diff_view import DiffView
from ...kit.suite_table import CaseList
from ...kit.transcript import Transcript
from ...view.shown import asked_files
from ...view.words import case_name
from .evidence import Evidence

FILE_NAME = "copied.txt"


def copy_of(evidence: Evidence, snapshot: Snapshot) -> tuple[str, str]:
    """Return what the tab in front shows, in words, and its text; an empty text where there is none."""
    pane = evidence.tabs.active_pane
    match pane.id if pane is not None else "":
        case "code":
            files = asked_files(snapshot)
            return _named(files), _joined(files)
        case "diff":
            changes = evidence.query_one(DiffView).files
            old, new = ({path: pair[at] for path, *pair in changes} for at in (0, 1))
            return "the diff", unified_diff(old, new)
        case "tests":
            table = evidence.query_one("#tests CaseList", CaseList)
            if table.cursor >= len(table.cases):
                return "the case", ""
            case = table.cases[table.cursor]
            return f"case {case_name(case['id'])}", case_text(case)
        case "transcript":
            return "the transcript", "\n".join(one.text for one in evidence.query(Transcript) if one.display)
    return f"the {pane.id} tab" if pane is not None else "nothing", _texts(pane) if pane is not None else ""


def case_text(case: CaseResult) -> str:
    """Return one case as text: outcome, what was expected, where, its output."""
    parts = [f"{case['id']}: {case['outcome']}", case["message"]]
    if case["expected"] is not None or case["actual"] is not None:
        parts += [f"expected: {case['expected']}", f"actual:   {case['actual']}"]
    parts += [f"compared: {' is not '.join(case['compared'])}"] if "compared" in case else []
    parts += [f"at {case['location']}" if case["location"] else "", case["traceback"], case["output"]]
    return "\n".join(part.rstrip("\n") for part in parts if part) + "\n"


def keep_copy(folder: Path, text: str) -> Path:
    """Write the text where only its owner reads it; return the file. Raises: OSError."""
    target = folder / FILE_NAME
    write_whole(target, text.encode("utf-8", "surrogatepass"))
    return target


def _named(files: Mapping[str, str]) -> str:
    return next(iter(files)) if len(files) == 1 else f"the code of {plural(len(files), 'file')}"


def _joined(files: Mapping[str, str]) -> str:
    """Return one file as it is, several with their paths above them."""
    if len(files) == 1:
        return next(iter(files.values()))
    return "\n".join(f"# {path}\n{text}" for path, text in files.items())


def _texts(pane: Widget) -> str:
    """Return the text of the pane's widgets: what one offers as `copy_text`, else what is written in it."""
    for widget in pane.query(Widget):
        offered = getattr(widget, "copy_text", None)
        if isinstance(offered, str):
            return offered
    return "\n".join(str(static.render()) for static in pane.query(Static) if static.display)
