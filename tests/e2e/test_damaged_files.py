"""A session's file with altered bits, or a part of it missing: every command works or ends with one sentence."""

from __future__ import annotations

import json
import lzma
import random
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest

from selfheal_tui.cli import main
from selfheal_tui.store.migrations import migrate
from tests.engine.driving import DIAGNOSIS, FIXED, repair_reply, script
from tests.engine.test_migrations import OLD, SESSION

COMMANDS = {
    "list": ("sessions", "list", "--json"),
    "show": ("sessions", "show", SESSION, "--json"),
    "export": ("sessions", "export", SESSION, "--format", "json"),
    "check": ("sessions", "check", SESSION),
    "resume": ("resume", SESSION, "--headless"),
}
ENDS = (0, 3, 6)
"""Done; a question waits; damaged."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a session's file with two branches, each with a question, as this version writes it."""
    file = tmp_path_factory.mktemp("whole") / "session.db"
    file.write_bytes(lzma.decompress(OLD.read_bytes()))
    migrate(file)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
    return file.read_bytes()


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where the session's file belongs."""
    monkeypatch.chdir(tmp_path)
    script(Path("m.yaml"), {"role": "debugger", "reply": DIAGNOSIS}, {"role": "repairer", "reply": repair_reply(FIXED)})
    folder = tmp_path / "sessions" / SESSION
    folder.mkdir(parents=True)
    return folder / "session.db"


def ends(file: Path, command: str, capsys: pytest.CaptureFixture[str]) -> int:
    """Run a command; check that it ends with a code of ours and, when damaged, with a sentence."""
    code = main([*COMMANDS[command], "--sessions", str(file.parent.parent)])
    told = capsys.readouterr()
    assert code in ENDS and "Traceback" not in told.err, (code, told.err)
    if code == 6:
        assert told.err.strip() or told.out.strip()
    return code


def altered(data: bytes, number: int) -> bytes:
    """Return the bytes with one harm: a bit, a byte, a run of them or a page; every third in the first pages."""
    chance = random.Random(number)
    harmed = bytearray(data)
    at = chance.randrange(4096 * 3 if number % 3 == 0 else len(data))
    match number % 4:
        case 0:
            harmed[at] ^= 1 << chance.randrange(8)
        case 1:
            harmed[at] = chance.randrange(256)
        case 2:
            harmed[at : at + 40] = chance.randbytes(len(harmed[at : at + 40]))
        case _:
            page = at // 4096 * 4096
            harmed[page : page + 4096] = bytes(4096)
    return bytes(harmed)


