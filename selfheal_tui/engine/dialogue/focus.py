"""Which lines of the program matter to a prompt, the most important first."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping

from selfheal_tui.sandbox.base import SuiteReport

from ..moment.state import Diagnosis, Suspects
from ..workshop.suspects import still_suspect
from .outline import Outline
from .program_map import Place, is_long

_CASES = 6
"""Failing cases whose tests are read."""
_WORD = re.compile(r"[A-Za-z_]\w*")


def build_focus(
    program: Mapping[str, str],
    tests: Mapping[str, str],
    report: SuiteReport,
    suspects: Suspects | None = None,
    diagnosis: Diagnosis | None = None,
    *,
    of_short: bool = False,
) -> list[Place]:
    """Return the lines that diagnosis, tracebacks, coverage and failing tests name; none for a short program.

    `of_short`: for a short one too, as a small context has no room for all of it.
    """
    if not (of_short or is_long(program)):
        return []
    from selfheal_tui.search.program.localise import frames, is_failing

    outlines = {path: Outline(text) for path, text in program.items()}
    failing = [case for case in report["cases"] if is_failing(case)]
    places: list[Place] = [(path, one.fault) for path, one in outlines.items() if one.fault]
    if diagnosis:
        places += [(evidence["file"], evidence["line"]) for evidence in diagnosis["evidence"]]
        places += _named(outlines, f"{diagnosis['cause']} {diagnosis['strategy']}")
    places += [place for case in failing for place in frames(case, program)]
    places += [(line["path"], line["line"]) for line in still_suspect(suspects, program)]
    for case in failing[:_CASES]:
        path, _, name = case["id"].partition("::")
        places += _named(outlines, _test_text(tests.get(path, ""), name))
    return list(dict.fromkeys(places))


def changed_lines(before: Mapping[str, str], now: Mapping[str, str]) -> list[Place]:
    """Return the lines of the program that differ from the one before."""
    places: list[Place] = []
    for path, text in now.items():
        if text != before.get(path, ""):
            old, new = before.get(path, "").split("\n"), text.split("\n")
            blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
            places += [(path, min(start + 1, len(new))) for tag, _, _, start, _ in blocks if tag != "equal"]
    return places


def _named(outlines: Mapping[str, Outline], text: str) -> Iterator[Place]:
    words = set(_WORD.findall(text))
    for path, outline in outlines.items():
        yield from ((path, line) for line in outline.places_of(words))


def _test_text(text: str, name: str) -> str:
    """Return the text of one test; all of the file when it is not found."""
    outline = Outline(text)
    lines: Iterable[int] = outline.places_of({name.rpartition("::")[2].partition("[")[0]})
    units = [outline.unit(line) for line in lines]
    return "\n".join(outline.lines[line - 1] for unit in units for line in unit) if units else text
