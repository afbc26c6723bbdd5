"""The bundled buggy programs: data in `selfheal_tui/demos/<name>/`, listed and turned into tasks here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfheal_tui.errors import InputError
from selfheal_tui.setting_values import nearest

from .source_files import is_test_name
from .task import Task

DEFAULT_DEMO = "intervals"
_FOLDER = Path(__file__).resolve().parents[2] / "demos"


@dataclass(frozen=True, slots=True)
class Demo:
    """A bundled program with a bug."""

    name: str
    title: str
    category: str
    story: str
    """What the program should do and what is seen to be wrong."""
    healable: bool
    """False when the healer that needs no model cannot find the repair."""


def list_demos() -> list[Demo]:
    """Return the bundled programs: the default first, then by name."""
    return [_demo(name) for name in _names()]


def load_demo(name: str) -> Task:
    """Return a bundled program as a task. Raises: InputError naming the nearest demo."""
    if name not in _names():
        hint = nearest(name, _names(), "`selfheal demo --list` names them all.")
        raise InputError(f"There is no demo {name!r}.", hint)
    meta = _meta(name)
    files = {
        path.relative_to(_FOLDER / name).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((_FOLDER / name).rglob("*"))
        if path.is_file() and path.name != "demo.yaml" and "__pycache__" not in path.parts
    }
    tests = tuple(path for path in files if is_test_name(Path(path)))
    program = tuple(path for path in files if path.endswith(".py") and path not in tests)
    return Task("fix", str(meta["title"]), files, program, tests, str(meta.get("spec") or ""))


def _names() -> list[str]:
    names = (path.parent.name for path in _FOLDER.glob("*/demo.yaml"))
    return sorted(names, key=lambda name: (name != DEFAULT_DEMO, name))


def _demo(name: str) -> Demo:
    meta = _meta(name)
    return Demo(
        name=name,
        title=str(meta["title"]),
        category=str(meta["category"]),
        story=" ".join(str(meta["story"]).split()),
        healable=bool(meta["healable"]),
    )


def _meta(name: str) -> dict[str, Any]:
    import yaml

    meta: dict[str, Any] = yaml.safe_load((_FOLDER / name / "demo.yaml").read_text(encoding="utf-8"))
    return meta
