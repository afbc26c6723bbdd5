"""What a run learns: at most five sentences that the next attempts see."""

from __future__ import annotations

LESSONS_KEPT = 5
"""Most lessons in the rolling log."""
