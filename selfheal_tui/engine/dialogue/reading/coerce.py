"""Convert what a model wrote to the types that the schema asks for, where its meaning is clear; never invent a value.

Only what is wrong is touched, and everything touched is noted. What stays wrong is left for the validator to name.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Final

from .conversions import SURROGATE, list_of, meant_choice, number_in, object_in, plain
from .fields import (
    Schema,
    field_for,
    holds_code,
    items_of,
    kind_of,
    path_and_code,
    properties_of,
    required_of,
    word_of,
)
from .marks import CUT, Damaged, Repeated, same
from .programs import unwrap_program
from .python_text import is_python

Path = tuple[str | int, ...]

_MAX_ITEMS = 500


class _Missing:
    """Stands for a value that is not there."""


MISSING: Final = _Missing()


@dataclass(slots=True)
class Fitted:
    """A value converted to a schema, and what was changed for that."""

    value: Any = None
    changes: dict[str, set[str]] = field(default_factory=dict)
    """Kind of change -> the paths where it was made."""
    problems: dict[Path, str] = field(default_factory=dict)
    """Path -> why the value there cannot be used, although it may validate."""

    @property
    def notes(self) -> list[str]:
        """Return the changes in words: `types coerced: confidence`."""
        places = {kind: ", ".join(sorted(paths)[:4]) for kind, paths in sorted(self.changes.items())}
        return [f"{kind}: {paths}{' ...' if len(self.changes[kind]) > 4 else ''}" for kind, paths in places.items()]


def fit(value: Any, schema: Schema) -> Fitted:
    """Convert the value to the schema; the validator says afterwards whether it fits."""
    fitter = _Fitter()
    fitted_value = fitter.fit(value, schema, (), "")
    fitter.fitted.value = None if fitted_value is MISSING else fitted_value
    return fitter.fitted


def dotted(path: Path) -> str:
    """Return a path as models and humans see it: `files.0.text`."""
    return ".".join(map(str, path)) or "reply"


class _Fitter:
    def __init__(self) -> None:
        self.fitted = Fitted()

    def fit(self, value: Any, schema: Schema, path: Path, name: str) -> Any:
        """Return the value for this path; `MISSING` where there is none that can be used."""
        if isinstance(value, Repeated):
            value = self._settle(value, schema, path, name)
        kind = kind_of(name, schema)
        if isinstance(value, Damaged):
            if kind != "prose" or not value.text.strip():
                return self._refuse(path, value.why)
            self._note("cut off" if value.why == CUT else "damaged", path)
            value = value.text
        if value is None and schema.get("type") != "null" and not _allows_null(schema):
            if "default" not in schema:
                return MISSING
            self._note("default used", path)
            return deepcopy(schema["default"])
        match kind:
            case "object":
                return self._object(value, schema, path)
            case "array":
                return self._array(value, schema, path, name)
            case "choice":
                return self._choice(value, schema, path)
            case "number":
                return self._number(value, schema, path)
            case "boolean":
                return self._boolean(value, path)
            case "any":
                return plain(value)
        return self._text(value, schema, path, name)

    # --- objects and arrays ---

    def _object(self, value: Any, schema: Schema, path: Path) -> Any:
        if isinstance(value, str) and (found_inside := object_in(value, properties_of(schema))):
            self._note("types coerced", path)
            value = found_inside
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
            self._note("types coerced", path)
            value = value[0]
        fields = properties_of(schema)
        if not isinstance(value, dict) or not fields:
            return plain(value)
        fitted_fields: dict[str, Any] = {}
        for name, own_value in self._named(value, schema, path).items():
            fitted = self.fit(own_value, fields[name], (*path, name), name)
            if fitted is not MISSING:
                fitted_fields[name] = fitted
        for name in required_of(schema):
            if (
                name not in fitted_fields
                and (*path, name) not in self.fitted.problems
                and "default" in fields.get(name, {})
            ):
                # A field with a default may be left out, so this needs no note.
                fitted_fields[name] = deepcopy(fields[name]["default"])
        if schema.get("additionalProperties", True) is not False:
            fitted_fields |= {plain(k): plain(v) for k, v in value.items() if field_for(k, fields) is None}
        return {name: fitted_fields[name] for name in [*fields, *fitted_fields] if name in fitted_fields}

    def _named(self, value: Mapping[str, Any], schema: Schema, path: Path) -> dict[str, Any]:
        """Return the values by the schema's names, in the schema's order."""
        fields = properties_of(schema)
        by_name: dict[str, list[tuple[int, str, Any]]] = {}
        for key, own_value in value.items():
            name = field_for(key, fields)
            if name is not None:
                by_name.setdefault(name, []).append((_distance(key, name), key, own_value))
            elif schema.get("additionalProperties", True) is False:
                self._note("left out", (*path, key[:40]))
        chosen: dict[str, Any] = {}
        for name in fields:
            # The field's own key wins over other spellings of it, and those over words that may mean something else.
            for rank, key, own_value in sorted(by_name.get(name, []), key=lambda item: item[:2]):
                alone = path_and_code(schema) is None and kind_of(name, fields[name]) == "code"
                if name in chosen or (
                    rank == 2 and alone and not (isinstance(own_value, str) and is_python(own_value))
                ):
                    self._note("left out", (*path, key[:40]))
                    continue
                chosen[name] = own_value
                if rank:
                    self._note("keys renamed", (*path, key[:40]))
        return chosen

    def _array(self, value: Any, schema: Schema, path: Path, name: str) -> Any:
        items = items_of(schema)
        if not isinstance(value, list):
            value = list_of(value, items)
            self._note("types coerced", path)
        most = min(schema.get("maxItems", _MAX_ITEMS), _MAX_ITEMS)
        if len(value) > _MAX_ITEMS and holds_code(name, items):
            return self._refuse(path, f"has more than {_MAX_ITEMS} items")
        fitted_items: list[Any] = []
        if len(value) > 1 and value[-1] == Damaged("", CUT) and not holds_code(name, items):
            self._note("cut off", path)
            value = value[:-1]
        for index, item in enumerate(value[: _MAX_ITEMS + 1]):
            fitted = self.fit(item, items, (*path, index), name)
            if fitted is not MISSING:
                fitted_items.append(fitted)
            elif (*path, index) not in self.fitted.problems:
                self._note("left out", (*path, index))
        if len(fitted_items) > most and not holds_code(name, items):
            self._note("shortened", path)
            del fitted_items[most:]
        return fitted_items

    def _settle(self, value: Repeated, schema: Schema, path: Path, name: str) -> Any:
        if kind_of(name, schema) == "name" or holds_code(name, schema):
            return Damaged("", "is given twice, each time something else")
        self._note("given twice", path)
        return value.values[-1]

    # --- scalars ---

    def _text(self, value: Any, schema: Schema, path: Path, name: str) -> Any:
        kind = kind_of(name, schema)
        damaged = next((line for line in value if isinstance(line, Damaged)), None) if isinstance(value, list) else None
        if damaged:
            return self._refuse(path, damaged.why)
        if isinstance(value, list) and value and all(isinstance(line, str) for line in value) and kind != "name":
            ended = {line.endswith("\n") for line in value[:-1]}
            if kind == "prose" or len(ended) < 2:
                self._note("types coerced", path)
                value = ("" if ended == {True} else "\n").join(value)
        if isinstance(value, int | float) and not isinstance(value, bool) and kind == "prose":
            self._note("types coerced", path)
            value = str(value)
        if not isinstance(value, str):
            return plain(value)
        if SURROGATE.search(value):
            if kind != "prose":
                return self._refuse(path, "holds half a surrogate pair, which no file can hold")
            self._note("damaged", path)
            value = SURROGATE.sub("\ufffd", value)
        if kind == "code" and (program := unwrap_program(value)) is not None:
            self._note("unwrapped", path)
            value = program
        most = schema.get("maxLength")
        if kind == "prose" and isinstance(most, int) and len(value) > most:
            self._note("shortened", path)
            value = value[: max(0, most - 1)] + "…"[:most]
        return value

    def _choice(self, value: Any, schema: Schema, path: Path) -> Any:
        choices = schema.get("enum", [schema.get("const")])
        if isinstance(value, list) and len(value) == 1:
            self._note("types coerced", path)
            value = value[0]
        choice = next((c for c in choices if same(c, value)), MISSING)
        if choice is MISSING:
            texts = [c for c in choices if isinstance(c, str)]
            meant = meant_choice(value, texts) if isinstance(value, str) else None
            if meant is None:
                return plain(value)
            self._note("types coerced", path)
            choice = meant
        return choice

    def _number(self, value: Any, schema: Schema, path: Path) -> Any:
        number = value
        if isinstance(number, str):
            number = number_in(number, schema)
        if isinstance(number, bool) or not isinstance(number, int | float):
            return plain(value)
        if schema.get("maximum") == 1 and 10 < number <= 100:
            # 0.8, 80 and 80 % are one thing; 8 may be a tenth or a hundredth of it, so it stays wrong.
            number = number / 100
        if schema.get("type") == "integer" and isinstance(number, float) and number.is_integer():
            number = int(number)
        if not same(number, value):
            self._note("types coerced", path)
        return number

    def _boolean(self, value: Any, path: Path) -> Any:
        word = value.strip().casefold() if isinstance(value, str) else None
        if word in ("true", "yes", "false", "no"):
            self._note("types coerced", path)
            return word in ("true", "yes")
        return plain(value)

    # --- notes and refusals ---

    def _note(self, kind: str, path: Path) -> None:
        self.fitted.changes.setdefault(kind, set()).add(dotted(path))

    def _refuse(self, path: Path, why: str) -> _Missing:
        self.fitted.problems[path] = why
        return MISSING


def _distance(key: str, name: str) -> int:
    return 0 if key == name else 1 if word_of(key) == word_of(name) else 2


def _allows_null(schema: Schema) -> bool:
    kinds = schema.get("type")
    return (isinstance(kinds, list) and "null" in kinds) or None in schema.get("enum", ())
