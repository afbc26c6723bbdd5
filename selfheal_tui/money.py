"""Dollars without the dust of binary fractions: 0.07, never 0.06999999999999999."""

from __future__ import annotations

import json
from typing import Any

_PLACES = 12
"""A token of the cheapest model costs about 1e-9 dollars; sums below a thousand dollars are exact to this place."""


def round_usd(dollars: float) -> float:
    """Return dollars to a millionth of a millionth; each sum is rounded so, and no error adds up."""
    return round(dollars, _PLACES)


def json_text(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON; fields named `..._usd` are rounded, as sums of earlier versions lie on disk."""
    return json.dumps(_rounded(value), indent=indent)


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: round_usd(part) if isinstance(part, float) and str(key).endswith("_usd") else _rounded(part)
            for key, part in value.items()
        }
    return [_rounded(part) for part in value] if isinstance(value, list | tuple) else value
