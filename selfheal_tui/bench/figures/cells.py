"""What stands in the cells of Markdown tables: foreign text made safe, shares, intervals, amounts."""

from __future__ import annotations

from selfheal_tui.text import one_line

from .metrics import Share


def cell(text: str) -> str:
    """Make foreign text safe for a table: one line, no column of its own."""
    return one_line(text, 120).replace("|", "\\|").replace("<", "&lt;")


def percent(part: Share) -> str:
    """Return a share in percent; `-` of nothing."""
    return "-" if part["rate"] is None else f"{100 * part['rate']:.1f} %"


def interval(part: Share) -> str:
    """Return a share's interval; `-` of nothing."""
    if part["low"] is None or part["high"] is None:
        return "-"
    return f"{100 * part['low']:.1f} to {100 * part['high']:.1f} %"


def counted(part: Share) -> str:
    """Return a share as count, percent and interval in one cell."""
    if part["rate"] is None:
        return "-"
    return f"{part['count']} of {part['of']} ({percent(part)}; {interval(part)})"


def dollars(value: float | None) -> str:
    """Return an amount of money; where nobody knows it, say so."""
    return "unknown" if value is None else f"${value:.4f}"


def p_value(value: float) -> str:
    """Return a p-value with as many places as it is read with."""
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"
