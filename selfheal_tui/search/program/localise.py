"""Fault localisation: how suspicious each program line is, from per-case coverage and from tracebacks.

Suspiciousness is Ochiai, `ef / sqrt((ef + nf) * (ef + ep))`: ef and ep count the failing and the passing cases
that ran the line, nf the failing ones that did not (Abreu, Zoeteweij, van Gemund: "An Evaluation of Similarity
Coefficients for Software Fault Localization", PRDC 2006). DStar, `ef^2 / (ep + nf)`, orders what Ochiai ties (Wong,
Debroy, Gao, Li: "The DStar Method for Effective Software Fault Localization", IEEE Transactions on Reliability 2014).
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from selfheal_tui.python_source import parse_python
from selfheal_tui.sandbox.base import CaseResult, Coverage, SuiteReport

from .recent import UNCHANGED_WEIGHT, At, RecentChange

_FRAME = re.compile(r'(?:File ")?([\w./ -]+?\.py)(?:", line |:)(\d+)')
_USED_SHARE = 0.8
_IMPORTED_SHARE = 0.7
"""Of the score of a line, for what it uses of its own file, and of another one."""
_SHOWN_SHARE = 0.5
"""Of the score of a line of a `__repr__` that no passing case runs: pytest shows objects by it where a case fails."""
_BLIND_SCORE = 0.3
BLIND = "no coverage of a failing case: any line may be it"
"""Why a line is named of which nothing is known."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A program line that may be wrong."""

    path: str
    line: int
    score: float
    """0..1; 1 where every failing case runs it and no passing one."""
    why: str
    """Half a sentence for the user."""
    dstar: float = 0.0
    """0..: a second opinion from the same counts, infinite where only failing cases run the line."""
    changed: str = ""
    """Half a sentence on the change that the line saw lately; empty for none."""
    weight: float = 1.0
    """0.9..1: less than 1 where other suspects were changed lately and this one was not, or longer ago."""

    @property
    def weighed(self) -> float:
        """The score by which suspects are ordered."""
        return round(self.score * self.weight, 4)

    @property
    def reason(self) -> str:
        """All that speaks against the line."""
        return f"{self.why}; {self.changed}" if self.changed else self.why


def is_failing(case: CaseResult) -> bool:
    """Tell whether a case speaks against the program."""
    return case["outcome"] not in ("passed", "skipped")


def localise(
    report: SuiteReport,
    coverage: Coverage,
    program: Mapping[str, str],
    recent: Mapping[At, RecentChange] | None = None,
) -> tuple[Suspect, ...]:
    """Return the suspicious lines of the program files (path -> text), most suspicious first.

    Of lines that are about as suspicious, those that were changed lately (`recent`) come first.

    Without coverage of a failing case (an import that fails, a run that died) the lines of its traceback count
    and every line with code is a weak suspect.
    """
    failing = [case for case in report["cases"] if is_failing(case)]
    passing = [case for case in report["cases"] if case["outcome"] == "passed"]
    scores: dict[tuple[str, int], tuple[float, str]] = {}
    dstars: dict[tuple[str, int], float] = {}
    covered = [case for case in failing if any(coverage.get(case["id"], {}).values())]
    shown = {path: repr_lines(text) for path, text in program.items()}
    for path, line in sorted({at for case in covered for at in _lines(coverage, case, program)}):
        ef = sum(line in coverage[case["id"]].get(path, ()) for case in covered)
        ep = sum(line in coverage.get(case["id"], {}).get(path, ()) for case in passing)
        score = ef / math.sqrt(len(covered) * (ef + ep))
        if not ep and line in shown.get(path, ()):
            score *= _SHOWN_SHARE
        scores[path, line] = score, _counts(ef, len(covered), ep, len(passing))
        against = ep + len(covered) - ef
        dstars[path, line] = ef**2 / against if against else math.inf
    _add_frames(scores, failing, program)
    if not covered or len(covered) < len(failing):
        _add_blind(scores, program)
    _add_definitions(scores, program)
    changes = {at: change for at, change in (recent or {}).items() if at in scores}
    # Against the most that there is: what all suspects share tells nothing.
    most = max((change.weight for change in changes.values()), default=UNCHANGED_WEIGHT)
    suspects = []
    for at, (score, why) in scores.items():
        change = changes.get(at)
        weight = (change.weight if change else UNCHANGED_WEIGHT) / most
        words = change.words if change else ""
        suspects.append(Suspect(*at, round(score, 4), why, round(dstars.get(at, 0.0), 4), words, weight))
    return tuple(sorted(suspects, key=lambda s: (-s.weighed, -s.dstar, s.path, s.line)))


def repr_lines(text: str) -> set[int]:
    """Return the lines of the `__repr__` methods of a file."""
    tree = _parsed(text) if "def __repr__" in text else None
    methods = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)) if tree else ()
    ends = ((one.lineno, one.end_lineno or one.lineno) for one in methods if one.name == "__repr__")
    return {line for first, last in ends for line in range(first, last + 1)}


