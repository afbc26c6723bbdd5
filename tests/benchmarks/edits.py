"""What a repair costs as a whole file and as edits: tokens to and from the model, on 30 recorded bugs.

`PYTHONPATH=. python -m tests.benchmarks.edits` needs the shared data folder. The model's part is played by the
reference fix: a diagnosis that names the lines it changes, and that change as the format asks for it. The prompts are
the real ones; a token is taken for four characters. *Before* is how it was without formats: the program whole for both
roles, the reply a whole file. A reply that is longer than its room cannot heal.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from selfheal_tui.engine.dialogue.describe import diagnosis_text, numbered, plain, report_text
from selfheal_tui.engine.dialogue.focus import build_focus, changed_lines
from selfheal_tui.engine.dialogue.program_map import show_program
from selfheal_tui.engine.dialogue.prompt_request import PromptRequest
from selfheal_tui.engine.dialogue.prompts import Prompt, load_prompt, names_in
from selfheal_tui.engine.dialogue.roles.repair_format import chosen_format
from selfheal_tui.engine.dialogue.roles.repairer import TASKS
from selfheal_tui.engine.moment.state import Diagnosis
from selfheal_tui.engine.workshop.editing.answer import apply_reply
from selfheal_tui.engine.workshop.prompt_room import Room
from selfheal_tui.sandbox.base import SuiteReport
from tests.dev_data import records
from tests.line_edits import edits_between

MODEL = "openai:any"
_WHY = "The condition lets the last element through, so the sum is one too large; the bound must be exclusive. " * 2
_SUMMARY = "Make the bound exclusive, so that the last element is no longer counted twice."


@dataclass(frozen=True, slots=True)
class Bug:
    """A program before and after its fix, and what the failing case says."""

    name: str
    broken: Mapping[str, str]
    fixed: Mapping[str, str]
    tests: Mapping[str, str]
    report: SuiteReport


@dataclass(frozen=True, slots=True)
class Bill:
    """Tokens of one bug's two calls."""

    sent: int
    received: int
    form: str
    healed: bool


def bugs() -> list[Bug]:
    """Return 15 bugs of real libraries and 15 small ones, evenly spread over their set."""
    small = records("humanevalfix")
    step = len(small) // 15
    return [*map(_project, records("projects_pypi")[:15]), *map(_small, small[: 15 * step : step])]


def _project(record: dict[str, Any]) -> Bug:
    fixed = {path: text for path, text in record["fixed_files"].items() if path in record["files"]}
    tests = {case.partition("::")[0]: "" for case in record["failing_tests"]}
    tests = {path: record["files"][path] for path in tests if path in record["files"]}
    report = _report(record["failing_tests"], str(record["fail_output"]))
    return Bug(record["id"], {path: record["files"][path] for path in fixed}, fixed, tests, report)


def _small(record: dict[str, Any]) -> Bug:
    case = f"test_prog.py::test_{record['entry_point']}"
    tests = {"test_prog.py": f"from prog import {record['entry_point']}\n{record['visible_tests'] or ''}"}
    broken, fixed = ({"prog.py": record[name].rstrip("\n") + "\n"} for name in ("buggy_code", "reference_code"))
    return Bug(record["id"], broken, fixed, tests, _report([case], "AssertionError: assert 3 == 2"))


def _report(failing: list[str], message: str) -> SuiteReport:
    cases = [
        {
            "id": case, "outcome": "failed", "message": message[:800], "expected": None, "actual": None,
            "location": None, "traceback": "", "output": "",
        }
        for case in failing
    ]  # fmt: skip
    return cast(SuiteReport, {"cases": cases, "passed": 3, "error": ""})


