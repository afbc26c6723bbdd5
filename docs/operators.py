"""Write docs/operators.md, the page of all edit operators, from their registry: `python docs/operators.py`."""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

from fields import sentence, table

from selfheal_tui.search.operators import OPERATORS, Family

PAGE = Path(__file__).resolve().parent / "operators.md"
_START = """\
# Edit operators

Written from the program by `python docs/operators.py`.

The search that needs no model knows {count} kinds of small edits. Each looks at one place of the program and offers
what might be meant there instead. [The search](search.md) tells how edits are found, tried and ranked, and [how a new
kind is added](how-to-add.md#an-edit-operator).

*Cost* says how rare the mistake is, in bits: 1 is a very common slip, 7 a rare one. Cheaper edits are tried first and
rank higher. One edit of a kind can cost more or less than its kind."""


def page() -> str:
    """Return the page."""
    parts = [_START.format(count=len(OPERATORS))]
    families = sorted(OPERATORS.values(), key=_module)
    for module, group in groupby(families, key=_module):
        parts.append(f"## {module.rpartition('.')[2].replace('_', ' ').capitalize()}")
        parts.append(sentence((sys.modules[module].__doc__ or "").partition("\n\n")[0]))
        rows = [
            (f"`{one.name}`", one.reason, sentence((one.edits.__doc__ or "").partition("\n\n")[0]), f"{one.cost:g}")
            for one in group
        ]
        parts.append(table(("operator", "when", "tries", "cost"), rows))
    return "\n\n".join(parts) + "\n"


def _module(family: Family) -> str:
    return family.edits.__module__


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
