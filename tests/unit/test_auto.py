"""`auto` takes what is there and says why."""

from __future__ import annotations

import pytest

from selfheal_tui.llm.auto import best_of, choose
from tests.wire.rig import _SETTINGS
from tests.wire.script import Script
from tests.wire.server import WireServer


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in _SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")


async def test_a_key_decides() -> None:
    choice = await choose({"OPENAI_API_KEY": "sk", "ANTHROPIC_API_KEY": "sk"})
    assert choice.model.startswith("anthropic:") and choice.why == "ANTHROPIC_API_KEY is set"


async def test_without_anything_it_searches() -> None:
    assert await choose({}) == ("search", "no key is set and no Ollama answers")


async def test_an_installed_model_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    async with WireServer(Script.of(models=["llama3:8b", "qwen2.5-coder:7b"])) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        assert (await choose({})).model == "ollama:qwen2.5-coder:7b"


def test_coders_come_first_and_embeddings_never() -> None:
    assert best_of(["nomic-embed-text", "gemma:2b", "codellama:7b"]) == "codellama:7b"
    assert best_of(["zebra", "mistral"]) == "mistral"
