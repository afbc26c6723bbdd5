"""What the user wrote at lines, in words: for prompts, reports and the screen. Pure; all of it is data."""

from __future__ import annotations

from selfheal_tui.text import one_line

from .review import Comment, Decision

QUOTED_LIMIT = 160
"""Characters of the quoted line that are kept."""


def place_words(comment: Comment) -> str:
    """Say where a comment stands: `shop.py line 6`."""
    gone = " (removed)" if comment.get("removed") else ""
    return f"{one_line(comment['path'])} line {comment['line']}{gone}"


def comment_line(comment: Comment) -> str:
    """Return a comment as one line: `shop.py line 6, "return a + b": why not max?`."""
    quoted = one_line(comment.get("quoted", ""), QUOTED_LIMIT)
    return place_words(comment) + (f', "{quoted}"' if quoted else "") + f": {one_line(comment['text'], 1_000)}"


def comment_words(comment: Comment) -> str:
    """Return a comment for a card, the words first: `why not max? (shop.py:6)`."""
    gone = ", removed" if comment.get("removed") else ""
    return f"{one_line(comment['text'], 1_000)} ({one_line(comment['path'], 60)}:{comment['line']}{gone})"


def reason_text(decision: Decision) -> str:
    """Return what the next attempt reads of a decision: the note, and a line for each comment; empty without both."""
    lines = [f"  on {comment_line(comment)}" for comment in decision.get("comments", ())]
    if not lines:
        return decision["note"]
    return "\n".join([decision["note"] or "Comments on the proposal:", *lines])
