"""A session's file from a stranger: refused with a sentence whatever is wrong; nothing is left, nothing is run."""

from __future__ import annotations

import asyncio
import copy
import fcntl
import gzip
import io
import json
import os
import pickle
import random
import sqlite3
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.engine.history.check import check_session
from selfheal_tui.engine.moment import review
from selfheal_tui.engine.out.transfer import lines as transfer_lines
from selfheal_tui.engine.out.transfer.reading import read_session
from selfheal_tui.engine.out.transfer.writing import write_session
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.errors import InputError
from selfheal_tui.store.blobs import json_text, text_ref
from selfheal_tui.store.sessions import SessionStore
from tests.engine.driving import (
    DIAGNOSIS,
    FIXED,
    options,
    repair_reply,
    script,
    shop_task,
    to_end,
    to_repair,
    to_review,
)

Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Lines:
    """The lines of a good file: two branches, on one of which a question waits."""
    home = tmp_path_factory.mktemp("exported")

    async def build() -> Lines:
        workbench = Workbench(home / "sessions")
        try:
            replies = ({"role": "debugger", "reply": DIAGNOSIS}, {"role": "repairer", "reply": repair_reply(FIXED)})
            session_id = await workbench.create(shop_task(), options(script(home / "m.yaml", *replies)))
            async with workbench.open_session(session_id) as session:
                asked = await to_repair(session, session.resume())
                await to_end(session.decide(asked.checkpoint_id, review.approve()))
                await to_review(session.decide(asked.checkpoint_id, review.reject("No.")))
            with (home / "s").open("wb") as file:
                write_session(workbench.store.folder(session_id), file, {}, "")
        finally:
            await workbench.aclose()
        return [json.loads(line) for line in gzip.decompress((home / "s").read_bytes()).splitlines()]

    return asyncio.run(build())


def packed(lines: Lines) -> bytes:
    return gzip.compress(b"".join(json.dumps(line).encode() + b"\n" for line in lines))


def take_in(home: Path, content: bytes) -> str:
    """Import; return the new session's id."""
    file = home / "s.selfheal"
    file.write_bytes(content)
    return asyncio.run(read_session(SessionStore(home / "sessions"), file)).session_id


def refused(home: Path, content: bytes) -> str:
    """Import what must be refused, and leave nothing; return the sentence."""
    with pytest.raises(InputError) as error:
        take_in(home, content)
    assert not (home / "sessions").exists() or os.listdir(home / "sessions") == []
    assert "\n" not in error.value.message and error.value.exit_code == 2
    return error.value.message


def rows(lines: Lines, table: str) -> Iterator[dict[str, Any]]:
    return (line["row"] for line in lines if line.get("table") == table)


def rewritten(lines: Lines, change: Callable[[dict[str, Any]], Any], which: Callable[[Any], bool]) -> None:
    """Change a body and name it anew wherever it is named, so that every hash holds."""
    for line in lines:
        if line.get("table") != "blob" or line["row"]["text"][:1] != "{":
            continue
        held = json.loads(line["row"]["text"])
        if not which(held):
            continue
        change(held)
        line["row"]["text"] = json_text(held)
        break
    else:
        raise AssertionError("no such body")
    while stale := next((row for row in rows(lines, "blob") if text_ref(row["text"]) != row["ref"]), None):
        lines[:] = json.loads(json.dumps(lines).replace(stale["ref"], text_ref(stale["text"])))


def test_the_file_as_it_was_comes_in(exported: Lines, tmp_path: Path) -> None:
    session_id = take_in(tmp_path, packed(exported))
    assert check_session(tmp_path / "sessions" / session_id)["sound"]


