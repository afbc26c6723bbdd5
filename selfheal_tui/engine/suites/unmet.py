"""Examples of a text that the program does not give, though every case passes. Pure."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from selfheal_tui.python_source import callables_in, parse_expression
from selfheal_tui.sandbox.base import CaseResult, SuiteReport
from selfheal_tui.spec_text.example import Example, literal
from selfheal_tui.spec_text.find import docstring_examples, find_examples

from ..moment.state import Unsettled
from .counter_example import module_name
from .examples import suite_from
from .test_cases import case_functions

_RAISED = re.compile(r"(?:[A-Za-z_]\w*\.)*([A-Za-z_]\w*)(?::|$)")
_ROUGHLY = re.compile(r"#\s*doctest:.*(?:ELLIPSIS|NORMALIZE_WHITESPACE)")
"""Of such an example doctest compares no values."""
_RAISES = "it raises an exception"
"""What an example that shows an exception is compared with: no program gives this text."""


def text_examples(program: Mapping[str, str], spec: str) -> dict[str, list[tuple[str, Example]]]:
    """Return module -> (the text that says so, example), of a specification first.

    Those that take steps, print or only hold are left out: no value of theirs can be told. `program` is path -> text.
    """
    texts = {module: text for path, text in program.items() if (module := module_name(path))}
    defined = {module: callables_in(text) for module, text in texts.items()}
    found = [("specification", "", one) for one in find_examples(spec)]
    for module, text in texts.items():
        found += [("docstring", module, one) for one in docstring_examples(text, defined[module])]
    examples: dict[str, list[tuple[str, Example]]] = {}
    seen: set[tuple[str, str]] = set()
    for says, own, one in found:
        wanted = {*one.names}
        # Two modules may define functions of one name: a docstring means that of its own.
        module = next((m for m in (own, *defined) if m and wanted and defined[m] >= wanted), "")
        if module and _has_value(one) and (module, one.call) not in seen:
            seen.add((module, one.call))
            examples.setdefault(module, []).append((says, one))
    return examples


def _has_value(one: Example) -> bool:
    """Tell whether it takes no steps and says in full what the call gives; of what is shown, a literal may be that."""
    if one.setup or one.holds or (one.shows and literal(one.shows) is None):
        return False
    in_full = not any(
        isinstance(node, ast.Constant) and node.value is ... for node in ast.walk(parse_expression(_wanted(one)))
    )
    return in_full and not _ROUGHLY.search(one.text)


def examples_file(module: str, examples: Collection[tuple[str, Example]], paths: Collection[str]) -> dict[str, str]:
    """Return path -> text of a test file with a case for each of the examples, in their order."""
    asked = [replace(one, error="", message="", shows="", value=_wanted(one)) for _, one in examples]
    return suite_from(asked, module, paths)


def _wanted(one: Example) -> str:
    return repr(_RAISES) if one.error else one.value or literal(one.shows) or ""


def unmet_in(
    examples: Collection[tuple[str, Example]], file: str, report: SuiteReport, program: Collection[str]
) -> tuple[list[Unsettled], int]:
    """Return what the program gives otherwise, and how many examples have no result.

    `file` is the text of `examples_file`, `report` that of its run, `program` the paths.
    """
    cases = {case["id"].rpartition("::")[2]: case for case in report["cases"]}
    unmet: list[Unsettled] = []
    untried = 0
    for (says, one), name in zip(examples, case_functions(file), strict=True):
        case = cases.get(name)
        now = _given(case, program) if case else ""
        if not now:
            untried += case is None or case["outcome"] not in ("passed", "failed")
        elif not (_is_kind(now, one.error) if one.error else one.shows and now == "None"):
            others = [f"!{one.error}" if one.error else _wanted(one)]
            unmet.append({"call": one.call, "taken": now, "others": others, "repairs": 0, "says": says})
    return unmet, untried


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
