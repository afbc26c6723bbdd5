"""Which real bugs one edit mends: is the reference fix in the list of single edits, and how far down.

`PYTHONPATH=. python -m tests.benchmarks.operators [quixbugs humanevalfix] [--misses]`
Reads the shared data folder. An edit counts as the reference when both programs are equal as normalised syntax trees:
without docstrings, `a > b` as `b < a`, `x = e; return x` as `return e`. The rank is by cost alone, among all edits of the whole
program, without looking at any test: what a search knows of suspicious lines and types comes on top.
"""

from __future__ import annotations

import argparse
import ast
import re
import statistics
import sys
import time
from collections import Counter, defaultdict
from typing import Any

from selfheal_tui.search.operators import OPERATORS, Splice
from selfheal_tui.search.source import Source, observed_values, parse_source
from tests.dev_data import records

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
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list) and len(body) > 1:
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
    body = [statement for statement in body if not isinstance(statement, ast.Pass)]
    match body[-2:]:
        case [ast.Assign(targets=[ast.Name(id=name)], value=value), ast.Return(value=ast.Name(id=back))] if (
            name == back
        ):
            return [*body[:-2], ast.Return(value)]
    return body


def _letters(text: str) -> Counter[str]:
    """Return what two programs of one normal form have in common whatever their form."""
    text = re.sub(
        r"\b(?:elif|else|if|not|return|pass)\b|\w+\s*=[^=]", "", re.sub(r"(?s)\"\"\".*?\"\"\"|'''.*?'''", "", text)
    )
    return Counter(re.sub(r"[\s()<>=:'\",\\]", "", text))


def find(record: dict[str, Any]) -> tuple[int | None, str, int, float]:
    """Return rank from 1 (None when missing) and family of the reference, the number of edits, seconds to list them."""
    source = parse_source("prog.py", record["buggy_code"], observed_values([record.get("visible_tests") or ""]))
    started = time.process_time()
    edits = enumerate_edits(source)
    seconds = time.process_time() - started
    wanted = normal_form(record["reference_code"])
    letters = _letters(record["reference_code"])
    for rank, (_, _, family, splice) in enumerate(edits, 1):
        text = source.text[: splice.start] + splice.text + source.text[splice.end :]
        if _letters(text) == letters and normal_form(text) == wanted:
            return rank, family, len(edits), seconds
    return None, "", len(edits), seconds


def main() -> None:
    """Print one table a set."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sets", nargs="*", default=["quixbugs", "humanevalfix"])
    parser.add_argument("--misses", action="store_true", help="name the records that no edit mends")
    options = parser.parse_args()
    for name in options.sets:
        groups: dict[str, list[int | None]] = defaultdict(list)
        families: Counter[str] = Counter()
        misses, slowest, edits, seconds = [], 0.0, 0, 0.0
        for record in records(name):
            rank, family, count, spent = find(record)
            groups[record.get("bug_type") or ""].append(rank)
            families[family] += 1
            misses += [record["id"]] if rank is None else []
            slowest, edits, seconds = max(slowest, spent), edits + count, seconds + spent
            if options.misses and rank:
                print(f"  {record['id']} {rank} of {count}: {family}", file=sys.stderr)
        print(f"\n{name}: {edits} edits, {edits / seconds:.0f} a second, slowest program {slowest:.3f} s\n")
        print("| bug type | bugs | mended by one edit | median rank |\n| --- | --- | --- | --- |")
        everything = [rank for group in groups.values() for rank in group]
        for kind, ranks in [*sorted(groups.items()), ("**all**", everything)]:
            found = [rank for rank in ranks if rank is not None]
            median = f"{statistics.median(found):.0f}" if found else "-"
            print(f"| {kind} | {len(ranks)} | {len(found)} ({len(found) / len(ranks):.0%}) | {median} |")
        print("\nFamilies:", ", ".join(f"{name} {n}" for name, n in families.most_common() if name))
        if options.misses:
            print("Missing:", ", ".join(misses))


if __name__ == "__main__":
    main()
