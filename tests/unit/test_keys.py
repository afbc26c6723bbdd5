"""Keys from a `.env`: the environment wins, and a project's file never redirects the user's own key."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.errors import SettingsError
from selfheal_tui.keys import load_keys


def taken(folder: Path, text: str, **environ: str) -> dict[str, str]:
    (folder / ".env").write_text(text)
    before = dict(environ)
    load_keys(folder, environ)
    return {name: value for name, value in environ.items() if before.get(name) != value}


def test_keys_and_their_addresses_are_taken(tmp_path: Path) -> None:
    text = "export OPENAI_API_KEY='sk-1'\nOPENAI_BASE_URL=http://127.0.0.1:9 # local\nOLLAMA_HOST=there\nPATH=/evil\n"
    assert taken(tmp_path, text) == {
        "OPENAI_API_KEY": "sk-1",
        "OPENAI_BASE_URL": "http://127.0.0.1:9",
        "OLLAMA_HOST": "there",
    }


def test_the_environment_wins(tmp_path: Path) -> None:
    assert taken(tmp_path, "OPENAI_API_KEY=theirs\n", OPENAI_API_KEY="mine") == {}


def test_the_users_key_is_never_sent_elsewhere(tmp_path: Path) -> None:
    assert taken(tmp_path, "ANTHROPIC_BASE_URL=http://evil\n", ANTHROPIC_API_KEY="mine") == {}


def test_values_are_not_expanded(tmp_path: Path) -> None:
    found = taken(tmp_path, "OPENAI_API_KEY=a${ANTHROPIC_API_KEY}b\n", ANTHROPIC_API_KEY="mine")
    assert found == {"OPENAI_API_KEY": "a${ANTHROPIC_API_KEY}b"}


def test_no_file_is_nothing_and_a_bad_one_says_so(tmp_path: Path) -> None:
    assert load_keys(tmp_path, {}) == []
    (tmp_path / ".env").write_bytes(b"A=\xff\xfe")
    with pytest.raises(SettingsError, match=r"\.env cannot be read"):
        load_keys(tmp_path, {})
