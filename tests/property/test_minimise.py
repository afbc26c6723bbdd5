"""Whatever is changed and whatever the cases look at: what a minimised change drops was run by a case."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from selfheal_tui.sandbox.base import Sandbox, Suite, SuiteFinished, SuiteReport, VariantJudged
from selfheal_tui.search.minimise import apply_pieces, build_pieces, judged_pieces, minimise
from selfheal_tui.search.weigh.remains import NOTHING_NAMED, Named, flaw
from tests.examples import examples

COUNT = 5


@dataclass(frozen=True)
class Case:
    """Calls some functions, and checks the results of some of those; `on` chooses the branch."""

    calls: frozenset[int]
    checks: frozenset[int]
    on: bool


@dataclass
class InProcess:
    """Runs the cases on the one file of a suite right here: the programs are ours, and too many for processes."""

    cases: list[Case]
    lines: dict[str, frozenset[int]] = field(default_factory=dict)

    def passes(self, text: str) -> bool:
        ran: set[int] = set()

        def trace(frame: FrameType, event: str, _: Any) -> Any:
            if frame.f_code.co_filename == "p.py" and frame.f_code.co_name != "<module>":
                ran.add(frame.f_lineno) if event == "line" else None
                return trace
            return None

        good = True
        for number, case in enumerate(self.cases):
            space: dict[str, Any] = {}
            exec(compile(text, "p.py", "exec"), space)
            before = sys.gettrace()
            ran.clear()
            sys.settrace(trace)
            try:
                results = {n: space[f"f{n}"](case.on) for n in sorted(case.calls)}
            finally:
                sys.settrace(before)
            self.lines[str(number)] = frozenset(ran)
            good = good and all(results[n] == 2 for n in case.checks & case.calls)
        return good

    async def run(self, suite: Suite) -> AsyncIterator[SuiteFinished]:
        report = cast(SuiteReport, {"verdict": "passed" if self.passes(suite.files["p.py"]) else "failed"})
        yield SuiteFinished(report, {name: {"p.py": ran} for name, ran in self.lines.items()})

    async def judge(self, suite: Suite, variants: Iterable[Mapping[str, str]]) -> AsyncIterator[VariantJudged]:
        for index, variant in enumerate(variants):
            yield VariantJudged(index, {}, self.passes({**suite.files, **variant}["p.py"]))


def program(constants: list[int], extra: list[str]) -> str:
    """Return functions of two branches each: `extra` goes in front, the constant is what the first gives."""
    return "\n\n".join(
        f"def f{n}(on):\n{extra[n]}    x = 0\n    if on:\n        x = {constants[n]}\n        return x\n"
        f"    return {constants[n]}\n"
        for n in range(COUNT)
    )


EXTRA = ["", "    y = on\n    x = y\n", "    # said\n", '    """Doc."""\n', "    if not on:\n        on = False\n"]
SETS = st.frozensets(st.integers(0, COUNT - 1))
CASES = st.lists(st.builds(Case, SETS, SETS, st.booleans()), min_size=1, max_size=3)
CONSTANTS = st.lists(st.integers(1, 3), min_size=COUNT, max_size=COUNT)


@settings(max_examples=examples(40), deadline=None)
@given(CASES, CONSTANTS, st.lists(st.sampled_from(EXTRA), min_size=COUNT, max_size=COUNT), SETS)
async def test_a_dropped_piece_was_run_by_a_case(
    cases: list[Case], constants: list[int], extra: list[str], names: frozenset[int]
) -> None:
    old = {"p.py": program(constants, [""] * COUNT)}
    whole = {"p.py": program([2] * COUNT, extra)}
    named = Named(words=frozenset(f"f{n}" for n in names))
    here = InProcess(cases)
    least = await minimise(cast(Sandbox, here), Suite(old, ("t.py",), ("p.py",)), whole, named)
    text = least.get("p.py", old["p.py"])
    assert here.passes(text) and not flaw(old, whole, least, named)
    assert here.passes(whole["p.py"])
    ran = {line for lines in here.lines.values() for line in lines}
    idle = [Counter[str]() for _ in range(COUNT)]
    n = -1
    for number, line in enumerate(whole["p.py"].splitlines(), 1):
        n += line.startswith("def ")
        idle[n][line] += bool(line) and number not in ran
    for n in range(COUNT):
        lost = idle[n] - Counter(part_of(text, n).splitlines())
        assert not lost, f"no case ran {lost}, and it went"
    for n in names:
        if constants[n] != 2:
            assert part_of(text, n) != part_of(old["p.py"], n)


def part_of(text: str, n: int) -> str:
    """Return the source of a function."""
    return f"def f{n}(" + text.partition(f"def f{n}(")[2].partition("\n\n")[0]


@given(
    st.lists(st.sampled_from(["a = 1\n", "def f():\n", "    b = 2\n", "\n", "# c\n", "    return 1\n"]), max_size=12)
)
def test_without_coverage_nothing_is_judged(lines: list[str]) -> None:
    old, new = {"p.py": "def f():\n    return 3\n"}, {"p.py": "".join(lines)}
    pieces = build_pieces(old, new)
    assert judged_pieces(pieces, old, new, {}, {}) == []
    assert not flaw(old, new, apply_pieces(old, pieces), NOTHING_NAMED)
