"""Reply schemas as the vendors accept them. Other keywords become words, as the caller validates anyway.

What stays is what Anthropic's and OpenAI's structured outputs and llama.cpp's grammars have in common. A large
maxLength, for example, makes llama.cpp refuse the grammar ("number of repetitions exceeds sane defaults").
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_KEPT = {"type", "enum", "const", "description", "title", "$ref", "required", "additionalProperties"}
_LIMITS = {
    "minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
}  # fmt: skip
_TYPE_NAMES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


class _TooFree(Exception):
    """A part of the schema allows keys or values that no closed schema can describe."""


def simple_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema with its limits moved into descriptions, and with the types of enums filled in."""
    return _simplify(schema, close=False)


def closed_schema(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the simple schema with every object closed; None when keys or values somewhere are free."""
    try:
        return _simplify(schema, close=True)
    except _TooFree:
        return None


def is_strict(schema: Mapping[str, Any]) -> bool:
    """Return whether a closed schema fits OpenAI's strict mode: every property required, no allOf."""
    if "allOf" in schema:
        return False
    if set(schema.get("properties", {})) != set(schema.get("required", [])):
        return False
    return all(is_strict(inner) for inner in _inner(schema))


def schema_note(schema: Mapping[str, Any]) -> str:
    """Return the words that describe the schema to a model whose server does not; empty for an empty schema."""
    if not schema:
        return ""
    text = json.dumps(schema, ensure_ascii=False)
    return f"\n\nAnswer with one JSON object and nothing else. It must fit this JSON Schema:\n{text}\n"


def _simplify(schema: Any, close: bool) -> dict[str, Any]:
    if not isinstance(schema, Mapping):  # `true`: anything
        schema = {}
    simple: dict[str, Any] = {key: value for key, value in schema.items() if key in _KEPT}
    for key in ("properties", "$defs"):
        if key in schema:
            simple[key] = {name: _simplify(inner, close) for name, inner in schema[key].items()}
    if isinstance(schema.get("additionalProperties"), Mapping):
        simple["additionalProperties"] = _simplify(schema["additionalProperties"], close)
    if "items" in schema:
        simple["items"] = _simplify(schema["items"], close)
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            simple["anyOf" if key == "oneOf" else key] = [_simplify(inner, close) for inner in schema[key]]
    limits = {key: value for key, value in schema.items() if key in _LIMITS}
    if limits.get("minItems") in (0, 1):
        simple["minItems"] = limits.pop("minItems")
    if limits:
        words = ", ".join(f"{key}: {json.dumps(value)}" for key, value in limits.items())
        simple["description"] = f"{simple.get('description', '')} ({words})".strip()
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if "type" not in simple and len(types := {_TYPE_NAMES.get(type(value), "") for value in values}) == 1:
        simple |= {"type": name} if (name := types.pop()) else {}
    if close:
        _close(simple, schema)
    return _split_types(simple) if isinstance(simple.get("type"), list) else simple


def _close(simple: dict[str, Any], schema: Mapping[str, Any]) -> None:
    """Close an object in place. Raises: _TooFree."""
    types = simple.get("type", "object" if "properties" in simple else "")
    if "object" in ([types] if isinstance(types, str) else types):
        free = schema.get("additionalProperties", False)
        if isinstance(free, Mapping) or "patternProperties" in schema or not simple.get("properties"):
            raise _TooFree
        simple |= {"type": types, "additionalProperties": False}
    elif not set(simple) & {"type", "enum", "const", "$ref", "anyOf", "allOf"}:
        raise _TooFree


def _inner(schema: Mapping[str, Any]) -> list[Any]:
    """Return the schemas directly inside a simple schema."""
    parts = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    if "items" in schema:
        parts.append(schema["items"])
    return [*parts, *(inner for key in ("anyOf", "allOf") for inner in schema.get(key, []))]


def _split_types(simple: dict[str, Any]) -> dict[str, Any]:
    """Write `type: [a, b]` as anyOf, which every vendor knows."""
    outer: dict[str, Any] = {key: simple[key] for key in ("description", "title") if key in simple}
    return {**outer, "anyOf": [_only(simple, name) for name in simple["type"]]}


def _only(simple: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the schema for one of its types, with the keywords that mean something for it."""
    meant = {
        "object": {"properties", "required", "additionalProperties", "$defs"},
        "array": {"items", "minItems"},
    }.get(name, set())
    keywords = {key: value for key, value in simple.items() if key in meant or key in ("anyOf", "allOf")}
    if "enum" in simple:
        keywords["enum"] = [value for value in simple["enum"] if _TYPE_NAMES.get(type(value)) == name]
    return {"type": name, **keywords}
