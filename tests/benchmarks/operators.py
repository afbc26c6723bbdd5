"""Which real bugs one edit mends: is the reference fix in the list of single edits, and how far down.

`PYTHONPATH=. python -m tests.benchmarks.operators [quixbugs humanevalfix] [--runs] [--misses]`
Reads the shared data folder. An edit counts as the reference when both programs are equal as normalised syntax trees:
without docstrings and `pass`, `a > b` as `b < a`, `x = e; return x` as `return e`. The rank is by cost alone, among all edits of the whole
program, without looking at any test; with `--runs` also as the search meets it: only places that failing visible tests
come to, ordered by how suspicious they are and by the types and values seen.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import re
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from selfheal_tui.sandbox.base import Sandbox, run_through
from selfheal_tui.sandbox.registry import open_sandbox
from selfheal_tui.search.hunt.judging import Judging
from selfheal_tui.search.hunt.rounds import Hunt, Stage
from selfheal_tui.search.operators import OPERATORS, Splice
from selfheal_tui.search.program.source import Source, observed_values, parse_source
from tests.dev_data import records, suite_of

_FORM_LETTERS = 8
"""Letters by which programs of one normal form may differ: a name that is inlined."""
Priced = tuple[float, int, str, Splice]
"""Cost in bits, size in characters, family, edit."""


def enumerate_edits(source: Source) -> list[Priced]:
    """Return every edit of a program, cheapest first; equal edits once."""
    best: dict[tuple[int, int, str], Priced] = {}
    for node in source.nodes():
        for family in OPERATORS.values():
            for splice in family.edits(source, node):
                cost = family.cost * splice.weight + splice.extra
                key = (splice.start, splice.end, splice.text)
                if key not in best or cost < best[key][0]:
                    best[key] = (cost, splice.end - splice.start + len(splice.text), family.name, splice)
    return sorted(best.values(), key=lambda priced: priced[:3])


def normal_form(text: str) -> str | None:
    """Return what a program means as a syntax tree's text; None when it does not parse."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    return ast.dump(_Normal().visit(tree))


class _Normal(ast.NodeTransformer):
    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                setattr(node, name, _inlined(body))
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        turned: dict[type[ast.cmpop], ast.cmpop] = {ast.Gt: ast.Lt(), ast.GtE: ast.LtE()}
        if all(type(op) in turned for op in node.ops):
            parts = [node.left, *node.comparators][::-1]
            return ast.Compare(parts[0], [turned[type(op)] for op in node.ops][::-1], parts[1:])
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        inner = node.operand
        if isinstance(node.op, ast.Not) and isinstance(inner, ast.Compare) and isinstance(inner.ops[0], ast.In):
            return ast.Compare(inner.left, [ast.NotIn()], inner.comparators)
        return node


def _inlined(body: list[ast.stmt]) -> list[ast.stmt]:
    body = [statement for statement in body if not _says_nothing(statement)]
    match body[-2:]:
        case [ast.Assign(targets=[ast.Name(id=name)], value=value), ast.Return(value=ast.Name(id=back))] if (
            name == back
        ):
            return [*body[:-2], ast.Return(value)]
    return body


