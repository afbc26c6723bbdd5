"""What differs between two long expressions, where both are cut to the same words. Pure."""

from __future__ import annotations

from selfheal_tui.line_blocks import same_ends

from ..operators.base import quoted

_AROUND = 24
"""Characters before an addition that are shown with it."""


def difference_words(old: str, new: str) -> str:
    """Say what becomes of an expression by what differs alone: `` `and not p` is added after `self.cols` ``."""
    head, tail = same_ends(old, new)
    # Whole words: `rows` becomes `cols`, and not `row` `col`.
    while head and _is_word(old[head - 1]) and (_is_word(old[head : head + 1]) or _is_word(new[head : head + 1])):
        head -= 1
    while (
        tail
        and _is_word(old[len(old) - tail])
        and (
            _is_word(old[len(old) - tail - 1 : len(old) - tail]) or _is_word(new[len(new) - tail - 1 : len(new) - tail])
        )
    ):
        tail -= 1
    gone, come = old[head : len(old) - tail].strip(), new[head : len(new) - tail].strip()
    before = " ".join(old[:head].split())
    if len(before) > _AROUND:
        before = f"…{before[-_AROUND:].partition(' ')[2] or before[-_AROUND:]}"
    after = f" after {quoted(before)}" if before else ""
    if not gone:
        return f"{quoted(come)} is added{after}"
    if not come:
        return f"{quoted(gone)} is dropped{after}"
    return f"{quoted(gone)} becomes {quoted(come)}{after}"


def _is_word(text: str) -> bool:
    return bool(text) and (text[-1].isalnum() or text[-1] == "_")
