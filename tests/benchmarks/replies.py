"""How much of what models write wrongly the reader gets back: one line for each kind of break.

`PYTHONPATH=. python tests/benchmarks/replies.py [replies a kind] [seed]`
A reply counts as *exact* when the value is the original one, *degraded* when only prose differs and the reader says
so (evidence may lack its last items), *problem* when it is refused with a message, and *wrong* when it is accepted with
other code, paths, numbers or choices than the original, or with other prose and not a word about it.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

from jsonschema import Draft202012Validator

from selfheal_tui.engine.dialogue.prompts import load_prompt
from selfheal_tui.engine.dialogue.reading import Reading, read_reply
from tests.benchmarks.breaks import BREAKS, Sample, edited, read_records, samples

OUTCOMES = ("exact", "degraded", "problem", "wrong")
# Cut before the answer, these hold another one.
_TWO_ANSWERS = {name for name in BREAKS if any(word in name for word in ("after", "first", "twice, "))}
_PROSE = ("summary", "cause", "strategy", "why", "category")


def outcome(original: Mapping[str, Any], reading: Reading) -> str:
    """Return what became of a broken reply, compared with the object it was made of."""
    if reading.value is None:
        return "problem"
    # An optional field that the reply leaves out is filled in as empty: that is no difference.
    value = {name: part for name, part in reading.value.items() if part or name in original}
    if value == original:
        return "exact"
    found, had = without_prose(value), without_prose(original)
    if "cut off: evidence" in reading.degraded:
        had = {**had, "evidence": had["evidence"][: len(found["evidence"])]}
    return "degraded" if reading.degraded and found == had else "wrong"


def without_prose(value: Any) -> Any:
    """Return the value without its free text."""
    if isinstance(value, list):
        return [without_prose(item) for item in value]
    if isinstance(value, dict):
        return {k: without_prose(v) for k, v in value.items() if k not in _PROSE}
    return value


def broken(count: int, seed: int, own: bool = False) -> list[tuple[str, Sample, str]]:
    """Return `count` replies of each kind: the kind, the sample and the text; fewer where a kind rarely applies."""
    found: list[tuple[str, Sample, str]] = []
    for kind, write in BREAKS.items():
        random = Random(f"{kind} {seed}")
        made = ((sample, write(sample.value, random)) for sample in samples(4 * count, random, own))
        found += [(kind, sample, text) for sample, text in made if text][:count]
    return found


def main() -> None:
    """Print the tables."""
    count, seed = int(sys.argv[1]) if len(sys.argv) > 1 else 200, int(sys.argv[2]) if len(sys.argv) > 2 else 1
    table: dict[str, Counter[str]] = {}
    replies = broken(count, seed)
    started = time.process_time()
    for kind, sample, text in replies:
        reading = read_reply(text, sample.schema)
        table.setdefault(kind, Counter())[outcome(sample.value, reading)] += 1
    took = time.process_time() - started
    print(f"| break | replies | {' | '.join(OUTCOMES)} |")
    print("| --- " * (2 + len(OUTCOMES)) + "|")
    for kind, counts in [*table.items(), ("**all**", sum(table.values(), Counter()))]:
        total = counts.total()
        shares = " | ".join(_share(counts[name], total) for name in OUTCOMES)
        print(f"| {kind} | {total} | {shares} |")
    size = sum(len(text) for _, _, text in replies)
    print(f"\n{len(replies):,} replies in {took:.1f} s: {took / size * 1e8:.0f} ms for 100 KB.")
    cut_anywhere([(sample, text) for kind, sample, text in replies if kind not in _TWO_ANSWERS], Random(seed))
    at_random([(sample, text) for _, sample, text in replies], Random(seed))
    chat()


def cut_anywhere(texts: list[tuple[Sample, str]], random: Random) -> None:
    """Print what becomes of the replies that are read exactly, each cut at a place of its own."""
    found: Counter[str] = Counter()
    for sample, text in texts:
        if outcome(sample.value, read_reply(text, sample.schema)) == "exact":
            cut = text[: random.randint(0, len(text))]
            found[outcome(sample.value, read_reply(cut, sample.schema))] += 1
    told = ", ".join(f"{name} {found[name]:,}" for name in OUTCOMES)
    print(f"\n{found.total():,} of them cut at random: {told}.")


def at_random(texts: list[tuple[Sample, str]], random: Random, count: int = 10_000) -> None:
    """Print what becomes of replies with random edits; raises where a value does not fit its schema."""
    found: Counter[str] = Counter()
    validators = {sample.role: Draft202012Validator(dict(sample.schema)) for sample, _ in texts}
    for _ in range(count):
        sample, text = random.choice(texts)
        reading = read_reply(edited(text, random), sample.schema)
        found["value" if reading.value is not None else "problem"] += 1
        if reading.value is not None:
            validators[sample.role].validate(reading.value)
    told = ", ".join(f"{name} {number:,}" for name, number in sorted(found.items()))
    print(f"\n{count:,} replies edited at random: {told}; 0 raised, 0 values that do not fit.")


def chat() -> None:
    """Print what is found in whole chat replies, which were never asked for JSON."""
    schema = load_prompt("generator").schema
    found: Counter[str] = Counter()
    for record in read_records("raw_replies_mbpp"):
        trace = record["trace"]
        value = read_reply(trace["reply"], schema).value
        found["replies"] += 1
        found["code found"] += value is not None
        if value is None:
            continue
        found["the code of the record"] += value["code"].strip() == (trace["extracted"] or "").strip()
        found["some fence passes the tests"] += "pass" in trace["fence_status"]
        same = value["code"].strip() == (trace["extracted"] or "").strip()
        found["the code found passes"] += same and record["verified"]["extracted_hidden"]["status"] == "pass"
    print("\nraw_replies_mbpp:", ", ".join(f"{name} {number}" for name, number in found.items()) or "not here")


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}".replace("100.0%", "100%") if part else "-"


if __name__ == "__main__":
    main()
