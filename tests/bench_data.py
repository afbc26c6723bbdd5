"""A handful of small records in the data format of `selfheal bench`, written for its tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def record(name: str, **changes: Any) -> dict[str, Any]:
    """Return a record; `changes` replace its fields."""
    return {
        "id": f"Own/{name}",
        "entry_point": name,
        "prompt": f"def {name}(...): ...",
        "bug_type": "operator",
        "model": "model-a",
        "plus_tests": None,
        **changes,
    }


def records() -> list[dict[str, Any]]:
    """Return the records: one healed, one healed wrongly, one beyond the search, and what cannot be tried."""
    return [
        record(
            "total",
            buggy_code="def total(a, b):\n    return a - b\n",
            reference_code="def total(a, b):\n    return b + a\n",
            visible_tests="assert total(2, 3) == 5\nassert total(0, 0) == 0",
            hidden_tests="def check(candidate):\n    assert candidate(2, 3) == 5\n    assert candidate(-1, 1) == 0\n",
            plus_tests="for a in range(5):\n    assert total(a, a) == 2 * a\n",
        ),
        record(
            "smaller",
            bug_type="comparison",
            model="model-b",
            buggy_code="def smaller(a, b):\n    if a > b:\n        return a\n    return b\n",
            visible_tests="assert smaller(1, 2) == 1",
            hidden_tests="assert smaller(1, 2) == 1\nassert smaller(2, 1) == 'neither'",
        ),
        record(
            "magic",
            bug_type="missing logic",
            model=None,
            buggy_code="def magic(text):\n    return text\n",
            visible_tests="assert magic('a') == 'f3q9'\nassert magic('b') == 'zz81'",
            hidden_tests="assert magic('c') == 'p0k2'",
        ),
        record("untested", buggy_code="def untested():\n    return 1\n", visible_tests=None, hidden_tests="assert 1"),
        record("unwritten", buggy_code=None, visible_tests=None, hidden_tests="assert unwritten() == 1"),
    ]


def write(path: Path, rows: list[dict[str, Any]] | None = None) -> Path:
    """Write records as JSONL; return the path."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows or records()), "utf-8")
    return path
