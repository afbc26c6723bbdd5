"""One line that always says where the user is: session, branch, iteration, state, bill, model, isolation."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from selfheal_tui.sandbox.allowance import NETWORK, READS
from selfheal_tui.text import both_ends, one_line

from ..kit.motion import STILL
from ..view.words import time_words

_LONGEST_PATH = 24


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
    """Sandbox layers in force, which `selfheal doctor` names; `UNSANDBOXED` when none, empty before the first run."""
    past: bool
    """An old moment is shown, not the newest."""
    budget: str = ""
    """How much of the tightest budget is gone, once it is most of it: `85 % of 20000 tokens`."""
    trust: str = ""
    """What the newest verdict is worth: `verified` or `provisional`; empty before the first run."""
    bars: str = ""
    """A bar for each iteration: how many of its cases passed."""
    passed: str = ""
    """Cases passed of all in the newest run: `5/7`."""
    worked_s: float = 0.0
    """Time the run has worked up to the moment shown."""
    max_time_s: float | None = None
    ticks: bool = False
    """It works now: the time goes on."""
    thinks: str = ""
    """Role whose model was asked and has not begun its answer."""
    thinks_s: float = 0.0
    allowed: tuple[str, ...] = ()
    """What tests may have beyond the sandbox, as a report's isolation says it."""
    read_only: bool = False
    """Another process drives the session."""


class StatusBar(Widget):
    """Shows a `StatusLine`; drops what matters least when the terminal is narrow."""

    DEFAULT_CSS = """
    StatusBar { height: 1; background: $panel; color: $foreground; }
    StatusBar.-past { background: $warning 25%; }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._line: StatusLine | None = None
        self._note = ""
        self._told: tuple[float, bool] | None = None
        """`worked_s` and `ticks` of the newest moment."""
        self._since = 0.0
        """When `worked_s` was told, on the monotonic clock."""
        self._asked_at = 0.0
        """When the model was asked that has not answered yet."""
        self._timer: Timer | None = None

    def on_mount(self) -> None:
        """Let the time tick while the run works."""
        self._timer = self.set_interval(1.0, self.refresh, pause=True)

    def show(self, line: StatusLine) -> None:
        """Show this from now on."""
        before, self._line = self._line, line
        if not line.past:
            # The time of a run goes on while an earlier moment is looked at.
            told, self._told = self._told, (line.worked_s, line.ticks)
            if told != self._told:
                self._since = time.monotonic()
        if before is None or before.thinks != line.thinks:
            self._asked_at = time.monotonic()
        if self._timer is not None:
            self._timer.resume() if line.ticks and not self.app.has_class(STILL) else self._timer.pause()
        self.set_class(line.past, "-past")
        self.refresh()

    def note(self, words: str) -> None:
        """Say this instead, while something is waited for; an empty text ends it."""
        self._note = words
        self.refresh()

    def render(self) -> Content:
        return self.said(self.size.width)

    def said(self, width: int) -> Content:
        """Return the line as it stands at this moment."""
        line = self._line
        if self._note:
            return Content.styled(f" {self._note}", "bold $text-primary").truncate(max(1, width), ellipsis=True)
        if line is None:
            return Content("")
        now = time.monotonic()
        more = now - self._since if line.ticks else 0.0
        return build_status(replace(line, worked_s=line.worked_s + more, thinks_s=now - self._asked_at), width)


def build_status(line: StatusLine, width: int) -> Content:
    """Return the parts that fit into `width` cells; badges and the state are never dropped."""
    unsafe = "UNSANDBOXED" in line.isolation
    of = f"/{line.max_iterations}" if line.max_iterations else ""
    worked = time_words(line.worked_s)
    limit = f" of {time_words(line.max_time_s)}" if worked and line.max_time_s else ""
    waits = f"{one_line(line.thinks, 20)} thinks {line.thinks_s:.0f} s" if line.thinks and line.thinks_s >= 1 else ""
    sandboxed = "sandboxed" if line.isolation and not unsafe else ""
    verified = "verified" if line.trust == "verified" else ""
    # (what matters most first: 0 always stays, style, text), in the order of the screen
    parts = [
        (0, "bold $warning reverse", " PAST " if line.past else ""),
        (0, "bold $accent reverse", " READ ONLY " if line.read_only else ""),
        (0, "bold $error reverse", " UNSANDBOXED " if unsafe else ""),
        (0, "bold $warning reverse", _allowed_badge(line.allowed)),
        (0, "bold", one_line(line.state, 60)),
        (1, "$text-accent", waits),
        (3, "$text-accent", both_ends(line.branch, 40)),
        (1, "", f"iteration {line.iteration}{of}" if line.branch else ""),
        (2, "$text-success" if line.bars.endswith("█") else "$text-warning", f"{line.bars} {line.passed}".strip()),
        (1, "$text-warning", f"{line.budget} used" if line.budget else ""),
        (4, "", f"{worked}{limit}"),
        (5, "$foreground 60%", one_line(line.spent, 60)),
        (7, "$foreground 60%", one_line(line.model, 60)),
        (6, "$foreground 60%", ", ".join(part for part in (sandboxed, verified) if part)),
        (8, "$foreground 60%", one_line(line.session, 60)),
    ]
    fitting_parts: list[tuple[int, str, str]] = [part for part in parts if part[2] and not part[0]]
    for part in sorted((part for part in parts if part[2] and part[0]), key=lambda part: part[0]):
        if _width([*fitting_parts, part]) <= width:
            fitting_parts.append(part)
    fitting_parts.sort(key=parts.index)
    line_content = Content(" ")
    for at, (_, style, text) in enumerate(fitting_parts):
        after_badge = at > 0 and fitting_parts[at - 1][2].endswith(" ")
        if at:
            line_content += Content(" ") if after_badge else Content.styled(" · ", "$foreground 38%")
        line_content += Content.styled(text, style)
    return line_content.truncate(max(1, width), ellipsis=True)


def _allowed_badge(allowed: tuple[str, ...]) -> str:
    """Return ` NETWORK ALLOWED ` and ` READS /data `, in capitals as all badges are; empty for nothing."""
    reads = [name.removeprefix(READS) for name in allowed if name.startswith(READS)]
    words = [*(["NETWORK ALLOWED"] if NETWORK in allowed else [])]
    words += [f"READS {_end_of(reads[0])}" if len(reads) == 1 else f"READS {len(reads)} PATHS"] if reads else []
    return f" {' · '.join(words)} " if words else ""


def _end_of(path: str) -> str:
    line = one_line(path)
    return line if len(line) <= _LONGEST_PATH else f"…{line[-_LONGEST_PATH + 1 :]}"


def _width(parts: list[tuple[int, str, str]]) -> int:
    return 2 + sum(len(text) + 3 for _, _, text in parts) - 3
