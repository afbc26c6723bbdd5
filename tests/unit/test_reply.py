"""Reading an object out of a model's reply, and filling prompts in without parsing what is inserted."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from selfheal_tui.engine.prompts import load_prompt, render
from selfheal_tui.engine.reply import read_reply

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["code"],
    "additionalProperties": False,
    "properties": {"code": {"type": "string", "minLength": 1}},
}


def test_first_fence_wins() -> None:
    first, second = json.dumps({"code": "first"}), json.dumps({"code": "second"})
    text = f"Text with {{braces}}.\n```json\n{first}\n```\nOr:\n```json\n{second}\n```"
    assert read_reply(text, SCHEMA) == ({"code": "first"}, [])


def test_object_of_another_shape_is_skipped() -> None:
    text = json.dumps({"note": 1}) + json.dumps({"code": "x"})
    assert read_reply(text, SCHEMA) == ({"code": "x"}, [])


def test_problems_name_the_field() -> None:
    _, problems = read_reply('{"code": 3}', SCHEMA)
    assert problems and problems[0].startswith("code: ")
    assert read_reply("I would rather not.", SCHEMA) == ({}, ["the reply holds no JSON object"])


def test_raw_newlines_inside_strings_are_read() -> None:
    assert read_reply('{"code": "a\nb"}', SCHEMA)[0] == {"code": "a\nb"}


@given(st.text())
def test_any_reply_is_read_or_refused(text: str) -> None:
    value, problems = read_reply(text, SCHEMA)
    assert bool(value) != bool(problems)


@given(st.text(min_size=1))
def test_any_code_survives_the_round_trip(code: str) -> None:
    fenced = f"Here:\n```json\n{json.dumps({'code': code})}\n```"
    assert read_reply(fenced, SCHEMA) == ({"code": code}, [])


@given(st.text(), st.sampled_from(["$spec", "${program}", "{0}", "```", "%s", "$"]))
def test_inserted_text_is_never_parsed(text: str, bait: str) -> None:
    names = ("spec", "program", "tests", "report", "changes", "history", "feedback")
    prompt = load_prompt("debugger")
    filled = render(prompt, prompt.user, dict.fromkeys(names, "") | {"program": text + bait})
    assert text + bait in filled
