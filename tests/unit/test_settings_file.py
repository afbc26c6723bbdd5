"""The user's own settings file is changed in place: other lines and comments stay, nothing is half written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from selfheal_tui.errors import SettingsError
from selfheal_tui.setting_layers import load_settings, reload_settings
from selfheal_tui.settings_file import save_settings, with_value

FILE = """\
# mine
model: search   # no key here

autonomy: "full_auto"
keys:
  # on my keyboard
  review.approve: z
  run.help: f1

# the last line
theme: nord
"""


def changed(name: str, value: Any, text: str = FILE) -> str:
    return with_value(text, name, value, "selfheal.yaml")


@pytest.mark.parametrize(
    ("name", "value", "old", "new"),
    [
        ("model", "ollama:qwen3:8b", "model: search ", "model: ollama:qwen3:8b "),
        ("autonomy", "review_all", '"full_auto"', "review_all"),
        ("theme", "selfheal-contrast", "theme: nord", "theme: selfheal-contrast"),
        ("theme", None, "theme: nord\n", ""),
        ("model", None, "model: search   # no key here\n", ""),
        ("max_tokens", 5, "theme: nord\n", "theme: nord\nmax_tokens: 5\n"),
        ("bell", False, "theme: nord\n", "theme: nord\nbell: false\n"),
    ],
)
def test_only_that_value_changes(name: str, value: Any, old: str, new: str) -> None:
    assert changed(name, value) == FILE.replace(old, new)


def test_a_block_is_replaced_whole_and_what_follows_stays() -> None:
    text = changed("keys", {"run.quit": "ctrl+x"})
    assert yaml.safe_load(text)["keys"] == {"run.quit": "ctrl+x"}
    assert text.endswith("\n\n# the last line\ntheme: nord\n") and text.startswith("# mine\nmodel: search   # no key")
    gone = changed("keys", None)
    assert "review" not in gone and gone.endswith("\n\n# the last line\ntheme: nord\n")


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("", "bell: false\n"),
        ("theme: nord", "theme: nord\nbell: false\n"),
        ("bell:\ntheme: nord\n", "bell: false\ntheme: nord\n"),
        ("bell: |\n  yes\ntheme: nord\n", "bell: false\ntheme: nord\n"),
        ("{bell: true, theme: nord}\n", "{bell: false, theme: nord}\n"),
    ],
)
def test_other_ways_to_write_it(text: str, after: str) -> None:
    assert changed("bell", False, text) == after


@pytest.mark.parametrize(
    ("text", "words"), [("- a\n", "name: value"), ("a: [\n", "line 2"), ("{theme: nord}\n", "hand")]
)
def test_what_cannot_be_changed_is_refused(text: str, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        changed("bell", False, text)


@given(
    st.dictionaries(st.sampled_from(["model", "theme", "python", "advisors"]), st.text(max_size=20), max_size=4),
    st.sampled_from(["model", "theme"]),
    st.none() | st.text(min_size=1, max_size=30),
)
def test_any_text_comes_back_as_it_was_set(before: dict[str, str], name: str, value: str | None) -> None:
    text = yaml.safe_dump(before) if before else ""
    after = yaml.safe_load(changed(name, value, text)) or {}
    assert after == {**{k: v for k, v in before.items() if k != name}, **({name: value} if value is not None else {})}


def test_saved_values_are_read_back_and_the_link_of_a_dotfile_stays(tmp_path: Path) -> None:
    real, home = tmp_path / "dotfiles.yaml", tmp_path / "config"
    real.write_text(FILE)
    (home / "selfheal").mkdir(parents=True)
    (home / "selfheal" / "selfheal.yaml").symlink_to(real)
    environ = {"XDG_CONFIG_HOME": str(home)}
    now = load_settings({"max_calls": "3"}, environ, tmp_path)
    path = save_settings({"theme": "gruvbox", "keys": {"run.quit": "ctrl+x"}}, environ)
    assert path.is_symlink() and real.read_text().startswith("# mine\n")
    again = reload_settings(now, environ, tmp_path)
    assert (again.theme, again.keys, again.max_calls) == ("gruvbox", {"run.quit": "ctrl+x"}, 3)
    assert again.origins["max_calls"] == now.origins["max_calls"]
    assert "selfheal.yaml" in again.origins["theme"]
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_the_first_setting_makes_the_file_for_its_owner_alone(tmp_path: Path) -> None:
    path = save_settings({"bell": False}, {"XDG_CONFIG_HOME": str(tmp_path)})
    assert path.read_text() == "bell: false\n" and path.stat().st_mode & 0o777 == 0o600
    save_settings({"bell": None}, {"XDG_CONFIG_HOME": str(tmp_path)})
    assert path.read_text() == ""


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "selfheal").write_text("a file")
    with pytest.raises(SettingsError, match="cannot be"):
        save_settings({"bell": False}, {"XDG_CONFIG_HOME": str(tmp_path)})
