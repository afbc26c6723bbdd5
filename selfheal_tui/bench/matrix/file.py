"""The file of a matrix: a suite, what holds for all its runs, and the settings that differ between them."""

from __future__ import annotations

import itertools
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfheal_tui.engine.loop.policy_fields import POLICY_FIELDS
from selfheal_tui.engine.session.options import check_setting
from selfheal_tui.errors import InputError, SettingsError
from selfheal_tui.setting_values import nearest, split_models
from selfheal_tui.settings import parse_setting, setting_type
from selfheal_tui.text import one_line

from ..suites.named import suites

SETTINGS = (
    "model",
    "prompts",
    *POLICY_FIELDS,
    *("max_iterations", "max_tokens", "max_cost_usd", "max_time_s", "max_calls"),
)
"""What an axis, a cell or `settings` may set."""
_KEYS = ("suite", "data", "tests", "limit", "seed", "ids", "tries", "jobs", "settings", "axes", "cells")
_NUMBERS = {"limit": 1, "seed": None, "tries": 1, "jobs": 1}
"""Key -> the least it may be."""
_MOST_CELLS = 200
_MOST_BYTES = 1_000_000
_LONGEST_NAME = 100
_SEE = "docs/benchmarks.md shows such a file."


@dataclass(frozen=True, slots=True)
class Cell:
    """One run of a matrix."""

    name: str
    """Also the name of its folder."""
    values: Mapping[str, Any]
    """Setting -> value, as in Settings; the rest is as it is for `selfheal bench`."""


@dataclass(frozen=True, slots=True)
class MatrixPlan:
    """A matrix as its file describes it."""

    path: Path
    suite: str
    data: Path | None
    tests: str | None
    limit: int | None
    seed: int | None
    ids: tuple[str, ...]
    tries: int | None
    jobs: int | None
    cells: tuple[Cell, ...]
    """The first is what the others are compared with."""


def read_plan(path: Path) -> MatrixPlan:
    """Read and check a matrix's file. Raises: InputError, SettingsError, each with one sentence naming the place."""
    root = _root(path)
    _known(root, _KEYS, f"in {path}")
    suite = root.get("suite")
    if not isinstance(suite, str) or not suite.strip():
        raise InputError(f"{path} names no suite.", f"Write `suite: NAME`; there is: {', '.join(suites())}, or a file.")
    data = root.get("data")
    if not isinstance(data, str | None):
        raise InputError(f"`data` must be a path ({path}).")
    base = path.absolute().parent
    if root.get("tests") not in (None, "visible", "all"):
        raise InputError(f"`tests` must be visible or all ({path}).")
    numbers = {name: _number(root, name, least, path) for name, least in _NUMBERS.items()}
    return MatrixPlan(
        path=path,
        suite=suite if suite in suites() or data else str(base / Path(suite).expanduser()),
        data=base / Path(data).expanduser() if data else None,
        tests=root.get("tests"),
        ids=_ids(root.get("ids"), path),
        cells=_cells(root, path),
        **numbers,
    )


def _root(path: Path) -> dict[Any, Any]:
    import yaml

    try:
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES).decode("utf-8")
        root = yaml.safe_load(text)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Name the YAML file of a matrix.") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise InputError(f"{path}{line} is no YAML: {one_line(str(problem or error), 120)}.", _SEE) from error
    if not isinstance(root, dict):
        raise InputError(f"{path} must hold `name: value` lines.", _SEE)
    return root


def _known(mapping: Mapping[Any, Any], names: Sequence[str], where: str) -> None:
    for name in mapping:
        if name not in names:
            raise InputError(f"There is no {one_line(str(name), 40)!r} {where}.", nearest(str(name), names))


def _number(root: Mapping[Any, Any], name: str, least: int | None, path: Path) -> int | None:
    value = root.get(name)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or (least is not None and value < least):
        words = "a whole number" if least is None else f"a whole number from {least}"
        raise InputError(f"`{name}` must be {words} ({path}).")
    return value


def _ids(value: Any, path: Path) -> tuple[str, ...]:
    words = value.split(",") if isinstance(value, str) else value or []
    if not isinstance(words, list) or not all(isinstance(word, str | int) for word in words):
        raise InputError(f"`ids` must be a list of task ids ({path}).")
    return tuple(str(word).strip() for word in words if str(word).strip())


