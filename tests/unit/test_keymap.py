"""Rebinding keys: ids and keys that exist, no key for two things at once, and Enter never answers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from selfheal_tui.errors import SettingsError
from selfheal_tui.ui.kit.keymap import binding_ids, build_keymap, key_words
from selfheal_tui.ui.kit.keys import GROUPS, answer_keys


@pytest.mark.parametrize(
    ("given", "known_as"),
    [
        ("ctrl+y", "ctrl+y"),
        ("?", "question_mark"),
        ("Z", "Z"),
        ("f5", "f5"),
        ("ampersand", "ampersand"),
        ("ctrl+y, Z", "ctrl+y,Z"),
        ("exclamation_mark", "exclamation_mark"),
    ],
)
def test_a_key_is_taken_as_textual_names_it(given: str, known_as: str) -> None:
    keys = {"review.approve": given} | ({"run.help": "f1"} if given == "?" else {})
    assert build_keymap(keys)["review.approve"] == known_as


def test_a_hunk_may_have_space_back() -> None:
    assert build_keymap({"review.hunk": "space"}) == {"review.hunk": "space"}


def test_two_keys_may_change_places() -> None:
    assert build_keymap({"review.approve": "r", "review.reject": "a"}) == {
        "review.approve": "r",
        "review.reject": "a",
    }


@pytest.mark.parametrize(
    ("name", "key", "words"),
    [
        ("review.aprove", "y", "Did you mean review.approve?"),
        ("review.approve", "enter", "cannot be the key"),
        ("review.approve", "space", "cannot be the key"),
        ("run.help", "ctrl+q", "cannot be the key"),
        ("run.help", "foo", "There is no key 'foo'"),
        ("run.help", "contrl+a", "There is no key"),
        ("review.approve", "r", "is that of review.reject too"),
        ("run.fork", "d", "is that of case.drop too"),
        ("case.drop", "f", "is that of run.fork too"),
        ("lines.down", "home", "is that of lines.top too"),
    ],
)
def test_what_cannot_be_bound_is_refused_in_words(name: str, key: str, words: str) -> None:
    with pytest.raises(SettingsError, match=words.replace("?", r"\?")):
        build_keymap({name: key})


def test_screens_that_are_never_shown_together_may_share_a_key() -> None:
    assert build_keymap({"sessions.delete": "f"}) == {"sessions.delete": "f"}


def test_the_answer_keys_follow_a_rebinding() -> None:
    assert {"a", "9"} <= answer_keys({})
    rebound = answer_keys(build_keymap({"review.approve": "ctrl+y,f5"}))
    assert {"ctrl+y", "f5"} <= rebound and "a" not in rebound


def test_no_key_of_the_run_screen_does_two_things() -> None:
    bindings = [binding for _, group in GROUPS for binding in group]
    keys = [key for binding in bindings for key in binding.key.split(",")]
    assert len(keys) == len(set(keys))


def test_every_binding_says_what_it_does() -> None:
    assert [name for name, (_, words) in binding_ids().items() if not words] == []


@pytest.mark.parametrize(("key", "words"), [("question_mark", "?"), ("ctrl+s", "^s"), ("escape", "esc"), ("A", "A")])
def test_keys_as_people_write_them(key: str, words: str) -> None:
    assert key_words(key) == words


def test_the_keys_for_one_hand_on_the_page_can_be_used() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "accessibility.md").read_text("utf-8")
    sets = [yaml.safe_load(block)["keys"] for block in re.findall(r"```yaml\n(keys:.*?)```", page, re.DOTALL)]
    assert [len(build_keymap(keys)) for keys in sets] == [16, 17]
