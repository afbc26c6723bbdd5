"""A hint names what was meant, or lists what there is; it never guesses at random."""

from __future__ import annotations

import pytest

from selfheal_tui.cli import main
from selfheal_tui.errors import SettingsError
from selfheal_tui.llm.registry import PROVIDERS, check_model
from selfheal_tui.sandbox.registry import SANDBOXES, open_sandbox
from selfheal_tui.setting_values import nearest


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
    assert all(name in error.value.hint for name in (*PROVIDERS, "auto"))
