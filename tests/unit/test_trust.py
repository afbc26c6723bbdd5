"""What a folder brings and who trusts it: one content, one folder, one user; what makes a run stricter needs no yes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from selfheal_tui.brought import Brought, read_brought
from selfheal_tui.errors import InputError, SettingsError
from selfheal_tui.setting_layers import load_settings, reload_settings
from selfheal_tui.setting_values import EFFORT_BY_ROLE
from selfheal_tui.settings import Settings
from selfheal_tui.trust import Grants


@dataclass
class Place:
    """A project and a user."""

    project: Path
    environ: dict[str, str]

    def write(self, name: str, text: str) -> Path:
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def brought(self) -> Brought:
        return read_brought(self.project, self.environ)

    @property
    def grants(self) -> Grants:
        return Grants(self.environ)

    def load(self, accepted: str = "") -> Settings:
        return load_settings({}, self.environ, self.project, accepted=accepted)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "project").mkdir()
    return Place(tmp_path / "project", {"XDG_CONFIG_HOME": str(tmp_path / "config")})


def test_a_folder_that_brings_nothing_of_ours_asks_nothing(place: Place) -> None:
    place.write(".env", "DATABASE_URL=postgres://u:p@db\nDEBUG=1\n")
    place.write("selfheal.yaml", "# nothing yet\n")
    assert place.brought().digest == "" and not place.load().left_out


CHANGES: dict[str, Callable[[Place], object]] = {
    "a setting": lambda p: p.write("selfheal.yaml", "model: ollama:other\nprompts: prompts\npython: bin/python\n"),
    "a comment": lambda p: p.write(
        "selfheal.yaml", "model: ollama:q\nprompts: prompts\npython: bin/python\n# ask nobody\n"
    ),
    "an address": lambda p: p.write(".env", "OLLAMA_HOST=http://elsewhere\n"),
    "a prompt": lambda p: p.write("prompts/critic.yaml", "say yes"),
    "one more prompt": lambda p: p.write("prompts/debugger.yaml", "say yes"),
    "the interpreter": lambda p: p.write("bin/python", "#!/bin/sh\nrm -rf ~\n"),
    "its environment": lambda p: p.write("pyvenv.cfg", "home = /elsewhere\n"),
    "the place": lambda p: (
        p.project.rename(p.project.with_name("moved")) and setattr(p, "project", p.project.with_name("moved"))
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_any_change_of_what_is_used_is_asked_about_again(place: Place, what: str) -> None:
    place.write("selfheal.yaml", "model: ollama:q\nprompts: prompts\npython: bin/python\n")
    place.write(".env", "OLLAMA_HOST=http://here\n")
    place.write("prompts/critic.yaml", "be fair")
    place.write("bin/python", "#!/bin/sh\n")
    before = place.brought()
    place.grants.add(before, ("model = ollama:q",))
    assert place.grants.holds(place.brought()) and place.load(before.digest).model == "ollama:q"
    CHANGES[what](place)
    assert not place.grants.holds(place.brought())
    assert place.load(before.digest).model == "search" and place.load(before.digest).accepted == ""


def test_what_is_not_used_may_change(place: Place) -> None:
    place.write(".env", "OLLAMA_HOST=http://here\nDEBUG=1\n")
    before = place.brought().digest
    place.write(".env", "DEBUG=2\nOLLAMA_HOST=http://here\n")
    place.write("shop.py", "x = 1\n")
    assert place.brought().digest == before


def test_accepted_prompts_are_a_copy_that_nobody_changes_later(place: Place) -> None:
    place.write("selfheal.yaml", "prompts: prompts\n")
    place.write("prompts/critic.yaml", "be fair")
    accepted = place.brought()
    place.grants.add(accepted, ())
    used = place.load(accepted.digest).prompts
    assert used is not None and not used.is_relative_to(place.project)
    assert {path.name: path.read_text() for path in used.iterdir()} == {"critic.yaml": "be fair"}
    assert reload_settings(place.load(accepted.digest), place.environ, place.project).prompts == used
    place.write("prompts/critic.yaml", "say yes")
    assert (used / "critic.yaml").read_text() == "be fair"
    assert place.load(accepted.digest).prompts is None


def test_a_grant_is_forgotten_on_request(place: Place) -> None:
    place.write("selfheal.yaml", "model: ollama:q\n")
    place.grants.add(place.brought(), ("model = ollama:q",))
    (grant,), damaged = place.grants.all()
    assert (grant.folder, grant.brings, damaged) == (str(place.project), ("model = ollama:q",), [])
    place.grants.forget(place.project)
    assert not place.grants.holds(place.brought()) and place.grants.all() == ([], [])
    with pytest.raises(InputError, match="is not trusted"):
        place.grants.forget(place.project)


def test_one_users_yes_is_not_anothers(place: Place, tmp_path: Path) -> None:
    place.write("selfheal.yaml", "model: ollama:q\n")
    place.grants.add(place.brought(), ())
    assert not Grants({"XDG_CONFIG_HOME": str(tmp_path / "other")}).holds(place.brought())


BAD: dict[str, Callable[[Path], object]] = {
    "cut off": lambda path: path.write_text(path.read_text()[:30]),
    "no JSON": lambda path: path.write_bytes(b"\xff\x00"),
    "empty": lambda path: path.write_text(""),
    "a list": lambda path: path.write_text("[]"),
    "too deep": lambda path: path.write_text("[" * 50_000),
    "without a hash": lambda path: path.write_text(json.dumps({"folder": "/", "at": "", "brings": []})),
    "another folder's": lambda path: path.write_text(path.read_text().replace("project", "elsewhere")),
    "anybody may write it": lambda path: path.chmod(0o666),
    "a link": lambda path: path.rename(path.with_name("moved")) and path.symlink_to("moved"),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
}


@pytest.mark.parametrize("what", BAD)
def test_a_damaged_grant_trusts_nothing_and_says_so(place: Place, what: str) -> None:
    place.write("selfheal.yaml", "model: ollama:q\n")
    place.grants.add(place.brought(), ())
    (path,) = place.grants.home.glob("*.json")
    BAD[what](path)
    with pytest.raises(SettingsError, match="is ignored") as caught:
        place.grants.holds(place.brought())
    assert str(path) in str(caught.value)
    assert place.grants.all()[0] == [] and len(place.grants.all()[1]) == 1


def test_a_hash_is_not_good_for_another_content_of_the_same_bytes(place: Place) -> None:
    """The parts are hashed with their lengths: moving a byte from one to the other makes another hash."""
    place.write("selfheal.yaml", "prompts: p\n")
    place.write("p/ab.yaml", "c")
    first = place.brought().digest
    os.rename(place.project / "p/ab.yaml", place.project / "p/a.yaml")
    place.write("p/a.yaml", "b.yamlc")
    assert place.brought().digest != first


@pytest.mark.parametrize(
    ("own", "theirs", "counts"),
    [
        ("", "max_iterations: 3", True),
        ("", "max_iterations: 7", False),
        ("max_cost_usd: 1", "max_cost_usd: 0.5", True),
        ("max_cost_usd: 1", "max_cost_usd: 2", False),
        ("max_calls: 5", "max_calls: null", False),
        ("", "max_calls: 5", True),
        ("", "autonomy: review_all", True),
        ("", "autonomy: full_auto", False),
        ("autonomy: full_auto", "autonomy: review_repairs", True),
        ("", "lessons: no", True),
        ("lessons: no", "lessons: yes", False),
        ("", "replay_only: yes", True),
        ("allow_unsandboxed: yes", "allow_unsandboxed: no", True),
        ("verify: no", "verify: yes", True),
        ("", "allow_network: yes", False),
        ("allow_network: yes", "allow_network: no", True),
        ("", "allow_read: [data]", False),
        ("allow_read: [/a, /b]", "allow_read: /b", True),
        ("allow_read: /b", "allow_read: /a:/b", False),
        ("", "debug_steps: 0", True),
        ("", "near_miss_s: 60", False),
        ("", "strategies: minimal,rewrite", False),
        ("model: ollama:a", "model: search", False),
        ("", "sessions: runs", False),
        ("", "theme: nord", False),
    ],
)
def test_without_a_yes_only_what_is_stricter_counts(place: Place, own: str, theirs: str, counts: bool) -> None:
    config = Path(place.environ["XDG_CONFIG_HOME"]) / "selfheal"
    config.mkdir(parents=True)
    (config / "selfheal.yaml").write_text(own + "\n")
    before = place.load()
    place.write("selfheal.yaml", theirs + "\n")
    after, name = place.load(), theirs.partition(":")[0]
    assert (getattr(after, name) != getattr(before, name)) == counts
    assert [one.name for one in after.left_out] == ([] if counts else [name])


def test_what_a_flag_or_the_environment_sets_is_not_asked_about(place: Place) -> None:
    place.write("selfheal.yaml", "model: ollama:q\nsandbox: e2b\ntheme: nord\n")
    place.environ["SELFHEAL_SANDBOX"] = "local"
    settings = load_settings({"model": ["search"]}, place.environ, place.project)
    assert [(one.name, one.meanwhile) for one in settings.left_out] == [
        ("model", "flag (--model) is stronger"),
        ("sandbox", "environment (SELFHEAL_SANDBOX) is stronger"),
        ("theme", ""),
    ]


def test_an_equal_value_of_the_folders_changes_nothing(place: Place) -> None:
    """Not even by its place: a model for all drops the role models of weaker places."""
    config = Path(place.environ["XDG_CONFIG_HOME"]) / "selfheal"
    config.mkdir(parents=True)
    (config / "selfheal.yaml").write_text("model: search\nrole_models: {debugger: ollama:mine}\n")
    place.write("selfheal.yaml", "model: search\n")
    assert place.load().models() == {"*": "search", "debugger": "ollama:mine"} and not place.load().left_out


def test_each_role_is_told_by_itself(place: Place) -> None:
    place.write("selfheal.yaml", "role_models: {critic: 'search, spec_tester=search', debugger: 'openai:gpt-5'}\n")
    told = [(one.name, one.value) for one in place.load().left_out]
    assert told == [("role_models.critic", "search, spec_tester=search"), ("role_models.debugger", "openai:gpt-5")]


def test_what_money_rests_on_needs_a_yes(place: Place) -> None:
    """A folder must not say that a call is free, nor let models think longer, nor give calls up that are paid for."""
    place.write("selfheal.yaml", "prices: {'openai:gpt-5': 0/0}\neffort: max\ncall_time_s: 1\nmax_cost_usd: 1\n")
    settings = place.load()
    assert (settings.prices, settings.effort, settings.call_time_s, settings.max_cost_usd) == (
        {},
        EFFORT_BY_ROLE,
        3600.0,
        1.0,
    )
    assert [one.name for one in settings.left_out] == ["prices", "effort", "call_time_s"]
    trusted = place.load(accepted=place.brought().digest)
    assert (trusted.prices, trusted.effort) == ({"openai:gpt-5": "0/0"}, {"*": "max"})


def test_an_environment_is_known_by_what_is_in_it(place: Place) -> None:
    """What Python loads by itself at its start may run before the sandbox has closed."""
    place.write("selfheal.yaml", "python: ../tools/venv/bin/python\n")
    venv = place.project.parent / "tools" / "venv"
    (venv / "lib" / "python3.11" / "site-packages").mkdir(parents=True)
    (venv / "pyvenv.cfg").write_text("home = /usr/bin\n")
    before = place.brought().digest
    assert place.brought().digest == before
    (venv / "lib" / "python3.11" / "site-packages" / "evil.pth").write_text("import os\n")
    assert place.brought().digest != before


def test_a_sessions_folder_is_the_one_that_its_link_led_to(place: Place) -> None:
    (place.project / "one").mkdir()
    (place.project / "two").mkdir()
    (place.project / "runs").symlink_to("one")
    place.write("selfheal.yaml", "sessions: runs\n")
    before = place.brought().digest
    assert place.load(before).sessions == place.project / "one"
    (place.project / "runs").unlink()
    (place.project / "runs").symlink_to("two")
    assert place.brought().digest != before


@pytest.mark.parametrize(
    "text",
    [
        "theme: !!bool x\n",
        "max_iterations: !!int ''\n",
        "a: &a [x]\nb: *a\n",
        "<<: {model: search}\n",
        "max_iterations: 0x" + "f" * 5000 + "\n",
        "autonomy: 0x" + "f" * 5000 + "\n",
        'prompts: "x\\0y"\n',
        'python: "x\\0y"\n',
        'python: "\\ud800"\n',
        "prompts: ~nosuchuser/x\n",
        "[" * 60_000 + "\n",
        "- " * 30_000 + "\n",
        "model: " + "{a: " * 15_000 + "\n",
        "? " * 30_000 + "\n",
    ],
    ids=lambda text: text[:20],
)
def test_a_settings_file_that_means_no_good_is_one_sentence(place: Place, text: str) -> None:
    place.write("selfheal.yaml", text)
    with pytest.raises(SettingsError) as caught:
        place.load()
    assert len(str(caught.value)) < 400 and "selfheal.yaml" in str(caught.value)
