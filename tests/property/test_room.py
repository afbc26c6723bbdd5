"""What is left out of a prompt: never too much, never too little, never a part that must stay."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from selfheal_tui.engine.workshop.prompt_room import LEAST_REPLY_TOKENS, Fit, Room, Shrinkable, fit

TEXTS = st.text(st.characters(codec="utf-8"), max_size=60)
Values = dict[str, str | Shrinkable]


@st.composite
def shrinkables(draw: st.DrawFn) -> Shrinkable:
    pieces = draw(st.lists(TEXTS, max_size=6))
    order = draw(st.permutations(range(len(pieces))))
    goes = order[: draw(st.integers(0, len(pieces)))]
    marked = tuple(f"<{n}:{piece}:{n}>" for n, piece in enumerate(pieces))
    return Shrinkable(marked, tuple((n, "old piece") for n in goes))


VALUES: st.SearchStrategy[Values] = st.fixed_dictionaries(
    {"program": TEXTS, "report": TEXTS, "history": shrinkables(), "feedback": shrinkables(), "tests": shrinkables()}
)
ORDER = st.permutations(["history", "feedback", "tests"])
BUDGETS = st.one_of(st.none(), st.integers(0, 900))


def _measure(texts: Mapping[str, str]) -> int:
    return sum(len(text.encode("utf-8")) for text in texts.values())


def _dropped(values: Values, fitted: Fit, name: str) -> set[int]:
    value = values[name]
    assert isinstance(value, Shrinkable)
    return {n for n, piece in enumerate(value.pieces) if piece not in fitted.values[name]}


@given(VALUES, ORDER, BUDGETS)
def test_what_can_fit_does(values: Values, order: list[str], budget: int | None) -> None:
    least = fit(values, order, _measure, 0)
    fitted = fit(values, order, _measure, budget)
    assert fitted.tokens == _measure(fitted.values)
    if budget is None:
        assert fitted.left_out == ()
    elif least.tokens <= budget:
        assert fitted.tokens <= budget
    if not fitted.left_out:
        assert fitted == fit(values, order, _measure, None)


@given(VALUES, ORDER, BUDGETS)
def test_what_must_stay_is_whole(values: Values, order: list[str], budget: int | None) -> None:
    fitted = fit(values, order[:2], _measure, budget)
    for name, value in values.items():
        if isinstance(value, str):
            assert fitted.values[name] == value
        else:
            may_go = {index for index, _ in value.goes} if name in order[:2] else set()
            assert _dropped(values, fitted, name) <= may_go


@given(VALUES, ORDER, BUDGETS)
def test_pieces_go_in_their_order_and_leave_a_line(values: Values, order: list[str], budget: int | None) -> None:
    fitted = fit(values, order, _measure, budget)
    told = []
    still_here = False
    for name in order:
        value, gone = values[name], _dropped(values, fitted, name)
        assert isinstance(value, Shrinkable)
        assert gone == {index for index, _ in value.goes[: len(gone)]}
        assert not (gone and still_here), "a later value gave way before an earlier one had given all"
        still_here = still_here or len(gone) < len(value.goes)
        if gone:
            told.append(f"{len(gone)} old piece{'s' if len(gone) > 1 else ''}")
            assert f"({told[-1]} left out)" in fitted.values[name]
    assert fitted.left_out == tuple(told)


@given(VALUES, ORDER, st.integers(0, 900), st.integers(0, 200))
def test_less_room_never_brings_a_piece_back(values: Values, order: list[str], budget: int, less: int) -> None:
    more, fewer = fit(values, order, _measure, budget), fit(values, order, _measure, budget - less)
    for name in order:
        assert _dropped(values, more, name) <= _dropped(values, fewer, name)


@given(st.integers(1, 300_000), st.integers(1, 64_000), st.integers(0, 300_000))
def test_prompt_and_reply_share_a_context(context: int, max_tokens: int, prompt: int) -> None:
    room = Room(context)
    reply = room.for_reply(max_tokens, prompt)
    if reply is None:
        assert context - prompt < min(max_tokens, LEAST_REPLY_TOKENS)
    else:
        assert prompt + reply <= context and min(max_tokens, LEAST_REPLY_TOKENS) <= reply <= max_tokens
    most = room.for_prompt(max_tokens)
    assert most is not None and context // 2 <= most <= context


@given(TEXTS)
def test_a_refusal_always_teaches_something_until_nothing_is_known(text: str) -> None:
    assert Room().refused(None) is None
    assert Room().refused(8192) == Room(8192) == Room(32768).refused(8192)
    known = Room(8192)
    again = known.refused(8192)
    assert again is not None and again == known.refused(9000) == known.refused(None)
    assert again.context == 8192 and again.tokens(text) >= known.tokens(text)
