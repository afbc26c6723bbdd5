"""The one way times are written: UTC, ISO 8601, to the millisecond."""

from __future__ import annotations

from datetime import UTC, datetime


def now_at() -> str:
    """Return the present time."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
