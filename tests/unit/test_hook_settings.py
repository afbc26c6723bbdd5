"""Hooks in the settings: what a command may be, what a folder may bring, and what trust covers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from selfheal_tui.brought import read_brought
from selfheal_tui.errors import SettingsError
from selfheal_tui.hook_run import hook_environment
from selfheal_tui.hook_settings import HOOKS, hooks_text, parse_hooks
from selfheal_tui.setting_layers import load_settings
from selfheal_tui.settings import Settings
from selfheal_tui.settings_file import save_settings


def loaded(own: str, theirs: str, tmp_path: Path, *, trusted: bool = False) -> Settings:
    """Return the settings of a user with an own file, in a folder with another one."""
    environ = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    for folder, text in ((tmp_path / "config" / "selfheal", own), (tmp_path / "clone", theirs)):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "selfheal.yaml").write_text(text)
    brought = read_brought(tmp_path / "clone", environ)
    accepted = brought.digest if trusted else ""
    return load_settings(environ=environ, cwd=tmp_path / "clone", brought=brought, accepted=accepted)


def commands(settings: Settings) -> dict[str, str]:
    return {name: hook.command for name, hook in settings.hooks.items()}


def test_a_command_is_split_into_words_and_no_shell_reads_it(tmp_path: Path) -> None:
    hooks = parse_hooks(
        {"healed": "~/bin/tell 'two words' $HOME; rm -rf x", "ended": ["./a b", "-n"]}, "here", tmp_path
    )
    assert hooks["healed"].words == [os.path.expanduser("~/bin/tell"), "two words", "$HOME;", "rm", "-rf", "x"]
    assert hooks["ended"].words == ["./a b", "-n"]
    assert parse_hooks(hooks_text(hooks), "here", tmp_path) == hooks


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"review_aked": "x"}, "There is no hook 'review_aked' (here). There are: review_asked"),
        ({"healed": "say 'hi"}, "hooks.healed cannot be split into words: No closing quotation (here)."),
        ({"healed": ""}, "hooks.healed must be a command"),
        ({"healed": 3}, "hooks.healed must be a command"),
        ({"healed": "''"}, "hooks.healed names no program"),
        ({"healed": "say \x1b[2J"}, "hooks.healed holds characters"),
        ({"healed": "x" * 501}, "hooks.healed is too long: 501 characters, at most 500"),
        ("notify-send", "hooks must begin with the name of one, not with 'notify-send'"),
        ([], "hooks must be a mapping"),
    ],
)
def test_what_is_no_hook_is_refused_with_a_sentence(value: object, why: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        parse_hooks(value, "here", tmp_path)
    assert why in str(refused.value)


def test_a_hook_runs_in_the_folder_of_the_file_that_names_it(tmp_path: Path) -> None:
    settings = loaded("hooks: {healed: ./mine}\n", "hooks: {ended: ./theirs}\n", tmp_path, trusted=True)
    assert settings.hooks["healed"].folder == tmp_path / "config" / "selfheal"
    assert settings.hooks["ended"].folder == tmp_path / "clone"


def test_a_folder_brings_no_hook_before_it_is_trusted_and_each_command_is_shown_whole(tmp_path: Path) -> None:
    long = "./run " + "x" * 490
    settings = loaded("hooks: {healed: ./mine}\n", f"hooks: {{ended: {long}}}\n", tmp_path)
    assert commands(settings) == {"healed": "./mine"}
    assert [(one.name, one.value, one.where, one.why) for one in settings.left_out] == [
        ("hooks.ended", long, "selfheal.yaml, line 1", "")
    ]


@pytest.mark.parametrize("trusted", [False, True])
def test_a_folder_never_takes_a_hook_of_the_users_away(trusted: bool, tmp_path: Path) -> None:
    own, theirs = "hooks: {before_apply: ./mine}\n", "hooks: {before_apply: 'true'}\n"
    settings = loaded(own, theirs, tmp_path, trusted=trusted)
    assert commands(settings) == {"before_apply": "./mine"}
    assert "a folder takes no hook away" in settings.left_out[0].why


def test_trust_ends_when_a_script_that_a_hook_names_changes(tmp_path: Path) -> None:
    environ = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    (tmp_path / "selfheal.yaml").write_text("hooks: {ended: python tools/tell.py --now}\n")
    (tmp_path / "tools").mkdir()
    digests = []
    for text in ("print(1)", "print(1)", "print(2)"):
        (tmp_path / "tools/tell.py").write_text(text)
        digests.append(read_brought(tmp_path, environ).digest)
    assert digests[0] == digests[1] != digests[2]


def test_hooks_are_read_from_the_environment_and_written_into_the_users_file(tmp_path: Path) -> None:
    environ = {"XDG_CONFIG_HOME": str(tmp_path), "SELFHEAL_HOOKS": "healed=say -n; ended=./end"}
    settings = load_settings(environ=environ, cwd=tmp_path)
    assert commands(settings) == {"healed": "say -n", "ended": "./end"}
    path = save_settings({"hooks": settings.hooks}, environ)
    assert yaml.safe_load(path.read_text()) == {"hooks": {"healed": "say -n", "ended": "./end"}}


def test_keys_of_models_do_not_reach_a_hook() -> None:
    keys = ("OPENAI_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OLLAMA_HOST", "HF_TOKEN", "LANGSMITH_API_KEY", "my_api_key")
    environ = {**dict.fromkeys(keys, "secret"), "PATH": "/bin", "NTFY_TOKEN": "mine"}
    assert hook_environment(environ) == {"PATH": "/bin", "NTFY_TOKEN": "mine"}


def test_every_hook_is_named_in_the_settings_sentence() -> None:
    from selfheal_tui.settings import setting_help

    assert all(name in setting_help()["hooks"] for name in HOOKS)
