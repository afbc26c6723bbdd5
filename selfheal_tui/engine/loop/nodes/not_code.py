"""Where the human says that something else than the code is at fault, and nothing here may change that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from selfheal_tui.text import and_list, plural

from ...moment.words import failing_cases

_NAMED = 3


def not_code_words(
    fault: Literal["test", "spec", "environment"], report: Mapping[str, Any] | None, is_generated: bool
) -> str:
    """Say why the code stays as it is, and what the human can do who named this `fault`.

    `is_generated`: a test of the suite was written here, and no model is there that could write it anew. Pure.
    """
    match fault:
        case "test":
            what = _names(report) or "it"
            if is_generated:
                return f"You say that a test is wrong: the code stays as it is. A fork can leave {what} out: f, drop."
            return (
                "You say that a test is wrong: the code stays as it is, and your own tests are never changed here. "
                f"Correct {what} or take it out, then heal again if cases still fail."
            )
        case "spec":
            return "You say that the specification is wrong: the code stays as it is. Correct it, then heal again."
        case "environment":
            return (
                "You say that neither the code nor a test is wrong, but what they run in: the code stays as it is. "
                "Put that right, then heal again."
            )


def _names(report: Mapping[str, Any] | None) -> str:
    ids = [str(case["id"]).partition("[")[0] for case in failing_cases(report)] if report else []
    names = [*dict.fromkeys(ids)]
    more = [plural(len(names) - _NAMED, "other case")] if len(names) > _NAMED else []
    return and_list([*names[:_NAMED], *more])