def frames(case: CaseResult, program: Mapping[str, str]) -> list[tuple[str, int]]:
    """Return the program lines named by a case's traceback and location, innermost first."""
    locations = [(m.group(1), int(m.group(2))) for m in _FRAME.finditer(case["traceback"])][::-1]
    located = _FRAME.search(case["location"] or "")
    if located:
        locations.insert(0, (located.group(1), int(located.group(2))))
    return list(dict.fromkeys((path, line) for path, line in locations if path in program))


def _lines(coverage: Coverage, case: CaseResult, program: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    for path, lines in coverage[case["id"]].items():
        if path in program:
            yield from ((path, line) for line in lines)


def _counts(ef: int, failing: int, ep: int, passing: int) -> str:
    cases = "the failing case" if failing == 1 else f"{ef} of {failing} failing cases"
    return f"runs in {cases} and in {ep} of {passing} passing"


def _add_frames(
    scores: dict[tuple[str, int], tuple[float, str]], failing: list[CaseResult], program: Mapping[str, str]
) -> None:
    for case in failing:
        for depth, at in enumerate(frames(case, program)):
            score, why = scores.get(at, (0.0, ""))
            boosted = score + (1.0 - score) * (0.6 if depth == 0 else 0.3)
            kind = case["message"].split(":")[0] or "the failure"
            reason = f"{kind} was raised here" if depth == 0 else "is on the way to the failure"
            if reason not in why:
                scores[at] = max(score, boosted), f"{reason}; {why}" if why else reason


def _add_blind(scores: dict[tuple[str, int], tuple[float, str]], program: Mapping[str, str]) -> None:
    for path, text in program.items():
        tree = _parsed(text)
        for node in ast.walk(tree) if tree else ():
            if isinstance(node, ast.stmt):
                scores.setdefault((path, node.lineno), (_BLIND_SCORE, BLIND))


def _add_definitions(scores: dict[tuple[str, int], tuple[float, str]], program: Mapping[str, str]) -> None:
    """Suspect what runs before the cases do (constants, class bodies, headers) by the lines that use it.

    A line of another file uses what that file imports.
    """
    trees = {path: tree for path, text in program.items() if (tree := _parsed(text))}
    by_line = {path: {line: score for (where, line), (score, _) in scores.items() if where == path} for path in trees}
    used = {path: _uses(tree, by_line[path]) for path, tree in trees.items()}
    elsewhere: dict[str, tuple[float, int, str]] = {}
    for path, tree in trees.items():
        for name, use in _imported_uses(tree, by_line[path]).items():
            elsewhere[name] = max(elsewhere.get(name, (0.0, 0, "")), (*use, path))
    for path, tree in trees.items():
        for statement in _import_time(tree.body):
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                inner = range(statement.lineno + 1, (statement.end_lineno or 0) + 1)
                score, line = max(((by_line[path].get(n, 0.0), n) for n in inner), default=(0.0, 0))
                score, why = score * _USED_SHARE, f"is the header of the function with line {line}"
            else:
                names = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
                score, line = max((used[path].get(name, (0.0, 0)) for name in names), default=(0.0, 0))
                score, why = score * _USED_SHARE, f"is used by line {line}"
                most, line, other = max((elsewhere.get(name, (0.0, 0, "")) for name in names), default=(0.0, 0, ""))
                if other != path and most * _IMPORTED_SHARE > score:
                    score, why = most * _IMPORTED_SHARE, f"is used by line {line} of {other}"
            if score > 0:
                scores.setdefault((path, statement.lineno), (score, why))


def _uses(tree: ast.Module, by_line: Mapping[int, float]) -> dict[str, tuple[float, int]]:
    """Return each name with the most suspicious line that has it, its score first."""
    used: dict[str, tuple[float, int]] = {}
    for name in ast.walk(tree):
        word = name.id if isinstance(name, ast.Name) else name.attr if isinstance(name, ast.Attribute) else None
        if word is not None and isinstance(name, ast.Name | ast.Attribute):
            used[word] = max(used.get(word, (0.0, 0)), (by_line.get(name.lineno, 0.0), name.lineno))
    return used


def _imported_uses(tree: ast.Module, by_line: Mapping[int, float]) -> dict[str, tuple[float, int]]:
    """Return the same for names of other files: `from limits import MOST`, `limits.MOST`, `Limits.MOST`."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    called = {alias.asname or alias.name.partition(".")[0]: alias.name for node in imports for alias in node.names}
    used: dict[str, tuple[float, int]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in called:
            word = called[node.id]
        elif isinstance(node, ast.Attribute) and _root(node) in called:
            word = node.attr
        else:
            continue
        used[word] = max(used.get(word, (0.0, 0)), (by_line.get(node.lineno, 0.0), node.lineno))
    return used


def _root(node: ast.expr) -> str:
    """Return the name that a chain of attributes begins with; empty for any other expression."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _import_time(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield from _import_time(statement.body)
        elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.FunctionDef | ast.AsyncFunctionDef):
            yield statement


def _parsed(text: str) -> ast.Module | None:
    try:
        return parse_python(text)
    except SyntaxError:
        return None
