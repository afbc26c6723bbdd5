"""What a search gives beyond one edit: two edits, a question and its answer, and the same without batches."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import cast

import pytest

from selfheal_tui.sandbox.account import HELD_TOO_MUCH
from selfheal_tui.sandbox.base import (
    CaseFinished,
    Limits,
    Suite,
    SuiteFinished,
    SuiteReport,
    VariantJudged,
    run_through,
)
from selfheal_tui.sandbox.local import LocalSandbox
from selfheal_tui.sandbox.sift import SiftLimits
from selfheal_tui.search.copies import with_copies
from selfheal_tui.search.doubt import doubt
from selfheal_tui.search.hunt.candidates import Candidate
from selfheal_tui.search.hunt.judging import Judging, SiftingSandbox
from selfheal_tui.search.program.avoid import NOTHING, Avoid
from selfheal_tui.search.repair import Budget, Found, repair
from selfheal_tui.search.weigh.signs import marks_of_search
from selfheal_tui.search.weigh.telling import telling_answers
from tests.warm import WarmSandbox

PATIENT = Budget(time_s=120.0)
LIMITS = SiftLimits()


class Plain:
    """A sandbox that judges each candidate in a process of its own, and no other way."""

    name = "plain"

    def __init__(self, inner: LocalSandbox) -> None:
        self._inner = inner

    @property
    def isolation(self) -> tuple[str, ...]:
        return self._inner.isolation

    async def layers(self) -> dict[str, str]:
        return await self._inner.layers()

    async def warm_up(self, suite: Suite) -> None:
        await self._inner.warm_up(suite)

    def run(self, suite: Suite) -> AsyncGenerator[CaseFinished | SuiteFinished, None]:
        return self._inner.run(suite)

    def judge(self, suite: Suite, variants: Iterable[Mapping[str, str]]) -> AsyncGenerator[VariantJudged, None]:
        return self._inner.judge(suite, variants)

    async def aclose(self) -> None:
        await self._inner.aclose()


@pytest.fixture
async def sandbox() -> AsyncIterator[LocalSandbox]:
    opened = WarmSandbox()
    yield opened
    await opened.aclose()


def suite_of(program: str, *checks: str) -> Suite:
    tests = "from prog import *\n" + "".join(f"\n\ndef test_{n}():\n    assert {c}\n" for n, c in enumerate(checks))
    return Suite({"prog.py": program, "test_prog.py": tests}, ("test_prog.py",), ("prog.py",))


async def search(
    sandbox: LocalSandbox | Plain, suite: Suite, budget: Budget = PATIENT, spec: str = "", avoid: Avoid = NOTHING
) -> Found:
    covered = await run_through(sandbox, replace(suite, coverage=True))
    assert covered.report["verdict"] == "failed"
    steps = repair(
        suite.files,
        suite.program,
        suite.tests,
        covered.report,
        sandbox,
        budget=budget,
        coverage=covered.coverage,
        spec=spec,
        avoid=avoid,
    )
    async with aclosing(steps) as values:
        last = [value async for value in values][-1]
    assert isinstance(last, Found)
    assert all(set(candidate.changes) <= set(suite.program) for candidate in last.ranking.candidates)
    for candidate in last.candidates[:1]:
        healed = replace(suite, files={**suite.files, **candidate.changes})
        verdict = (await run_through(sandbox, healed)).report["verdict"]
        assert verdict == ("passed" if candidate.complete else "failed")
    return last


async def test_an_edit_that_the_others_make_needless_is_left_out(sandbox: LocalSandbox) -> None:
    """Alone it mended a case; beside the others nothing needed it."""
    program = (
        "def free(taken, first, last, length):\n    gaps = []\n    at = first\n    for begin, end in sorted(taken):\n"
    )
    program += "        if begin - at >= length:\n            gaps.append((at, begin))\n        at = end\n"
    program += "    if last - at > length:\n        gaps.append((at, last))\n    return gaps\n\n\n"
    program += "def fits(wanted, first, last):\n    return wanted[0] >= first and wanted[1] < last\n"
    suite = suite_of(
        program,
        "free([(540, 600)], 480, 1080, 30) == [(480, 540), (600, 1080)]",
        "free([(510, 600), (630, 1080)], 480, 1080, 30) == [(480, 510), (600, 630)]",
        "free([(400, 450)], 480, 1080, 600) == [(480, 1080)]",
        "free([(480, 1050)], 480, 1080, 30) == [(1050, 1080)]",
        "free([(400, 450), (540, 600)], 480, 1080, 30) == [(480, 540), (600, 1080)]",
        "fits((500, 1080), 480, 1080)",
        "not fits((470, 500), 480, 1080)",
        "not fits((1000, 1090), 480, 1080)",
    )
    found = await search(sandbox, suite)
    right = (
        program.replace("at = end", "at = max(at, end)")
        .replace("at > length", "at >= length")
        .replace("< last", "<= last")
    )
    assert found.candidates[0].changes["prog.py"] == right


@pytest.mark.deep
async def test_a_missing_condition_of_two_parts(sandbox: LocalSandbox) -> None:
    program = "def doubled(values, low, high):\n    kept = []\n    for value in values:\n"
    program += "        kept.append(value * 2)\n    return kept\n"
    suite = suite_of(
        program,
        "doubled([1, 5, 12, 7, 30], 4, 10) == [10, 14]",
        "doubled([3, 4, 5, 10, 11], 4, 10) == [8, 10, 20]",
        "doubled([5, 6], 1, 9) == [10, 12]",
        "doubled([], 4, 10) == []",
    )
    found = await search(sandbox, suite)
    first = found.candidates[0]
    assert first.operator.startswith("angelic") and "low" in first.summary and "high" in first.summary
    healed = replace(suite, files={**suite.files, **first.changes})
    assert (await sandbox.ask(healed, [{}], ["doubled([4, 10, 11, 3], 4, 10)"], LIMITS)) == [["[8, 20]"]]


SPREAD = "def spread(xs):\n    low = max(xs)\n    high = min(xs)\n    return (low, high, len(xs) + 1)\n"


@pytest.mark.deep
async def test_two_mistakes_in_one_function(sandbox: LocalSandbox) -> None:
    suite = suite_of(
        SPREAD.replace("low = max", "low = min"), "spread([3, 1])[2] == 2", "spread([1, 5, 3]) == (1, 5, 3)"
    )
    found = await search(sandbox, suite)
    first = found.candidates[0]
    assert first.complete and "line 3" in first.summary and "line 4" in first.summary


CHUNKS = """from sizes import WIDTH


