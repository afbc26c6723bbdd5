"""A diagnosis without a model: what a report and the suspicious lines say, and no more than that."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Literal, NotRequired, TypedDict

from selfheal_tui.python_source import parse_python, why_not
from selfheal_tui.sandbox.base import CaseResult, Coverage, SuiteReport
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.text import one_line, plural

from .program.localise import BLIND, Suspect, is_failing

UNKNOWN = "unknown"
"""The category where nothing is known of the kind of mistake; people are shown none then."""
_MANY = 100
"""Suspicious lines whose number is said."""
_EVIDENCE = 5
_MOST_CONFIDENT = 0.6
_MISSING_NAMES = ("NameError", "ImportError", "ModuleNotFoundError", "UnboundLocalError")


class OtherEdit(TypedDict):
    """An edit at another line that an edit goes with."""

    file: str
    line: int
    edit: str
    """What changes there: "`<` becomes `<=`"."""


class DiagnosisEvidence(TypedDict):
    """A line that speaks for a diagnosis."""

    file: str
    line: int
    why: str
    also: NotRequired[list[OtherEdit]]
    """The edits at other lines that go with the one here; absent where it goes alone."""


class SearchDiagnosis(TypedDict):
    """A diagnosis in the form in which the user reviews it."""

    fault: Literal["code", "test", "spec", "environment"]
    category: str
    cause: str
    evidence: list[DiagnosisEvidence]
    strategy: str
    confidence: float
    """0..1; from coverage at most 0.6: it shows where, never why."""
    by: str
    cause_by: NotRequired[str]
    """Absent: that the cause is another's is said of an edited diagnosis only."""
    disproof: NotRequired[str]
    """What would show that it is wrong."""
    slip: NotRequired[str]
    """What kind of slip the first edit corrects, in words; absent where no edit helps."""
    edits: NotRequired[int]
    """With how many edits every failing case passes; absent where no edits were found that do."""
    edits_refused: NotRequired[int]
    """The same, of edits that the human rejected; absent where there are none."""
    fixes: NotRequired[list[str]]
    """Ids of the failing cases that pass with the first edit; absent where no edit helps."""
    not_searched: NotRequired[list[str]]
    """Files of the project that failing cases run and that the search may not edit; absent where none."""


def diagnose(
    report: SuiteReport,
    suspects: Sequence[Suspect],
    program: Mapping[str, str],
    *,
    some_closed: bool = False,
    coverage: Coverage | None = None,
) -> SearchDiagnosis:
    """Say why the suite fails, from `localise`'s suspects and the program's texts by path.

    `some_closed` tells that suspects that are left alone are not among these. With the `coverage` each failing case has
    a line among the evidence, and the one that is quoted runs the first.
    """
    broken = syntax_diagnosis(program)
    if broken is not None:
        return broken
    failing = [case for case in report["cases"] if is_failing(case)]
    category = category_of(failing)
    chosen = _chosen(suspects, failing, coverage or {})
    quoted = [case for case in failing if chosen and _runs(case, chosen[:1], coverage or {})] or failing
    return {
        "fault": "code",
        "category": category,
        "cause": " ".join(_cause(report, failing, quoted, suspects, program, some_closed)),
        "evidence": _evidence(chosen, program),
        "strategy": _strategy(category, suspects),
        "confidence": _confidence(suspects),
        "by": SEARCH,
        "disproof": _disproof(chosen, all(_runs(case, chosen, coverage or {}) for case in failing)),
    }


def _chosen(suspects: Sequence[Suspect], failing: Sequence[CaseResult], coverage: Coverage) -> list[Suspect]:
    """Return the few lines that are told: the most suspicious, and one for each failing case that runs none of them."""
    chosen = [*suspects[:_EVIDENCE]]
    more: list[Suspect] = []
    for case in failing:
        if len(more) < _EVIDENCE - 1 and not _runs(case, [*chosen, *more], coverage):
            more += [*islice((one for one in suspects if _runs(case, [one], coverage)), 1)]
    return [*chosen[: _EVIDENCE - len(more)], *more]


