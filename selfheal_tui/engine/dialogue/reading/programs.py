"""Find code that stands in a Markdown fence, or alone, beside or instead of the JSON that was asked for.

Only for the two shapes of schema in which it is clear where the code belongs: one code field (generator), or files of
a path and a text (repairer).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .fences import Fence, find_fences
from .fields import Schema, items_of, kind_of, needed_of, path_and_code, properties_of, required_of
from .labels import read_labels
from .python_text import has_statements, is_program, is_python
from .strings import decode_json

_PYTHON_PATH = re.compile(r"(?<![\w/.-])\.{0,2}/?[\w-]+(?:[/.][\w-]+){0,20}\.py\b")
_FENCED = re.compile(r"\s*(`{3,}|~{3,})[ \t]*[\w+-]*[ \t]*\n(.*?\n)\1\s*", re.DOTALL)
_MARKUP = re.compile(r"^[\s#*>-]+|[*\s:]+$")


def code_field(schema: Schema) -> str | None:
    """Return the one field of a schema that asks for code and nothing else."""
    names = needed_of(schema)
    if len(names) == 1 and kind_of(names[0], properties_of(schema).get(names[0], {})) == "code":
        return names[0]
    return None


def files_fields(schema: Schema) -> tuple[str, str, str] | None:
    """Return the names of the list of files, of a file's path and of its text, where the schema has them."""
    for name in required_of(schema):
        sub = properties_of(schema).get(name, {})
        if sub.get("type") == "array" and (fields := path_and_code(items_of(sub))):
            return name, *fields
    return None


def code_instead(text: str, schema: Schema) -> tuple[dict[str, Any], str] | None:
    """Make the object from a reply without JSON, and a note; None where it is not clear what belongs where.

    Of several programs the first is mostly the answer: the others show its use, or alternatives.
    """
    name, names = code_field(schema), files_fields(schema)
    programs = find_programs(text) if name or names else []
    if name:
        if programs:
            return {name: programs[0]}, "code from a fence" + (f", the first of {len(programs)}" * (len(programs) > 1))
        return ({name: text.strip("\n") + "\n"}, "code without JSON") if is_program(text) else None
    paths = _paths_beside(text) if len(programs) == 1 else []
    if names is None or len(paths) != 1:
        return None
    answer: dict[str, Any] = {names[0]: [{names[1]: paths[0], names[2]: programs[0]}]}
    others = [name for name in needed_of(schema) if name != names[0]]
    if len(others) == 1 and kind_of(others[0], properties_of(schema).get(others[0], {})) == "prose":
        answer |= read_labels(text, schema) or {others[0]: _first_words(text)}
    return answer, "code from a fence, the rest from the text"


def code_beside(value: Mapping[str, Any], text: str, schema: Schema) -> tuple[dict[str, Any], str] | None:
    """Fill the missing code of an object in from the reply's only program; return it and a note."""
    name, names = code_field(schema), files_fields(schema)
    files = value.get(names[0]) if names else None
    file = files[0] if isinstance(files, list) and len(files) == 1 and isinstance(files[0], dict) else None
    if file is None and (name is None or name in value):
        return None
    programs = find_programs(text)
    if len(programs) != 1:
        return None
    if name:
        return {**value, name: programs[0]}, "code from a fence"
    assert names is not None and file is not None
    path = file.get(names[1])
    if names[2] in file or not (isinstance(path, str) and path.endswith(".py")):
        return None
    return {**value, names[0]: [{**file, names[2]: programs[0]}]}, "code from a fence"


def cut_program(text: str, schema: Schema) -> str:
    """Return the problem of a program that stands in a fence which never ends, "" when there is none."""
    fences = find_fences(text)
    name = code_field(schema)
    return f"{name}: was cut off" if name and fences and fences[-1].may_be_python and not fences[-1].closed else ""


def find_programs(text: str) -> list[str]:
    """Return the Python in the text's fences, without usage examples that define nothing, if there is other."""
    fences = find_fences(text)
    programs: list[str] = []
    until = 0
    for index, fence in enumerate(fences):
        if fence.start < until or not fence.may_be_python or not fence.closed:
            continue
        code, until = _whole_program(text, fence, fences[index + 1 : index + 4])
        if code.strip() and is_python(code):
            programs.append(code)
    return [code for code in programs if is_program(code)] or programs


def unwrap_program(text: str) -> str | None:
    """Return the program inside a code field's text: without its fence, or with its escapes decoded once more.

    None for a text that is a program as it stands, that holds none, or that could be read in another way.
    """
    if text.lstrip().startswith(("```", "~~~")):
        fence = _FENCED.fullmatch(text)
        return fence[2] if fence and is_program(fence[2]) else None
    if "\n" in text.strip() or "\\n" not in text or has_statements(text):
        return None
    inner = decode_json(text)
    return inner if inner.count("\n") > 1 and is_program(inner) else None


def _whole_program(text: str, fence: Fence, later: Sequence[Fence]) -> tuple[str, int]:
    """Return a fence's program and its end; a docstring may hold a fence, then the program goes on after that."""
    code = fence.lines(text)
    if is_python(code):
        return code, fence.after
    for end in (offset for other in later for offset in (other.start, other.end)):
        longer = text[fence.body : end]
        if is_python(longer):
            return longer, end
    return code, fence.after


def _paths_beside(text: str) -> list[str]:
    """Return the Python files that the reply names outside its programs."""
    outside, at = [], 0
    for fence in find_fences(text):
        outside += [text[at : fence.start], fence.info]
        at = fence.after
    outside.append(text[at:])
    return list(dict.fromkeys(path for part in outside for path in _PYTHON_PATH.findall(part)))


def _first_words(text: str) -> str:
    """Return the first paragraph of prose, without its markup."""
    at = 0
    for fence in [*find_fences(text), None]:
        part = text[at : fence.start if fence else len(text)]
        for paragraph in re.split(r"\n\s*\n", part):
            if words := " ".join(_MARKUP.sub("", line) for line in paragraph.splitlines()).strip():
                return words
        at = fence.after if fence else at
    return ""
