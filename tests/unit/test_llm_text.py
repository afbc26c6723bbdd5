"""Small readers of what models and servers write: thoughts, output limits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfheal_tui.llm.output_room import output_limit, room_in_context
from selfheal_tui.llm.thoughts import ThoughtFilter, find_reasoning
from selfheal_tui.llm.time_limits import duration


def _filtered(pieces: list[str], prompt: str = "") -> str:
    thoughts = ThoughtFilter(prompt)
    return "".join([*(thoughts.feed(piece) for piece in pieces), thoughts.finish()])


@given(st.data(), st.text(alphabet="<>/think \n{}ab", max_size=40), st.text(alphabet="<>/think \n{}ab", max_size=40))
def test_cuts_do_not_matter(data: st.DataObject, thought: str, reply: str) -> None:
    channels = f"<|channel|>analysis<|message|>{thought}<|channel|>final <|message|>{reply}"
    tagged = [f"<think>{thought}</think>{reply}", f" \n<thinking>{thought}</thinking>{reply}"]
    text = data.draw(st.sampled_from([*tagged, channels, reply]))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert _filtered(pieces) == _filtered([text])
    reasoning = find_reasoning(text)
    if reasoning and reasoning.opened:
        assert _filtered([text]) == text[reasoning.answer :].lstrip(), "both find the same answer"


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("plain", "plain"),
        ("<think>x</think>\n\n{}", "{}"),
        ("<thinking></thinking>{}", "{}"),
        ('{"a": "<think>x</think>"}', '{"a": "<think>x</think>"}'),
        ("<think>never closed", ""),
        ("<thi", "<thi"),
        ("<think>a</think><think>b</think>", "<think>b</think>"),
        ("  <b>", "  <b>"),
        ("[THINK]x[/THINK] {}", "{}"),
        ("<Analysis>x</analysis>{}", "{}"),
        ("<|channel|>analysis<|message|>x<|channel|>final <|message|>{}", "{}"),
        ("<|start|>assistant<|channel|>analysis<|message|>x<|channel|>final<|mess", "<|mess"),
        ("<|start|>assistant{}", "<|start|>assistant{}"),
        ("", ""),
    ],
)
def test_only_a_leading_thought_is_taken_out(text: str, reply: str) -> None:
    assert _filtered([text]) == reply


@pytest.mark.parametrize("opener", ["<think>\n", "<|start|>assistant<|channel|>analysis", "[THINK]"])
def test_a_prompt_may_have_opened_the_thought(opener: str) -> None:
    assert _filtered(["hm</thi", "nk>{}"], f"user: f\n{opener}") == "{}"
    assert _filtered(["hm</thi", "nk>{}"], "user: f\n") == "hm</think>{}"


@pytest.mark.parametrize(
    ("said", "limit"),
    [
        (
            "max_tokens: 16384 > 8192, the maximum allowed number of output tokens for claude-3-5-haiku-20241022",
            8192,
        ),
        ("Range of max_tokens should be [1, 8192]", 8192),
        ("max_tokens is too large: 16384. This model supports at most 4,096 completion tokens.", 4096),
        ("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'.", None),
        ("max_tokens must be less than 100", None),
    ],
)
def test_output_limit_is_read(said: str, limit: int | None) -> None:
    assert output_limit(said, 16384) == limit


@pytest.mark.parametrize(
    ("said", "room"),
    [
        ("input length and `max_tokens` exceed context limit: 190000 + 16384 > 200000, decrease", 10000),
        ("maximum context length is 8192 tokens and your request has 3000 input tokens (16384 > 8192 - 3000).", 5192),
        (
            "maximum context length is 8192 tokens. You requested 24384 tokens (8000 in the messages, 16384 in",
            None,
        ),
        ("prompt is too long: 208310 tokens > 200000 maximum", None),
    ],
)
def test_room_in_the_context_is_read(said: str, room: int | None) -> None:
    assert room_in_context(said, 16384) == room


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "1 second"),
        (61, "61 seconds"),
        (120.5, "3 minutes"),
        (300, "5 minutes"),
        (7200, "120 minutes"),
        (7300, "3 hours"),
    ],
)
def test_durations_are_rounded_up(seconds: float, words: str) -> None:
    assert duration(seconds) == words