def _runs(case: CaseResult, lines: Sequence[Suspect], coverage: Coverage) -> bool:
    """Tell whether a case runs one of these lines; of a case that was not seen to run anything it may be any."""
    ran = coverage.get(case["id"], {})
    return not any(ran.values()) or any(one.line in ran.get(one.path, ()) for one in lines)


def syntax_diagnosis(program: Mapping[str, str]) -> SearchDiagnosis | None:
    """Return the diagnosis of a program that does not parse; None for one that does."""
    for path, text in program.items():
        try:
            parse_python(text)
        except SyntaxError as error:
            line = error.lineno or 1
            cause = f"{path} does not parse{why_not(error)}. No case could run."
        else:
            continue
        return {
            "fault": "code",
            "category": "syntax",
            "cause": cause,
            "evidence": [{"file": path, "line": line, "why": "the parser stops here; the slip may be a line above"}],
            "strategy": "Correct the syntax by hand or with a model: the search edits only code that parses.",
            "confidence": 1.0,
            "by": SEARCH,
            "disproof": f"{path} compiles with the interpreter that runs the suite.",
        }
    return None


def category_of(failing: Sequence[CaseResult]) -> str:
    """Return the kind of mistake that the failing cases look like; unknown where they do not agree."""
    kinds = {_kind(case) for case in failing}
    return kinds.pop() if len(kinds) == 1 else UNKNOWN


def _kind(case: CaseResult) -> str:
    name = re.split(r"[:\s(]", case["message"], maxsplit=1)[0]
    if case["outcome"] == "timeout":
        return "timeout"
    if name.endswith(_MISSING_NAMES):
        return "import" if name != "UnboundLocalError" else "variable"
    if name.endswith(("Error", "Exception")) and not name.endswith("AssertionError"):
        return "exception"
    actual, expected = map(_literal, case.get("compared", (case["actual"], case["expected"])))
    if isinstance(actual, bool) or isinstance(expected, bool):
        return "logic"
    if isinstance(actual, int) and isinstance(expected, int):
        return "boundary" if abs(actual - expected) == 1 else "value"
    if isinstance(actual, list | tuple | str) and isinstance(expected, list | tuple | str):
        return "boundary" if abs(len(actual) - len(expected)) == 1 else "value"
    return "value" if case["actual"] is not None or "compared" in case else UNKNOWN


def _literal(text: str | None) -> object:
    """Return the value that a repr stands for; None when it stands for no literal."""
    try:
        return ast.literal_eval(text) if text else None
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _cause(
    report: SuiteReport,
    failing: Sequence[CaseResult],
    quoted: Sequence[CaseResult],
    suspects: Sequence[Suspect],
    program: Mapping[str, str],
    some_closed: bool,
) -> list[str]:
    total = len(report["cases"])
    if not failing:
        return [report["error"] or "No case fails."]
    verb = "fails" if len(failing) == 1 else "fail"
    sentences = [f"{len(failing)} of {plural(total, 'case')} {verb}."]
    sentences += [example] if (example := example_of(quoted)) else []
    if suspects and suspects[0].why == BLIND:
        sentences.append(
            "No failing case was seen to run a line of the program, so no line is more suspicious than another: "
            "if the tests are of other files, start again and name those."
        )
    elif suspects:
        top = suspects[0]
        text = one_line(_line(program.get(top.path, ""), top.line), 100)
        ties = sum(s.score == top.score for s in suspects)
        also = f", with {plural(ties - 1, 'other')} as suspicious" if ties > 1 else ""
        at = f"{top.path}:{top.line}"
        which = f"Of the lines that are left, {at} is" if some_closed else f"The most suspicious line is {at}"
        most = f"{which} the most suspicious, `{text}`" if some_closed else f"{which}, `{text}`"
        sentences.append(f"{most}: it {_as_verb(top.why)}{also}.")
    else:
        sentences.append(f"No program line{' that is left' * some_closed} stands out.")
    return sentences


