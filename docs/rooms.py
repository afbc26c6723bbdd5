"""Draw docs/pictures/rooms.svg: which package imports which, read from the code: `python docs/rooms.py`.

There is one drawing for each `layers` contract in pyproject.toml, with its boxes in the contract's order. An arrow says
that some file of one box imports a file of another. Arrows down are on the right. An arrow up would break the contract:
it would be red, on the left. What a contract ignores is not drawn. The same code always gives the same picture.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grimp

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "pictures" / "rooms.svg"
_PACKAGE = "selfheal_tui"
_GROUND = "settings, trust, errors ..."
"""The box for the files that lie directly in the package: everything may use them."""
_OF_GROUND = ("extensions",)
"""Folders that belong to it: they are used by its files."""
_BOX_WIDTH, _BOX_HEIGHT, _STEP, _MARGIN, _TOP = 240, 34, 62, 24, 70
_ARC_STEP = 15
"""How much further right an arrow swings for each box that it passes."""
_COLOURS = ("#1b6ca8", "#b35900", "#2e7d32", "#8e24aa", "#00838f", "#ad1457", "#5d4037", "#455a64", "#6a7a00")
_RED = "#d50000"


@dataclass(frozen=True, slots=True)
class Floor:
    """One drawing: boxes from the top down, and the arrows between them."""

    title: str
    rooms: tuple[str, ...]
    arrows: tuple[tuple[str, str], ...]
    """(imports, is imported), each pair once."""

    def upward(self) -> list[tuple[str, str]]:
        """Return the arrows from a lower box to a higher one."""
        place = {room: number for number, room in enumerate(self.rooms)}
        return [(a, b) for a, b in self.arrows if place[a] > place[b]]


def floors() -> list[Floor]:
    """Read the contracts and the imports; one Floor for each container of each `layers` contract."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    typing_too = not config.get("exclude_type_checking_imports", False)
    graph = grimp.build_graph(_PACKAGE, exclude_type_checking_imports=not typing_too, cache_dir=None)
    pairs = [(a, b) for a in sorted(graph.modules) for b in sorted(graph.find_modules_directly_imported_by(a))]
    layered = [contract for contract in config["contracts"] if contract["type"] == "layers"]
    return [_floor(contract, container, pairs) for contract in layered for container in _containers(contract)]


def _containers(contract: dict[str, Any]) -> list[str]:
    return list(contract.get("containers", [""]))


def _floor(contract: dict[str, Any], container: str, pairs: list[tuple[str, str]]) -> Floor:
    prefix = f"{container or _PACKAGE}."
    named = [name.strip(" ()") for layer in contract["layers"] for name in re.split(r"[|:]", layer)]
    names = [name if container else name.removeprefix(prefix) for name in named]
    rooms = [name for name in names if container or ((ROOT / _PACKAGE / name).is_dir() and name not in _OF_GROUND)]
    ground = [] if container else [_GROUND]

    def room_of(module: str) -> str:
        first = module.removeprefix(prefix).partition(".")[0]
        if not module.startswith(prefix) or first == "__main__":
            return ""
        return first if first in rooms else _GROUND if ground else ""

    ignored = [_pattern(text) for text in contract.get("ignore_imports", ())]
    counted = [(a, b) for a, b in pairs if not any(pattern.fullmatch(f"{a} -> {b}") for pattern in ignored)]
    arrows = {(room_of(a), room_of(b)) for a, b in counted}
    drawn = sorted((a, b) for a, b in arrows if a and b and a != b)
    return Floor(container.replace(".", "/") or _PACKAGE, (*rooms, *ground), tuple(drawn))


def _pattern(ignored: str) -> re.Pattern[str]:
    """Return a contract's `importer -> imported` as a pattern: `*` is one part of a name, `**` one or more."""
    return re.compile(re.escape(ignored).replace(r"\*\*", r"\w+(\.\w+)*").replace(r"\*", r"\w+").replace(r"\ ", " +"))


def draw(drawings: list[Floor]) -> str:
    """Return the drawings side by side as one SVG text."""
    parts: list[str] = []
    left, height = _MARGIN, 0
    for floor in drawings:
        swing = _ARC_STEP * len(floor.rooms) + 40
        parts.append(_drawing(floor, left + (swing if floor.upward() else 0)))
        left += _BOX_WIDTH + swing * (2 if floor.upward() else 1) + _MARGIN
        height = max(height, _TOP + _STEP * len(floor.rooms) + _MARGIN)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left} {height}" width="{left}" height="{height}" '
        'font-family="DejaVu Sans Mono, monospace" font-size="13">\n'
        f'<rect width="{left}" height="{height}" fill="#ffffff"/>\n'
    )
    return head + "".join(parts) + "</svg>\n"


def _drawing(floor: Floor, left: int) -> str:
    top = {room: _TOP + _STEP * number for number, room in enumerate(floor.rooms)}
    lines = [f'<text x="{left}" y="{_TOP - 30}" font-size="16" font-weight="bold">{floor.title}</text>']
    for importer, imported in floor.arrows:
        lines.append(_arrow(floor, importer, imported, top, left))
    for room in floor.rooms:
        lines.append(
            f'<rect x="{left}" y="{top[room]}" width="{_BOX_WIDTH}" height="{_BOX_HEIGHT}" rx="5" fill="#f5f7fa" '
            f'stroke="{_colour(floor, room)}" stroke-width="2"/>'
            f'<text x="{left + _BOX_WIDTH // 2}" y="{top[room] + 22}" text-anchor="middle">{room}</text>'
        )
    return "\n".join(lines) + "\n"


def _arrow(floor: Floor, importer: str, imported: str, top: dict[str, int], left: int) -> str:
    """Leave a box in its lower half and enter one in its upper half, so that the two do not meet."""
    distance = abs(floor.rooms.index(imported) - floor.rooms.index(importer))
    up = (importer, imported) in floor.upward()
    colour = _RED if up else _colour(floor, importer)
    x, way = (left, -1) if up else (left + _BOX_WIDTH, 1)
    begin = top[importer] + _BOX_HEIGHT // 2 + 3 + min(distance, 10)
    end = top[imported] + _BOX_HEIGHT // 2 - 2 - min(distance, 10)
    far = x + way * (20 + _ARC_STEP * distance * 4 // 3)
    return (
        f'<path d="M{x} {begin} C{far} {begin} {far} {end} {x + way * 7} {end}" fill="none" stroke="{colour}" '
        f'stroke-width="{2 if up else 1}"/>'
        f'<path d="M{x} {end} l{way * 8} -4 v8 z" fill="{colour}"/>'
    )


def _colour(floor: Floor, room: str) -> str:
    return _COLOURS[floor.rooms.index(room) % len(_COLOURS)]


def main() -> None:
    """Write the picture, and name every arrow up."""
    drawings = floors()
    PICTURE.write_text(draw(drawings), "utf-8")
    print(PICTURE.relative_to(ROOT))
    for floor in drawings:
        for importer, imported in floor.upward():
            print(f"an arrow up in {floor.title}: {importer} imports {imported}")


if __name__ == "__main__":
    main()