def _cells(root: Mapping[Any, Any], path: Path) -> tuple[Cell, ...]:
    common = _mapping(root.get("settings"), "settings", path)
    shared = _values(common, "settings", path)
    axes, listed = _mapping(root.get("axes"), "axes", path), root.get("cells")
    if bool(axes) == bool(listed):
        raise InputError(f"{path} needs either `axes` or `cells`.", _SEE)
    cells = _combined(axes, path) if axes else _listed(listed, path)
    if len({cell.name.lower() for cell in cells}) < len(cells):
        names = [cell.name.lower() for cell in cells]
        twice = next(cell.name for cell in cells if names.count(cell.name.lower()) > 1)
        raise InputError(f"Two cells of {path} are named {twice}.", "Give each other values, or list them in `cells`.")
    if "replies" in {cell.name for cell in cells}:
        raise InputError(f"A cell cannot be named `replies` ({path}): that folder holds the models' replies.")
    return tuple(Cell(cell.name, {**shared, **cell.values}) for cell in cells)


def _combined(axes: Mapping[str, Any], path: Path) -> list[Cell]:
    """Return each combination of the axes' values; the first value of each makes the first cell."""
    for name, values in axes.items():
        if not isinstance(values, list) or not values:
            raise InputError(f"The axis `{one_line(str(name), 40)}` must be a list of values ({path}).")
    count = 1
    for values in axes.values():
        count *= len(values)
    if count > _MOST_CELLS:
        raise InputError(f"The axes of {path} make {count:,} combinations; at most {_MOST_CELLS} are run.")
    cells = []
    for combination in itertools.product(*axes.values()):
        raw = dict(zip(axes, combination, strict=True))
        # What is the same everywhere says nothing in a name.
        telling = {name: value for name, value in raw.items() if len(axes[name]) > 1} or raw
        cells.append(Cell(_folder_name(telling), _values(raw, "axes", path)))
    return cells


def _listed(listed: Any, path: Path) -> list[Cell]:
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise InputError(f"`cells` must be a list of cells, each with a `name` and its settings ({path}).")
    cells = []
    for number, one in enumerate(listed, 1):
        name = one.get("name")
        plain = _plain(name) if isinstance(name, str) else ""
        if not plain:
            raise InputError(f"Cell {number} of {path} needs a `name`.", "It names the cell's folder as well.")
        cells.append(Cell(plain, _values({k: v for k, v in one.items() if k != "name"}, f"cell {plain}", path)))
    return cells


def _mapping(value: Any, key: str, path: Path) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError(f"`{key}` must hold `name: value` lines ({path}).", _SEE)
    return value


def _values(raw: Mapping[str, Any], key: str, path: Path) -> dict[str, Any]:
    """Check settings; a model also says which models its roles have. Raises: InputError, SettingsError."""
    _known(raw, SETTINGS, f"setting ({key} in {path})")
    where = f"{key} in {path}"
    values: dict[str, Any] = {}
    for name, value in raw.items():
        if name == "model":
            items = value if isinstance(value, list) else [value]
            if not all(isinstance(item, str) for item in items):
                raise SettingsError(f"model must be PROVIDER:NAME, or a list with ROLE=PROVIDER:NAME too ({where}).")
            everyone, roles = split_models(items, where)
            if not everyone:
                raise SettingsError(f"model names none for all roles ({where}).", "Add one without ROLE=, as `search`.")
            values |= {"model": everyone, "role_models": roles}
        else:
            values[name] = parse_setting(name, _as_word(name, value), where, path.absolute().parent)
    for name, value in values.items():
        if value is not None:
            check_setting(name, value)
    return values


def _as_word(name: str, value: Any) -> Any:
    """Return a value as its setting takes it: YAML reads `on` and `off` as true and false."""
    if isinstance(value, bool) and {"on", "off"} <= set(typing.get_args(setting_type(name))):
        return "on" if value else "off"
    if isinstance(value, list) and setting_type(name) is str:
        return ",".join(map(str, value))
    return value


def _folder_name(raw: Mapping[str, Any]) -> str:
    return _plain(",".join(f"{name}={_short(value)}" for name, value in raw.items()))


def _short(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Mapping):
        return "+".join(f"{key}-{part}" for key, part in value.items())
    return "+".join(map(str, value)) if isinstance(value, Iterable) and not isinstance(value, str) else str(value)


def _plain(name: str) -> str:
    """Return a name that a folder can have everywhere."""
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "-_.=,+") else "-" for c in name)
    return kept[:_LONGEST_NAME].strip("-.")
