"""What tests may have beyond the sandbox: keys stay out whoever asks, and a session's file is no permission."""

from __future__ import annotations

import os
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from selfheal_tui.errors import SettingsError
from selfheal_tui.sandbox.allowance import Allowance, checked_allowance, no_more_words
from selfheal_tui.sandbox.consents import Consents, SessionMark
from selfheal_tui.sandbox.registry import open_sandbox


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a home with keys, selfheal's settings and sessions, and something to allow; stand in a project of it."""
    home = tmp_path / "home"
    for name in (".ssh", ".config/selfheal", "sessions/one", "data/deep", "project", "with-env"):
        (home / name).mkdir(parents=True)
    (home / "with-env" / ".env").write_text("OPENAI_API_KEY=sk\n")
    (home / ".netrc").touch()
    (home / "link-to-keys").symlink_to(".ssh")
    (home / "with-colon:").mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home / "project")
    return home


def allow(home: Path, *paths: str) -> Allowance:
    environ = {"XDG_CONFIG_HOME": str(home / ".config")}
    return checked_allowance([str(home / path) for path in paths], False, home / "sessions", environ)


def test_what_is_allowed_is_said_as_it_was_named(home: Path) -> None:
    assert allow(home, "data", "data/deep", "data").names() == (f"reads {home}/data", f"reads {home}/data/deep")
    assert checked_allowance([], True, None, {}).names() == ("network allowed",)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("", "selfheal's own settings"),
        ("..", "selfheal's own settings"),
        (".config", "selfheal's own settings"),
        (".config/selfheal/trusted", "does not exist"),
        ("sessions/one", "selfheal's sessions"),
        (".ssh", "where programs keep keys"),
        ("data/../.ssh", "where programs keep keys"),
        ("link-to-keys", "where programs keep keys"),
        (".netrc", "where programs keep keys"),
        ("with-env", "where keys are kept"),
        ("with-env/.env", "where keys are kept"),
        ("with-colon:", "colon"),
        ("/", "of this machine"),
        ("/proc/self/environ", "of this machine"),
        ("/dev/shm", "of this machine"),
    ],
)
def test_what_holds_keys_is_refused_in_a_sentence(home: Path, path: str, why: str) -> None:
    with pytest.raises(SettingsError, match=why):
        allow(home, path)


def test_keys_of_the_folder_one_stands_in_and_sockets_are_refused(home: Path) -> None:
    (home / "project" / ".env").touch()
    (home / "data" / "project").symlink_to(home / "project")
    with socket.socket(socket.AF_UNIX) as door:
        os.chdir(home / "data")
        door.bind("door")
        os.chdir(home / "project")
        for path, why in (("project", "a file of keys"), ("data/project", "file of keys"), ("data/door", "no regular")):
            with pytest.raises(SettingsError, match=why):
                allow(home, path)


def test_a_sandbox_that_runs_elsewhere_says_that_it_cannot() -> None:
    with pytest.raises(SettingsError, match="neither the files nor the network of this machine"):
        open_sandbox("e2b", allow_network=True)


def test_what_a_session_of_a_stranger_says_is_told_safely_and_allows_nothing() -> None:
    before = ("namespaces", "reads /x; rm -rf ~\x1b[2J\n", "network allowed", "UNSANDBOXED")
    words = no_more_words(before, ())
    assert words == (
        "earlier the tests of this session could use the network and read /x; rm -rf ~; "
        "to allow it again: --allow-network --allow-read '/x; rm -rf ~'"
    )
    assert no_more_words(("network allowed",), ("network allowed",)) == no_more_words(("landlock",), ()) == ""


def test_what_the_user_allowed_holds_for_that_session_on_this_machine_alone(home: Path) -> None:
    consents = Consents({"XDG_CONFIG_HOME": str(home / ".config")})
    session = SessionMark(home / "sessions" / "one", "one", '{"title": "shop"}')
    assert consents.of(session) == Allowance() and consents.all() == []
    consents.add(session, Allowance((str(home / "data"),)))
    consents.add(session, Allowance(network=True))
    allowed = Allowance((str(home / "data"),), True)
    assert consents.of(session) == allowed
    (home / "sessions" / "copy").mkdir()
    for other in (
        replace(session, folder=home / "sessions" / "copy"),
        replace(session, thread_id="two"),
        replace(session, start='{"title": "other"}'),
    ):
        assert consents.of(other) == Allowance(), "another session, or one that was put in its place"
    (home / "data").rename(home / "gone")
    assert consents.of(session) == Allowance(network=True), "what is not there any more is not shown"
    (file,) = consents.home.iterdir()
    file.chmod(0o666)
    assert consents.of(session) == Allowance(), "somebody else could have written it"
    file.chmod(0o600)
    assert consents.forget(session.folder) and not consents.forget(session.folder)
    assert consents.of(session) == Allowance()
    consents.add(session, allowed)
    session.folder.rmdir()
    consents.add(replace(session, folder=home / "sessions" / "copy"), Allowance(network=True))
    assert [one.folder for one in consents.all()] == [str(home / "sessions" / "copy")]
