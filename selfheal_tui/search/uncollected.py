"""What is said where no case could run, as the test files cannot be collected: why, and what helps."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from selfheal_tui.sandbox.base import CaseResult
from selfheal_tui.text import one_line, plural

_NO_NAME = (
    re.compile(r"ImportError: cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'"),
    re.compile(r"AttributeError: module '(?P<module>[\w.]+)' has no attribute '(?P<name>\w+)'"),
)
_APPROVED = "If you approve, a model that repairs is asked; where only the search repairs, the run ends unhealed."


def is_uncollected(failing: Sequence[CaseResult]) -> bool:
    """Tell whether all that fails are test files that could not be collected."""
    return bool(failing) and all("::" not in case["id"] and case["outcome"] == "error" for case in failing)


def uncollected_words(failing: Sequence[CaseResult], program: Mapping[str, str]) -> str:
    """Say which files cannot be collected, and why the first cannot."""
    first = failing[0]
    name, path = missing_name(first, program)
    kind = first["message"].partition(":")[0]
    why = f"{path} has no name `{name}` ({kind})" if name else one_line(first["message"], 300).rstrip(".")
    others = f", nor can {plural(len(failing) - 1, 'other test file')}" if len(failing) > 1 else ""
    return f"{one_line(first['id'], 120)} cannot be collected: {why or 'it gives no reason'}{others}."


def uncollected_strategy(failing: Sequence[CaseResult], program: Mapping[str, str], by_commands: str) -> str:
    """Say what helps, and what approving does; `by_commands` is how a person or a model goes on."""
    name, path = missing_name(failing[0], program)
    wanted = f"`{name}` is missing in {path}" if name else "What the tests need is missing"
    return (
        f"{wanted}, and the search writes no new code, so a person or a model has to: {by_commands}. "
        f"If the tests are of another file, start again and name that one. {_APPROVED}"
    )


def missing_name(case: CaseResult, program: Mapping[str, str]) -> tuple[str, str]:
    """Return the name that a test file could not import, and the program's file that lacks it; empty for another."""
    match = next(filter(None, (pattern.search(case["message"]) for pattern in _NO_NAME)), None)
    if match is None:
        return "", ""
    stem = match["module"].replace(".", "/")
    ends = f"/{stem}.py", f"/{stem}/__init__.py"
    path = next((path for path in program if f"/{path}".endswith(ends)), "")
    return (match["name"], path) if path else ("", "")
