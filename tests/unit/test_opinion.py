"""What a model says a call should give: read as values, counted, said, and never taken for an answer."""

from __future__ import annotations

from typing import Any, cast

import pytest

from selfheal_tui.engine.dialogue.roles.oracle import promises
from selfheal_tui.engine.moment.opinion import build_opinion, opinion_words
from selfheal_tui.engine.moment.state import Opinion, Question, Repair
from selfheal_tui.engine.moment.unsettled import unsettled_by, unsettled_in_program, unsettled_words
from selfheal_tui.engine.task.estimate import oracle_words
from selfheal_tui.engine.workshop.trusted import taken_unseen
from selfheal_tui.ui.view.rivals import question_parts


def question(*texts: str, **more: Any) -> Question:
    answers = [{"text": text, "repairs": 1, "share": 0.5} for text in texts]
    return cast(Question, {"call": "f(1)", "answers": answers, **more})


def opinion(text: str, agree: int = 3, asked: int = 3) -> Opinion:
    return {"text": text, "agree": agree, "asked": asked, "by": "a:b"}


@pytest.mark.parametrize(
    ("replies", "text", "agree"),
    [
        (["5", "5", "5"], "5", 3),
        (["5", " `5` ", "6"], "5", 2),
        (["5", "6", "7"], "", 0),
        (["5"], "", 0),
        (["5", "5"], "5", 2),
        (["[1,2]", "[ 1, 2 ]", "?"], "[1, 2]", 2),
        (["{2, 1}", "{1, 2}", "{1,2}"], "{1, 2}", 3),
        (["!KeyError", "!KeyError", "KeyError"], "!KeyError", 2),
        (["?", "?", "?"], "", 0),
        (["f(1)", "f(1)", "x + 1"], "", 0),
        (["5.0", "5.0", "5.0"], "5", 3),
        (["True", "True", "True"], "True", 3),
        (["(1, 2)", "(1, 2)", "(1, 2)"], "(1, 2)", 3),
    ],
)
def test_more_than_half_of_all_that_were_asked_must_give_the_same_value(
    replies: list[str], text: str, agree: int
) -> None:
    built = build_opinion(question("5", "[1, 2]", "{1, 2}", "!ValueError"), replies, 3, "a:b")
    assert built == {"text": text, "agree": agree, "asked": 3, "by": "a:b"}


def test_a_value_of_the_same_type_is_taken_before_one_that_is_only_equal() -> None:
    one = build_opinion(question("True", "1", "1.0"), ["1.0", "1"], 2, "a:b")
    assert one["text"] == "", "they are two options"
    assert build_opinion(question("True", "1"), ["1.0", "1.0"], 2, "a:b")["text"] == "True", "no option is a float"


@pytest.mark.parametrize(
    "text",
    [
        "[" * 5000,
        "(" * 900 + ")" * 900,
        "9" * 6000,
        "'" + "a" * 3000 + "'",
        "__import__('os').system('true')",
        "2 ** 99",
        "\x00",
        "'\ud800",
        "!a b",
        "!",
        "!" + "a" * 3000,
        "{[]: 1}",
        "",
    ],
)
def test_what_is_no_short_plain_value_says_nothing(text: str) -> None:
    assert build_opinion(question("5"), [text] * 3, 3, "a:b")["text"] == ""


def test_a_text_with_control_sequences_is_shown_safely() -> None:
    built = build_opinion(question("5"), ["'\\x1b[2J\\u202e'"] * 3, 3, "a:b")
    assert built["agree"] == 3
    raw = build_opinion(question("5"), ["'\x1b[2J\u202e'"] * 3, 3, "a:b")
    for one in (built, raw, opinion("'\x1b[2J'")):
        words = opinion_words(one)
        assert "\x1b" not in words and "\u202e" not in words
        assert "\x1b" not in "".join(text for text, _ in question_parts(question("5", "6", opinion=one)))


def test_it_is_said_beside_the_options() -> None:
    assert opinion_words(opinion("5", 2)) == "the model says 5 (2 of 3)"
    assert opinion_words(opinion("!KeyError")) == "the model says it raises KeyError (3 of 3)"
    assert opinion_words(opinion("", 0, 1)) == "the model has no opinion (asked once)"
    between = "".join(text for text, _ in question_parts(question("5", "6", opinion=opinion("5"))))
    assert "a: 5 (1 repair) · b: 6 (1 repair).\n· the model says 5 (3 of 3); w says which is right" in between
    of_program = "".join(text for text, _ in question_parts(question("5", "6", now="5", opinion=opinion("6"))))
    assert "\n· the model says 6 (3 of 3)\nw says what is right" in of_program


