"""Heat map: each task, and each of its tries, as a square that says how it ended. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ..figures.kinds import WORDS, kind_of
from ..figures.metrics import TaskResult
from ..figures.task_names import shared_beginning
from .draw import label, line, short, short_time, svg, text
from .squares import cell

_WIDTH = 960
_ROW, _SIZE = 19, 15
_CHAR = 6.6
"""Width of a character of a name, about."""
_MOST_NAME = 28
_GAP = 22


def heat(results: Sequence[TaskResult]) -> str:
    """Return the map: a row for each task, in columns one beside the other, as a newspaper has them."""
    rows: dict[str, dict[int, TaskResult]] = {}
    for result in results:
        number = result.get("attempt", 1)
        rows.setdefault(result["id"].removesuffix(f"#{number}"), {})[number] = result
    tries = max((max(row) for row in rows.values()), default=1)
    shared = shared_beginning(list(rows))
    name_width = 8 + _CHAR * min(_MOST_NAME, max((len(name) - len(shared) for name in rows), default=1))
    block = name_width + tries * (_SIZE + 3)
    columns = max(1, min(int((_WIDTH + _GAP) // (block + _GAP)), -(-len(rows) // 4)))
    lines = -(-len(rows) // columns)
    head = 16 if tries > 1 else 0
    parts = []
    for column in range(columns if tries > 1 else 0):
        left = column * (block + _GAP) + name_width
        parts += [
            label(left + n * (_SIZE + 3) + _SIZE / 2, 10, str(n + 1), "tick", "middle")
            for n in range(tries)
            if tries <= 10 or (n + 1) % 5 == 0
        ]
    for place, (name, row) in enumerate(rows.items()):
        column, depth = divmod(place, lines)
        x, y = column * (block + _GAP), head + depth * _ROW
        parts.append(label(x + name_width - 6, y + 12, short(name[len(shared) :], _MOST_NAME), "task", "end"))
        for number in range(1, tries + 1):
            left = x + name_width + (number - 1) * (_SIZE + 3)
            if number not in row:
                parts.append(line(left + 5, y + _SIZE / 2, left + _SIZE - 5, y + _SIZE / 2, "grid"))
                continue
            kind = kind_of(row[number])
            about = f"{short(name, 120)}{f', try {number}' if tries > 1 else ''}: {WORDS[kind]}, " + (
                f"{text(short_time(row[number]['time_s']))}"
            )
            parts.append(cell(left, y, _SIZE, kind, about))
    about = f"How each of {len(rows)} tasks ended" + (f", in each of {tries} tries" if tries > 1 else "")
    return svg(about, parts, columns * (block + _GAP) - _GAP + 1, head + lines * _ROW, sized=True)
