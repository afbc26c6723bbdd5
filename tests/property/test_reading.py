"""Whatever a model writes: reading never raises, gives a value that fits or a problem, and never other code."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from selfheal_tui.engine.dialogue.prompts import load_prompt
from selfheal_tui.engine.dialogue.reading import Reading, read_reply
from tests.benchmarks.breaks import BREAKS, ROLES, edited, samples
from tests.benchmarks.replies import broken, outcome
from tests.examples import examples

SCHEMAS = {role: load_prompt(role).schema for role in ROLES}
VALIDATORS = {role: Draft202012Validator(dict(schema)) for role, schema in SCHEMAS.items()}
steady = settings(derandomize=True, deadline=None, max_examples=examples(150))
roles = st.sampled_from(ROLES)
_keys = st.sampled_from([*{k for s in SCHEMAS.values() for k in s["properties"]}, "path", "text", "line"]) | st.text()
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_keys, inner, max_size=5),
    max_leaves=20,
)


def check(role: str, text: str) -> Reading:
    reading = read_reply(text, SCHEMAS[role])
    assert (reading.value is None) == bool(reading.problems)
    if reading.value is not None:
        VALIDATORS[role].validate(reading.value)
        json.dumps(reading.value, ensure_ascii=False, allow_nan=False).encode()
    return reading


def test_broken_in_every_known_way() -> None:
    """No kind of break makes the reader take code, a path, a number or a choice that the model did not write."""
    seen = set()
    for kind, sample, text in broken(5, seed=3, own=True):
        seen.add(kind)
        reading = check(sample.role, text)
        assert outcome(sample.value, reading) != "wrong", (kind, text, reading)
    assert seen == set(BREAKS)


def test_edited_at_random() -> None:
    random = Random(5)
    texts = [(sample.role, text) for _, sample, text in broken(4, seed=5, own=True)]
    for _ in range(2000):
        role, text = random.choice(texts)
        check(role, edited(text, random))


def test_cut_anywhere() -> None:
    """A reply that was cut is the whole object, lacks prose or evidence only, or is refused."""
    for sample in samples(4, Random(7), own=True):
        text = json.dumps(sample.value)
        for end in range(len(text)):
            reading = check(sample.role, text[:end])
            inside_the_list = text[:end].endswith('"}')
            assert outcome(sample.value, reading) != "wrong" or inside_the_list, text[:end]


@steady
@given(roles, st.text() | st.text("{}[]\"'`,:\\\n codetxfils01#/<>", max_size=80))
def test_any_text(role: str, text: str) -> None:
    check(role, text)


@steady
@given(roles, st.lists(json_values, min_size=1, max_size=4))
def test_any_json(role: str, values: list[Any]) -> None:
    check(role, json.dumps(values[0]))
    check(role, repr(values[0]))
    check(role, "\n".join(map(json.dumps, values)))


@steady
@given(
    st.text(min_size=1),
    st.booleans(),
    st.sampled_from(["{}", "So:\n{}\nBye.", "```json\n{}\n```", "<think>a</think>{}"]),
)
def test_code_in_sound_json_is_byte_exact(code: str, ascii_only: bool, around: str) -> None:
    text = json.dumps({"code": code}, ensure_ascii=ascii_only)
    assert read_reply(around.replace("{}", text), SCHEMAS["generator"]).value == {"thought": "", "code": code}


@steady
@given(st.text(min_size=1), st.text(max_size=500))
def test_code_in_a_python_literal_is_exact(code: str, summary: str) -> None:
    value = {"summary": summary or "s", "files": [{"path": "notes.txt", "text": code}]}
    assert read_reply(repr(value), SCHEMAS["repairer"]).value == value


@settings(steady, max_examples=examples(30))
@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_matter(seed: int, random: Random) -> None:
    sample = samples(4, Random(seed), own=True)[seed % 4]
    noisy = {**sample.value, "Extra": 1, "CODE": "x = 1\n", "why": "a", "Fault": "test"}
    shuffled = dict(random.sample([*noisy.items()], len(noisy)))
    assert read_reply(json.dumps(shuffled), sample.schema) == read_reply(json.dumps(noisy), sample.schema)