def bill(bug: Bug, wanted: str, *, whole_program: bool) -> Bill:
    """Return what the debugger's and the repairer's call take when repairs are asked for in this format."""
    diagnosis = cast(Diagnosis, {
        "fault": "code", "category": "boundary", "cause": _WHY, "strategy": _SUMMARY, "confidence": 0.9, "by": MODEL,
        "evidence": [{"file": path, "line": line, "why": "wrong here"} for path, line in _wrong_lines(bug)][:8],
    })  # fmt: skip
    debugger, repairer = load_prompt("debugger"), load_prompt("repairer")
    seen, shown = numbered(bug.broken), plain(bug.broken)
    in_part: frozenset[str] = frozenset()
    if not whole_program:
        seen = show_program(bug.broken, build_focus(bug.broken, bug.tests, bug.report), with_numbers=True).text
        part = show_program(bug.broken, build_focus(bug.broken, bug.tests, bug.report, None, diagnosis))
        shown, in_part = part.text, part.in_part
    form = chosen_format(wanted, bug.broken, MODEL, "minimal", in_part)
    reply = _reply(bug, form)
    made = {**bug.broken, **apply_reply(bug.broken, reply, in_part).changes}
    room = repairer.formats[form].max_tokens
    spoken, answer = json.dumps(diagnosis), json.dumps(reply)
    return Bill(
        _tokens(_request(debugger.actions or debugger, bug, seen, ""))
        + _tokens(_request(repairer.formats[form], bug, shown, diagnosis_text(diagnosis))),
        _tokens(spoken) + _tokens(answer),
        form,
        made == dict(bug.fixed) and _tokens(answer) <= room,
    )


def _wrong_lines(bug: Bug) -> list[tuple[str, int]]:
    return changed_lines(bug.fixed, bug.broken)


def _reply(bug: Bug, form: str) -> dict[str, Any]:
    changed = {path: text for path, text in bug.fixed.items() if text != bug.broken[path]}
    if form == "files":
        return {"summary": _SUMMARY, "files": [{"path": path, "text": text} for path, text in changed.items()]}
    edits = [
        {"path": path, "find": find, "replace": put}
        for path, text in changed.items()
        for find, put in edits_between(bug.broken[path].split("\n"), text.split("\n"))
    ]
    return {"why": _WHY, "summary": _SUMMARY, "edits": edits}


def _request(prompt: Prompt, bug: Bug, program: str, diagnosis: str) -> str:
    values = dict.fromkeys(names_in(prompt), "(nothing yet)") | {
        "program": program,
        "tests": plain(bug.tests),
        "report": report_text(bug.report),
        "diagnosis": diagnosis,
        "task": TASKS["minimal"],
        "paths": ", ".join(bug.broken),
    }
    request = PromptRequest(prompt, MODEL, values, (), "").fitted(Room()).request
    return f"{request.system}{request.user}"


def _tokens(text: str) -> int:
    return len(text) // 4


def main() -> None:
    """Print the table, and from which size on edits are cheaper for the repairer alone."""
    print("| bugs | how | healed | tokens sent | received | all | per healed bug |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    every = bugs()
    ways = {"before: whole files": ("files", True), "auto": ("auto", False), "edits always": ("edits", False)}
    for name, some in (("15 of libraries", every[:15]), ("15 small ones", every[15:]), ("**all 30**", every)):
        for words, (wanted, whole) in ways.items():
            bills = [bill(bug, wanted, whole_program=whole) for bug in some]
            sent, received = sum(b.sent for b in bills), sum(b.received for b in bills)
            healed = sum(b.healed for b in bills)
            print(
                f"| {name} | {words} | {healed} | {sent:,} | {received:,} | {sent + received:,} "
                f"| {(sent + received) // max(1, healed):,} |"
            )
    print("\nsize of the file: tokens that edits save, all alike; and with one received counted as five sent")
    for bug in sorted(every, key=lambda one: sum(map(len, one.broken.values()))):
        whole, parts = bill(bug, "files", whole_program=True), bill(bug, "edits", whole_program=True)
        sent, received = whole.sent - parts.sent, whole.received - parts.received
        size = sum(map(len, bug.broken.values()))
        print(f"{bug.name}: {size:,} characters: {sent + received:+,}; {sent + 5 * received:+,}")
    sizes = [sum(map(len, bug.broken.values())) for bug in every]
    print(f"median size {statistics.median(sizes):,.0f} characters")


if __name__ == "__main__":
    main()
