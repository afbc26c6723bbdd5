"""Requests go to the address that selfheal names, with what it names: no SDK takes anything from elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.errors import SettingsError
from selfheal_tui.llm.faults import AddressWrong
from selfheal_tui.llm.ollama import OllamaProvider
from selfheal_tui.llm.registry import PROVIDERS
from selfheal_tui.llm.service import Service
from tests.wire.rig import KEY, PATIENT, WIRED, Rig, open_with, rig
from tests.wire.script import Script
from tests.wire.server import WireServer

REPLY = '{"cause": "The discount is added.", "lines": [6]}'
CANARY = "canary-4711"
SDK_NAMES = (
    "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_PROFILE",
    "ANTHROPIC_CONFIG_DIR", "ANTHROPIC_IDENTITY_TOKEN", "ANTHROPIC_IDENTITY_TOKEN_FILE", "ANTHROPIC_ORGANIZATION_ID",
    "ANTHROPIC_FEDERATION_RULE_ID", "ANTHROPIC_SERVICE_ACCOUNT_ID", "ANTHROPIC_WORKSPACE_ID", "ANTHROPIC_SCOPE",
    "ANTHROPIC_WEBHOOK_SIGNING_KEY", "ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE", "OPENAI_API_KEY",
    "OPENAI_ADMIN_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS",
    "OPENAI_WEBHOOK_SECRET", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT", "OLLAMA_HOST", "OLLAMA_API_KEY",
)  # fmt: skip
"""What the SDKs' sources read, as far as it is theirs."""
_AT_IMPORT = {"OPENAI_API_TYPE", "OPENAI_API_VERSION", "AZURE_OPENAI_ENDPOINT", "OPENAI_LOG"}
READ_IN_VAIN = {
    "anthropic": {"ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_LOG"},
    "openai": {"OPENAI_CUSTOM_HEADERS", *_AT_IMPORT},
    "qwen": {"OPENAI_CUSTOM_HEADERS", *_AT_IMPORT},
    "ollama": {"OLLAMA_API_KEY", "OLLAMA_HOST"},
}
"""What an SDK reads whatever it is told, most of it for a client that it makes while it is imported and nobody uses.

That nothing of it reaches a request is tested below.
"""


class Listing(MutableMapping[str, str]):
    """An environment that notes what the SDKs, and nobody else, look up in it."""

    def __init__(self, real: MutableMapping[str, str]) -> None:
        self._real = real
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> str:
        frame = sys._getframe(1)
        while frame.f_globals["__name__"] in ("os", "collections.abc", "_collections_abc") and frame.f_back:
            frame = frame.f_back
        if frame.f_globals["__name__"].partition(".")[0] in ("anthropic", "openai", "ollama"):
            self.read.add(name)
        return self._real[name]

    def __setitem__(self, name: str, value: str) -> None:
        self._real[name] = value

    def __delitem__(self, name: str) -> None:
        del self._real[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._real)

    def __len__(self) -> int:
        return len(self._real)


