"""What `inspect` and `dataclasses` read of functions and classes of the program, made here of what the program says."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

from .notes import Asks

_KINDS = tuple(inspect._ParameterKind)


def signature(split: Asks, function: object) -> inspect.Signature:
    """Return the signature of a function or class of the program. Raises: ValueError, TypeError, ProgramFault."""
    reply = split.ask("signature", [function])
    try:
        parameters, result = reply
        return inspect.Signature(
            [
                inspect.Parameter(name, _KINDS[kind], default=_unpacked(default), annotation=_unpacked(annotation))
                for name, kind, default, annotation in parameters
            ],
            return_annotation=_unpacked(result),
        )
    except (TypeError, ValueError, LookupError):
        raise split.notes.fault("the program gave a signature that is none") from None


def fields(split: Asks, owner: object) -> dict[str, Any]:
    """Return the fields of a dataclass of the program. Raises: AttributeError when it is none, ProgramFault."""
    try:
        reply = split.ask("fields", [owner])
    except TypeError:
        raise AttributeError("__dataclass_fields__") from None
    try:
        return {name: _field(name, kind, default, switches) for name, kind, default, switches in reply}
    except (TypeError, ValueError, LookupError):
        raise split.notes.fault("the program gave fields that are none") from None


def _unpacked(optional: list[Any]) -> Any:
    """Return what is in a list of one; an empty list stands for nothing."""
    return optional[0] if optional else inspect.Signature.empty


def _field(name: str, kind: object, default: list[Any], switches: dict[str, Any]) -> Any:
    field: Any = dataclasses.field(default=default[0] if default else dataclasses.MISSING, **switches)
    field.name, field.type, field._field_type = name, kind, dataclasses._FIELD  # type: ignore[attr-defined]
    return field