def example_of(failing: Sequence[CaseResult]) -> str:
    """Say of the failing case that is read fastest what it expected and got; empty when it says nothing."""
    case = min(failing, key=lambda c: (len("".join(_sides(c))) or 1000, c["id"]))
    name = case["id"].rpartition("::")[2]
    if case["outcome"] == "timeout":
        return f"`{name}` did not end in time."
    if case["expected"] != case["actual"]:  # alike where the test wants them to differ
        return (
            f"`{name}` expected {one_line(case['expected'] or '', 120)} and got {one_line(case['actual'] or '', 120)}."
        )
    if "compared" in case and case["compared"][0] != case["compared"][1]:
        left, right = (one_line(side, 120) for side in case["compared"])
        return f"`{name}` fails: {left} is not {right}."
    message = one_line(case["message"], 160).rstrip(".")
    if message[:1].islower():  # no exception: what we ended it for, or a plain assertion
        return f"`{name}` failed: {message}."
    return f"`{name}` ended with {message}." if message else ""


def _sides(case: CaseResult) -> Sequence[str]:
    return case.get("compared", [case["expected"] or "", case["actual"] or ""])


def _evidence(suspects: Sequence[Suspect], program: Mapping[str, str]) -> list[DiagnosisEvidence]:
    """Return the lines; a reason that was given before is not given again, the line's own text stands there."""
    rows: list[DiagnosisEvidence] = []
    reasons: set[str] = set()
    for suspect in suspects:
        text = one_line(_line(program.get(suspect.path, ""), suspect.line), 100)
        why = f"`{text}` (for the same reason)" if suspect.why in reasons and text else suspect.why
        reasons.add(suspect.why)
        rows.append({"file": suspect.path, "line": suspect.line, "why": why})
    return rows


def _disproof(suspects: Sequence[Suspect], all_run: bool) -> str:
    if not suspects:
        return "A line that every failing case runs and no passing one does."
    if not all_run:
        return "A repair elsewhere that mends every case."
    places = [f"{suspect.path}:{suspect.line}" for suspect in suspects]
    named = places[0] if len(places) == 1 else f"any of {', '.join(places)}"
    return f"A case that fails without running {named}, or a repair elsewhere that mends every case."


def _as_verb(why: str) -> str:
    """Return the reason so that it can follow the word "it"."""
    if why.startswith(("runs ", "is ")):
        return why
    return f"is where {why.replace(' was raised here', ' was raised')}" if " was raised here" in why else f"has {why}"


def _line(text: str, number: int) -> str:
    lines = re.split(r"\r\n|\r|\n", text)
    return lines[number - 1].strip() if 1 <= number <= len(lines) else ""


def _strategy(category: str, suspects: Sequence[Suspect]) -> str:
    first = {
        "boundary": "Try comparisons and off-by-one bounds first",
        "logic": "Try conditions, negations and flags first",
        "import": "Try a missing import or another name in scope first",
        "variable": "Try another name in scope and the order of statements first",
        "exception": "Try bounds, names and guards at the line that raised first",
        "timeout": "Try loop conditions and steps first",
    }.get(category, "Try all kinds of small edits, common mistakes first")
    count = len(suspects)
    at = "" if not count else " at the suspicious line" if count == 1 else " at the most suspicious lines"
    where = f"{at}, of {count:,}" if count > _MANY else at
    return f"{first}{where}; run each edit against the failing cases and keep what breaks none."


def _confidence(suspects: Sequence[Suspect]) -> float:
    """Return more when few lines stand out clearly; a location is not yet a cause, so never much."""
    if not suspects:
        return 0.1
    top = suspects[0].score
    ties = sum(suspect.score >= top - 0.05 for suspect in suspects)
    return round(min(_MOST_CONFIDENT, 0.15 + 0.45 * top / math.sqrt(ties)), 2)