@pytest.mark.parametrize("name", [*WIRED, "qwen"])
async def test_no_sdk_reads_the_environment_by_itself(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig(name, monkeypatch, {"reply": REPLY}) as opened:
        listing = Listing(os.environ)
        monkeypatch.setattr(os, "environ", listing)
        await opened.ask()
        monkeypatch.undo()
    of_vendors = {read for read in listing.read if read.startswith(("ANTHROPIC", "OPENAI", "AZURE", "OLLAMA"))}
    assert of_vendors <= READ_IN_VAIN[name]


@pytest.mark.parametrize("name", [*WIRED, "qwen"])
async def test_what_the_environment_holds_later_changes_no_request(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The variables come after selfheal has read its own: only an SDK that reads for itself would see them."""
    (tmp_path / ".netrc").write_text(f"machine 127.0.0.1 login me password {CANARY}\n")
    async with rig(name, monkeypatch, {"reply": REPLY}) as opened:
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
        for variable in SDK_NAMES:
            headers = f"X-Canary: {CANARY}\nAuthorization: {CANARY}\nx-api-key: {CANARY}\nUser-Agent: {CANARY}"
            address = f"http://{CANARY}.invalid"
            value = headers if variable.endswith("HEADERS") else CANARY
            monkeypatch.setenv(variable, address if variable.endswith(("URL", "HOST", "ENDPOINT")) else value)
        await opened.ask()
        assert opened.server is not None
        assert [path for path in (r.path for r in opened.server.requests) if "show" not in path]
        for recorded in opened.server.requests:
            assert CANARY not in repr((recorded.key, recorded.headers, recorded.body))
            assert recorded.key == ("" if name == "ollama" else KEY)
            assert not {"openai-organization", "openai-project", "x-canary"} & set(recorded.headers)


async def test_ollama_sends_no_key_that_its_service_has_not(monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig("ollama", monkeypatch, {"reply": REPLY}) as opened:
        assert opened.server is not None
        monkeypatch.setenv("OLLAMA_API_KEY", CANARY)
        provider = OllamaProvider(Service("Ollama", opened.server.url, "OLLAMA_HOST"), PATIENT)
        await Rig(provider, opened.server).ask()
        await provider.aclose()
        assert {recorded.key for recorded in opened.server.requests} == {""}


@pytest.mark.parametrize(
    ("name", "variable", "value", "header"),
    [
        ("anthropic", "ANTHROPIC_CUSTOM_HEADERS", "X-Team: blue", "x-team"),
        ("openai", "OPENAI_CUSTOM_HEADERS", "X-Team: blue\n\nno colon\n", "x-team"),
        ("openai", "OPENAI_ORG_ID", "blue", "openai-organization"),
        ("openai", "OPENAI_PROJECT_ID", "blue", "openai-project"),
    ],
)
async def test_headers_of_the_user_are_sent(
    name: str, variable: str, value: str, header: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with rig(name, monkeypatch, {"reply": REPLY}) as opened:
        monkeypatch.setenv(variable, value)
        provider = open_with(name, PATIENT)
        await Rig(provider, opened.server).ask()
        await provider.aclose()
    assert opened.server is not None
    assert opened.server.chats[0].headers[header] == "blue" and opened.server.chats[0].key == KEY


async def test_a_key_of_ollama_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig("ollama", monkeypatch, {"reply": REPLY}) as opened:
        monkeypatch.setenv("OLLAMA_API_KEY", KEY)
        provider = open_with("ollama", PATIENT)
        await Rig(provider, opened.server).ask()
        await provider.aclose()
        assert opened.server is not None and {recorded.key for recorded in opened.server.requests} == {KEY}


async def test_what_is_openai_s_goes_to_no_qwen_server(monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig("qwen", monkeypatch, {"reply": REPLY}) as opened:
        for variable in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY"):
            monkeypatch.setenv(variable, CANARY)
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"X-Canary: {CANARY}")
        provider = open_with("qwen", PATIENT)
        await Rig(provider, opened.server).ask()
        await provider.aclose()
        assert opened.server is not None and opened.server.chats
        assert CANARY not in repr([(r.key, r.headers, r.body) for r in opened.server.chats])


@pytest.mark.parametrize("value", ["X-Team: \x1b[31m", "X Team: blue", "X-Team: blu\u00e9", ": blue"])
def test_headers_that_cannot_be_sent_are_one_sentence(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", value)
    with pytest.raises(SettingsError, match=r"^ANTHROPIC_CUSTOM_HEADERS holds a line that is not a header"):
        open_with("anthropic", PATIENT)


def test_no_message_shows_a_header_of_the_user() -> None:
    service = Service("X", "http://box", "X_URL", headers={"X-Gate": "s3cr3t-word", "X-On": "1"})
    assert service.scrub("1 bad word: s3cr3t-word") == "1 bad word: [key]"


@pytest.mark.parametrize("name", [*WIRED, "qwen"])
@pytest.mark.parametrize("elsewhere", [True, False], ids=["another host", "the same host"])
async def test_a_redirect_is_not_followed(name: str, elsewhere: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    async with WireServer(Script.of({"reply": REPLY})) as other:
        onward = other.url if elsewhere else "/moved"
        async with rig(name, monkeypatch, {"reply": REPLY}, redirect=onward) as opened:
            with pytest.raises(AddressWrong) as caught:
                await opened.ask()
            assert opened.server is not None
            tried = [recorded.path for recorded in opened.server.requests]
        assert other.requests == []
    variable = {"anthropic": "ANTHROPIC_BASE_URL", "ollama": "OLLAMA_HOST", "qwen": "QWEN_BASE_URL"}.get(name)
    place = other.url if elsewhere else f"{opened.server.url}/moved"
    assert f"redirects requests to {place}/" in caught.value.message
    assert caught.value.message.endswith(", which is not followed (307).")
    assert caught.value.hint == f"Set {variable or 'OPENAI_BASE_URL'} to that address, if you trust it."
    assert not caught.value.retryable and not any(path.startswith("/moved") for path in tried)


@pytest.mark.parametrize("name", WIRED)
async def test_a_list_of_models_is_not_redirected(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with (
        WireServer(Script.of()) as other,
        rig(name, monkeypatch, {"reply": REPLY}, redirect=other.url) as opened,
    ):
        provider: Any = opened.provider
        with pytest.raises(AddressWrong, match="redirects requests to"):
            await provider.list_models()
        assert other.requests == []


def test_every_provider_that_has_an_address_is_among_these() -> None:
    assert {*WIRED, "qwen"} == set(PROVIDERS) - {"scripted", "search"}
