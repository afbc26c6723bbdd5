"""Examples of a text that the program does not give, though every case passes. Pure."""

from __future__ import annotations

import builtins
import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from selfheal_tui.sandbox.base import CaseResult, SuiteReport
from selfheal_tui.spec_text.example import Example
from selfheal_tui.spec_text.find import docstrings, find_examples

from ..moment.state import Unsettled
from .counter_example import callables_in, module_name
from .examples import suite_from

_MOST = 20
"""Examples that are tried."""
_RAISED = re.compile(r"(?:[A-Za-z_]\w*\.)*([A-Za-z_]\w*)(?::|$)")
_RAISES = "it raises an exception"
"""What an example that shows an exception is compared with: no program gives this text."""


def text_examples(program: Mapping[str, str], spec: str) -> dict[str, list[tuple[str, Example]]]:
    """Return module -> (the text that says so, example), of a specification first.

    Those that take steps, print or only hold are left out: no value of theirs can be told. `program` is path -> text.
    """
    defined = {module: callables_in(text) for path, text in program.items() if (module := module_name(path))}
    examples: dict[str, list[tuple[str, Example]]] = {}
    seen: set[str] = set()
    for says, text in (("specification", spec), ("docstring", docstrings(program))):
        for one in find_examples(text):
            is_plain = not (one.setup or one.holds or one.shows)
            module = next((m for m, names in defined.items() if one.names and names >= {*one.names}), "")
            if is_plain and module and one.call not in seen and len(seen) < _MOST:
                seen.add(one.call)
                examples.setdefault(module, []).append((says, one))
    return examples


def examples_file(module: str, examples: Collection[tuple[str, Example]], paths: Collection[str]) -> dict[str, str]:
    """Return path -> text of a test file with a case for each of the examples, in their order."""
    asked = [replace(one, error="", message="", value=repr(_RAISES)) if one.error else one for _, one in examples]
    return suite_from(asked, module, paths)


def unmet_in(
    examples: Collection[tuple[str, Example]], report: SuiteReport, program: Collection[str]
) -> list[Unsettled]:
    """Return what the program gives otherwise; `report` is of `examples_file`, `program` the paths."""
    cases = report["cases"]
    if len(cases) != len(examples):
        return []
    return [
        {"call": one.call, "taken": now, "others": [wanted], "repairs": 0, "says": says}
        for (says, one), case in zip(examples, cases, strict=True)
        if (now := _given(case, program))
        and (wanted := f"!{one.error}" if one.error else one.value)
        and not (one.error and _is_kind(now, one.error))
    ]


def _given(case: CaseResult, program: Collection[str]) -> str:
    """Return what the call of a failing case gave, a repr or `!Name`; empty where it passed or that is not known."""
    if case["outcome"] != "failed":
        return ""
    if case["actual"] is not None:
        return case["actual"]
    in_program = (case["location"] or "").rpartition(":")[0] in program
    match = _RAISED.match(case["message"]) if in_program else None
    return f"!{match[1]}" if match else ""


def _is_kind(raised: str, error: str) -> bool:
    """Tell whether a program that raised this may well have raised the other."""
    if not raised.startswith("!"):
        return False
    one, other = getattr(builtins, raised[1:], None), getattr(builtins, error, None)
    if isinstance(one, type) and isinstance(other, type):
        return issubclass(one, other)
    return True  # a class of its own may be a kind of any other
