"""What the user does to generated tests: change a file, drop a case, pin or unpin one. Their own tests stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selfheal_tui.errors import InputError
from selfheal_tui.setting_values import nearest
from selfheal_tui.store.blobs import Blobs
from selfheal_tui.text import one_line

from ..moment.snapshot import Snapshot
from ..moment.state import HealState, SetAside
from ..suites.examples import without_rows
from ..suites.expectations import parameter_rows
from ..suites.generated import problem
from ..suites.test_cases import case_functions, without_case


async def changed_tests(blobs: Blobs, snapshot: Snapshot, texts: Any, dropped: Any) -> HealState:
    """Return the update that replaces generated test files (path -> whole new text), then drops cases (ids).

    Raises: InputError for what is not generated, does not parse, or would leave no test at all.
    """
    tests = {path: snapshot.tests[path] for path in snapshot.origins}
    new_texts = texts or {}
    if not isinstance(new_texts, Mapping):
        raise InputError("tests must map the path of a generated test file to its whole new text.")
    for path, text in new_texts.items():
        _check_generated(snapshot, path)
        if why := problem(str(text)):
            raise InputError(f"{path} cannot be used: it {why}.", "Change it and send it again.")
        tests[path] = str(text)
    gone = [_known(case_id, snapshot, tests) for case_id in listed(dropped)]
    for path, name in dict.fromkeys(case for case, _ in gone):
        rows = [row for case, row in gone if case == (path, name)]
        text = tests[path]
        tests[path] = without_case(text, name) if "" in rows else _without_rows(text, path, name, rows, snapshot)
    remaining = {path: text for path, text in tests.items() if case_functions(text)}
    if not remaining and len(snapshot.tests) == len(snapshot.origins):
        raise InputError("That would leave no test at all.", "Keep one, or change it with tests:PATH=@FILE.")
    suites: dict[str, str] = {}
    for kind in dict.fromkeys(snapshot.origins.values()):
        files = {path: text for path, text in remaining.items() if snapshot.origins[path] == kind}
        if files:
            suites[kind] = await blobs.put(files)
    update: HealState = {
        "suites": suites,
        "pinned": [case for case in snapshot.pinned if _exists(case, remaining)],
        # Its count of passed cases was that of another suite.
        "best": None,
    }
    return update if snapshot.written in suites else update | {"written": ""}


def changed_pins(snapshot: Snapshot, pin: Any, unpin: Any) -> HealState:
    """Return the update that pins and unpins cases (ids); a parametrised case is pinned with all its rows.

    Raises: InputError for a case that is not generated or not pinned.
    """
    tests = {path: snapshot.tests[path] for path in snapshot.origins}
    pinned = list(snapshot.pinned)
    for case_id in listed(pin):
        (path, name), _ = _known(case_id, snapshot, tests)
        pinned.append(f"{path}::{name}")
    for case_id in listed(unpin):
        if case_id.partition("[")[0] not in pinned:
            raise InputError(f"{case_id!r} is not pinned here.", f"Pinned: {', '.join(pinned) or 'nothing'}.")
        pinned = [case for case in pinned if case != case_id.partition("[")[0]]
    return {"pinned": list(dict.fromkeys(pinned))}


def taken_in(aside: SetAside | None, cases: Sequence[str]) -> SetAside | None:
    """Return what stays set aside without these cases, which run again; None for nothing.

    Where other groups wait for their turn, so do they. Raises: InputError for a case that was not set aside.
    """
    there = [name for name in aside["why"] if "::" in name] if aside else []
    for case in cases:
        if aside is None or case not in there:
            named = f"Set aside: {', '.join(there)}." if there else "No case was set aside."
            raise InputError(f"{one_line(case, 120)!r} was not set aside here.", named)
    if aside is None:
        return None
    why = {name: words for name, words in aside["why"].items() if name not in cases}
    left: SetAside = {**aside, "why": why, "flaky": [name for name in aside["flaky"] if name not in cases]}
    if "lacks" in aside:
        left["lacks"] = {name: lack for name, lack in aside["lacks"].items() if name not in cases}
    if "whole" in aside:
        left["whole"] = [*aside["whole"], *cases]
    else:
        left["tests"] = [*aside["tests"], *cases]
    return left if why or "whole" in left else None


def listed(value: Any) -> list[str]:
    """Return one id or several as a list."""
    if value is None:
        return []
    return [str(item) for item in value] if isinstance(value, list | tuple) else [str(value)]


def _check_generated(snapshot: Snapshot, path: str) -> None:
    if path in snapshot.origins:
        return
    if path in snapshot.tests:
        raise InputError(
            f"{path} holds your own tests: no run changes them.", "Change the file itself, then start a new session."
        )
    generated = ", ".join(snapshot.origins) or "none yet"
    raise InputError(f"There is no generated test file {one_line(path, 80)!r} here.", f"There are: {generated}.")


def _known(case_id: str, snapshot: Snapshot, tests: Mapping[str, str]) -> tuple[tuple[str, str], str]:
    """Return ((path, name after `::`), the row's id or empty) of a generated case."""
    path, _, rest = case_id.partition("::")
    name, bracket, _ = rest.partition("[")
    _check_generated(snapshot, path)
    cases = case_functions(tests[path])
    if name not in cases:
        hint = nearest(name, cases, f"There are {', '.join(list(cases)[:3])}...", lambda near: f"{path}::{near}")
        raise InputError(f"There is no case {one_line(case_id, 120)!r} here.", hint)
    return (path, name), case_id if bracket else ""


def _without_rows(text: str, path: str, name: str, dropped: list[str], snapshot: Snapshot) -> str:
    """Drop rows of a parametrised case; which they are, the report's order says."""
    report = snapshot.report
    ids = [c["id"] for c in report["cases"] if c["id"].startswith(f"{path}::{name}[")] if report else []
    function = case_functions(text).get(name)
    rows = parameter_rows(function) if function is not None else None
    if not set(dropped) <= set(ids) or rows is None or len(rows.elts) != len(ids):
        raise InputError(
            f"{one_line(dropped[0], 120)} cannot be dropped alone.",
            f"Drop {path}::{name}, or change the file with tests.",
        )
    return without_rows(text, name, [ids.index(row) for row in dropped])


def _exists(case_id: str, tests: Mapping[str, str]) -> bool:
    path, _, name = case_id.partition("::")
    return path in tests and name in case_functions(tests[path])
