"""No key answers by accident."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from selfheal_tui.ui.kit.arming import Arming


def test_a_key_before_the_paint_is_not_heard() -> None:
    arming = Arming()
    assert not arming.hears(1.0)
    arming.arm(2.0)
    assert not arming.hears(1.9)
    assert arming.hears(2.0 + arming.QUIET + 1)


def test_what_follows_a_key_that_would_have_opened_a_line_answers_nothing() -> None:
    arming = Arming()
    arming.miss(1.0, opens_line=True)
    arming.arm(1.1)
    assert not arming.hears(1.0 + arming.LINE - 0.1), "it was meant for the line"
    assert arming.hears(1.0 + arming.LINE + arming.QUIET)
    arming.miss(10.0)
    assert arming.hears(10.0 + arming.QUIET)


def test_a_card_out_of_sight_hears_nothing() -> None:
    arming = Arming()
    arming.arm(0.0)
    arming.disarm()
    assert not arming.hears(100.0)


@given(start=st.floats(0, 10), gap=st.floats(0.01, 0.3), painted=st.floats(0, 10))
def test_a_key_held_down_is_never_heard(start: float, gap: float, painted: float) -> None:
    arming = Arming()
    arming.arm(painted)
    presses = [start + n * gap for n in range(200)]
    held_since_before = start <= painted
    heard = [arming.hears(at) for at in presses]
    assert not any(heard) or not held_since_before
    last = max(presses[-1], painted)
    assert arming.hears(last + arming.QUIET + 0.01)
