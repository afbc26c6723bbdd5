"""One line that always says where the user is: session, branch, iteration, state, bill, model, isolation."""

from __future__ import annotations

from dataclasses import dataclass

from textual.content import Content
from textual.widget import Widget

from selfheal_tui.text import one_line


@dataclass(frozen=True, slots=True)
class StatusLine:
    """What the status bar says."""

    session: str
    branch: str
    iteration: int
    max_iterations: int
    state: str
    """What happens now, in a few words: `running: diagnose`, `your decision`, `healed`."""
    spent: str
    """The bill, ready to show; empty when nothing was spent."""
    model: str
    isolation: tuple[str, ...]
    """Sandbox layers in force; `UNSANDBOXED` when none, empty before the first run."""
    past: bool
    """An old moment is shown, not the newest."""
    budget: str = ""
    """How much of the tightest budget is gone, once it is most of it: `85 % of 20000 tokens`."""


class StatusBar(Widget):
    """Shows a `StatusLine`; drops what matters least when the terminal is narrow."""

    DEFAULT_CSS = """
    StatusBar { height: 1; background: $panel; color: $foreground; }
    StatusBar.-past { background: $warning 25%; }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._line: StatusLine | None = None

    def show(self, line: StatusLine) -> None:
        """Show this from now on."""
        self._line = line
        self.set_class(line.past, "-past")
        self.refresh()

    def render(self) -> Content:
        return build_status(self._line, self.size.width) if self._line is not None else Content("")


def build_status(line: StatusLine, width: int) -> Content:
    """Return the parts that fit into `width` cells; PAST, UNSANDBOXED and the state are never dropped."""
    unsafe = "UNSANDBOXED" in line.isolation
    of = f"/{line.max_iterations}" if line.max_iterations else ""
    # (what matters most first: 0 always stays, style, text), in the order of the screen
    parts = [
        (0, "bold $warning reverse", " PAST " if line.past else ""),
        (0, "bold $error reverse", " UNSANDBOXED " if unsafe else ""),
        (0, "bold", one_line(line.state, 60)),
        (2, "$text-accent", one_line(line.branch, 40)),
        (1, "", f"iteration {line.iteration}{of}"),
        (1, "$text-warning", f"{line.budget} used" if line.budget else ""),
        (3, "$foreground 60%", one_line(line.spent, 60)),
        (5, "$foreground 60%", one_line(line.model, 60)),
        (4, "$foreground 60%", "" if unsafe else one_line(" + ".join(line.isolation), 60)),
        (6, "$foreground 60%", one_line(line.session, 60)),
    ]
    kept = [part for part in parts if part[2]]
    while _width(kept) > width and (least := max(rank for rank, _, _ in kept)) > 0:
        kept.remove(next(part for part in kept if part[0] == least))
    shown = Content(" ")
    for at, (_, style, text) in enumerate(kept):
        after_badge = at > 0 and kept[at - 1][2].endswith(" ")
        if at:
            shown += Content(" ") if after_badge else Content.styled(" · ", "$foreground 38%")
        shown += Content.styled(text, style)
    return shown.truncate(max(1, width), ellipsis=True)


def _width(parts: list[tuple[int, str, str]]) -> int:
    return 2 + sum(len(text) + 3 for _, _, text in parts) - 3
