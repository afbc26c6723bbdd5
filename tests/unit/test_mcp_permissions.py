"""What an agent may have: only what the user's own settings file says, and how far it reaches."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.brought import read_brought
from selfheal_tui.cli import main
from selfheal_tui.cli import mcp as command
from selfheal_tui.cli.parser import build_parser
from selfheal_tui.mcp_server.permissions import permitted
from selfheal_tui.mcp_server.reach import reach_of
from selfheal_tui.mcp_server.told import safe
from selfheal_tui.setting_layers import load_settings
from selfheal_tui.settings import Settings

LOOSE = {"autonomy": "full_auto", "agent_decides": True, "allow_network": True, "allow_unsandboxed": True}
STRICT = {"autonomy": "review_repairs", "agent_decides": False, "allow_network": False, "allow_unsandboxed": False}


def loaded(tmp_path: Path, source: str) -> Settings:
    """Load settings of which one source says all that is loose; the folder is trusted."""
    project = tmp_path / "project"
    own = tmp_path / "config" / "selfheal" / "selfheal.yaml"
    environ = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    for folder in (project, own.parent):
        folder.mkdir(parents=True)
    lines = "".join(f"{name}: {str(value).lower()}\n" for name, value in LOOSE.items())
    if source == "environment":
        environ |= {f"SELFHEAL_{name.upper()}": str(value).lower() for name, value in LOOSE.items()}
    elif source in ("own file", "folder"):
        (own if source == "own file" else project / "selfheal.yaml").write_text(lines, "utf-8")
    brought = read_brought(project, environ)
    flags = LOOSE if source == "flags" else {}
    settings = load_settings(flags, environ, project, brought=brought, accepted=brought.digest)
    return permitted(settings, environ)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("own file", LOOSE),
        ("environment", STRICT),
        ("flags", STRICT),
        # As everywhere: what the user accepted of a folder is theirs, but for what a folder never says.
        ("folder", {**STRICT, "allow_network": True}),
        ("nothing", STRICT),
    ],
)
def test_an_agent_has_what_the_users_own_file_says(tmp_path: Path, source: str, expected: dict[str, object]) -> None:
    settings = loaded(tmp_path, source)
    assert {name: getattr(settings, name) for name in expected} == expected


def test_a_variable_of_the_server_names_no_hook_and_takes_none_away(tmp_path: Path) -> None:
    own = tmp_path / "selfheal" / "selfheal.yaml"
    own.parent.mkdir()
    own.write_text("hooks: {before_apply: ./check}\n", "utf-8")
    environ = {"XDG_CONFIG_HOME": str(tmp_path), "SELFHEAL_HOOKS": "review_asked=./evil", "SELFHEAL_HOOK_DIFF": "yes"}
    settings = permitted(load_settings(environ=environ, cwd=tmp_path), environ)
    assert {name: hook.command for name, hook in settings.hooks.items()} == {"before_apply": "./check"}
    assert not settings.hook_diff


def test_no_flag_of_the_server_gives_a_permission_or_trusts_the_folder() -> None:
    parser = build_parser("selfheal mcp", "")
    command.add_arguments(parser)
    flags = {flag for action in parser._actions for flag in action.option_strings}
    assert "--model" in flags
    assert not flags & {"--trust", "--autonomy", "--allow-network", "--allow-read", "--allow-unsandboxed"}


def test_without_the_package_a_sentence_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "find_spec", lambda _: None)
    assert main(["mcp"]) == 2
    assert capsys.readouterr() == ("", "selfheal: mcp needs the package mcp. Run: pip install 'selfheal-tui[mcp]'.\n")


def test_roots_that_are_no_folder_here_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    here = (tmp_path.resolve(),)
    odd = ["http://host/x", "file://elsewhere/etc", "file:///no/such", "file:///%00", "file:relative", "\x00", ""]
    assert reach_of(odd).folders == here
    spaced = tmp_path / "a b"
    spaced.mkdir()
    assert reach_of([*odd, spaced.as_uri()]).folders == (spaced.resolve(),)
    assert reach_of([spaced.as_uri()]).base == spaced.resolve(), "a relative path is taken from what is within reach"
    assert reach_of([tmp_path.as_uri(), spaced.as_uri()]).base == here[0]


def test_what_is_long_says_how_much_more_there_is() -> None:
    told = safe({"fixes": [f"t{n}" for n in range(30)], "none": [], "no": False, "diff": "a\x1b[1mb"}, "", 100)
    assert told["fixes"][-2:] == ["t19", "… 10 more"] and told["no"] is False and "none" not in told
    assert told["diff"] == "a␛[1mb"
    assert safe("x" * 300, "", 100).startswith("x" * 30) and len(safe("x" * 300, "", 100)) < 150
