"""Read a reply of `Key: value` lines, such as YAML or a Markdown form, in place of JSON. Never code."""

from __future__ import annotations

import re
from typing import Any

from .fences import find_fences
from .fields import Schema, field_for, items_of, kind_of, properties_of
from .marks import build_object

_LABEL = re.compile(
    r"^[ \t]*+(?:[-*#>][-*#> ]{0,5})?(?:\*\*|__|`|\")?([A-Za-z][\w -]{0,40}?)(?:\*\*|__|`|\")?[ \t]*"
    r"(?:[:=：](?:\*\*|__)?[ \t]*(.*)|$)",
    re.MULTILINE,
)
_BULLET = re.compile(r"^[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]+", re.MULTILINE)


def read_labels(text: str, schema: Schema) -> dict[str, Any]:
    """Return the fields that lines of the text name; {} when there are none.

    A value goes on until the next label. Fields that ask for code are left out: their indentation would be a guess.
    """
    return _labelled(_without_programs(text), schema)


def _labelled(text: str, schema: Schema) -> dict[str, Any]:
    fields = properties_of(schema)
    labels = [(m, name) for m in _LABEL.finditer(text) if (name := field_for(m[1].strip(), fields))]
    pairs: list[tuple[str, Any]] = []
    for index, (label, name) in enumerate(labels):
        end = labels[index + 1][0].start() if index + 1 < len(labels) else len(text)
        value = (label[2] or "") + text[label.end() : end]
        kind = kind_of(name, fields[name])
        if kind == "array":
            pairs.append((name, _items(value, items_of(fields[name]))))
        elif kind not in ("code", "object", "any"):
            pairs.append((name, _unquoted(value if kind == "prose" else value.strip().partition("\n")[0])))
    return build_object(pairs)


def _items(text: str, schema: Schema) -> list[Any] | str:
    """Return the bulleted items of a list: fields of their own where they have labels, else text; `[...]` as it is."""
    if text.strip()[:1] == "[":
        return text.strip()
    parts = [part for part in _BULLET.split(text) if part.strip()]
    return [_labelled(part, schema) or _unquoted(part) for part in parts]


def _unquoted(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'`":
        return text[1:-1]
    return text.removeprefix("|").removeprefix(">").strip() if text[:2] in ("|\n", ">\n") else text


def _without_programs(text: str) -> str:
    """Take fence marks out of the text, and the whole content of fences that hold a program."""
    pieces, at = [], 0
    for fence in find_fences(text):
        pieces.append(text[at : fence.start])
        pieces.append(fence.lines(text) if fence.tag in ("yaml", "yml", "", "text", "markdown") else "")
        at = fence.after
    return "".join([*pieces, text[at:]])