def chunks(text):
    return [text[at : at + WIDTH].upper() for at in range(0, len(text), WIDTH)]
"""


def in_two_files(chunks: str) -> Suite:
    tests = (
        "from chunks import chunks\n\n\ndef test_two():\n    assert 'ab' in chunks('abcd') and 'cd' in chunks('abcd')\n"
    )
    tests += "\n\ndef test_rest():\n    assert len(chunks('abcde')) == 3 and 'cd' in chunks('abcde')\n"
    files = {"sizes.py": "WIDTH = 3\n", "chunks.py": chunks, "test_chunks.py": tests}
    return Suite(files, ("test_chunks.py",), ("sizes.py", "chunks.py"))


async def test_a_wrong_constant_of_another_file(sandbox: LocalSandbox) -> None:
    found = await search(sandbox, in_two_files(CHUNKS.replace("upper", "lower")))
    assert "sizes.py" in {path for candidate in found.candidates for path in candidate.changes}


BOX = "class Box:\n    limit = 2\n\n    def fits(self, n):\n        return n > 0\n"
HELD_TESTS = """import pytest
from box import Box


@pytest.mark.parametrize("box", [Box()])
def test_limit(box):
    assert box.limit == 3


@pytest.mark.parametrize("box", [Box()])
def test_fits(box):
    assert box.fits(1) and not box.fits(0)
"""


async def test_a_class_attribute_of_an_object_among_the_parameters(sandbox: LocalSandbox) -> None:
    found = await search(sandbox, Suite({"box.py": BOX, "test_box.py": HELD_TESTS}, ("test_box.py",), ("box.py",)))
    assert any("limit = 3" in candidate.changes["box.py"] for candidate in found.candidates if candidate.complete)


async def test_an_edit_that_no_batch_can_judge_is_not_counted_as_tried(sandbox: LocalSandbox) -> None:
    suite = Suite({"box.py": BOX, "test_box.py": HELD_TESTS}, ("test_box.py",), ("box.py",))
    covered = await run_through(sandbox, replace(suite, coverage=True))
    judging = Judging(sandbox, suite, covered.report, covered.coverage)
    body, held = (
        Candidate({"box.py": BOX.replace(*edit)}, "", "", "box.py", line, 1.0, 1)
        for line, edit in ((5, ("n > 0", "n > 1")), (2, ("= 2", "= 4")))
    )
    async with aclosing(judging.sift([body, held], time.monotonic() + 60)) as rounds:
        found = [step async for step in rounds]
    assert sum(step.judged for step in found) == 1
    assert [candidate for step in found for candidate in step.unsure] == [held]


@pytest.mark.deep
async def test_two_edits_in_two_files_of_which_neither_helps_alone(sandbox: LocalSandbox) -> None:
    found = await search(sandbox, in_two_files(CHUNKS))
    first = found.candidates[0]
    assert first.complete and {*first.changes} == {"sizes.py", "chunks.py"}
    assert first.summary == "chunks.py line 5: `.upper` becomes `.lower`, and sizes.py line 1: `3` becomes `2`"


TOTAL = "def total(rows):\n    count = len(row)\n    first = row[0]\n    return count * first + row[-1]\n"
LEAST = "def least(xs):\n    best = 0\n    for x in xs:\n        if x > best:\n            best = x\n    return best\n"
SKIPS = """def lowest(rows, key):
    best = rows[0]
    for row in rows:
        if row.get(key) is None:
            continue
        if row[key] < best[key]:
            best = row
    return best


def highest(lines, name):
    best = lines[0]
    for line in lines:
        if line[name] > best[name]:
            best = line
    return best
