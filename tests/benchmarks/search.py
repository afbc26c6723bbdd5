"""How many real bugs the search heals: `python -m tests.benchmarks.search --set quixbugs`.

The search sees the program and the visible tests; the verdict on its first-ranked repair comes from the hidden ones.
Up to five questions are answered by the reference program. Prints a line for each bug that is not healed, a summary,
and with `--out` a JSON line for each bug. `--rate` compares candidates a second with a plain process for each.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from selfheal_tui.sandbox.base import Limits, Suite, SuiteFinished, run_through
from selfheal_tui.sandbox.local import LocalSandbox
from selfheal_tui.sandbox.sift import SiftLimits
from selfheal_tui.search.doubt import doubt
from selfheal_tui.search.hunt.grown import GROWN
from selfheal_tui.search.operators import OPERATORS
from selfheal_tui.search.repair import Budget, Progress, repair
from selfheal_tui.search.weigh.found import Found, Ranking
from tests.dev_data import records, suite_of

QUESTIONS = 5
IDEAS: dict[str, list[tuple[dict[str, Any], str]]] = {
    "siblings": [(GROWN, "siblings")],
    "donors": [(GROWN, "donors")],
    "pairs": [
        (OPERATORS, name)
        for name in ("extreme", "start_and_update", "occurrences", "quantifier", "collected", "counted_from_one")
    ],
}
"""What `--without` leaves out: the registries and names of each idea."""
_LIMITS = Limits(time_s=20.0, case_time_s=2.0)
_PARTS = ("angelic", "checks", "signs")


async def main() -> None:
    """Measure what was asked for."""
    options = _options()
    sandbox = LocalSandbox()
    try:
        if options.rate:
            await _rate(sandbox)
            return
        chosen = records(options.set)
        if options.ids:
            chosen = [record for record in chosen if any(part in record["id"] for part in options.ids.split(","))]
        if options.limit and options.limit < len(chosen):
            chosen = [chosen[at * len(chosen) // options.limit] for at in range(options.limit)]
        rows = []
        for number, record in enumerate(chosen, 1):
            row = await _one(sandbox, record, options)
            rows.append(row)
            if options.out:
                _append(Path(options.out), row)
            if row["what"] != "healed" or options.verbose:
                print(f"{number:4} {_line(row)}", flush=True)
        _summary(options.set, rows)
    finally:
        await sandbox.aclose()


def _append(path: Path, row: dict[str, Any]) -> None:
    with path.open("a") as file:
        file.write(json.dumps(row) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", default="quixbugs")
    parser.add_argument("--limit", type=int, default=0, help="so many bugs, evenly spread over the set")
    parser.add_argument("--ids", default="", help="only bugs whose id contains one of these, parted by commas")
    parser.add_argument("--time", type=float, default=30.0, help="seconds a bug")
    parser.add_argument("--all-tests", action="store_true", help="the search sees the hidden tests too")
    parser.add_argument(
        "--without", default="", help=f"parts of the search left out, of {', '.join((*_PARTS, *IDEAS))}"
    )
    parser.add_argument("--out", default="")
    parser.add_argument("--rate", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    left_out = [*filter(None, options.without.split(","))]
    if unknown := set(left_out) - {*_PARTS, *IDEAS}:
        parser.error(f"no part of the search: {', '.join(sorted(unknown))}")
    for table, name in (part for idea in left_out for part in IDEAS.get(idea, ())):
        del table[name]
    return options


async def _one(sandbox: LocalSandbox, record: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    tests = record["hidden_tests"] if options.all_tests else record["visible_tests"]
    row: dict[str, Any] = {"id": record["id"], "what": "", "judged": 0, "first_s": None, "clusters": 0, "asked": 0}
    if not tests:
        return {**row, "what": "no visible tests"}
    suite = suite_of(record, record["buggy_code"], tests, _LIMITS)
    began = time.perf_counter()
    while True:
        covered = await run_through(sandbox, replace(suite, coverage=True))
        if covered.report["verdict"] == "passed":
            told = await _doubted(sandbox, record, suite, covered, row)
            if told is None:
                return {**row, "what": "no failing visible test"}
            suite = told
            covered = await run_through(sandbox, replace(suite, coverage=True))
            row["doubted"] = True
        left_s = options.time - (time.perf_counter() - began)
        without = options.without.split(",")
        found = await _search(sandbox, record, suite, covered, left_s, row, began, without)
        row["judged"] += found.judged
        row["took_s"] = round(time.perf_counter() - began, 2)
        step = found.candidates[0] if found.candidates else None
        if step is None or step.complete or step.breaks or row["took_s"] >= options.time:
            break
        # One of several mistakes, mended: the loop takes it and searches again, and so does this.
        row["steps"] = row.get("steps", 0) + 1
        suite = replace(suite, files={**suite.files, **step.changes})
    row["clusters"] = found.clusters
    ranked = [c for c in found.ranking.candidates[:10]]
    if not ranked:
        return {**row, "what": "nothing", "tried_all": found.tried_all}
    right = await _are_right(sandbox, record, [c.changes for c in (found.candidates[0], *found.ranking.candidates)])
    row |= {
        "right": right[0],
        "confidence": found.confidence,
        "pool": len(found.ranking.candidates),
        "scores": [round(score, 2) for score in found.ranking.scores[:10]],
        "of_cluster": [behaviour.cluster for behaviour in found.ranking.behaviours[:10]],
        "summary": found.candidates[0].summary,
        "operator": found.candidates[0].operator,
        "marks": [mark.kind for mark in found.candidates[0].marks],
        "cost": found.candidates[0].cost,
        "place": 1 + right[1:].index(True) if True in right[1:] else 0,
    }
    if options.out:
        row |= {"task": record["split_key"], "program": suite.files["prog.py"], "all": _pool(found.ranking, right[1:])}
    if right[0]:
        row["right_after"] = row["asked"]
        return {**row, "what": "told" if row.get("doubted") else "healed", "answered": True}
    healed = await _with_answers(sandbox, record, found, suite, row)
    what = "told" if row.get("doubted") else "later" if row["place"] else "wrong"
    return {**row, "what": what, "answered": healed}


def _pool(ranking: Ranking, right: Sequence[bool]) -> list[dict[str, Any]]:
    """Return what is known of each repair that passes every visible case, best first, and whether it is right."""
    rows = zip(ranking.candidates, ranking.behaviours, ranking.signs, ranking.scores, right, strict=True)
    return [
        {
            "operator": candidate.operator,
            "cost": candidate.cost,
            "size": candidate.size,
            "line": candidate.line,
            "parts": candidate.parts,
            "text": candidate.changes["prog.py"],
            "behaviour": {**asdict(replace(behaviour, answers=(), raises=frozenset())), "raises": None},
            "signs": asdict(signs),
            "score": round(score, 3),
            "right": is_right,
        }
        for candidate, behaviour, signs, score, is_right in rows
    ]


async def _doubted(
    sandbox: LocalSandbox, record: dict[str, Any], suite: Suite, covered: SuiteFinished, row: dict[str, Any]
) -> Suite | None:
    """Ask about a program that passes every case; return the suite with what was answered, once a case fails."""
    right, asked, told = {"prog.py": record["reference_code"] + "\n"}, [], ""
    while row["asked"] < QUESTIONS:
        question = await doubt(suite, covered.report, covered.coverage, sandbox, asked)
        if question is None:
            return None
        row["asked"] += 1
        asked.append(question.call)
        answers = await sandbox.ask(suite, [{}, right], [question.call], SiftLimits(2.0, 10_000_000))
        if len(answers) != 2 or not all(answers):
            return None
        now, wanted = answers[0][0], answers[1][0]
        try:
            told += f"\n\ndef test_answer_{len(asked)}():\n    {question.as_assertion(wanted)}\n"
        except ValueError:
            return None
        tests = {**suite.files, "test_prog.py": suite.files["test_prog.py"] + told}
        if now != wanted:
            return replace(suite, files=tests)
    return None


async def _search(
    sandbox: LocalSandbox,
    record: dict[str, Any],
    suite: Suite,
    covered: SuiteFinished,
    time_s: float,
    row: dict[str, Any],
    began: float,
    without: list[str],
) -> Found:
    """Search once; note when the first plausible repair was there."""
    async with aclosing(
        repair(
            suite.files,
            suite.program,
            suite.tests,
            covered.report,
            sandbox,
            budget=Budget(time_s=time_s),
            coverage=covered.coverage,
            limits=_LIMITS,
            spec=record["prompt"] or "",
            without=without,
        )
    ) as steps:
        async for step in steps:
            match step:
                case Progress(plausible=number) if number and row["first_s"] is None:
                    row["first_s"] = round(time.perf_counter() - began, 2)
                case Found():
                    return step
    raise AssertionError("a search ends with what it found")


async def _are_right(sandbox: LocalSandbox, record: dict[str, Any], changes: list[Any]) -> list[bool]:
    """Judge changes by the hidden tests."""
    suite = suite_of(record, record["buggy_code"], record["hidden_tests"], _LIMITS)
    verdicts = {verdict.index: verdict.all_passed async for verdict in sandbox.judge(suite, changes)}
    return [verdicts[index] for index in range(len(changes))]


async def _with_answers(
    sandbox: LocalSandbox, record: dict[str, Any], found: Found, suite: Suite, row: dict[str, Any]
) -> bool:
    """Answer questions as the reference program would."""
    right = {"prog.py": record["reference_code"] + "\n"}
    while found.question is not None and row["asked"] < QUESTIONS:
        row["asked"] += 1
        answers = await sandbox.ask(suite, [right], [found.question.call], SiftLimits(2.0, 10_000_000))
        if not answers or not answers[0]:
            return False
        found = found.answer(answers[0][0])
        if found.candidates and (await _are_right(sandbox, record, [found.candidates[0].changes]))[0]:
            row["right_after"] = row["asked"]
            return True
    return False


def _line(row: dict[str, Any]) -> str:
    known = f"judged {row['judged']:6} first {row['first_s'] or '-':>5} s, {row.get('took_s', 0):5} s"
    more = f" place {row['place']} of {row['pool']} in {row['clusters']}: {row['summary']}" if "place" in row else ""
    return f"{row['id']:<46} {row['what']:<10} {known}{more}"


def _summary(name: str, rows: list[dict[str, Any]]) -> None:
    count = Counter(row["what"] for row in rows)
    total = len(rows)
    first = [row["first_s"] for row in rows if row["first_s"]]
    rates = [row["judged"] / row["took_s"] for row in rows if row["judged"] > 500]
    plausible = [row for row in rows if "place" in row]
    answered = sum(row.get("answered", False) for row in rows)
    print(f"\n{name}: {total} bugs, first-ranked right {count['healed']} = {100 * count['healed'] / total:.1f} %")
    print(f"one of the first ten right {sum(0 < row['place'] <= 10 for row in plausible)}; with answers {answered}")
    print(f"plausible {len(plausible)}; {dict(count)}")
    if first:
        print(f"median first plausible {statistics.median(first):.2f} s", end="; ")
    if rates:
        print(f"median candidates/s {statistics.median(rates):.0f}")
    print(question_words(rows))
    sure = [row for row in plausible if row["confidence"] >= 0.7]
    print(f"confident {len(sure)}, of them right {sum(row['right'] for row in sure)}")


def question_words(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return how many first-ranked repairs are right after so many questions, and what a question gains.

    `asked` of a row counts its questions, `right_after` those before the first-ranked repair was right; none, never.
    """
    right = [sum(row.get("right_after", QUESTIONS + 1) <= k for row in rows) for k in range(QUESTIONS + 1)]
    asked = sum(row["asked"] for row in rows)
    gained = f"{(right[-1] - right[0]) / asked:.2f}" if asked else "-"
    by_count = ", ".join(f"{k}: {count}" for k, count in enumerate(right))
    each = ", ".join(
        f"{(right[k] - right[k - 1]) / number:.2f} of {number}"
        for k in range(1, QUESTIONS + 1)
        if (number := sum(row["asked"] >= k for row in rows))
    )
    return f"right after k questions: {by_count}; gained by a question {gained} ({each or 'none asked'})"