def _says_nothing(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def _letters(text: str) -> Counter[str]:
    """Return what two programs of one normal form have in common whatever their form."""
    text = re.sub(r"(?s)\"\"\".*?\"\"\"|'''.*?'''|#[^\n]*", "", text)
    text = re.sub(r"\b(?:elif|else|if|not|return|pass)\b|\w+\s*=[^=]", "", text)
    return Counter(re.sub(r"[\s()<>=:'\",\\]", "", text))


def rank_of(record: dict[str, Any], texts: Iterable[str]) -> int | None:
    """Return at which place, from 1, the reference stands in texts of programs; None when it is none of them."""
    wanted = normal_form(record["reference_code"])
    letters = _letters(record["reference_code"])
    for rank, text in enumerate(texts, 1):
        own = _letters(text)
        if sum(((own - letters) + (letters - own)).values()) <= _FORM_LETTERS and normal_form(text) == wanted:
            return rank
    return None


def find(record: dict[str, Any]) -> tuple[int | None, str, int, float]:
    """Return rank (None when missing) and family of the reference, number of edits, CPU seconds to list them."""
    source = parse_source("prog.py", record["buggy_code"], observed_values([record.get("visible_tests") or ""]))
    started = time.process_time()
    edits = enumerate_edits(source)
    seconds = time.process_time() - started
    splices = [splice for _, _, _, splice in edits]
    rank = rank_of(record, (source.text[: s.start] + s.text + source.text[s.end :] for s in splices))
    return rank, edits[rank - 1][2] if rank else "", len(edits), seconds


async def find_with_runs(record: dict[str, Any], sandbox: Sandbox) -> int | None:
    """Return the rank where the search would meet the reference, knowing what the visible tests show.

    None when it is missing or when no visible test fails.
    """
    suite = replace(suite_of(record, record["buggy_code"], record.get("visible_tests") or ""), coverage=True)
    result = await run_through(sandbox, suite)
    if not any(case["outcome"] not in ("passed", "skipped") for case in result.report["cases"]):
        return None
    judging = Judging(sandbox, replace(suite, coverage=False), result.report, result.coverage)
    hunt = Hunt(suite, judging, 1 << 30, time.monotonic() + 60)
    candidates = await hunt.candidates_of(Stage(suite, result.report, result.coverage))
    return rank_of(record, (candidate.changes["prog.py"] for candidate in candidates))


async def ranks_with_runs(found: Iterable[dict[str, Any]]) -> list[int | None]:
    """Return `find_with_runs` of each record."""
    sandbox = open_sandbox("local")
    try:
        return [await find_with_runs(record, sandbox) for record in found]
    finally:
        await sandbox.aclose()


def main() -> None:
    """Print one table a set."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sets", nargs="*", default=["quixbugs", "humanevalfix"])
    parser.add_argument(
        "--misses", action="store_true", help="name rank and family of each record, and the missing ones"
    )
    parser.add_argument("--runs", action="store_true", help="rank also as the search does, after running visible tests")
    options = parser.parse_args()
    for name in options.sets:
        groups: dict[str, list[tuple[int | None, int | None]]] = defaultdict(list)
        families: Counter[str] = Counter()
        misses, slowest, edits, seconds = [], 0.0, 0, 0.0
        chosen = records(name)
        informed = asyncio.run(ranks_with_runs(chosen)) if options.runs else [None] * len(chosen)
        for record, with_runs in zip(chosen, informed, strict=True):
            rank, family, count, spent = find(record)
            groups[record.get("bug_type") or ""].append((rank, with_runs))
            families[family] += 1
            misses += [record["id"]] if rank is None else []
            slowest, edits, seconds = max(slowest, spent), edits + count, seconds + spent
            if options.misses and rank:
                print(f"  {record['id']} {rank} of {count}, {with_runs} with runs: {family}", file=sys.stderr)
        print(f"\n{name}: {edits} edits, {edits / seconds:.0f} a CPU second, slowest program {slowest:.3f} s\n")
        print("| bug type | bugs | mended by one edit | median rank | after runs |\n| --- | --- | --- | --- | --- |")
        everything = [ranks for group in groups.values() for ranks in group]
        for kind, ranks in [*sorted(groups.items()), ("**all**", everything)]:
            found = [rank for rank, _ in ranks if rank is not None]
            share = f"{len(found)} ({len(found) / len(ranks):.0%})"
            print(f"| {kind} | {len(ranks)} | {share} | {_median(found)} | {_median([r for _, r in ranks if r])} |")
        print("\nFamilies:", ", ".join(f"{name} {n}" for name, n in families.most_common() if name))
        if options.misses:
            print("Missing:", ", ".join(misses))


def _median(ranks: list[int]) -> str:
    return f"{statistics.median(ranks):.0f} of {len(ranks)}" if ranks else "-"


if __name__ == "__main__":
    main()