def test_a_call_that_is_left_open_is_told_with_the_opinion() -> None:
    taken = cast(Repair, {"report": {"verdict": "passed"}, "answers": {"f(1)": "5"}})
    unsettled = unsettled_by(question("5", "6", opinion=opinion("6", 2)), taken)
    assert unsettled is not None
    assert unsettled_words(unsettled).endswith("now it gives 5. The model says 6 (2 of 3).")
    of_program = unsettled_in_program(question("5", "6", now="5", opinion=opinion("", 0)))
    assert of_program is not None
    assert unsettled_words(of_program).endswith("one edit away."), "no opinion is not worth a sentence here"


def repair(answer: str | None, **more: Any) -> Repair:
    report = {"verdict": "passed", "failed": 0, "errors": 0, "timeouts": 0}
    plain = {"summary": "s", "strategy": "search", "report": report, "fixes": ["t::a"], "breaks": [], "confidence": 0.4}
    answers = {} if answer is None else {"f(1)": answer}
    return cast(Repair, {**plain, "answers": answers, **more})


@pytest.mark.parametrize(
    ("said", "ranked", "label"),
    [
        (opinion("6"), [repair("5"), repair("6")], ""),
        (opinion("5"), [repair("5"), repair("6")], "1"),
        (opinion("6", 2), [repair("5"), repair("6")], "1"),
        (opinion("", 0), [repair("5"), repair("6")], "1"),
        (opinion("7"), [repair(None), repair("6")], "1"),
        (opinion("6"), [repair("!"), repair("6")], ""),
    ],
)
def test_only_a_model_that_says_so_each_time_keeps_a_repair_from_being_taken_unseen(
    said: Opinion, ranked: list[Repair], label: str
) -> None:
    assert taken_unseen(ranked, question("5", "6", opinion=said))[0] == label
    assert taken_unseen(ranked, question("5", "6"))[0] == "1"


def test_an_opinion_chooses_no_other_repair() -> None:
    marked = repair("5", marks=[{"kind": "start", "why": "It starts a count elsewhere."}])
    assert taken_unseen([marked, repair("6")], question("5", "6", opinion=opinion("6"))) == (
        "2",
        "With it every case passes, but that may be a coincidence. It starts a count elsewhere.",
    )
    label, why = taken_unseen([marked, repair("6")], question("5", "6", opinion=opinion("5")))
    assert label == ""
    assert why.endswith("elsewhere. Of f(1) the model says 5 (3 of 3); with this repair it gives 6.")


PROGRAM = {
    "shop.py": (
        '"""Prices are in cents."""\n\n\n'
        'def fee(days, rate=2):\n    """Return the fee for so many days.\n\n    Never below 0."""\n'
        "    return days + rate * SECRET\n\n\n"
        "class Cart:\n"
        '    """What is bought."""\n\n    LIMIT = 9\n\n'
        "    def __init__(self, owner): self.owner = owner + SECRET\n\n"
        '    def total(self) -> int:\n        """Return the sum."""\n        return SECRET\n\n'
        "    def other(self):\n        return SECRET\n"
    ),
    "broken.py": "def fee(",
    "far.py": "def unrelated():\n    return SECRET\n",
}


def test_a_prompt_shows_what_functions_promise_and_no_body() -> None:
    shown = promises(PROGRAM, "fee(8)")
    assert "def fee(days, rate=2):" in shown and "Never below 0." in shown and "Prices are in cents." in shown
    steps = promises(PROGRAM, "[c := Cart('a'), c.total()][-1]")
    assert "class Cart:" in steps and "def __init__(self, owner):" in steps and "Return the sum." in steps
    assert "other" not in steps and "fee" not in steps
    assert "SECRET" not in shown + steps and "unrelated" not in shown + steps
    assert promises(PROGRAM, "gone(1)") == "(nothing but their names)"


def test_how_often_a_model_will_be_asked_is_said_before() -> None:
    policy: Any = {"strategies": ["minimal"], "oracle_calls": 3}
    assert "a:b is asked 3 times" in oracle_words({"*": "search", "oracle": "a:b"}, policy)
    assert oracle_words({"*": "search"}, policy) == "" == oracle_words({"*": "a:b"}, policy)
    assert "a:b is asked 3 times" in oracle_words({"*": "a:b"}, {**policy, "strategies": ["minimal", "search"]})
    assert oracle_words({"*": "search", "oracle": "a:b"}, {**policy, "oracle_calls": 0}) == ""