async def _rate(sandbox: LocalSandbox) -> None:
    """Print candidates a second of a batch and of a plain process for each, in turns."""
    program = "def gcd(a, b):\n    while b:\n        a, b = b, a % b\n    return a\n"
    checks = [f"assert gcd({a}, {b}) == {c}" for a, b, c in ((12, 8, 4), (7, 3, 1), (100, 75, 25), (0, 5, 5))]
    tests = "from prog import gcd\n" + "".join(f"\ndef test_{n}():\n    {check}\n" for n, check in enumerate(checks))
    suite = Suite({"prog.py": program, "test_prog.py": tests}, ("test_prog.py",), ("prog.py",))
    texts = [program.replace("b, a % b", f"b, (a + {n}) % b") for n in range(3000)]
    cases = ([f"test_prog.py::test_{n}" for n in range(4)], [])
    rates: dict[str, list[float]] = {"plain process each": [], "batches": []}
    for _ in range(5):
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            for text in texts[:60]:
                Path(folder, "x.py").write_text("\n".join([text, *checks]))
                command = [sys.executable, "-I", "x.py"]
                subprocess.run(command, cwd=folder, stderr=subprocess.DEVNULL, check=False)  # noqa: ASYNC221
            rates["plain process each"].append(60 / (time.perf_counter() - began))
        began, judged = time.perf_counter(), 0
        variants = [{"prog.py": text} for text in texts]
        async with aclosing(sandbox.sift(suite, variants, cases, SiftLimits(time_s=0.3, fuel=2000))) as values:
            async for value in values:
                judged += value.judged
        rates["batches"].append(judged / (time.perf_counter() - began))
    for name, found in rates.items():
        print(f"{name:<20} {statistics.median(found):8.0f} candidates/s")
    ratios = [batch / plain for plain, batch in zip(*rates.values(), strict=True)]
    print(f"batches are {statistics.median(ratios):.0f} times as fast")


if __name__ == "__main__":
    asyncio.run(main())
