"""Read a model's reply: text in, an object that fits a JSON Schema out, or what is wrong with the reply.

Readings are tried from the most to the least literal: the whole text as JSON, JSON in fences and prose, broken JSON,
objects in pieces, then labels and code fences. Where it is clear what was meant, values are converted to the types of
the schema; then all is validated. Three rules hold throughout:

- nothing that the schema requires is made up: a missing value is a problem, which is sent back to the model;
- code and paths are what the model wrote or nothing; only prose is kept in part. `fields` says which is which;
- no text makes it raise, and the work is linear in the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from selfheal_tui.llm.thoughts import find_reasoning
from selfheal_tui.text import one_line

from .blocks import read_blocks
from .coerce import Fitted, Path, dotted, fit
from .fields import field_for, properties_of
from .find import ReplyObject, find_objects, gather, read_whole
from .labels import read_labels
from .programs import code_beside, code_field, code_instead, cut_program
from .python_text import is_program

MAX_CHARACTERS = 2_000_000
_MAX_PROBLEMS = 3
_MAX_MESSAGE = 240
_MAX_INNER = 40
_NO_OBJECT = "the reply holds no JSON object"


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read from a reply."""

    value: dict[str, Any] | None
    """An object that fits the schema; None when nothing in the reply does."""
    problems: list[str]
    """What is wrong with the best object, as `path: what is wrong`; empty exactly when there is a value."""
    degraded: str
    """What had to be done to read it, in a few words; "" for a reply that is valid JSON and nothing else."""


def read_reply(text: str, schema: Mapping[str, Any]) -> Reading:
    """Read the object that a reply holds. Never raises, whatever the text."""
    try:
        return _Reader(schema).read(text[:MAX_CHARACTERS].lstrip("\ufeff"), len(text) > MAX_CHARACTERS)
    except RecursionError:
        return Reading(None, ["reply: is nested too deeply"], "")


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One object of the reply, converted to the schema."""

    fitted: Fitted
    notes: tuple[str, ...]
    problems: list[str]
    fields_read: int
    """How many of the schema's fields it has."""
    order: tuple[int, bool] = (0, False)
    """Smaller is better: the rank of its place in the reply, then whether anything in it had to be changed."""


