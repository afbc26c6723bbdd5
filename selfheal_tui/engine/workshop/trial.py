"""Trying without moving the run: the suite over other files, or a piece of Python or a case beside a program.

Nothing here is checkpointed or recorded; everything runs in the sandbox, as in a rehearsal.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Literal, TypedDict

from selfheal_tui.errors import InputError
from selfheal_tui.python_source import callables_in, parse_python
from selfheal_tui.sandbox.base import CaseFinished, Limits, Outcome, Sandbox, SuiteFinished, SuiteReport, run_through
from selfheal_tui.text import one_line, strip_controls, truncate_middle

from ..moment.workspace import Workspace
from ..suites.answers import import_lines
from ..suites.counter_example import missing_imports, module_name
from ..suites.helpers import helpers_for
from .snippet import snippet_suite
from .tried_tests import TriedCase, as_test_file, defines_tests, lines_as_written, tried_cases, why_not_passed, worst

MOST_CODE = 20_000
"""Characters of a text that is tried."""
_MOST_VALUE = 4_000
_MOST_OUTPUT = 20_000
_SNIPPET = "selfheal_try.py"
_CASE = "test_selfheal_try.py"
_IMPORTS = "selfheal_imports"
_OURS = frozenset((_CASE, _IMPORTS))
"""Files of ours that a traceback goes through; the user wrote none of them."""
_STARTER = """\
import ast
import pathlib


def test_try():
    path = pathlib.Path(__file__).with_name({snippet!r})
    names = {{"__name__": "__main__", "__file__": str(path)}}
    exec(compile({imports!r}, {of_imports!r}, "exec", 0, True), names)
    tree = compile(path.read_text("utf-8"), str(path), "exec", ast.PyCF_ONLY_AST, True)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(path), "exec", 0, True), names)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), str(path), "eval", 0, True), names)
        print({mark!r} + repr(value)[:{most}], end="")
