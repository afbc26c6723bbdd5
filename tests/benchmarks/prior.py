"""Whether weights learnt from repairs rank them better: `python -m tests.benchmarks.prior FILE ...`.

Each file is what `python -m tests.benchmarks.search --out FILE` wrote: for each bug, all repairs that pass the visible
tests, and which of them are right. Those of a bug that has both kinds teach: a conditional logit gives each feature of
an edit its bits, beside the score of the search. Learnt on seven eighths of the tasks, tried on the rest; programs of
one task are never on both sides. Prints how many first-ranked repairs become right and wrong, and the bits that are
missing to name a right one. Takes two minutes of CPU for 200 bugs.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfheal_tui.search.weigh.shared_trees import shared_changes
from selfheal_tui.search.weigh.tree_changes import TreeChange

Features = dict[str, float]
Kind = Callable[[dict[str, Any], Sequence[TreeChange]], Features]
"""From a repair as the search wrote it, and what it changes, to features."""
_FOLDS = 8
_SEEN = 4
"""Bugs in which a feature is seen, for it to have a weight."""
_STEPS = 120
_RATE = 0.03


@dataclass(frozen=True, slots=True)
class Pool:
    """All repairs of one bug that pass its visible tests."""

    task: str
    scores: tuple[float, ...]
    """Bits: how unlikely the search takes each to be right."""
    features: tuple[Features, ...]
    right: tuple[bool, ...]


def main() -> None:
    """Print one line for each choice of features."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--strength", type=float, default=1.0, help="how strongly weights are held near 0")
    parser.add_argument("--cuts", type=int, default=1, help="in how many ways the tasks are cut in eighths")
    options = parser.parse_args()
    rows = [json.loads(line) for name in options.files for line in Path(name).read_text("utf-8").splitlines()]
    rows = [row for row in rows if row.get("all")]
    right = sum(row["all"][0]["right"] for row in rows)
    some = sum(any(one["right"] for one in row["all"]) for row in rows)
    print(f"{len(rows)} bugs with plausible repairs: {right} first-ranked right, {some} with a right one")
    print("| features | weights | gained : lost | bits to name a right one |\n| --- | --- | --- | --- |")
    for name, kinds in CHOICES.items():
        pools = [pool for row in rows if len({one["right"] for one in row["all"]}) == 2 for pool in [_pool(row, kinds)]]
        names = _seen(pools)
        found = [left_out(pools, names, options.strength, cut) for cut in range(options.cuts)]
        pairs = ", ".join(f"{gained} : {lost}" for gained, lost, _ in found)
        bits = sum(bits for _, _, bits in found) / len(found)
        print(f"| {name} | {len(names)} | {pairs} | {bits:.2f} |", flush=True)


def left_out(pools: Sequence[Pool], names: Sequence[str], strength: float, cut: int) -> tuple[int, int, float]:
    """Return how many first-ranked repairs become right and wrong on tasks left out, and the mean bits of a right one.

    `cut` numbers the ways in which tasks are spread over the folds.
    """
    folds = [_fold(pool.task, cut) for pool in pools]
    gained = lost = 0
    bits = 0.0
    for fold in range(_FOLDS):
        weights = fit([pool for pool, own in zip(pools, folds, strict=True) if own != fold], names, strength)
        for pool, own in zip(pools, folds, strict=True):
            if own != fold:
                continue
            scores = scored(pool, weights)
            then, now = (pool.right[of.index(min(of))] for of in (pool.scores, scores))
            gained += now and not then
            lost += then and not now
            shares = _shares(scores)
            bits -= math.log2(sum(share for share, right in zip(shares, pool.right, strict=True) if right))
    return gained, lost, bits / len(pools)


def fit(pools: Sequence[Pool], names: Sequence[str], strength: float) -> Features:
    """Return the bits that each feature adds to the score, such that a right repair is likeliest (Adam).

    `strength` times the sum of their squares is what weights cost, in nats.
    """
    weights = dict.fromkeys(names, 0.0)
    mean, square = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
    for step in range(1, _STEPS + 1):
        slope = {name: 2 * strength * weight for name, weight in weights.items()}
        for pool in pools:
            shares = _shares(scored(pool, weights))
            whole = sum(share for share, right in zip(shares, pool.right, strict=True) if right)
            for share, right, features in zip(shares, pool.right, pool.features, strict=True):
                pull = math.log(2) * ((share / whole if right else 0.0) - share)
                for name, value in features.items():
                    if name in slope:
                        slope[name] += pull * value
        rate = _RATE * (1 - 0.9 * step / _STEPS)
        for name in names:
            mean[name] += 0.1 * (slope[name] - mean[name])
            square[name] += 0.01 * (slope[name] ** 2 - square[name])
            far = math.sqrt(square[name] / (1 - 0.99**step)) + 1e-8
            weights[name] -= rate * mean[name] / (1 - 0.9**step) / far
    return weights


