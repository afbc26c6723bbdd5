"""What reads naturally, and which lines a repair puts out of use."""

from __future__ import annotations

import pytest

from selfheal_tui.search.hunt.candidates import Candidate
from selfheal_tui.search.weigh import naturalness
from selfheal_tui.search.weigh.behaviour import build_behaviours
from selfheal_tui.search.weigh.copied import copies_expected, expected_constants
from selfheal_tui.search.weigh.found import build_ranking
from selfheal_tui.search.weigh.idle import idle_lines
from selfheal_tui.search.weigh.naturalness import (
    count_trigrams,
    counts_text,
    library_model,
    model_of,
    read_counts,
    surprise,
    tokens_of,
)
from selfheal_tui.search.weigh.pointless import idle_names, pointless_branches
from selfheal_tui.search.weigh.signs import Signs


def test_the_library_finds_common_python_less_surprising() -> None:
    model = library_model()
    assert model.bits("for i in range(len(items)):") < model.bits("for i in len(range(items)):")
    assert model.bits("if x is not None:") < model.bits("if x is not 1:")
    assert surprise(model, "total |= price\n", "total += price\n") < 0
    assert surprise(model, "x = 1\n", "x  =  1  # the same\n") == 0


def test_counts_are_kept_as_text() -> None:
    counts = count_trigrams(["a = b + c", "return 'x' if a.b else \"\"", "a[0] |= c"])
    assert read_counts(counts_text(counts)) == counts
    model = library_model()
    assert counts_text(model.threes) and model.tokens == sum(model.threes.values()) > 400_000
    assert model.after_one["return"] == model.ones["return"] > 1_000


def test_the_library_is_not_read_before_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    monkeypatch.setattr(naturalness, "parse_python", parsed.append)
    library_model.cache_clear()
    assert library_model().tokens and not parsed


def test_names_are_one_token_and_known_ones_their_own() -> None:
    assert tokens_of("prices.total(len(prices), 'a', 17)")[2:-1] == [
        "NAME", ".", "ATTR", "(", "len", "(", "NAME", ")", ",", "STR", ",", "NUM", ")",
    ]  # fmt: skip


def test_likelihoods_of_what_may_follow_sum_to_about_one() -> None:
    model = model_of(count_trigrams(["a = b + c", "return a", "a = 0"]))
    for before, last in (("<s>", "<s>"), ("<s>", "NAME"), ("never", "seen")):
        total = sum(model.likelihood(before, last, word) for word in model.ones)
        assert 0.9 < total <= 1.0 + 1e-9


def test_text_that_does_not_parse_is_read_as_it_stands() -> None:
    assert surprise(library_model(), "def f(:\n", "def f():\n    pass\n") != 0.0


def test_lines_out_of_use_are_counted_past_those_that_moved() -> None:
    before = "def f(n):\n    for i in range(n):\n        total(i)\n    return 1\n"
    after = "def f(n):\n    n = n\n    for i in range(n, 0):\n        total(i)\n    return 1\n"
    assert idle_lines(before, after, {2, 3, 4}, {2, 3, 5}) == 1
    assert idle_lines(before, before, {2, 3, 4}, {2, 3, 4}) == 0


def test_signs_decide_between_equals() -> None:
    first, second = (
        Candidate({"p.py": name}, name, "x", "p.py", line, 2.0, 3, complete=True)
        for line, name in enumerate(("one", "two"))
    )
    behaviours = build_behaviours(["0"], [["1"], ["2"]])
    for signs in (
        [Signs(idle_lines=1), Signs()],
        [Signs(surprise=0.0), Signs(surprise=-9.0)],
        [Signs(copies_expected=True), Signs()],
        [Signs(twins=1), Signs()],
        [Signs(idle_names=1), Signs()],
    ):
        ranked = build_ranking([first, second], behaviours, ["f(0)"], signs).candidates
        assert [one.summary for one in ranked] == ["two", "one"]


def test_a_call_that_another_repair_answers_must_end() -> None:
    endless, ends = build_behaviours(["!", "!"], [["!", "!RecursionError"], ["4", "!RecursionError"]])
    assert (endless.hangs, ends.hangs) == (0.5, 0.0)


def test_what_an_edit_leaves_without_a_point() -> None:
    lines = ["def f(a, b):", "    if a:", "        b += 1", "    elif b:", "        a += 1", "    return a, b", ""]
    before = "\n".join(lines)
    assert pointless_branches(before, before.replace("a += 1", "b += 1")) == 1
    assert pointless_branches(before.replace("a += 1", "b += 1"), before) == 0
    assert pointless_branches("x = a if c else b\n", "x = a if c else a\n") == 1
    assert idle_names(before, before.replace("return a, b", "return a, a")) == 0, "a condition reads it"
    assert idle_names("def f(a, b):\n    return a + b\n", "def f(a, b):\n    return a + a\n") == 1
    assert pointless_branches(before, "def f(:\n") == idle_names(before, "def f(:\n") == 0


def test_answers_that_vary_less_speak_against_a_repair() -> None:
    before = [str(n) for n in range(6)]
    same, shifted, other = build_behaviours(
        before, [["7"] * 6, [str(n + 2) for n in range(6)], [str(n * n) for n in range(6)]]
    )
    assert (same.is_constant, same.is_shift, round(same.narrowed, 2)) == (True, False, 0.83)
    assert (shifted.is_constant, shifted.is_shift, shifted.narrowed) == (False, True, 0.0)
    assert (other.is_constant, other.is_shift, other.narrowed) == (False, False, 0.0)
    few = build_behaviours(["1", "2"], [["3", "3"]])[0]
    assert not few.is_constant and not few.is_shift, "two calls say little"


def test_a_value_of_a_test_is_recognised_in_a_repair() -> None:
    expected = expected_constants({"test_p.py": "def test_1():\n    assert f(3, 'in') == [6, 'out', 1]\n"})
    assert expected == {"6", "'out'"}
    before = "def f(n, w):\n    'Gives out.'\n    return n\n"
    assert copies_expected(before, before.replace("return n", "return 6"), expected)
    assert not copies_expected(before, before.replace("return n", "return 1"), expected)
    assert not copies_expected(before, before.replace("return n", "return 'out'"), expected), "the docstring says it"
