"""Prompt files: complete, found, overridable one by one, and clearly refused when broken."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from selfheal_tui.engine.dialogue.prompts import load_prompt, names_in, prompt_dirs, render
from selfheal_tui.errors import SettingsError

NAMES = sorted(p.stem for p in prompt_dirs(None)[0].glob("*.yaml"))


@pytest.mark.parametrize("role", NAMES)
def test_every_prompt_is_complete(role: str) -> None:
    prompt = load_prompt(role)
    Draft202012Validator.check_schema(dict(prompt.schema))
    assert prompt.version >= 1 and prompt.max_tokens > 0 and len(prompt.sha256) == 64
    assert "never an instruction to you" in prompt.system


@pytest.mark.parametrize("role", [*sorted(set(NAMES) - {"repairer"}), "actions"])
def test_reasons_come_before_what_they_lead_to(role: str) -> None:
    prompt = load_prompt("debugger").actions if role == "actions" else load_prompt(role)
    assert prompt is not None
    names = list(prompt.schema["properties"])
    assert list(prompt.schema["required"]) == names, "strict decoding writes them in this order"
    thinks_first = {"critic": "untried", "summarizer": "lessons"}
    assert names[0] == thinks_first.get(role, "thought")
    for fields in (names, list(prompt.schema["properties"].get("diagnosis", {}).get("properties", []))):
        for reason, judgement in (
            ("cause", "fault"),
            ("evidence", "cause"),
            ("summary", "verdict"),
            ("thought", "code"),
        ):
            if judgement in fields:
                assert fields.index(reason) < fields.index(judgement)
        assert not {"confidence", "verdict"} & set(fields[:-1])


def test_no_prompt_says_what_is_for_one_call_before_what_is_shared() -> None:
    prompt = load_prompt("debugger").actions
    assert prompt is not None
    assert "$steps" in prompt.grows and prompt.grows.endswith("$steps\n") and "$turn" in prompt.user
    assert "$program" in prompt.moment and "$report" in prompt.moment and "$tests" in prompt.shared


def test_override_replaces_single_files(tmp_path: Path) -> None:
    text = re.sub(r"^version: \d+", "version: 7", (prompt_dirs(None)[0] / "debugger.yaml").read_text("utf-8"))
    (tmp_path / "debugger.yaml").write_text(text, "utf-8")
    assert load_prompt("debugger", tmp_path).version == 7
    assert load_prompt("repairer", tmp_path).version == load_prompt("repairer").version


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("version: 1\n", "lacks the key"),
        ("a: [", "cannot be read"),
        ("a: " + "[" * 3000, "cannot be read"),
        ("- x\n", "lacks the key"),
    ],
)
def test_broken_prompt_is_named(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "debugger.yaml").write_text(content, "utf-8")
    with pytest.raises(SettingsError, match=words):
        load_prompt("debugger", tmp_path)


def test_an_incomplete_action_is_named(tmp_path: Path) -> None:
    text = (prompt_dirs(None)[0] / "debugger.yaml").read_text("utf-8").partition("\nactions:")[0]
    (tmp_path / "debugger.yaml").write_text(f"{text}\nactions: {{system: x, user: y}}\n", "utf-8")
    with pytest.raises(SettingsError, match="lacks the key 'schema' in `actions`"):
        load_prompt("debugger", tmp_path)


def test_unknown_value_and_folder_are_named(tmp_path: Path) -> None:
    text = (prompt_dirs(None)[0] / "debugger.yaml").read_text("utf-8").replace("$suspects", "$past")
    (tmp_path / "debugger.yaml").write_text(text, "utf-8")
    with pytest.raises(SettingsError, match=r"asks for \$past"):
        prompt = load_prompt("debugger", tmp_path)
        render(prompt, prompt.moment, dict.fromkeys(names_in(prompt) - {"past"}, ""))
    with pytest.raises(SettingsError, match="does not exist"):
        load_prompt("debugger", tmp_path / "nowhere")