"""


@dataclass(frozen=True, slots=True)
class SuiteTried:
    """The last value of a tried suite."""

    report: SuiteReport
    fixes: tuple[str, ...]
    """Case ids that do not pass at the moment it was tried at, and pass now."""
    breaks: tuple[str, ...]
    """Case ids that pass at that moment, and do not now."""


class Tried(TypedDict):
    """What came of trying a text."""

    text: str
    kind: Literal["code", "case"]
    """Python that was run, or a case of the suite."""
    of: str
    """What it was tried on, in words: `the code`, `repair 1`."""
    outcome: Outcome
    value: str | None
    """repr of the last expression; None when there is none, or it was not reached."""
    cases: list[TriedCase]
    """What came of each test function that the text defines; empty where it defines none, or calls them itself."""
    output: str
    """What was printed, capped."""
    error: str
    """The exception, or why it could not run; one line, empty when it ended well."""
    traceback: str
    duration_s: float


async def try_suite(
    sandbox: Sandbox, workspace: Workspace, limits: Limits, before: SuiteReport | None, changes: Mapping[str, str]
) -> AsyncGenerator[CaseFinished | SuiteTried, None]:
    """Run the suite with `changes` (path -> text) laid over the files; cases as they end, `SuiteTried` last.

    `before` is the report to compare with. Closing the iterator kills the run. Raises: SandboxError.
    """
    async with aclosing(sandbox.run(workspace.suite(limits, changes=changes))) as results:
        async for result in results:
            match result:
                case CaseFinished():
                    yield result
                case SuiteFinished(report=report):
                    good = {c["id"] for c in before["cases"] if c["outcome"] == "passed"} if before else set()
                    passed = [c["id"] for c in report["cases"] if c["outcome"] == "passed"]
                    well = {c["id"] for c in report["cases"] if c["outcome"] in ("passed", "skipped")}
                    yield SuiteTried(report, tuple(i for i in passed if i not in good), tuple(sorted(good - well)))


async def try_text(
    sandbox: Sandbox,
    workspace: Workspace,
    limits: Limits,
    case_ids: Collection[str],
    text: str,
    changes: Mapping[str, str],
    of: str,
) -> Tried:
    """Run a case, when `text` names one of the `case_ids`, the tests that `text` defines, or else Python.

    Of Python the value of its last expression is kept. Names of the program need no import. `changes` are laid over
    the files. Raises: InputError, SandboxError.
    """
    if not text.strip():
        raise InputError("There is nothing to try.", "Give an expression, Python, or the name of a case.")
    if len(text) > MOST_CODE:
        raise InputError(f"The text has {len(text):,} characters; at most {MOST_CODE:,} are run.")
    if case := case_named(text, case_ids):
        suite = replace(workspace.suite(limits, changes=changes), tests=(case,))
        return _told((await run_through(sandbox, suite)).report, {"text": case, "kind": "case", "of": of}, "")
    mark = f"selfheal-value-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}:"
    program = {**workspace.program_texts, **{p: t for p, t in changes.items() if p in workspace.program}}
    imports = "\n".join(_imports(text, program, workspace.test_texts))
    if defines_tests(text):
        suite = snippet_suite(workspace, limits, {_SNIPPET: as_test_file(text, imports, _IMPORTS)}, _SNIPPET, changes)
        return _of_tests(text, (await run_through(sandbox, suite)).report, of)
    starter = _STARTER.format(snippet=_SNIPPET, imports=imports, of_imports=_IMPORTS, mark=mark, most=_MOST_VALUE + 1)
    files = {_SNIPPET: text.encode("utf-8", "replace").decode("utf-8"), _CASE: starter}
    suite = snippet_suite(workspace, limits, files, _CASE, changes)
    return _told((await run_through(sandbox, suite)).report, {"text": text, "kind": "code", "of": of}, mark)


def case_named(text: str, case_ids: Collection[str]) -> str:
    """Return the case id that `text` is, or is the end of; empty when it is none, or that of several."""
    name = text.strip()
    if name in case_ids:
        return name
    matches = [one for one in case_ids if one.endswith(f"::{name}")]
    return matches[0] if len(matches) == 1 else ""


def tried_words(tried: Tried) -> str:
    """Return a try as one line for a note: `fee(8) on repair 1 is 10`."""
    code = one_line(tried["text"], 200)
    if tried["error"]:
        came = f"gives {one_line(tried['error'], 200)}"
    elif tried["kind"] == "case" or tried["cases"]:
        came = tried["outcome"]
    elif tried["value"] is not None:
        came = f"is {one_line(tried['value'], 200)}"
    else:
        came = "ends without an exception"
    printed = f", printing {one_line(tried['output'], 120)}" if tried["output"].strip() else ""
    return f"{code} on {tried['of']} {came}{printed}"


def _told(report: SuiteReport, about: Mapping[str, str], mark: str) -> Tried:
    tried: Tried = {
        "text": about["text"],
        "kind": "case" if about["kind"] == "case" else "code",
        "of": about["of"],
        "outcome": "error",
        "value": None,
        "cases": [],
        "output": "",
        "error": f"It could not be run: {report['error'] or 'no case was found'}",
        "traceback": "",
        "duration_s": report["duration_s"],
    }
    if not report["cases"]:
        return tried
    ended = report["cases"][0]
    output, marked, value = ended["output"].rpartition(mark) if mark else (ended["output"], "", "")
    if not marked:
        output, value = ended["output"], ""
    return {
        **tried,
        "outcome": ended["outcome"],
        "value": _cut(value) if marked else None,
        "output": truncate_middle(strip_controls(output), _MOST_OUTPUT),
        "error": why_not_passed(ended),
        "traceback": _frames_of_others(ended["traceback"]),
        "duration_s": ended["duration_s"],
    }


def _of_tests(text: str, report: SuiteReport, of: str) -> Tried:
    """Tell of the tests that a text defines: all of them, and the first that does not pass as the one to look at."""
    ended = worst(report["cases"])
    first = _told({**report, "cases": [ended] if ended else []}, {"text": text, "kind": "code", "of": of}, "")
    output = "".join(case["output"] for case in report["cases"])
    return {
        **first,
        "cases": tried_cases(report),
        "traceback": lines_as_written(first["traceback"], _SNIPPET),
        "output": truncate_middle(strip_controls(output), _MOST_OUTPUT),
        "duration_s": report["duration_s"],
    }


def frames_above(tried: Tried) -> str:
    """Return the traceback of a try without its last line where that repeats the error."""
    *lines, last = tried["traceback"].splitlines() or [""]
    return "\n".join(lines) if one_line(last, 1000) == tried["error"] else tried["traceback"]


def _frames_of_others(traceback: str) -> str:
    """Return a traceback without the frames of our own files, each `PATH:LINE in NAME` and its indented source."""
    lines: list[str] = []
    ours = False
    for line in traceback.splitlines():
        if not line.startswith(" "):
            ours = line.split(":", 1)[0].rpartition("/")[2] in _OURS
        if not ours:
            lines.append(line)
    return "\n".join(lines)


def _cut(value: str) -> str:
    value = strip_controls(value)
    return value if len(value) <= _MOST_VALUE else f"{value[:_MOST_VALUE]}… (cut)"


def _imports(text: str, program: Mapping[str, str], tests: Mapping[str, str]) -> list[str]:
    """Return import lines for what the text uses of the program, or of what its tests import, and does not itself."""
    try:
        tree = parse_python(text)
    except SyntaxError:
        return []
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    top = set().union(*(callables_in(text) for text in program.values()))
    modules = [
        name for path in program if (name := module_name(path)) and name.partition(".")[0] in named - bound - top
    ]
    # First, so that a name of the program wins.
    lines = import_lines([*tests.values()])
    helpers = helpers_for(sorted(named - bound), tests, top | lines.keys())
    of_helpers = ast.parse("\n".join(helpers.values()))
    named |= {part.id for part in ast.walk(of_helpers) if isinstance(part, ast.Name)}
    of_tests = [line for name, line in lines.items() if name in named - bound - top]
    own = [*missing_imports(of_helpers, program), *missing_imports(tree, program, with_bound=True)]
    return [*dict.fromkeys([*of_tests, *own]), *helpers.values(), *(f"import {name}" for name in modules)]
