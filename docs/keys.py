"""Write docs/keys.md, the page of all keys, from the bindings of the app: `python docs/keys.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fields import code, table
from textual.keys import format_key

from selfheal_tui.ui.kit.keymap import binding_ids
from selfheal_tui.ui.kit.keys import GROUPS

PAGE = Path(__file__).resolve().parent / "keys.md"
_START = """\
# All keys

Written from the program by `python docs/keys.py`; `?` in the app shows those of where you are, `selfheal config --keys`
all of them. [The app](app.md) explains what they are for.

Each key can be changed: the name in the last column goes into the setting `keys`, as in
`keys: {review.approve: ctrl+y}` ([Settings](settings.md#other-keys)). `ctrl+p` opens the list of all actions, `tab`
moves on; these stay as they are."""
_PLACES = {
    "run": "A run: other keys",
    "review": "A run: other answers",
    "case": "A generated case, in the Tests tab",
    "timeline": "The timeline",
    "diff": "The Diff tab",
    "matrix": "The Matrix tab",
    "cursor": "Lists",
    "lines": "Texts",
    "picker": "Lists to pick from",
    "prompt": "A line to type in",
    "editor": "The editor",
    "diagnosis_form": "The form of a diagnosis",
    "try": "Trying something",
    "compare": "Comparing two moments",
    "choose": "Choosing a moment to compare",
    "branches": "All branches",
    "sessions": "The list of sessions",
    "filter": "Filtering the sessions",
    "demos": "Choosing a demo",
    "new": "A new run",
    "settings": "Settings",
    "trust": "What a folder brings",
    "benchmarks": "Benchmark runs",
    "bench": "The table of benchmark runs",
    "tasks": "Tasks of a benchmark",
    "bench_filter": "Filtering tasks",
    "help": "Help",
}
"""First word of a binding's id -> its heading, in the order of the page."""


def page() -> str:
    """Return the page."""
    bindings = binding_ids()
    parts = [_START]
    told: set[str] = set()
    for title, group in GROUPS:
        names = [binding.id for binding in group if binding.id in bindings]
        told.update(names)
        parts += _described(f"A run: {title[:1].lower()}{title[1:]}", {name: bindings[name] for name in names})
    places = dict.fromkeys([*_PLACES, *sorted(name.partition(".")[0] for name in bindings)])
    for place in places:
        left = {
            name: bindings[name] for name in sorted(bindings) if name.partition(".")[0] == place and name not in told
        }
        parts += _described(_PLACES.get(place, place.replace("_", " ").capitalize()), left)
    return "\n\n".join(parts) + "\n"


def _described(title: str, bindings: dict[str, tuple[str, str]]) -> Iterator[str]:
    if bindings:
        rows = [(_keys(key), words, f"`{name}`") for name, (key, words) in bindings.items()]
        yield f"## {title}"
        yield table(("key", "does", "name"), rows)


def _keys(names: str) -> str:
    """Return keys as people write them: `question_mark` is `?`."""
    words = []
    for name in names.split(","):
        *modifiers, last = name.split("+")
        sign = format_key(last)
        words.append("+".join([*modifiers, sign if len(sign) == 1 and sign.isascii() else last]))
    return ", ".join(code(word) for word in words)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