def test_what_a_stranger_says_was_sent_is_text(exported: Lines, tmp_path: Path) -> None:
    lines = copy.deepcopy(exported)
    evil = "\x1b[2J\nin all: nothing [red]\u202e"
    _add(_sent(address=evil, role=evil, model=evil, files=json.dumps([{"path": evil, "whole": True}])))(lines)
    session_id = take_in(tmp_path, packed(lines))
    command = [sys.executable, "-m", "selfheal_tui", "sessions", "show", session_id, "--sent", "--sessions", "sessions"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
    assert "\x1b" not in done.stdout and "\u202e" not in done.stdout
    assert [line for line in done.stdout.splitlines() if line.startswith("in all")] == ["in all:"]


class Bomb:
    """What a pickle would run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (os.mkdir, (str(self.path),))


def test_what_is_no_such_file_is_not_opened(exported: Lines, tmp_path: Path) -> None:
    """Databases with triggers and views, pickles, archives that hold links or lead outside."""
    harm, whole = tmp_path / "harm", packed(exported)
    with closing(sqlite3.connect(tmp_path / "evil.db")) as connection:
        connection.executescript(
            "create table meta(key text primary key, value text); create table t(x);"
            "create trigger evil after insert on meta begin delete from t; end;"
            "create view checkpoints as select load_extension('/tmp/evil.so')"
        )
    assert "database" in refused(tmp_path, (tmp_path / "evil.db").read_bytes())
    assert "no exported session" in refused(tmp_path, pickle.dumps(Bomb(harm)))
    assert "cannot be read at line 1" in refused(tmp_path, gzip.compress(pickle.dumps(Bomb(harm)) + b"\n"))
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        link = tarfile.TarInfo("session.db")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    refused(tmp_path, archive.getvalue())
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as bundle:
        bundle.writestr("../../session.db", "x")
    assert "no exported session" in refused(tmp_path, zipped.getvalue())
    for content in (b"", b"\x1f\x8b", b"{}", gzip.compress(b""), gzip.compress(b"[]\n"), gzip.compress(b"{}\n")):
        refused(tmp_path, content)
    for keep in (0.1, 0.5, 0.99):
        assert "ends early" in refused(tmp_path, whole[: int(len(whole) * keep)])
    assert "goes on after its end" in refused(tmp_path, whole + b"x")
    assert "goes on after its end" in refused(tmp_path, whole + gzip.compress(b'{"table":"meta"}\n'))
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0x10
    refused(tmp_path, bytes(flipped))
    assert not harm.exists()


def test_what_is_no_regular_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero"), tmp_path / "nothing"):
        with pytest.raises(InputError):
            asyncio.run(read_session(SessionStore(tmp_path / "sessions"), path))


def test_a_small_file_cannot_fill_the_disk(exported: Lines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a" * 3_000_000
    bomb = [exported[0], *({"table": "blob", "row": {"ref": text_ref(text), "text": text}} for _ in range(3))]
    monkeypatch.setattr(transfer_lines, "FREE_BYTES", 1 << 20)
    assert "unpacks to more than" in refused(tmp_path, packed(bomb))
    monkeypatch.setattr(transfer_lines, "FREE_BYTES", 1 << 30)
    monkeypatch.setattr(transfer_lines, "LARGEST_LINE_BYTES", 1 << 20)
    assert "has a line of more than" in refused(tmp_path, packed(bomb))


def _meta(key: str, value: str) -> Callable[[Lines], None]:
    def change(lines: Lines) -> None:
        next(row for row in rows(lines, "meta") if row["key"] == key)["value"] = value

    return change


def _state(field: str, value: Any) -> Callable[[Lines], None]:
    def change(lines: Lines) -> None:
        [*rows(lines, "checkpoints")][4]["checkpoint"]["channel_values"][field] = value

    return change


def _initial(field: str, value: Any) -> Callable[[Lines], None]:
    def change(lines: Lines) -> None:
        row = next(row for row in rows(lines, "meta") if row["key"] == "initial")
        row["value"] = json.dumps({**json.loads(row["value"]), field: value})

    return change


def _header(field: str, value: Any) -> Callable[[Lines], None]:
    return lambda lines: lines[0].update({field: value})


def _row(table: str, field: str, value: Any) -> Callable[[Lines], None]:
    return lambda lines: next(rows(lines, table)).update({field: value})


def _manifest(field: str, value: Any) -> Callable[[Lines], None]:
    return lambda lines: rewritten(lines, lambda held: held.update({field: value}), lambda held: "pytest_args" in held)


def _file_path(path: str) -> Callable[[Lines], None]:
    def move(held: dict[str, Any]) -> None:
        held["files"][path] = held["files"].pop("shop.py")

    return lambda lines: rewritten(lines, move, lambda held: "pytest_args" in held)


def _repair_path(path: str) -> Callable[[Lines], None]:
    change = {path: "x"}
    return lambda lines: rewritten(
        lines, lambda held: held.update(changes=change), lambda held: "strategy" in held and "changes" in held
    )


def _add(row: dict[str, Any]) -> Callable[[Lines], None]:
    def change(lines: Lines) -> None:
        lines.insert(-1, row)
        lines[-1]["end"] += 1

    return change


def _drop(table: str, count: bool = True) -> Callable[[Lines], None]:
    def change(lines: Lines) -> None:
        lines.remove(next(line for line in lines if line.get("table") == table))
        lines[-1]["end"] -= count

    return change


def _act(**fields: Any) -> Callable[[Lines], None]:
    def change(lines: Lines) -> None:
        row = next(rows(lines, "act"))
        row["what"] = json.dumps({**json.loads(row["what"]), **fields})

    return change


def _act_row(kind: str, what: dict[str, Any]) -> dict[str, Any]:
    return {"table": "act", "row": {"id": 999, "kind": kind, "what": json.dumps(what), "at": ""}}


def _sent(**fields: Any) -> dict[str, Any]:
    row = {
        **dict.fromkeys(("at", "asked_at", "branch", "role", "model", "address", "outcome"), "x"),
        "id": 1,
        "number": 0,
        "size_bytes": 1,
        "files": "[]",
    }
    return {"table": "sent", "row": {**row, **fields}}


def _diagnosis_as_report(lines: Lines) -> None:
    ref = next(row["ref"] for row in rows(lines, "blob") if '"cause"' in row["text"])
    _state("report_ref", ref)(lines)


def _undo_twice(lines: Lines) -> None:
    of = {"of": next(rows(lines, "act"))["id"]}
    for number in (998, 999):
        row = _act_row("undo", of)
        row["row"]["id"] = number
        _add(row)(lines)


def _orphan(lines: Lines) -> None:
    [*rows(lines, "checkpoints")][3]["parent_checkpoint_id"] = None


def _swap(lines: Lines) -> None:
    one, other = [*rows(lines, "checkpoints")][2:4]
    held = dict(one)
    one.update(other)
    other.update(held)


def _deep(lines: Lines) -> None:
    value: Any = "x"
    for _ in range(900):
        value = [value]
    _state("advice", {"a": value})(lines)


HARM: dict[str, tuple[Callable[[Lines], None], str]] = {
    "another version": (_header("store", 3), "another version"),
    "another graph": (_header("graph", 999), "another version"),
    "an id that leads out": (_header("session_id", "../../evil"), "names no session"),
    "an id that is a list": (_header("session_id", ["x"]), "names no session"),
    "an end of another shape": (lambda lines: lines[-1].update(redacted="x"), "end is of another shape"),
    "a header with more": (_header("extra", 1), "header of another shape"),
    "an unknown table": (_add({"table": "sqlite_master", "row": {}}), "no table 'sqlite_master'"),
    "SQL as a table": (_add({"table": "meta(key) select 1; drop table meta;--", "row": {}}), "no table"),
    "SQL as a column": (_add({"table": "meta", "row": {"key) values(1);--": "x", "value": "y"}}), "other columns"),
    "a line that is no row": (_add({"trigger": "x"}), "a line is no row"),
    "a number as text": (_row("meta", "value", 7), "meta.value is no str"),
    "a bill of another shape": (_row("call", "usage", "{}"), "lacks"),
    "a call that is no JSON": (_row("call", "usage", "{"), "no JSON"),
    "an answer of another shape": (_row("decision", "value", '{"verdict":"yes"}'), "lacks"),
    "a huge number": (_row("decision", "done", 1 << 70), "decision.done is no int"),
    "a body that is another": (_row("blob", "text", "other"), "not what its hash says"),
    "a body less": (_drop("blob"), "missing"),
    "a row less than told": (_drop("meta", count=False), "rows are missing"),
    "a checkpoint without a parent": (_orphan, "no moment before it"),
    "checkpoints in another order": (_swap, "no moment before it"),
    "an id that is none": (_row("checkpoints", "checkpoint_id", "1; drop table"), "is no checkpoint"),
    "a result of no checkpoint": (_row("writes", "checkpoint_id", "x"), "belongs to no checkpoint"),
    "a channel of nobody": (_state("__pickle__", "x"), "no part of a state"),
    "a node of nobody": (_state("branch:to:os.system", None), "no part of a state"),
    "a field of another type": (_state("iteration", "1"), "iteration is no int"),
    "a field of a field": (_state("limits", {"max_iterations": 1}), "lacks"),
    "a constructor": (_state("title", {"$call": ["os", "system", "id"]}), "the mark '$call'"),
    "a langchain constructor": (_state("title", {"lc": 2, "type": "constructor", "id": ["os", "system"]}), "no str"),
    "work for no node": (_state("__pregel_tasks", [{"$send": ["os.system", {}]}]), "no node"),
    "work of another shape": (_state("__pregel_tasks", [{"$send": ["propose", {"x": 1}]}]), "no node"),
    "a question that is none": (_state("__interrupt__", [{"$interrupt": [{"kind": "x"}, "1"]}]), "no question"),
    "a mark that is not whole": (_state("title", {"$interrupt": [{}, "1"], "more": 1}), "the mark"),
    "a body that is none": (_state("report_ref", "../../etc/passwd"), "names no body"),
    "a body that is not there": (_state("report_ref", "0" * 64), "missing"),
    "a body of another kind": (_diagnosis_as_report, ""),
    "a change that leads out": (_state("changes", {"../x.py": "0" * 64}), "lies outside"),
    "a header of nobody": (lambda lines: next(rows(lines, "meta")).update(key="prompts:main"), "the header holds"),
    "an act that writes the start": (_act(meta={"initial": ["{}", "{}"]}), "writes what no act does"),
    "an act that names a prompt": (_act(lanes={"x": {"prompts": "/etc"}}), "folder of prompts"),
    "an act that takes back nothing": (_add(_act_row("undo", {"of": 99})), "not there"),
    "an act that is taken back twice": (_undo_twice, "not there"),
    "a deletion of nothing": (_add(_act_row("delete", {"needs": []})), "names no branch"),
    "an act that lacks its lanes": (_add(_act_row("race", {"at": ""})), "lacks 'lanes'"),
    "an act that is half a name": (_act(rename=["a"]), "not whole"),
    "a start of another graph": (_initial("graph_version", 3), "not one of this version"),
    "a start without files": (_initial("manifest_ref", 3), "manifest_ref is no str"),
    "a start that is none": (_meta("initial", "[]"), "no object"),
    "a model that is a program": (_initial("models", {"*": "os:system"}), ""),
    "a folder to write to": (_manifest("root", "/home/you"), "names a folder"),
    "a file above": (_file_path("../evil.py"), "lies outside"),
    "a file from the root": (_file_path("/etc/evil.py"), "lies outside"),
    "a file with a NUL": (_file_path("a\0b.py"), "lies outside"),
    "a repair that leads out": (_repair_path("../../evil.py"), "lies outside"),
    "a request of another shape": (_add(_sent(files='[{"path": 1, "whole": true}]')), "path is no str"),
    "a request without files": (_add(_sent(files='{"path": "x"}')), "sent.files is no list"),
    "a request of no size": (_add(_sent(size_bytes="many")), "sent.size_bytes is no int"),
    "a request after which none fits": (_add(_sent(id=(1 << 63) - 1)), "has the number"),
    "too deep": (_deep, "cannot be read at line"),
}


@pytest.mark.parametrize("name", HARM)
def test_one_wrong_row_and_nothing_comes_in(exported: Lines, tmp_path: Path, name: str) -> None:
    harm, words = HARM[name]
    lines = copy.deepcopy(exported)
    harm(lines)
    assert lines != exported
    assert words in refused(tmp_path, packed(lines))


def test_what_is_no_number_is_no_value(exported: Lines, tmp_path: Path) -> None:
    whole = gzip.decompress(packed(exported)).decode()
    assert '"done": 1' in whole
    for text in ("NaN", "Infinity", "9" * 5000, "[" * 100_000):
        refused(tmp_path, gzip.compress(whole.replace('"done": 1', f'"done": {text}', 1).encode()))


def test_a_session_here_stays_as_it_is(exported: Lines, tmp_path: Path) -> None:
    """Not overwritten, not by a link of its name either; what is wrong half-way leaves nothing beside it."""
    first = take_in(tmp_path, packed(exported))
    before = (tmp_path / "sessions" / first / "session.db").read_bytes()
    os.symlink("/nowhere", tmp_path / "sessions" / f"{first}-2")
    assert take_in(tmp_path, packed(exported)) == f"{first}-3"
    broken = copy.deepcopy(exported)
    _drop("writes", count=False)(broken)
    with pytest.raises(InputError):
        take_in(tmp_path, packed(broken))
    assert sorted(os.listdir(tmp_path / "sessions")) == [first, f"{first}-2", f"{first}-3"]
    assert (tmp_path / "sessions" / first / "session.db").read_bytes() == before


def test_what_a_killed_import_left_goes_with_the_next(exported: Lines, tmp_path: Path) -> None:
    """But not what another one is at work on."""
    home = tmp_path / "sessions"
    for name in (".importing-killed", ".importing-at-work"):
        (home / name / "x").mkdir(parents=True)
    at_work = os.open(home / ".importing-at-work", os.O_RDONLY)
    try:
        fcntl.flock(at_work, fcntl.LOCK_EX)
        session_id = take_in(tmp_path, packed(exported))
        assert sorted(os.listdir(home)) == sorted([session_id, ".importing-at-work"])
    finally:
        os.close(at_work)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every container with one of its keys."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])


@pytest.mark.parametrize("seed", range(40))
def test_any_altered_value_is_refused_or_makes_a_sound_session(exported: Lines, tmp_path: Path, seed: int) -> None:
    chosen = random.Random(seed)
    lines = copy.deepcopy(exported)
    container, key = chosen.choice([*_places(lines)])
    container[key] = chosen.choice([None, "", "x", 0, -1, 1.5, True, [], {}, ["x"], {"$send": ["propose", {}]}])
    try:
        session_id = take_in(tmp_path, packed(lines))
    except InputError:
        return
    folder = tmp_path / "sessions" / session_id
    assert check_session(folder)["sound"]
