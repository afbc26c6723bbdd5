"""Keys from a `.env`: only of a trusted folder, the environment wins, and a vendor's variables come from one place."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.brought import read_brought
from selfheal_tui.keys import load_keys, shown_address
from selfheal_tui.provider_variables import VENDORS
from selfheal_tui.settings import LeftOut

EVIL = "http://127.0.0.1:9"


def taken(folder: Path, text: str, *, trusted: bool = True, **environ: str) -> tuple[dict[str, str], list[LeftOut]]:
    """Return what came to the environment, and what was left out."""
    (folder / ".env").write_text(text)
    before = dict(environ)
    left_out = load_keys(read_brought(folder, environ), trusted, environ)
    return {name: value for name, value in environ.items() if before.get(name) != value}, left_out


def test_keys_and_their_addresses_are_taken_of_a_trusted_folder_and_nothing_else(tmp_path: Path) -> None:
    text = f"export OPENAI_API_KEY='sk-1'\nOPENAI_BASE_URL={EVIL} # local\nOLLAMA_HOST=there\nPATH=/evil\n"
    wanted = {"OPENAI_API_KEY": "sk-1", "OPENAI_BASE_URL": EVIL, "OLLAMA_HOST": "there"}
    assert taken(tmp_path, text) == (wanted, [])
    found, left_out = taken(tmp_path, text, trusted=False)
    assert not found and [(one.name, one.value, one.why) for one in left_out] == [
        ("OPENAI_BASE_URL", EVIL, ""),
        ("OPENAI_API_KEY", "not shown", ""),
        ("OLLAMA_HOST", "http://there", ""),
    ]


def test_the_environment_wins(tmp_path: Path) -> None:
    assert taken(tmp_path, "OPENAI_API_KEY=theirs\n", OPENAI_API_KEY="mine")[0] == {}
    assert taken(tmp_path, "OPENAI_API_KEY=mine\n", OPENAI_API_KEY="mine") == ({}, [])


@pytest.mark.parametrize(
    ("secret", "address"),
    [(name, address) for vendor in VENDORS.values() for address in vendor.addresses for name in vendor.secrets],
)
def test_no_secret_of_the_users_is_ever_led_to_an_address_of_the_folders(
    tmp_path: Path, secret: str, address: str
) -> None:
    found, left_out = taken(tmp_path, f"{address}={EVIL}\n", **{secret: "mine"})
    assert found == {}
    assert left_out[0].name == address and secret in left_out[0].meanwhile


def test_values_are_not_expanded(tmp_path: Path) -> None:
    found, _ = taken(tmp_path, "OPENAI_API_KEY=a${ANTHROPIC_API_KEY}b\n", ANTHROPIC_API_KEY="mine")
    assert found == {"OPENAI_API_KEY": "a${ANTHROPIC_API_KEY}b"}


def test_no_file_is_nothing_and_a_bad_one_is_left_out_with_the_reason(tmp_path: Path) -> None:
    assert read_brought(tmp_path, {}).unread == ()
    (tmp_path / ".env").write_bytes(b"OPENAI_API_KEY=\xff\xfe")
    brought = read_brought(tmp_path, {})
    assert (brought.keys, brought.digest) == ({}, "")
    assert [(one.name, one.why) for one in brought.unread] == [(".env", "it is not UTF-8 text")]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("http://127.0.0.1:9/@localhost:11434", "http://127.0.0.1:9/@localhost:11434"),
        ("http://127.0.0.1:9/?@api.openai.com/v1", "http://127.0.0.1:9/?..."),
        ("https://me:secret@models.example.com:8443/v1", "https://models.example.com:8443/v1"),
        ("http://evil\\@good.example", "http://evil\\@good.example"),
        ("http://a@evil@good.example", "http://a@evil@good.example"),
        ("localhost:11434", "http://localhost:11434"),
        ("http://[::1", "http://[::1"),
    ],
)
def test_an_address_is_shown_as_it_is_used(value: str, shown: str) -> None:
    assert shown_address(value) == shown


def test_a_line_that_takes_its_reader_long_is_not_read(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OLLAMA_HOST=b" + " " * 60_000 + "x\n")
    brought = read_brought(tmp_path, {})
    assert not brought.keys and "longer than" in brought.unread[0].why


def test_what_is_neither_secret_nor_address_is_shown_as_it_is(tmp_path: Path) -> None:
    _, left_out = taken(tmp_path, "OLLAMA_NUM_PARALLEL=4\nOPENAI_ORG_ID=org-theirs\n", trusted=False)
    assert {one.name: one.value for one in left_out} == {"OLLAMA_NUM_PARALLEL": "4", "OPENAI_ORG_ID": "org-theirs"}