def scored(pool: Pool, weights: Features) -> list[float]:
    """Return the scores of a pool with the weights of its features added, in bits."""
    rows = zip(pool.scores, pool.features, strict=True)
    return [score + sum(weights.get(name, 0.0) * value for name, value in own.items()) for score, own in rows]


def _shares(scores: Sequence[float]) -> list[float]:
    least = min(scores)
    masses = [2.0 ** (least - score) for score in scores]
    return [mass / sum(masses) for mass in masses]


def _fold(task: str, cut: int) -> int:
    return int(hashlib.sha256(f"{cut}{task}".encode()).hexdigest(), 16) % _FOLDS


def _seen(pools: Iterable[Pool]) -> list[str]:
    counts = Counter(name for pool in pools for name in {name for own in pool.features for name in own})
    return sorted(name for name, count in counts.items() if count >= _SEEN)


def _pool(row: dict[str, Any], kinds: Sequence[Kind]) -> Pool:
    features = []
    for one in row["all"]:
        changes = shared_changes(row["program"], one["text"])
        made = {name: value for kind in kinds for name, value in kind(one, changes).items() if value}
        features.append({**made, "score": one["score"] / 3})
    scores = tuple(one["score"] for one in row["all"])
    return Pool(row["task"], scores, tuple(features), tuple(one["right"] for one in row["all"]))


def _family(one: dict[str, Any], changes: Sequence[TreeChange]) -> Features:
    return {f"family {name}": 1.0 for name in one["operator"].split(" + ")}


def _where(one: dict[str, Any], changes: Sequence[TreeChange]) -> Features:
    return {f"in {where(changes[0])}": 1.0} if changes else {}


def _nodes(one: dict[str, Any], changes: Sequence[TreeChange]) -> Features:
    names = {}
    for change in changes[:1]:
        parent = change.inside[-1] if change.inside else None
        for role, node in (("old", change.old), ("new", change.new), ("parent", parent)):
            names[f"{role} {_kind(node)}"] = 1.0
    return names


def _size(one: dict[str, Any], changes: Sequence[TreeChange]) -> Features:
    come, gone = (
        sum(sum(1 for _ in ast.walk(part)) for part in parts if part is not None)
        for parts in ([change.new for change in changes], [change.old for change in changes])
    )
    depth = sum(isinstance(node, ast.If | ast.For | ast.While) for change in changes[:1] for node in change.inside)
    return {"come": math.log2(1 + come), "gone": math.log2(1 + gone), "places": float(len(changes)), "depth": depth}


def _signs(one: dict[str, Any], changes: Sequence[TreeChange]) -> Features:
    numbers = {**one["behaviour"], **one["signs"], "cost": one["cost"]}
    numbers = {name: float(value) for name, value in numbers.items() if isinstance(value, int | float)}
    numbers["surprise"] = max(-5.0, min(5.0, numbers["surprise"]))
    del numbers["cluster"]
    return numbers | {f"mark {mark['kind']}": 1.0 for mark in one["signs"]["marks"]}


def where(change: TreeChange) -> str:
    """Return in what part of a statement a change is: `condition`, `loop`, `result`, `argument`, `index` and the like."""
    within = change.old
    for owner in reversed(change.inside):
        match owner:
            case ast.If(test=part) | ast.IfExp(test=part) | ast.While(test=part) if part is within:
                return "condition"
            case ast.For(iter=part, target=target) if within in (part, target):
                return "loop"
            case ast.comprehension():
                return "filter" if within in owner.ifs else "loop"
            case ast.Call(func=part):
                return "called" if part is within else "argument"
            case ast.Subscript(value=part):
                return "indexed" if part is within else "index"
            case ast.Return():
                return "result"
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign():
                return "assigned"
            case ast.stmt():
                return "block"
        within = owner
    return "block"


def _kind(node: ast.AST | None) -> str:
    match node:
        case None:
            return "nothing"
        case ast.Constant(value=value):
            return type(value).__name__
        case ast.cmpop() | ast.operator() | ast.boolop() | ast.unaryop():
            return "operator"
    return type(node).__name__


CHOICES: dict[str, Sequence[Kind]] = {
    "none": (),
    "family of edits": (_family,),
    "where it stands": (_where,),
    "kinds of nodes": (_nodes,),
    "size and depth": (_size,),
    "behaviour, signs and marks": (_signs,),
    "all": (_family, _where, _nodes, _size, _signs),
}
"""Name -> what makes the features."""


if __name__ == "__main__":
    main()
