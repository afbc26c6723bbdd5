"""The fields of a run's policy that settings and forks may set: how each is checked."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any, cast, get_args

from selfheal_tui.errors import SettingsError
from selfheal_tui.extensions import disabled_words
from selfheal_tui.setting_values import nearest, parse_effort
from selfheal_tui.text import one_line

from ..moment.state import STRATEGIES, RepairFormat, RunPolicy, default_policy
from .advisors import ADVISORS
from .own_advisors import own_names, plugged_names

POLICY_FIELDS = tuple(default_policy())
_MOST_STEPS = 20
_MOST_ORACLE_CALLS = 9


def build_policy(values: Mapping[str, Any]) -> RunPolicy:
    """Return the default policy with what is given in its place. Raises: SettingsError."""
    return cast(RunPolicy, {**default_policy(), **{name: policy_value(name, value) for name, value in values.items()}})


def policy_value(name: str, value: Any) -> Any:
    """Check and convert one field; text is accepted for every type. Raises: SettingsError."""
    match name:
        case "strategies":
            names = _checked(name, _names(value), STRATEGIES)
            if not names:
                raise SettingsError("At least one strategy is needed.", f"There are: {', '.join(STRATEGIES)}.")
            return names
        case "advisors":
            names = _names(value)
            known = (*ADVISORS, *plugged_names())
            for off in (disabled_words("advisor", own) for own in own_names(names) if own not in known):
                if off is not None:
                    raise SettingsError(*off)
            return _checked(name, names, known)
        case "min_confidence":
            return _number(name, value, 1.0)
        case "near_miss_s":
            return _number(name, value, math.inf)
        case "debug_steps":
            return int(_number(name, value, _MOST_STEPS, whole=True))
        case "oracle_calls":
            return int(_number(name, value, _MOST_ORACLE_CALLS, whole=True))
        case "adversary" | "critic":
            return _word(name, {True: "on", False: "off"}.get(value, value) if isinstance(value, bool) else value)
        case "effort":
            return parse_effort(value, "effort")
        case "repair_format":
            return _word(name, value, {word: word for word in ("auto", *get_args(RepairFormat))})
        case "lessons":
            return _word(name, value, {"on": True, "true": True, "off": False, "false": False})
    raise SettingsError(f"There is no policy {name!r}.", f"There are: {', '.join(POLICY_FIELDS)}.")


def _names(value: Any) -> list[str]:
    words = value if isinstance(value, list | tuple) else str(value).split(",")
    return list(dict.fromkeys(str(name).strip() for name in words if str(name).strip()))


def _checked(field: str, names: list[str], choices: Collection[str]) -> list[str]:
    for name in names:
        if name not in choices:
            hint = f"{nearest(name, choices, '', repr)} There are: {', '.join(choices)}.".lstrip()
            raise SettingsError(f"{field} cannot hold {one_line(name, 40)!r}.", hint)
    return names


def _number(name: str, value: Any, most: float, whole: bool = False) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, bool) or not 0 <= number <= most or number == math.inf or (whole and number != int(number)):
        above = "" if most == math.inf else f" to {most:g}"
        raise SettingsError(f"{name} cannot be {value!r}.", f"Give a {'whole ' * whole}number from 0{above}.")
    return number


def _word(name: str, value: Any, choices: Mapping[str, Any] | None = None) -> Any:
    words = choices or {"auto": "auto", "on": "on", "off": "off"}
    if isinstance(value, bool) and choices:
        return value
    if str(value).lower() not in words:
        raise SettingsError(f"{name} cannot be {value!r}.", f"Give one of {', '.join(words)}.")
    return words[str(value).lower()]
