"""Fixtures that cases ask for and that nothing there gives: no edit of the program mends that."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from selfheal_tui.sandbox.base import CaseResult
from selfheal_tui.text import one_line, plural

_MISSING = re.compile(r"^FixtureLookupError: fixture '(\w+)' not found$")


def missing_fixtures(
    cases: Iterable[CaseResult], files: Mapping[str, str], program: Collection[str]
) -> dict[str, list[str]]:
    """Return fixture -> the cases that fail for its lack, in their order; nothing where the program may have it.

    `files` are path -> text. A fixture of the program itself may have lost its name there.
    """
    if any("pytest" in files.get(path, "") for path in program):
        return {}
    missing: dict[str, list[str]] = {}
    for case in cases:
        if case["outcome"] == "error" and (match := _MISSING.match(case["message"])):
            missing.setdefault(match[1], []).append(case["id"])
    return missing


def fixtureless_cases(missing: Mapping[str, list[str]]) -> dict[str, str]:
    """Return the cases of `missing_fixtures` -> the sentence about all that lack the same fixture."""
    return {case: f"{_named(ids)} {_words(name)}." for name, ids in missing.items() for case in ids}


def fixtureless_briefs(missing: Mapping[str, list[str]]) -> dict[str, str]:
    """Return the cases of `missing_fixtures` -> why, in a few words."""
    return {case: f"no fixture {one_line(name, 60)}" for name, ids in missing.items() for case in ids}


def _words(name: str) -> str:
    return (
        f"needs the fixture `{one_line(name, 60)}`, which no conftest here and no loaded plug-in of pytest has: "
        "load its plug-in with -- -p MODULE, or name an interpreter that has it with --python PATH"
    )


def _named(cases: list[str]) -> str:
    return one_line(cases[0], 120) + (f", like {plural(len(cases) - 1, 'other case')}," if len(cases) > 1 else "")