class _Reader:
    def __init__(self, schema: Mapping[str, Any]) -> None:
        from jsonschema import Draft202012Validator

        self.schema = schema
        self.validator = Draft202012Validator(dict(schema))

    def read(self, text: str, cut: bool) -> Reading:
        """Try the whole text, then the answer alone, then the reasoning before it."""
        if (whole := read_whole(text)) and (readable := _best(self._attempts([whole], ()))):
            return _reading(readable)
        reasoning = find_reasoning(text)
        if reasoning and not reasoning.opened and self._stands_in_object(text, reasoning.end):
            reasoning = None
        answer = text[reasoning.answer :] if reasoning else text
        tried = self._read_part(answer, ("after reasoning",) if reasoning else ())
        if reasoning and not any(a.fields_read for a in tried):
            # In reasoning the last object is the answer, the others are drafts.
            inside = find_objects(text[reasoning.start : reasoning.end], self.schema)
            tried += self._attempts([replace(f, rank=0) for f in reversed(inside)], ("in the reasoning",))
        if readable := _best(tried):
            return _reading(readable)
        best = max(tried, key=lambda a: (a.fields_read > 0, a.fields_read - len(a.problems)), default=None)
        problems = best.problems if best and best.fields_read else [cut_program(answer, self.schema) or _NO_OBJECT]
        if cut:
            problems = [f"reply: only its first {MAX_CHARACTERS:,} characters were read", *problems]
        return Reading(None, problems[:_MAX_PROBLEMS], "")

    def _stands_in_object(self, text: str, at: int) -> bool:
        return any(f.sound and f.span[0] < at < f.span[1] for f in find_objects(text, self.schema))

    def _read_part(self, text: str, notes: tuple[str, ...]) -> list[_Attempt]:
        """Return all attempts up to the first that fits."""
        # Braces in a reply that is a program and nothing else are none of ours.
        objects = [] if code_field(self.schema) and is_program(text) else find_objects(text, self.schema)
        tried = self._attempts(objects, notes)
        if _best(tried):
            return tried
        more: list[tuple[Any, str]] = []
        if gathered := gather([f.value for f in objects if f.sound], self.schema):
            more.append((gathered, "in several pieces"))
        with_fields = [a for a in tried if a.fields_read]
        more += [filled for a in with_fields if (filled := code_beside(a.fitted.value, text, self.schema))][:1]
        if not with_fields:
            more += [(read_labels(text, self.schema), "no JSON")]
            more += [instead] if (instead := code_instead(text, self.schema)) else []
        others = [self._attempt(value, (*notes, note)) for value, note in more if value]
        if blocks := read_blocks(text, self.schema):
            tried.append(self._attempt(blocks, (*notes, "search/replace blocks")))
        # Labels that lack a field are dropped: asking for JSON helps the model more than naming the field.
        return [*tried, *(a for a in others if not a.problems or "no JSON" not in a.notes)]

    def _attempts(self, objects: list[ReplyObject], notes: tuple[str, ...]) -> list[_Attempt]:
        return [
            self._attempt(value, (*notes, *read.notes, *wrapped), read.rank, not read.sound)
            for read in objects
            for value, wrapped in self._unwrapped(read.value)
        ]

    def _unwrapped(self, value: Any) -> Iterator[tuple[Any, tuple[str, ...]]]:
        """Yield the first object that has fields of the schema: the value, one in it, or in a string of it."""
        fields = properties_of(self.schema)
        queue, index = [value], 0
        while index < min(len(queue), _MAX_INNER):
            one = queue[index]
            if isinstance(one, dict) and any(field_for(key, fields, aliases=False) for key in one):
                yield one, ("in another object",) if index else ()
                return
            if isinstance(one, dict | list):
                queue += list(one.values() if isinstance(one, dict) else one)[:_MAX_INNER]
            elif isinstance(one, str) and (one.lstrip()[:1] in ("{", "[") or "```json" in one):
                queue += [f.value for f in find_objects(one, self.schema)][:_MAX_INNER]
            index += 1
        yield value, ()

    def _attempt(self, value: Any, notes: tuple[str, ...], rank: int = 0, bent: bool = True) -> _Attempt:
        fitted = fit(value, self.schema)
        if not isinstance(fitted.value, dict):
            return _Attempt(fitted, notes, ["reply: is no object"], 0)
        fields_read = sum(name in fitted.value for name in properties_of(self.schema)) + len(fitted.problems)
        return _Attempt(fitted, notes, self._problems(fitted), fields_read, (rank, bent or bool(fitted.changes)))

    def _problems(self, fitted: Fitted) -> list[str]:
        """Return what the conversion refused, then the validator's messages about anything else."""
        messages = {path: f"{dotted(path)}: {why}" for path, why in fitted.problems.items()}
        refused = list(messages)
        for error in self.validator.iter_errors(fitted.value):
            path: Path = tuple(error.absolute_path)
            about = path
            if error.validator == "required" and isinstance(error.instance, dict):
                missing = error.message.split("'")[1] if "'" in error.message else ""
                about = (*path, missing)
            if about in refused or (path and any(own[: len(path)] == path for own in refused)):
                continue
            messages.setdefault(about, f"{dotted(path)}: {_shortened(error.message)}")
            if len(messages) > 4 * _MAX_PROBLEMS:
                break
        return [messages[path] for path in sorted(messages, key=lambda p: (p not in refused, list(map(str, p))))]


def _best(attempts: list[_Attempt]) -> _Attempt | None:
    """Return the first that fits; of those with one rank, valid JSON goes before broken JSON."""
    return min((a for a in attempts if not a.problems), key=lambda a: a.order, default=None)


def _reading(attempt: _Attempt) -> Reading:
    notes = dict.fromkeys((*attempt.notes, *attempt.fitted.notes))
    return Reading(attempt.fitted.value, [], one_line("; ".join(notes)))


def _shortened(message: str) -> str:
    """Cut the middle out of a validator's message: it holds the whole wrong value."""
    if len(message) > _MAX_MESSAGE:
        message = f"{message[:60]} ... {message[-160:]}"
    return one_line(message, _MAX_MESSAGE)
