"""What a field of a schema holds, and which keys mean it: this decides how freely its value may be converted.

*Prose* may be shortened or patched; *code* and *names* (paths) must be what the model wrote, or nothing. JSON Schema
does not tell them apart, so the prompts do: a string with a `maxLength` is prose, one without is exact, and so is what
is called `code`, `text`, `tests` or `source`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

Schema = Mapping[str, Any]
Kind = Literal["prose", "code", "name", "choice", "number", "boolean", "array", "object", "any"]

_NAMES = frozenset({"path", "file", "filename", "name", "id"})
_CODE = frozenset({"code", "text", "tests", "source"})
_NOT_WORD = re.compile(r"[\W_]+")
# What models call these fields instead; a diff or patch is on no list: it is not the whole text.
_ALIASES: Mapping[str, tuple[str, ...]] = {
    "path": ("file", "filename", "filepath"),
    "file": ("path", "filename", "filepath"),
    "name": ("function", "functionname", "qualifiedname"),
    "text": ("content", "contents", "code", "source", "filecontent", "filecontents", "newcontent"),
    "code": ("solution", "program", "source", "sourcecode", "pythoncode", "text", "content"),
    "tests": ("testcode", "testsuite", "test", "code"),
    "files": ("changedfiles", "changes"),
    "edits": ("edit", "changes", "replacements"),
    "find": ("search", "old", "oldtext", "oldstring", "oldstr", "oldlines", "original", "before"),
    "replace": ("put", "replacement", "new", "newtext", "newstring", "newstr", "newlines", "updated", "after"),
    "summary": ("explanation", "description"),
    "fault": ("faulttype",),
    "category": ("bugcategory", "faultcategory"),
    "cause": ("rootcause", "reason", "explanation"),
    "strategy": ("fix", "suggestedfix", "fixstrategy", "repairstrategy", "plan"),
    "confidence": ("confidencescore", "certainty"),
    "line": ("linenumber", "lineno"),
    "why": ("reason", "explanation", "note", "description"),
}


def kind_of(name: str, schema: Schema) -> Kind:
    """Return what the field `name` with this schema holds."""
    if "enum" in schema or "const" in schema:
        return "choice"
    kinds = schema.get("type")
    if isinstance(kinds, list):
        kinds = next((k for k in kinds if k != "null"), None) if len(set(kinds) - {"null"}) == 1 else None
    match kinds:
        case "string":
            if name in _CODE:
                return "code"
            if "maxLength" in schema:
                return "prose"
            return "name" if name in _NAMES or "pattern" in schema or "format" in schema else "code"
        case "number" | "integer":
            return "number"
        case "boolean":
            return "boolean"
        case "array":
            return "array"
        case "object":
            return "object"
    return "object" if "properties" in schema else "any"


def properties_of(schema: Schema) -> Mapping[str, Schema]:
    """Return an object schema's fields, {} for any other schema."""
    properties = schema.get("properties")
    return {k: v for k, v in properties.items() if isinstance(v, Mapping)} if isinstance(properties, Mapping) else {}


def items_of(schema: Schema) -> Schema:
    """Return the schema of an array's items, {} where there is none."""
    items = schema.get("items")
    return items if isinstance(items, Mapping) else {}


def all_fields(schema: Schema) -> Mapping[str, Schema]:
    """Return the fields of an object and of all objects in it."""
    own = properties_of(schema)
    inner = [all_fields(sub) for sub in (*own.values(), items_of(schema)) if sub]
    return {name: sub for fields in (*inner, own) for name, sub in fields.items()}


def required_of(schema: Schema) -> list[str]:
    """Return the names an object must have."""
    return [name for name in schema.get("required", ()) if isinstance(name, str)]


def needed_of(schema: Schema) -> list[str]:
    """Return the required names that have no default: a reply without them says nothing."""
    properties = properties_of(schema)
    return [name for name in required_of(schema) if "default" not in properties.get(name, {})]


def holds_code(name: str, schema: Schema) -> bool:
    """Say whether the field, or any below it, is code."""
    fields = [*properties_of(schema).items(), (name, items_of(schema))]
    return kind_of(name, schema) == "code" or any(holds_code(n, s) for n, s in fields if s)


def path_and_code(schema: Schema) -> tuple[str, str] | None:
    """Return the names of the two fields of an object that is a file: where it is and what it holds."""
    kinds = {kind_of(name, sub): name for name, sub in properties_of(schema).items()}
    if len(properties_of(schema)) == 2 and set(kinds) == {"name", "code"}:
        return kinds["name"], kinds["code"]
    return None


def word_of(key: str) -> str:
    """Return what `Root Cause`, `rootCause` and `root_cause` have in common."""
    return _NOT_WORD.sub("", key[:100]).casefold()


def field_for(key: str, fields: Mapping[str, object], aliases: bool = True) -> str | None:
    """Return the field that a reply's key means: itself, else the same words, else a known alias."""
    if key in fields:
        return key
    word = word_of(key)
    return _names_by_word(tuple(fields), aliases).get(word) if word else None


@lru_cache(64)
def _names_by_word(names: tuple[str, ...], aliases: bool) -> Mapping[str, str]:
    by_alias = {alias: name for name in reversed(names) for alias in _ALIASES.get(name, ()) if aliases}
    return by_alias | {word_of(name): name for name in reversed(names)}
