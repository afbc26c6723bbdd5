"""Write docs/json.md, the page of what `--json` prints, from its types: `python docs/json_shapes.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fields import is_form, kind_words, named_in, sentence, table, type_fields

from selfheal_tui.cli.json_forms import PRINTED

PAGE = Path(__file__).resolve().parent / "json.md"
_START = """\
# What `--json` prints

Written from the program by `python docs/json_shapes.py`. A test compares it with what the commands print.

`--json` prints one JSON value on stdout and nothing else. Fields may be added; [none goes or changes its
meaning](versions.md) without an entry in the changelog: skip what you do not know. Texts of models, programs and tests
are data: anything can stand in them.

`--events` has [a page of its own](events.md), and so has the [`jsonl` export](decisions.md)."""


def page() -> str:
    """Return the page."""
    rows = [(one.commands, kind_words(one.form), one.says) for one in PRINTED]
    parts = [_START, "## Commands", table(("command", "prints", ""), rows)]
    parts += ["## Shapes", *(part for form in _reached() for part in _described(form))]
    return "\n\n".join(parts) + "\n"


def _reached() -> list[Any]:
    """Return every type with fields that is printed, each before those that only it names."""
    found: list[Any] = []
    left = [form for one in PRINTED for form in named_in(one.form)]
    while left:
        form = left.pop(0)
        if form not in found:
            found.append(form)
            left = [below for field in type_fields(form) for below in named_in(field.kind)] + left
    return found


def _described(form: Any) -> Iterator[str]:
    assert is_form(form)
    yield f"### {form.__name__}"
    yield sentence((form.__doc__ or "").partition("\n\n")[0])
    rows = []
    for field in type_fields(form):
        lacks = "may be missing. " if field.may_lack else ""
        rows.append((f"`{field.name}`", kind_words(field.kind), (lacks + field.says).strip()))
    yield table(("field", "type", "meaning"), rows)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
