"""The list of sessions as text."""

from __future__ import annotations

from selfheal_tui.cli.listing import table
from selfheal_tui.store.sessions import SessionRow


def row(outcome: str, left: str = "", waiting: str = "") -> SessionRow:
    return SessionRow("s", "a title", "2026", "2026", outcome, "", 1, 1, 10, waiting, left_for_you=left)


def test_columns_stand_below_each_other_whatever_a_session_waits_for() -> None:
    lines = table([row("healed"), row("gave_up", left="repair"), row("waiting", waiting="diagnosis")])
    assert len({line.index("1 iteration") for line in lines}) == 1
    assert "gave up; left for you: 1 repair" in lines[1]


def test_a_very_long_state_moves_its_own_line_alone() -> None:
    long = row("gave_up", left="x" * 60)
    lines = table([row("healed"), long, row("stalled")])
    assert lines[0].index("1 iteration") == lines[2].index("1 iteration") < lines[1].index("1 iteration")


def test_where_a_line_does_not_fit_the_counts_go_below() -> None:
    """In 60 columns the terminal broke it within words."""
    (line,) = table([row("healed")])
    room = len(line) - 1
    first, second = table([row("healed")], room)[0].split("\n")
    assert first.endswith("  healed") and second.startswith("    1 iteration")
    assert max(len(first), len(second)) <= room
    assert table([row("healed")], len(line)) == [line]