"""


@pytest.mark.deep
@pytest.mark.parametrize(
    ("program", "checks", "operator"),
    [
        (TOTAL, ("total([3, 4]) == 10", "total([1]) == 2"), "misspelt_in_several_places"),
        (LEAST, ("least([3, 1, 2]) == 1", "least([9]) == 9"), "extreme"),
        (SKIPS, ("highest([{'a': 1}, {'a': None}, {'b': 2}, {'a': 3}], 'a') == {'a': 3}",), "like_function"),
    ],
    ids=["siblings", "extreme", "donors"],
)
async def test_two_places_are_mended_at_once(
    sandbox: LocalSandbox, program: str, checks: tuple[str, ...], operator: str
) -> None:
    found = await search(sandbox, suite_of(program, *checks))
    assert operator in [candidate.operator for candidate in found.ranking.candidates]


@pytest.mark.parametrize("answer", ["49", pytest.param("14", marks=pytest.mark.deep)])
async def test_a_question_where_repairs_disagree(sandbox: LocalSandbox, answer: str) -> None:
    suite = suite_of("def grow(n):\n    return n + 1\n", "grow(2) == 4", "grow(0) == 0")
    found = await search(sandbox, suite)
    assert found.clusters > 1 and found.question is not None
    assert len({answer.text for answer in found.question.answers}) == len(found.question.answers) > 1
    right = {"49": "def grow(n):\n    return n ** 2\n", "14": "def grow(n):\n    return n * 2\n"}[answer]
    while found.question is not None:
        told = await sandbox.ask(suite, [{"prog.py": right}], [found.question.call], LIMITS)
        found = found.answer(told[0][0])
    assert found.candidates
    final = replace(suite, files={**suite.files, **found.candidates[0].changes})
    assert await sandbox.ask(final, [{}], ["grow(7)"], LIMITS) == [[answer]]


FIELDS = """def fields(line, sep):
    found = []
    for part in line.split(sep):
        found.append(part.lstrip())
    return found
"""
TABLE = """from text import fields


class Table:
    def __init__(self, lines):
        self.rows = [fields(line, ',') for line in lines]

    def column(self, n):
        return [row[n] for row in self.rows]
"""
COLUMN = """from table import Table


def test_column():
    assert Table(['ab , c', 'de , f']).column(0) == ['ab', 'de']
"""


async def test_a_helper_that_no_test_imports_is_asked_with_what_it_is_handed(sandbox: LocalSandbox) -> None:
    files = {"text.py": FIELDS, "table.py": TABLE, "test_table.py": COLUMN}
    suite = Suite(files, ("test_table.py",), ("text.py", "table.py"))
    assert await sandbox.ask(suite, [{}], ["fields('a ,b', ',')", "Table([]).rows"], LIMITS) == [["['a ', 'b']", "[]"]]
    found = await search(sandbox, suite)
    assert found.candidates[0].summary == "line 4: `.lstrip` becomes `.strip`"
    assert found.question is not None and found.question.call.startswith("fields(")


FEE = """from decimal import Decimal