@pytest.mark.parametrize("command", COMMANDS)
def test_altered_bytes_never_crash_a_command(
    whole: bytes, file: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(8):
        for left in file.parent.iterdir():
            left.unlink()
        file.write_bytes(altered(whole, number))
        ends(file, command, capsys)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("share", [0.0, 0.4])
def test_a_part_of_the_file_never_crashes_a_command(
    whole: bytes, file: Path, command: str, share: float, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_bytes(whole[: int(len(whole) * share)])
    assert ends(file, command, capsys) == (0 if command == "list" else 6)


@pytest.mark.parametrize("as_json", [False, True])
def test_of_a_file_that_was_cut_off_what_is_left_is_shown(
    whole: bytes, file: Path, as_json: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    show = [*COMMANDS["show"][: 4 if as_json else 3], "--sessions", str(file.parent.parent)]
    file.write_bytes(whole)
    assert main(show) == 0
    all_of_it = capsys.readouterr().out
    cut = whole[: int(len(whole) * 0.9)]
    file.write_bytes(cut)
    assert main(show) == 6
    told = capsys.readouterr()
    assert told.err.count("\n") == 1 and "Shown is what can be read" in told.err and told.err.endswith(f" {SESSION}\n")
    if as_json:
        moments = json.loads(told.out)["checkpoints"]
        whole_moments = {one["checkpoint_id"]: one for one in json.loads(all_of_it)["checkpoints"]}
        # Where the answer is lost, its question waits.
        same = [{**whole_moments[one["checkpoint_id"]], "pending": one["pending"]} for one in moments]
        assert moments == same != []
    else:
        assert "run_suite" in told.out and "damaged" in told.out
    assert file.read_bytes() == cut and not list(file.parent.glob("session.db-*")), "it is only looked at"


def test_of_a_file_that_was_cut_off_each_moment_that_is_left_is_shown(
    whole: bytes, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_bytes(whole[: int(len(whole) * 0.9)])
    show = ["sessions", "show", SESSION, "--sessions", str(file.parent.parent)]
    assert main([*show, "--json"]) == 6
    moments = [one["checkpoint_id"] for one in json.loads(capsys.readouterr().out)["checkpoints"]]
    programs = 0
    for moment in moments:
        assert main([*show, "--at", moment, "--json"]) == 6
        told = capsys.readouterr()
        shown = json.loads(told.out)
        assert shown["checkpoint_id"] == moment and "what can be read of this moment" in told.err
        programs += "program" in shown
        assert main([*show, "--at", moment]) == 6
        assert capsys.readouterr().out.strip()
    assert programs > 0


@pytest.mark.parametrize("form", ["json", "md", "html", "prompts", "jsonl", "patch"])
def test_of_a_damaged_session_what_can_be_read_is_exported(
    whole: bytes, file: Path, form: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    harms = {"cut": whole[: int(len(whole) * 0.9)], "middle": bytearray(whole)}
    at = len(whole) // 2
    harms["middle"][at : at + 12] = bytes(12)  # type: ignore[index]
    export = ["sessions", "export", SESSION, "--format", form, "--sessions", str(file.parent.parent)]
    exported = {}
    for name, harmed in harms.items():
        for left in file.parent.iterdir():
            left.unlink()
        file.write_bytes(harmed)
        code = main(export)
        out, err = capsysbinary.readouterr()
        if name == "cut":
            assert file.read_bytes() == harmed and not list(file.parent.glob("session.db-*")), "it is only read"
        if code == 0:
            continue
        assert code == 6 and b"is damaged" in err and err.count(b"\n") <= 2, (name, err)
        assert b"Exported is what can be read: " in err and b" moment" in err, (name, err)
        exported[name] = out
    assert "cut" in exported
    if form == "json":
        story = json.loads(exported["cut"])
        assert story["session_id"] == SESSION and story["iterations"]
    elif form != "patch":
        assert exported["cut"]


def test_moments_behind_a_damaged_body_are_told_of_and_those_before_exported(
    whole: bytes, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A diagnosis is lost: the moments without it are whole, and the commands tell how many are not."""
    file.write_bytes(whole)
    with closing(sqlite3.connect(file)) as connection, connection:
        refs = [
            ref
            for ref, body in connection.execute("select ref, body from blob")
            if b'"cause"' in zlib.decompress(body) and b'"fault"' in zlib.decompress(body)
        ]
        assert refs
        connection.executemany("update blob set body=x'00' where ref=?", [(ref,) for ref in refs])
    place = ["--sessions", str(file.parent.parent)]
    assert main(["sessions", "export", SESSION, "--format", "json", *place]) == 6
    told = capsys.readouterr()
    story = json.loads(told.out)
    assert story["iterations"][0]["runs"] and not any(one["diagnoses"] for one in story["iterations"])
    assert ", without " in told.err and " that cannot be read." in told.err
    out = file.parent.parent / "story.md"
    assert main(["sessions", "export", SESSION, "-o", str(out), *place]) == 6
    assert out.read_text("utf-8") and "Written: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "harm"),
    [
        ("export", "update call set prompt=x'fffe7b'"),
        ("export", "update call set reply='{\"a\": 1}'"),
        ("export", "update call set usage='{\"a\": 1}'"),
        ("export", 'update checkpoints set metadata=\'{"iteration": "one"}\''),
        ("export", "update checkpoints set checkpoint=x'c1c1'"),
        ("export", "update meta set value='17' where key='initial'"),
        ("export", "update meta set value='{\"graph_version\": 4}' where key='initial'"),
        ("export", "update checkpoints set checkpoint=17"),
        ("resume", "update checkpoints set type='msgpack+other'"),
        ("resume", "insert into decision values(99, 'x', 'main', 'repair', '17', '', 0)"),
    ],
)
def test_an_altered_row_is_a_sentence(
    whole: bytes, file: Path, command: str, harm: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_bytes(whole)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(harm)
        connection.commit()
    assert main([*COMMANDS[command], "--sessions", str(file.parent.parent)]) == 6
    told = "".join(capsys.readouterr())
    assert "damaged" in told and "sessions check" in told, told


def test_facts_that_are_not_the_states_are_found(whole: bytes, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One flipped bit makes another digit: the row is still whole, and the tree would show it."""
    file.write_bytes(whole)
    place = ["--sessions", str(file.parent.parent)]
    assert main([*COMMANDS["check"], *place]) == 0
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("update checkpoints set metadata=replace(metadata, '\"failed\": 1', '\"failed\": 3')")
        connection.execute("update checkpoints set metadata=cast(metadata as blob)")
        connection.commit()
    capsys.readouterr()
    assert main([*COMMANDS["check"], *place]) == 6
    assert "another failed of a moment than its state" in capsys.readouterr().out


def test_an_altered_body_is_never_shown(whole: bytes, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its name is its sha256: a body that is whole by itself, but another one, is refused on reading."""
    file.write_bytes(whole)
    with closing(sqlite3.connect(file)) as connection:
        bodies = connection.execute("select ref, body from blob order by ref").fetchall()
        moved = [(bodies[n - 1][1], ref) for n, (ref, _) in enumerate(bodies)]
        connection.executemany("update blob set body=? where ref=?", moved)
        connection.commit()
    assert main(["sessions", "export", SESSION, "--sessions", str(file.parent.parent)]) == 6
    assert "is missing or altered" in capsys.readouterr().err
    assert main(["sessions", "check", SESSION, "--sessions", str(file.parent.parent)]) == 6


def test_a_decision_on_altered_bytes_ends_with_a_sentence_or_is_the_right_one(
    whole: bytes, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Answering writes: what is read on the way is right, or nothing is decided."""
    healed = 0
    for number in range(100, 112):
        for left in file.parent.iterdir():
            left.unlink()
        file.write_bytes(altered(whole, number))
        code = main(["sessions", "decide", SESSION, "approve", "--json", "--sessions", str(file.parent.parent)])
        told = capsys.readouterr()
        assert code in (*ENDS, 1, 2) and "Traceback" not in told.err, (number, code, told.err)
        if code in (2, 6):
            assert told.err.startswith("selfheal: ") or json.loads(told.out)["outcome"] == "failed", (number, told)
        if code == 0:
            healed += 1
            assert json.loads(told.out)["files"] == {"shop.py": FIXED}, number
    assert 0 < healed < 12


def test_work_does_not_go_on_in_a_damaged_file_that_can_still_be_looked_at(
    whole: bytes, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The harm is in a moment long past, which no step would read."""
    file.write_bytes(whole)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(
            "update checkpoints set checkpoint=x'c1c1' where rowid=(select min(rowid)+1 from checkpoints)"
        )
    before, place = file.read_bytes(), ["--sessions", str(file.parent.parent)]
    for words in (("decide", SESSION, "approve"), ("undo", SESSION), ("branch", SESSION, "note", "main", "x")):
        assert main(["sessions", *words, *place]) == 6
        told = capsys.readouterr().err
        assert "is damaged" in told and told.count("\n") == 1, told
    assert main(["resume", SESSION, "--headless", *place]) == 6
    assert file.read_bytes() == before
    assert main([*COMMANDS["show"], *place]) == 0
    assert main([*COMMANDS["check"], *place]) == 6


def test_a_file_that_was_cut_off_shows_what_is_left_of_it(
    whole: bytes, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_bytes(whole[: len(whole) - 8192])
    assert main([*COMMANDS["check"], "--json", "--sessions", str(file.parent.parent)]) == 6
    report = json.loads(capsys.readouterr().out)
    assert report["checkpoints"] > 0 and report["bodies"] > 0
    assert len(file.read_bytes()) == len(whole) - 8192
