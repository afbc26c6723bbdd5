"""Schemas as vendors accept them: closed, without limits, and nothing lost that a model should know."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from selfheal_tui.engine.dialogue.prompts import load_prompt, prompt_dirs
from selfheal_tui.llm.schemas import closed_schema, is_strict, schema_note, simple_schema

_NOT_ACCEPTED = ("minLength", "maxLength", "minimum", "maximum", "maxItems", "pattern", "oneOf", "patternProperties")


@pytest.mark.parametrize("role", sorted(path.stem for path in prompt_dirs(None)[0].glob("*.yaml")))
def test_every_prompts_schema_goes_out_strict(role: str) -> None:
    prompt = load_prompt(role)
    for schema in (prompt.schema, *([prompt.actions.schema] if prompt.actions else [])):
        closed = closed_schema(schema)
        assert closed is not None and is_strict(closed)
        _check(closed)


def test_limits_become_words_and_enums_get_a_type() -> None:
    schema = {
        "type": "object",
        "required": ["kind", "n"],
        "properties": {
            "kind": {"enum": ["a", "b"]},
            "n": {"type": ["integer", "null"], "minimum": 1, "description": "how many"},
            "list": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"oneOf": [{"type": "string"}]}},
        },
    }
    assert closed_schema(schema) == {
        "type": "object",
        "required": ["kind", "n"],
        "properties": {
            "kind": {"enum": ["a", "b"], "type": "string"},
            "n": {"description": "how many (minimum: 1)", "anyOf": [{"type": "integer"}, {"type": "null"}]},
            "list": {
                "type": "array",
                "items": {"anyOf": [{"type": "string"}]},
                "minItems": 1,
                "description": "(maxItems: 3)",
            },
        },
        "additionalProperties": False,
    }
    assert not is_strict(closed_schema(schema) or {}), "`list` is not required"


@pytest.mark.parametrize(
    "free",
    [
        {"type": "object"},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "object", "properties": {"a": {"type": "string"}}, "patternProperties": {"^x": {}}},
        {},
        True,
    ],
)
def test_free_keys_and_values_cannot_be_closed(free: Any) -> None:
    assert closed_schema({"type": "object", "properties": {"x": free}}) is None
    simple_schema({"type": "object", "properties": {"x": free}})


def test_empty_schema_needs_no_words() -> None:
    assert schema_note({}) == ""
    assert '{"type": "string"}' in schema_note({"type": "string"})


_leaves = st.fixed_dictionaries(
    {"type": st.sampled_from(["string", "integer", "number", "boolean", "null"])},
    optional={"minLength": st.integers(0, 9), "maximum": st.integers(), "description": st.text(max_size=5)},
)
_schemas = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        st.builds(lambda i: {"type": "array", "items": i, "maxItems": 3}, inner),
        st.builds(
            lambda p: {"type": "object", "properties": p}, st.dictionaries(st.text(max_size=3), inner, max_size=3)
        ),
        st.builds(lambda o: {"anyOf": o}, st.lists(inner, min_size=1, max_size=3)),
    ),
    max_leaves=8,
)


@given(_schemas)
def test_any_schema_becomes_acceptable_and_stays_a_schema(schema: dict[str, Any]) -> None:
    before = json.dumps(schema)
    closed = closed_schema(schema)
    if closed is not None:
        _check(closed)
        Draft202012Validator.check_schema(closed)
    Draft202012Validator.check_schema(simple_schema(schema))
    assert json.dumps(schema) == before, "the caller's schema is left alone"


def _check(schema: Any) -> None:
    if isinstance(schema, dict):
        assert not set(schema) & set(_NOT_ACCEPTED)
        assert schema.get("type") != "object" or schema["additionalProperties"] is False
        for key, inner in schema.items():
            for one in inner.values() if key == "properties" else inner if isinstance(inner, list) else [inner]:
                _check(one)