class Account:
    def __init__(self):
        self.moves = []

    def put(self, amount):
        self.moves.append(Decimal(amount))

    def fee(self):
        return min(2 * -(-sum(self.moves, Decimal(0)) // 1000), 10)
"""
FEES = "from fee import Account\n\n\n" + "".join(
    f"def test_{amount}():\n    a = Account()\n    a.put({amount})\n    assert a.fee() == {fee}\n\n\n"
    for amount, fee in ((70, 2), (2500, 6), (2000, 4), (90000, 10))
)


async def test_the_question_is_about_cents_where_repairs_round_and_not_about_8_or_8_0(sandbox: LocalSandbox) -> None:
    suite = Suite({"fee.py": FEE, "test_fee.py": FEES}, ("test_fee.py",), ("fee.py",))
    found = await search(sandbox, suite)
    assert {"int(", "float("} <= {
        word for one in found.ranking.candidates for word in ("int(", "float(") if word in one.summary
    }
    assert found.question is not None and found.question.call == "[a := Account(), a.put(2000.75), a.fee()][-1]"
    assert {answer.text for answer in found.question.answers} == {"4", "6"}
    cents = found.answer("6")
    assert cents.candidates and all("int(" not in one.summary for one in cents.ranking.candidates)


async def test_an_example_of_the_specification_decides(sandbox: LocalSandbox) -> None:
    suite = suite_of("def grow(n):\n    return n + 1\n", "grow(2) == 4", "grow(0) == 0")
    for spec, wanted in (("For example grow(7) == 49.", "49"), ("For example grow(7) == 14.", "14")):
        found = await search(sandbox, suite, spec=spec)
        final = replace(suite, files={**suite.files, **found.candidates[0].changes})
        assert await sandbox.ask(final, [{}], ["grow(7)"], LIMITS) == [[wanted]]


@pytest.mark.deep
async def test_an_edit_that_breaks_a_case_of_another_file_is_said_to_mend_every_case_nowhere(
    sandbox: LocalSandbox,
) -> None:
    right = "from fee import fee\n\n\ndef test_few():\n    assert fee(2) == 4\n"
    files = {
        "fee.py": "def fee(days):\n    return days * 2\n",
        "test_a.py": right,
        "test_b.py": right.replace("4", "5"),
    }
    tests = ("test_a.py", "test_b.py")
    report = (await run_through(sandbox, Suite(files, tests, ("fee.py",)))).report
    steps = repair(files, ("fee.py",), tests, report, sandbox, budget=Budget(candidates=200))
    found = [step async for step in steps][-1]
    assert isinstance(found, Found) and not found.candidates
    assert found.places and not any(place.best.complete for place in found.places)
    assert found.places[0].best.breaks == ("test_a.py::test_few",)


async def test_six_mistakes_of_six_cases_are_mended_together(sandbox: LocalSandbox) -> None:
    """The last ones too: a batch gives a candidate up after four cases, which need not be those that it can mend."""
    wrong = ("x - y", "min(x, y)", "[x, y][1]", "x < y", "(y, x)", "x and not y")
    right = ("x + y", "max(x, y)", "[x, y][0]", "x <= y", "(x, y)", "x and y")
    head, body, tests = "", "", ""
    for number, (one, other) in enumerate(zip(wrong, right, strict=True)):
        body += f"def f{number}(x, y):\n    return {one}\n\n\n"
        head += f"from p import f{number}\n"
        tests += f"\n\ndef test_{number}():\n    assert f{number}(4, 4) == {eval(other, {'x': 4, 'y': 4})!r}\n"
        tests += f"    assert f{number}(9, 2) == {eval(other, {'x': 9, 'y': 2})!r}\n"
    files = {"p.py": body, "test_p.py": head + tests}
    report = (await run_through(sandbox, Suite(files, ("test_p.py",), ("p.py",)))).report
    steps = repair(files, ("p.py",), ("test_p.py",), report, sandbox, budget=Budget(time_s=60))
    found = [step async for step in steps][-1]
    assert isinstance(found, Found)
    assert found.candidates[0].complete and found.candidates[0].parts == 6
    assert not found.tried_all, "they are joined before all single edits were tried"


async def test_without_batches_the_same_is_found(sandbox: LocalSandbox) -> None:
    suite = suite_of("def total(a, b):\n    return a - b\n", "total(5, 2) == 7", "total(1, 3) == 4")
    plain = Plain(sandbox)
    assert isinstance(sandbox, SiftingSandbox) and not isinstance(plain, SiftingSandbox)
    few = replace(PATIENT, candidates=50)
    found = await search(plain, suite, few)
    assert found.candidates[0].changes == (await search(sandbox, suite, few)).candidates[0].changes


async def test_a_case_that_never_ends_gives_no_candidate_more_patience(sandbox: LocalSandbox) -> None:
    program = "def f(n):\n    while n:\n        sorted(range(3000))\n    return n\n"
    suite = replace(suite_of(program, "f(0) == 0", "f(3) == 0"), limits=Limits(case_time_s=0.5))
    covered = await run_through(sandbox, replace(suite, coverage=True))
    assert [case["outcome"] for case in covered.report["cases"]] == ["passed", "timeout"]
    judging = Judging(sandbox, suite, covered.report, covered.coverage)
    examined = await judging.examine(suite)
    endless = examined.rounds["test_prog.py::test_1"]
    assert 100 < endless < 100_000, "the clock has cut it off"
    assert judging._sift_limits.fuel < 20 * endless
    # One that fills the memory ends sooner than the clock, and its rounds say as little.
    filled = {
        **covered.report["cases"][1],
        "outcome": "error",
        "message": f"{HELD_TOO_MUCH} 512 MiB",
        "duration_s": 0.0,
    }
    report = {**covered.report, "cases": [covered.report["cases"][0], filled]}
    judging = Judging(sandbox, suite, cast(SuiteReport, report), covered.coverage)
    await judging.examine(suite)
    assert judging._sift_limits.fuel < 20 * endless


async def test_a_case_that_kills_its_process_takes_no_batch_along(sandbox: LocalSandbox) -> None:
    suite = suite_of("def f(n):\n    return n * 3\n", "f(0) == 0", "f(2) == 4", "__import__('os').kill(os.getpid(), 9)")
    suite = replace(suite, files={**suite.files, "test_prog.py": f"import os\n{suite.files['test_prog.py']}"})
    covered = await run_through(sandbox, replace(suite, coverage=True))
    assert [case["outcome"] for case in covered.report["cases"]] == ["passed", "failed", "error"]
    judging = Judging(sandbox, suite, covered.report, covered.coverage)
    assert judging.failing == ["test_prog.py::test_1", "test_prog.py::test_2"]
    assert judging._wanted == ["test_prog.py::test_1"]


@pytest.mark.deep
async def test_a_right_but_slow_candidate_is_not_taken_for_an_endless_one(sandbox: LocalSandbox) -> None:
    program = (
        "def divisors(n):\n    found = 0\n    for d in range(0, n):\n        if n % d == 0:\n            found += 1\n"
        "    return found\n"
    )
    suite = suite_of(program, "divisors(60_029) == 1", "divisors(60_000) == 59")
    covered = await run_through(sandbox, replace(suite, coverage=True))
    judging = Judging(sandbox, suite, covered.report, covered.coverage)
    await judging.examine(suite)
    assert judging._sift_limits.fuel < 10_000, "the program as it is fails in its first round"
    found = await search(sandbox, suite)
    assert "range(1, n)" in found.candidates[0].changes["prog.py"]


async def test_a_case_that_a_batch_ends_too_early_delays_no_repair(sandbox: LocalSandbox) -> None:
    unused = "".join(f"def unused_{n}(a, b):\n    return a + b - {n} if a < b else a * b\n" for n in range(60))
    program = (
        "def rounds(size, most):\n    if size >= most:\n        return -1\n    count = 0\n"
        f"    for _ in range(size * 300):\n        count += 1\n    return count\n\n\n{unused}"
    )
    kept = ["rounds(3, 2) == -1", *(f"unused_{n}(1, 2) == {3 - n}" for n in range(60))]
    found = await search(sandbox, suite_of(program, "rounds(2, 2) == 600", "rounds(900, 900) == 270_000", *kept))
    assert found.candidates[0].complete and "size > most" in found.candidates[0].changes["prog.py"]
    assert found.judged < 4_000 and not found.tried_all


async def test_a_case_of_many_rounds_is_no_endless_one(sandbox: LocalSandbox) -> None:
    suite = suite_of(
        "def f(n):\n    t = 0\n    for i in range(n):\n        t += 2\n    return t\n", "f(150_000) == 150_000"
    )
    covered = await run_through(sandbox, replace(suite, coverage=True))
    judging = Judging(sandbox, suite, covered.report, covered.coverage)
    await judging.examine(suite)
    assert judging._sift_limits.fuel > 150_000


GREEN = suite_of("def first(a):\n    return a[0] if len(a) > 1 else None\n", "first([3, 4]) == 3", "first([]) is None")


@pytest.mark.deep
async def test_a_doubt_is_a_call_that_no_case_makes_and_that_parts_the_program_from_others(
    sandbox: LocalSandbox,
) -> None:
    ran = await run_through(sandbox, replace(GREEN, coverage=True))
    asked: list[str] = []
    while (question := await doubt(GREEN, ran.report, ran.coverage, sandbox, asked)) and len(asked) < 3:
        assert question.call not in asked and question.call not in GREEN.files["test_prog.py"]
        told = await sandbox.ask(GREEN, [{}], [question.call], LIMITS)
        (own,) = [answer.text for answer in question.answers if 0 in answer.candidates]
        assert told == [[own]] and len(question.answers) > 1
        asked.append(question.call)
    assert any(call.count(",") == 0 for call in asked), "nobody tests a list of one item"
    assert question != await doubt(GREEN, ran.report, ran.coverage, sandbox)


async def test_a_doubt_asks_about_a_bound_that_the_program_names(sandbox: LocalSandbox) -> None:
    program = (
        'def fee(kind, cents):\n    """Nothing for 4000 cents or more."""\n    base = {"sea": 300, "air": 900}[kind]\n'
    )
    program += "    return 0 if cents > 4000 else base\n"
    suite = suite_of(program, "fee('sea', 1500) == 300", "fee('air', 8000) == 0", "fee('air', 20) == 900")
    ran = await run_through(sandbox, replace(suite, coverage=True))
    question = await doubt(suite, ran.report, ran.coverage, sandbox)
    assert question is not None and "4000" in question.call


async def test_a_repair_beside_a_part_that_a_person_closed_is_doubted(sandbox: LocalSandbox) -> None:
    program = "def half(n):\n    return n // 3\n\n\ndef f(n):\n    return half(n) + 1\n"
    suite = suite_of(program, "f(4) == 3", "f(8) == 5")
    covered = await run_through(sandbox, replace(suite, coverage=True))
    for avoid in (Avoid(), Avoid(functions=frozenset({("prog.py", "half")}))):
        steps = repair(
            suite.files, suite.program, suite.tests, covered.report, sandbox, coverage=covered.coverage, avoid=avoid
        )
        found = [step async for step in steps][-1]
        assert isinstance(found, Found) and found.candidates
        assert all(("closed" in [mark.kind for mark in one.marks]) == bool(avoid) for one in found.candidates)


BASKET = Suite(
    {
        "basket.py": "class Basket:\n    def __init__(self):\n        self.lines = []\n\n"
        "    def add(self, price, count):\n        self.lines.append((price, count))\n\n    def total(self):\n"
        "        return sum(p * n - (p if n > 10 else 0) for p, n in self.lines)\n",
        "test_basket.py": "from basket import Basket\n\n\ndef test_b():\n    b = Basket()\n    b.add(3, 2)\n"
        "    b.add(2, 20)\n    assert b.total() == 44\n\n\ndef test_empty():\n    assert Basket().total() == 0\n",
    },
    ("test_basket.py",),
    ("basket.py",),
)


async def test_there_is_doubt_about_what_objects_do_at_a_boundary_too(sandbox: LocalSandbox) -> None:
    ran = await run_through(sandbox, replace(BASKET, coverage=True))
    question = await doubt(BASKET, ran.report, ran.coverage, sandbox)
    assert question is not None and "b.add(2, 10), b.total()" in question.call
    assert {answer.text for answer in question.answers} >= {"26", "24"}


@pytest.mark.parametrize(("program", "check"), [("def one():\n    return 1\n", "one() == 1"), ("X = 1\n", "X == 1")])
async def test_there_is_no_doubt_without_calls_to_tell_programs_apart(
    sandbox: LocalSandbox, program: str, check: str
) -> None:
    suite = suite_of(program, check)
    ran = await run_through(sandbox, replace(suite, coverage=True))
    assert ran.report["verdict"] == "passed"
    assert await doubt(suite, ran.report, ran.coverage, sandbox) is None


@pytest.mark.parametrize(
    "answer", ["random.random()", "object()", "time.time()"], ids=["dice", "an object", "the clock"]
)
async def test_nobody_is_asked_what_nobody_can_say(sandbox: LocalSandbox, answer: str) -> None:
    program = f"import random, time\n\ndef f(n):\n    if n > 3:\n        return {answer}\n    return None\n"
    suite = suite_of(program, "f(1) is None", "f(0) is None")
    ran = await run_through(sandbox, replace(suite, coverage=True))
    question = await doubt(suite, ran.report, ran.coverage, sandbox)
    assert question is None or all(0 not in a.candidates or a.text == "None" for a in question.answers)


async def test_a_search_that_is_stopped_returns_the_best_it_has(sandbox: LocalSandbox) -> None:
    suite = suite_of("def top(n):\n    return [i for i in range(n)]\n", "top(2) == [0, 1, 2]", "top(0) == [0]")
    covered = await run_through(sandbox, replace(suite, coverage=True))
    wished = False
    steps = repair(
        suite.files, suite.program, suite.tests, covered.report, sandbox,
        budget=PATIENT, coverage=covered.coverage, stopped=lambda: wished,
    )  # fmt: skip
    last: object = None
    async with aclosing(steps) as values:
        async for last in values:
            wished = wished or (not isinstance(last, Found) and bool(last.best))
    assert isinstance(last, Found) and last.candidates and not last.tried_all


async def test_a_search_that_is_stopped_before_it_has_anything_ends_with_nothing(sandbox: LocalSandbox) -> None:
    suite = suite_of("def one():\n    return 2\n", "one() == 1")
    covered = await run_through(sandbox, replace(suite, coverage=True))
    steps = repair(
        suite.files, suite.program, suite.tests, covered.report, sandbox,
        budget=PATIENT, coverage=covered.coverage, stopped=lambda: True,
    )  # fmt: skip
    async with aclosing(steps) as values:
        (last,) = [value async for value in values if isinstance(value, Found)]
    assert (last.candidates, last.judged, last.tried_all, last.cut_short) == ((), 0, False, "stopped")


async def test_lines_that_other_test_files_ran_are_not_out_of_use(sandbox: LocalSandbox) -> None:
    program = (
        "def longest(words):\n    return min(words, key=len)\n\n\n"
        "def shout(word):\n    loud = word.upper()\n    return loud\n"
    )
    tests = {
        "test_longest.py": "from prog import longest\n\n\ndef test_it():\n    assert longest(['a', 'bb']) == 'bb'\n",
        "test_shout.py": "from prog import shout\n\n\ndef test_it():\n    assert shout('a') == 'A'\n",
    }
    suite = Suite({"prog.py": program, **tests}, tuple(tests), ("prog.py",))
    finished = await run_through(sandbox, replace(suite, coverage=True))
    steps = repair(
        suite.files, suite.program, suite.tests, finished.report, sandbox, coverage=finished.coverage, budget=PATIENT
    )
    async with aclosing(steps):
        (found,) = [step async for step in steps if isinstance(step, Found)]
    assert found.candidates[0].complete
    assert "idle" not in [mark.kind for candidate in found.candidates for mark in candidate.marks]


OF_TWO_FAULTS = """def double(number):
    \"\"\"Return twice the number.

    >>> double(5)
    10
    \"\"\"
    return number - 2


def greeting(name):
    return name
"""


async def test_repairs_of_one_fault_are_compared_by_calls_while_another_fault_is_left(sandbox: LocalSandbox) -> None:
    suite = suite_of(OF_TWO_FAULTS, "double(2) == 4", "greeting('Ann') == 'Dr 73'", "greeting('Bo') == 'Lord 8'")
    found = await search(sandbox, suite)
    first = found.candidates[0]
    assert not first.complete and first.fixes == ("test_prog.py::test_0",)
    assert "number * 2" in first.changes["prog.py"], [one.summary for one in found.candidates]
    assert found.confidence == 0.0, "it is calibrated on repairs that mend every case"
    assert found.places[0].best.summary == first.summary, "the diagnosis names what the repair does"


async def test_what_parts_repairs_of_one_fault_is_asked_while_another_fault_is_left(sandbox: LocalSandbox) -> None:
    program = (
        OF_TWO_FAULTS[: OF_TWO_FAULTS.index('    """')] + OF_TWO_FAULTS[OF_TWO_FAULTS.index("    return number") :]
    )
    suite = suite_of(program, "double(2) == 4", "greeting('Ann') == 'Dr 73'", "greeting('Bo') == 'Lord 8'")
    found = await search(sandbox, suite)
    assert not found.candidates[0].complete and found.candidates[0].fixes == ("test_prog.py::test_0",)
    assert found.question is not None and found.question.call.startswith("double(")
    answers = [one for one in telling_answers(found) if one][:2]
    assert len({one[found.question.call] for one in answers}) == 2, "the first two that mend this case differ there"


LEVELS = """
def level(n):
    if n > 10:
        return 100
    return n

def label(n):
    return "L" + str(n)
"""
LEVEL_TESTS = """
from level import label, level

def test_level():
    assert level(50) == 50

def test_label():
    assert label(3) == "three of nine"
    assert level(200) == 100
    assert level(5) == 5
"""
SHELF = """
class Shelf:
    def __init__(self):
        self.items = {}

    def add(self, name, count):
        self.items[name] = self.items.get(name, 0) + count

    def remove(self, name, count):
        if self.items.get(name, 0) <= count:
            raise ValueError("not enough")
        self.items[name] -= count

    def total(self):
        return max(self.items.values())

    def low(self, limit):
        return [name for name in sorted(self.items) if self.items[name] > limit]
"""
SHELF_TESTS = """
import pytest
from shelf import Shelf

class TestShelf:
    def test_story(self):
        shelf = Shelf()
        shelf.add("tea", 3)
        shelf.add("salt", 5)
        shelf.add("tea", 1)
        assert shelf.total() == 9
        shelf.remove("tea", 3)
        assert shelf.low(2) == ["tea"]
        assert shelf.low(1) == ["tea"]
        assert shelf.low(5) == ["salt", "tea"]
        shelf.remove("salt", 5)
        assert shelf.total() == 1
        with pytest.raises(ValueError):
            shelf.remove("salt", 1)
"""


async def test_a_repair_that_a_later_line_of_a_failing_test_speaks_against_is_not_the_first(
    sandbox: LocalSandbox,
) -> None:
    suite = Suite({"level.py": LEVELS, "test_level.py": LEVEL_TESTS}, ("test_level.py",), ("level.py",))
    found = await search(sandbox, suite, Budget(time_s=20.0))
    first = found.candidates[0]
    assert first.fixes == ("test_level.py::test_level",)
    assert "`10` becomes `100`" in first.summary
    assert not first.loses and not first.marks


async def test_several_mistakes_of_one_test_are_mended_together(sandbox: LocalSandbox) -> None:
    suite = Suite({"shelf.py": SHELF, "test_shelf.py": SHELF_TESTS}, ("test_shelf.py",), ("shelf.py",))
    first = (await search(sandbox, suite)).candidates[0]
    assert first.complete
    assert first.fixes == ("test_shelf.py::TestShelf::test_story",)
    for edit in ("`<=` becomes `<`", "`max` becomes `sum`", "`>` becomes `<=`"):
        assert edit in first.summary


async def test_what_loses_a_check_that_held_bears_a_mark(sandbox: LocalSandbox) -> None:
    suite = Suite({"level.py": LEVELS, "test_level.py": LEVEL_TESTS}, ("test_level.py",), ("level.py",))
    ran = await run_through(sandbox, replace(suite, coverage=True))
    copies, with_copies_of, report, coverage = await with_copies(sandbox, suite, ran.report, ran.coverage)
    judging = Judging(sandbox, with_copies_of, report, coverage, copies=copies)
    changed = {"level.py": LEVELS.replace("n > 10", "n <= 10")}
    one = Candidate(changed, "", "comparison", "level.py", 3, 1.0, 1)
    (judged,) = await judging.confirm([one])
    assert judged.breaks == ()
    ends = " of test_label holds without it, and not with it"
    assert judged.loses == (f"`assert level(200) == 100`{ends}", f"`assert level(5) == 5`{ends}")
    (mark,) = (m for m in marks_of_search(suite.files, judged, coverage) if m.kind == "loses")
    assert mark.why == "`assert level(200) == 100` of test_label holds without it, and not with it."


async def test_a_test_that_can_be_done_once_is_searched_as_it_is(sandbox: LocalSandbox) -> None:
    tests = "import prog\n\ndef test_one():\n    prog.seen.append(1)\n    assert prog.seen == [1]\n"
    tests += "    assert prog.add(2, 2) == 4\n"
    program = "seen = []\n\ndef add(a, b):\n    return a - b\n"
    suite = Suite({"prog.py": program, "test_prog.py": tests}, ("test_prog.py",), ("prog.py",))
    found = await search(sandbox, suite)
    assert found.candidates[0].complete
    assert "`-` becomes `+`" in found.candidates[0].summary


async def test_how_objects_are_compared_is_not_changed_where_they_do_differ(sandbox: LocalSandbox) -> None:
    program = (
        'SIZES = {"m": 100, "cm": 1}\n\n\nclass Length:\n    def __init__(self, number, unit="m"):\n'
        "        self.number = number\n        self.unit = unit\n\n    def __eq__(self, other):\n"
        "        return (self.number, self.unit) == (other.number, other.unit)\n\n    def __repr__(self):\n"
        '        return f"Length({self.number}, {self.unit!r})"\n\n    def to(self, unit):\n'
        "        return Length(self.number * SIZES[unit] / SIZES[self.unit], unit)\n\n"
        "    def longer(self, other):\n        return Length(self.number + other.number, self.unit)\n"
    )
    suite = suite_of(
        program,
        'Length(250, "cm").to("m") == Length(2.5)',
        'Length(1).longer(Length(250, "cm")) == Length(3.5)',
        "Length(1).longer(Length(2)) == Length(3)",
        'Length(2).to("cm") == Length(200, "cm")',
        'Length(3, "cm") == Length(3, "cm")',
    )
    found = await search(sandbox, suite)
    assert not any("line 10" in candidate.summary for candidate in found.candidates)
    assert "`SIZES[unit]` and `SIZES[self.unit]` are swapped" in found.candidates[0].summary
    mended = {path: found.candidates[0].changes.get(path, text) for path, text in suite.files.items()}
    found = await search(sandbox, replace(suite, files=mended))
    assert "`other.number` becomes `other.to(self.unit).number`" in found.candidates[0].summary
    assert found.candidates[0].complete


async def test_how_objects_are_made_is_mended_where_that_is_wrong(sandbox: LocalSandbox) -> None:
    program = (
        'class Name:\n    def __init__(self, text, title="Dr"):\n        self.text, self.title = text, title\n\n'
        "    def __eq__(self, other):\n        return (self.text, self.title) == (other.text, other.title)\n\n"
        '    def formal(self):\n        return Name(f"{self.title} {self.text}", "Mr")\n'
    )
    suite = suite_of(program, 'Name("Ann").formal() == Name("Mr Ann")', 'Name("Bo").formal() == Name("Mr Bo")')
    found = await search(sandbox, suite)
    assert found.candidates[0].complete and not found.candidates[0].loses
    assert found.candidates[0].summary == 'line 2: `"Dr"` becomes `"Mr"`'


async def test_how_objects_are_compared_is_changed_where_nothing_else_mends_a_case(sandbox: LocalSandbox) -> None:
    program = (
        'class Note:\n    def __init__(self, key, text=""):\n        self.key, self.text = key, text\n\n'
        "    def __eq__(self, other):\n        return self.key == other.key and self.text == other.text\n\n"
        '    def __repr__(self):\n        return f"Note({self.key!r}, {self.text!r})"\n\n'
        '    def after(self):\n        return Note(self.key + 1, f"after {self.text}")\n'
    )
    suite = suite_of(
        program, "Note(1).after() == Note(2)", 'Note(3).after() == Note(4, "z")', "Note(1) == Note(1) != Note(2)"
    )
    others = frozenset(("prog.py", f"Note.{name}") for name in ("__init__", "after"))
    last = await search(sandbox, suite, avoid=Avoid(functions=others))
    assert last.candidates[0].complete
    assert last.candidates[0].line == 6 and " and self.text == other.text" not in last.candidates[0].changes["prog.py"]
    assert "equality" in {mark.kind for mark in last.candidates[0].marks}


WINDOW = """class Window:
    def __init__(self, most, length):
        self.most, self.length, self.calls = most, length, []

    def allow(self, now):
        self.calls = [at for at in self.calls if now - at <= self.length]
        if len(self.calls) >= self.most:
            return False
        self.calls.append(now)
        return True
"""


async def test_a_way_that_the_tests_of_another_file_still_take_is_not_out_of_use(sandbox: LocalSandbox) -> None:
    tests = {
        "test_window.py": "from window import Window\n\n\ndef test_it():\n    w = Window(1, 10)\n"
        "    assert w.allow(0)\n    assert not w.allow(5)\n    assert w.allow(20)\n",
        "test_answer.py": "from window import Window\n\n\ndef test_it():\n    w = Window(1, 10)\n    w.allow(0)\n"
        "    assert w.allow(10) is True\n",
    }
    suite = Suite({"window.py": WINDOW, **tests}, tuple(tests), ("window.py",))
    first = (await search(sandbox, suite)).candidates[0]
    assert first.summary == "line 6: `<=` becomes `<`"
    assert not first.marks


async def test_two_equal_steps_tell_repairs_of_an_order_apart(sandbox: LocalSandbox) -> None:
    program = (
        "import heapq\n\n\nclass Line:\n    def __init__(self):\n        self.rows, self.count = [], 0\n\n"
        "    def add(self, name, rank):\n        self.count += 1\n"
        "        heapq.heappush(self.rows, (self.count, rank, name))\n\n"
        "    def names(self):\n        return [row[2] for row in sorted(self.rows)]\n"
    )
    tests = (
        "from line import Line\n\n\ndef test_rank():\n    line = Line()\n    line.add('low', 9)\n"
        "    line.add('high', 1)\n    assert line.names() == ['high', 'low']\n\n\n"
        "def test_one():\n    line = Line()\n    line.add('a', 3)\n    assert line.names() == ['a']\n"
    )
    suite = Suite({"line.py": program, "test_line.py": tests}, ("test_line.py",), ("line.py",))
    found = await search(sandbox, suite)
    names = [one.summary for one in found.ranking.candidates]
    right = next(at for at, name in enumerate(names) if "are swapped" in name)
    turned = next(at for at, name in enumerate(names) if "`+=` becomes `-=`" in name)
    assert found.question is not None
    assert not any({right, turned} <= {*group.candidates} for group in found.question.answers)
    assert found.candidates[0].marks, "nobody takes it unseen"


async def test_a_copy_of_a_test_that_passes_speaks_against_nothing(sandbox: LocalSandbox) -> None:
    program = (
        "def count(words, start={}):\n    for word in words:\n        start[word] = start.get(word, 0) - 1\n"
        "    return start\n"
    )
    tests = "from prog import count\n\n\ndef test_it():\n    found = count(['a', 'b', 'a'])\n"
    tests += "    assert found['a'] == 2\n    assert found['b'] == 1\n    assert len(found) == 2\n"
    suite = Suite({"prog.py": program, "test_prog.py": tests}, ("test_prog.py",), ("prog.py",))
    found = await search(sandbox, suite)
    assert found.candidates[0].complete and not found.candidates[0].loses
    assert "`-` becomes `+`" in found.candidates[0].summary


QUIZ = """def bonus(streak):
    if streak > 3:
        return 5
    return 0


def score(answers, key):
    total = 0
    streak = 0
    for given, right in zip(answers, key):
        if given == right:
            streak += 1
            total += 10 + bonus(streak)
        else:
            streak = 1
    return total


def best(scores):
    return sorted(scores, key=lambda pair: pair[1])[0][0]
"""


async def test_a_rival_of_one_edit_of_several_is_tried_in_its_place(sandbox: LocalSandbox) -> None:
    suite = suite_of(
        QUIZ,
        "score('abc', 'bca') == 0",
        "score('abc', 'abc') == 35",
        "score('abxab', 'abcab') == 40",
        "best([('ann', 3), ('bob', 9), ('cy', 5)]) == 'bob'",
    )
    found = await search(sandbox, suite)
    assert any("line 9: `0` becomes `1`" in one.edits for one in found.ranking.candidates)
    assert not [mark for one in found.candidates for mark in one.marks if mark.kind == "unasked"]
