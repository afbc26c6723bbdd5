"""A hint names what was meant, or lists what there is; it never guesses at random."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.cli import main
from selfheal_tui.errors import InputError, SettingsError
from selfheal_tui.llm.registry import PROVIDERS, check_model
from selfheal_tui.sandbox.registry import SANDBOXES, open_sandbox
from selfheal_tui.setting_values import nearest
from selfheal_tui.store.sessions import DB_NAME, SessionStore
from selfheal_tui.text import with_session


@pytest.mark.parametrize(
    ("word", "meant"), [("loca", "local"), ("lcoal", "local"), ("con", "container"), ("E2b", "e2b")]
)
def test_a_slip_is_understood(word: str, meant: str) -> None:
    assert nearest(word, SANDBOXES) == f"Did you mean {meant}?"


@pytest.mark.parametrize("word", ["foo", "docker", "none", "x", ""])
def test_what_is_near_to_nothing_gets_the_list(word: str) -> None:
    with pytest.raises(SettingsError) as error:
        open_sandbox(word)
    assert error.value.hint == "There are: local, container, e2b."


def test_no_demo_is_guessed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "nothere", "--json"]) == 2
    assert "Did you mean" not in capsys.readouterr().err


def test_the_list_of_providers_has_all_that_model_takes() -> None:
    with pytest.raises(SettingsError) as error:
        check_model("foo:bar")
    named = error.value.hint.partition("There are: ")[2]
    assert {*named.rstrip(".").split(", ")} == {*PROVIDERS, "auto"} - {"scripted"}, "that one is for tests"


def test_a_session_takes_the_place_of_its_word_in_commands_only() -> None:
    words = "Take it back: selfheal sessions undo SESSION. The word SESSION alone stays."
    told = "Take it back: selfheal sessions undo s1 --sessions x. The word SESSION alone stays."
    assert with_session(words, "s1 --sessions x") == told


def test_a_short_id_that_fits_several_sessions_names_them(tmp_path: Path) -> None:
    ids = [f"2026-{number}-shop-77ab" for number in range(7)]
    for name in ids:
        (tmp_path / name).mkdir()
        (tmp_path / name / DB_NAME).touch()
    with pytest.raises(InputError, match=r"2026-0-shop-77ab, .*, 2026-4-shop-77ab and 2 more\. Give more"):
        SessionStore(tmp_path).find("77ab")
    assert SessionStore(tmp_path).find("2026-3") == ids[3]
