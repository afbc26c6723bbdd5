"""From a suite's name, file or folder to the tasks that will be tried."""

from __future__ import annotations

import doctest
import random
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from selfheal_tui.errors import InputError
from selfheal_tui.extensions import disabled_words
from selfheal_tui.setting_values import nearest
from selfheal_tui.text import one_line, plural

from .cases import NEEDS_MODEL, NO_VISIBLE_TESTS, GivenTests, obstacle
from .columnar import COLUMNAR, find_split
from .entries import Entries, of_folder, read_file
from .named import adapted, suites
from .records import BenchRecord, build_record, select
from .task_folders import read_tasks

_REMEDIES = {
    NEEDS_MODEL: "Name a model that writes it: --model PROVIDER:NAME.",
    NO_VISIBLE_TESTS: "Show the loop the hidden tests (--tests all), or add visible ones.",
}
"""Why nothing can be tried -> what helps."""


@dataclass(frozen=True, slots=True)
class BenchSuite:
    """A suite, ready to run."""

    name: str
    path: Path
    sha256: str
    records: tuple[BenchRecord, ...]
    """What will be tried, in order."""
    not_tried: dict[str, str]
    """Id of a record -> why it is no task here, in a few words."""
    not_read: tuple[str, ...] = ()
    """A sentence for each entry of the data that is no record, naming its line, row or folder."""


def load_suite(
    name: str,
    data: Path | None = None,
    *,
    given_tests: GivenTests = "visible",
    can_write: bool = False,
    ids: tuple[str, ...] = (),
    limit: int | None = None,
    seed: int | None = None,
) -> BenchSuite:
    """Find and read a suite; choose what is tried: `ids`, at most `limit`, drawn at random when a `seed` is given.

    Raises: InputError with one sentence for a suite, data or id that cannot be used, or when nothing is left to try.
    """
    source = find_data(name, data)
    is_named = bool(data) or name in suites()
    found, not_read = build_records(name if is_named else "", source)
    label = name if is_named else source.path.absolute().name.partition(".")[0] or "suite"
    if not found:
        raise InputError(not_read[0] if not_read else f"{source.path} holds no record.")
    records = tuple(map(with_examples, select(found, ids)))
    why_not = {record.id: obstacle(record, given_tests, can_write=can_write) for record in records}
    tried = [record for record in records if not why_not[record.id]]
    if not tried and not_read and not ids:
        raise InputError(not_read[0])
    if not tried:
        reason, count = Counter(why_not.values()).most_common(1)[0]
        why = f"{'it has' if count == 1 else 'they have'} {reason}" if reason.startswith("no ") else reason
        of_them = "" if count == len(records) else f" ({count} of them)"
        raise InputError(
            f"Nothing of {label} can be tried ({plural(len(records), 'record')}): {why}{of_them}.",
            _REMEDIES.get(reason, "docs/benchmarks.md says what a record holds."),
        )
    if limit is not None and limit < len(tried):
        chosen = tried[:limit] if seed is None else random.Random(seed).sample(tried, limit)
        ids_chosen = {record.id for record in chosen}
        tried = [record for record in tried if record.id in ids_chosen]
    left_out = {i: why for i, why in why_not.items() if why}
    return BenchSuite(label, source.path, source.sha256, tuple(tried), left_out, not_read)


def build_records(name: str, source: Entries) -> tuple[tuple[BenchRecord, ...], tuple[str, ...]]:
    """Return the records of a suite's data, and a sentence for each entry that is none."""
    records: dict[str, BenchRecord] = {}
    problems = []
    for entry in source.entries:
        if entry.row is None:
            problems.append(entry.problem)
            continue
        try:
            record = build_record(adapted(name, entry.row, entry.where), entry.where)
            if record.id in records:
                raise InputError(f"The id {one_line(record.id, 60)!r} comes twice ({entry.where}).")
        except InputError as error:
            problems.append(_placed(error.message, entry.where))
        else:
            records[record.id] = record
    return tuple(records.values()), tuple(problems)


def find_data(name: str, data: Path | None) -> Entries:
    """Find and read the data of a suite: `data`, what comes with a package, or NAME as a path.

    Raises: InputError naming what there is.
    """
    if data is not None:
        if not data.exists():
            raise InputError(f"{data} does not exist.", "Check --data; it is taken from the current folder.")
        if not _is_data(data):
            raise InputError(f"{data} is no file and no folder.", "Check --data.")
        return _read(name, data)
    named = suites()
    if name in named:
        path = named[name].bundled()
        if path is None:
            raise InputError(f"The data of the suite {name} is not here.", named[name].get_it)
        return _read(name, path)
    if _is_data(Path(name)):
        return _read("", Path(name))
    if off := disabled_words("suite", name):
        raise InputError(*off)
    raise InputError(
        f"There is no suite {one_line(name, 60)!r}: there is {', '.join(named)}.",
        nearest(name, named, "Or name a file or folder of tasks; docs/benchmarks.md says what it holds."),
    )


def _read(name: str, path: Path) -> Entries:
    if not path.is_dir():
        return read_file(path)
    for suffix in (".jsonl.gz", ".jsonl", ".json"):
        if name and (path / f"{name}{suffix}").is_file():
            return read_file(path / f"{name}{suffix}")
    named = suites()
    trees = [named[name]] if name in named else list(named.values())
    for read in (*(suite.tree for suite in trees), read_tasks):
        if (entries := read(path)) is not None:
            return of_folder(path, entries)
    if files := find_split(path):
        return of_folder(path, (entry for file in files for entry in read_file(file).entries))
    names = sorted({p.name.partition(".")[0] for p in path.iterdir() if {".jsonl", ".json"} & set(p.suffixes)})
    wanted = (
        f"{name}.jsonl or {name}.jsonl.gz" if name else f"folder with a task.yaml, and no {' or '.join(COLUMNAR)} file"
    )
    known = named[name].get_it if name in named else f"There is: {', '.join(names) or 'nothing'}."
    raise InputError(f"{path} holds no {wanted}.", nearest(name, names, known))


def _is_data(path: Path) -> bool:
    """Tell whether a path can be read to its end: a pipe or a device may have none."""
    return path.is_file() or path.is_dir()


def _placed(sentence: str, where: str) -> str:
    return sentence if where in sentence else f"{sentence.rstrip('.')} ({where})."


def with_examples(record: BenchRecord) -> BenchRecord:
    """Take the prompt's doctest examples as visible tests where a record to be written has none."""
    if record.buggy_code or record.visible_tests or not record.entry_point:
        return record
    return replace(record, visible_tests="".join(f"{line}\n" for line in _examples(record)))


def _examples(record: BenchRecord) -> list[str]:
    try:
        examples = doctest.DocTestParser().get_examples(record.prompt.replace('"""', "\n").replace("'''", "\n"))
    except ValueError:
        return []
    lines = []
    for example in examples:
        call, value = example.source.strip(), example.want.strip()
        if call.startswith(f"{record.entry_point}(") and value and "\n" not in value + call:
            line = f"assert {call} == ({value})"
            try:
                compile(line, "example", "exec")
            except (SyntaxError, ValueError):
                continue
            lines.append(line)
    return lines
