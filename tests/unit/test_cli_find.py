"""Which session a command means that names none: one of this folder, never another project's."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.cli.find import find_here, find_to_apply, find_waiting
from selfheal_tui.cli.listing import state_words
from selfheal_tui.errors import InputError
from selfheal_tui.settings import Settings
from selfheal_tui.store.sessions import SessionRow, SessionStore


def row(session_id: str, folder: Path | str, **more: Any) -> SessionRow:
    return SessionRow(session_id, "t", "", "", "waiting", "", 0, 1, 1, "repair", folder=str(folder), **more)


def test_a_question_of_another_folder_is_named_and_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row("s-below", tmp_path / "below"), row("s-other", tmp_path.parent)]
    monkeypatch.setattr(SessionStore, "rows", lambda store: rows)
    monkeypatch.chdir(tmp_path)
    settings = Settings(sessions=tmp_path)
    args = Namespace(session=None, words=("sessions", "decide", "approve", "--note", "as is"))
    with pytest.raises(InputError) as refused:
        find_waiting(settings, args)
    assert str(refused.value).endswith("If it is meant: selfheal sessions decide s-below approve --note 'as is'")
    rows.insert(0, row("s-demo", ""))
    with pytest.raises(InputError, match=r"s-demo is of no folder.*sessions decide s-demo approve"):
        find_waiting(settings, args)
    rows.append(row("s-own", tmp_path))
    assert find_waiting(settings, Namespace(session=None)) == "s-own"


def test_what_was_begun_here_goes_on_whichever_folder_its_files_came_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    beside = row("s-beside", tmp_path.parent / f"{tmp_path.name}2")
    rows = [beside]
    monkeypatch.setattr(SessionStore, "rows", lambda store: rows)
    monkeypatch.chdir(tmp_path)

    def found() -> str:
        session_id = find_here(Settings(sessions=tmp_path), Namespace(session=None, words=("resume",)))
        return f"{session_id}: {capsys.readouterr().err}"

    with pytest.raises(InputError, match=r"There is no session of .* If it is meant: selfheal resume s-beside"):
        found()
    rows.append(row("s-demo", ""))
    assert "s-demo (the newest, of no folder)" in found()
    rows.append(row("s-above", tmp_path.parent))
    assert f"s-above (the newest of the folder {tmp_path.parent}, above this one)" in found()
    rows.append(row("s-below", tmp_path / "below"))
    assert f"s-below (the newest of the folder {tmp_path / 'below'}, below this one)" in found()
    rows.append(row("s-own", tmp_path))
    assert found().startswith("s-below: "), "it is newer"
    rows.insert(0, rows.pop())
    assert "s-own (the newest of this folder)" in found()


def test_a_race_is_no_question_that_a_decision_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raced = replace(row("s-race", tmp_path), waiting_for="race")
    monkeypatch.setattr(SessionStore, "rows", lambda store: [raced])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="waits for a decision"):
        find_waiting(Settings(sessions=tmp_path), Namespace(session=None))


def test_nothing_is_written_below_this_folder_unless_somebody_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    below = replace(row("s-below", tmp_path / "sub"), waiting_for="", healed_branches=("main",))
    monkeypatch.setattr(SessionStore, "rows", lambda store: [below])
    monkeypatch.chdir(tmp_path)
    args = Namespace(session=None, output=None, unhealed=False, yes=True, words=("sessions", "apply", "--yes"))
    with pytest.raises(InputError, match=r"below this one.*selfheal sessions apply s-below --yes"):
        find_to_apply(Settings(sessions=tmp_path), args)
    args.yes = False
    assert find_to_apply(Settings(sessions=tmp_path), args) == "s-below"
    assert "below this one" in capsys.readouterr().err


def test_a_decision_goes_to_what_full_autonomy_left_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = SessionRow("s-left", "t", "", "", "gave_up", "", 1, 1, 1, "", folder=str(tmp_path), left_for_you="repair")
    monkeypatch.setattr(SessionStore, "rows", lambda store: [left])
    monkeypatch.chdir(tmp_path)
    settings = Settings(sessions=tmp_path)
    assert find_waiting(settings, Namespace(session=None), left_too=True) == "s-left"
    with pytest.raises(InputError, match="waits for a decision"):
        find_waiting(settings, Namespace(session=None))


def test_the_list_says_what_a_fork_or_an_outcome_hides() -> None:
    forked = SessionRow(
        "s", "t", "", "", "gave_up", "", 1, 2, 1, "", stands="nolot", healed_branches=("main",), left_for_you=""
    )
    assert state_words(forked) == "healed on main; gave up on nolot"
    left = SessionRow("s", "t", "", "", "gave_up", "", 1, 1, 1, "", stands="main", left_for_you="repair")
    assert state_words(left) == "gave up; left for you: 1 repair"
