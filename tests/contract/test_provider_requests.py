"""What the providers send: schemas, what to cache, sizes; and how they settle for less where a server refuses."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise

import pytest

from selfheal_tui.errors import SettingsError
from selfheal_tui.llm import ollama
from selfheal_tui.llm.base import TellsContext
from selfheal_tui.llm.faults import ContextTooLong, ModelMissing, TimedOut
from selfheal_tui.llm.ollama_models import installed_names
from selfheal_tui.llm.openai import OpenAIProvider
from selfheal_tui.llm.service import Service
from tests.wire.rig import KEY, PATIENT, Rig, clean, request, rig

ANSWER = '{"cause": "The discount is added.", "lines": [6]}'

# What goes out --------------------------------------------------------------------------------------------------

CLOSED = {
    "type": "object",
    "required": ["cause", "lines"],
    "properties": {
        "cause": {"type": "string", "description": "(minLength: 1, maxLength: 2000)"},
        "lines": {
            "type": "array",
            "items": {"type": "integer", "description": "(minimum: 1)"},
            "description": "(maxItems: 8)",
        },
    },
    "additionalProperties": False,
}


async def test_anthropic_gets_the_schema_natively_and_marks_what_to_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig("anthropic", monkeypatch, {"reply": ANSWER}) as opened:
        await opened.ask(request(shared="The program: ...", max_tokens=1000))
        await opened.ask(request(schema={}))
    with_shared, without = opened.bodies
    mark = {"type": "ephemeral"}
    assert with_shared["output_config"] == {"format": {"type": "json_schema", "schema": CLOSED}}
    assert with_shared["system"] == [{"type": "text", "text": request().system, "cache_control": mark}]
    assert with_shared["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "The program: ...", "cache_control": mark},
                {"type": "text", "text": "Find the cause."},
            ],
        }
    ]
    assert with_shared["max_tokens"] == 1000
    assert "output_config" not in without
    assert without["messages"][0]["content"] == [{"type": "text", "text": "Find the cause."}]


async def test_anthropic_finds_what_has_grown_at_the_same_places(monkeypatch: pytest.MonkeyPatch) -> None:
    lines, counts = [f"line {number} of what was seen\n" for number in range(400)], (3, 100, 250, 400)
    async with rig("anthropic", monkeypatch, {"reply": ANSWER}) as opened:
        for count in counts:
            await opened.ask(request(shared="tests\n", moment="program\n", grown="".join(lines[:count])))
    contents = [body["messages"][0]["content"] for body in opened.bodies]
    for count, content in zip(counts, contents, strict=True):
        whole = "tests\nprogram\n" + "".join(lines[:count]) + "Find the cause."
        assert "".join(block["text"] for block in content) == whole
    for before, after in pairwise(contents):
        texts = [[block["text"] for block in content] for content in (before, after)]
        assert texts[1][: len(before) - 1] == texts[0][:-1]
    marked = [["cache_control" in block for block in content] for content in contents]
    assert marked[0] == [True, True, False]
    assert marked[-1] == [True, True, *[False] * (len(marked[-1]) - 4), True, False], "with the system text four marks"


async def test_openai_gets_the_schema_natively_and_the_shared_part_first(monkeypatch: pytest.MonkeyPatch) -> None:
    free = {"type": "object", "properties": {"files": {"type": "object", "additionalProperties": {"type": "string"}}}}
    async with rig("openai", monkeypatch, {"reply": ANSWER}) as opened:
        await opened.ask(request(shared="The program: ... ", max_tokens=1000))
        await opened.ask(request(schema=free))
        await opened.ask(request(schema={}))
    strict, loose, text = opened.bodies
    assert strict["response_format"]["json_schema"] == {"name": "reply", "strict": True, "schema": CLOSED}
    assert strict["messages"][-1] == {"role": "user", "content": "The program: ... Find the cause."}
    assert strict["messages"][0]["content"].startswith(request().system)
    # Whether a model of such a server thinks is not told: there is room for it.
    assert (strict["max_tokens"], strict["stream_options"]) == (1000 + 16384, {"include_usage": True})
    assert loose["response_format"]["json_schema"]["strict"] is False
    assert loose["response_format"]["json_schema"]["schema"] == free
    assert "response_format" not in text and text["messages"][0]["content"] == request().system


async def test_openai_itself_needs_no_words_about_the_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig("openai", monkeypatch, {"reply": ANSWER}) as opened:
        assert opened.server is not None
        service = Service("OpenAI", f"{opened.server.url}/v1", "OPENAI_BASE_URL", KEY, "OPENAI_API_KEY", is_vendor=True)
        provider = OpenAIProvider("openai", service)
        await Rig(provider, opened.server).ask(request(max_tokens=1000))
        await provider.aclose()
    assert opened.bodies[0]["messages"][0]["content"] == request().system
    assert opened.bodies[0]["max_completion_tokens"] == 1000 and "max_tokens" not in opened.bodies[0]


async def test_ollama_gets_the_schema_and_one_context_for_all_prompts(monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig("ollama", monkeypatch, {"reply": ANSWER}, context_length=60000) as opened:
        await opened.ask(request(max_tokens=1000))
        await opened.ask(request("x" * 20000, max_tokens=4000, shared="s"))
        await opened.ask(request("x" * 60000, max_tokens=4000))
        await opened.ask(request(max_tokens=1000))
        await opened.ask(request("x" * 150000, max_tokens=4000))
        assert opened.server is not None
        shown = [recorded for recorded in opened.server.requests if recorded.path == "/api/show"]
    first = opened.bodies[0]
    assert first["format"] == CLOSED
    assert first["keep_alive"] == "30m" and first["options"] == {"num_ctx": 16384, "num_predict": 1000}
    sizes = [body["options"]["num_ctx"] for body in opened.bodies]
    # 20,000 tokens at 3 bytes each, 4,000 for the reply, half as much again, in powers of two; a smaller context
    # afterwards would load the model anew; the model's own limit holds.
    assert sizes == [16384, 16384, 60000, 60000, 60000]
    assert len(shown) == 1, "the context length is asked for once"


async def test_ollamas_context_can_be_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = replace(PATIENT, context_tokens=4096)
    async with rig("ollama", monkeypatch, {"reply": ANSWER}, context_length=60000, limits=limits) as opened:
        await opened.ask(request(max_tokens=1000))
        assert isinstance(opened.provider, TellsContext) and await opened.provider.context_tokens("tiny") == 4096
    assert opened.bodies[0]["options"]["num_ctx"] == 4096


# What a server refuses ------------------------------------------------------------------------------------------


async def test_openai_falls_back_in_steps_and_remembers(monkeypatch: pytest.MonkeyPatch) -> None:
    def formats(opened: Rig) -> list[str]:
        return [body.get("response_format", {}).get("type", "text") for body in opened.bodies]

    async with rig("openai", monkeypatch, {"reply": ANSWER, "fault": "refuse_response_format"}) as opened:
        for _ in range(2):
            assert (await opened.ask()).text == ANSWER
        assert formats(opened) == ["json_schema", "json_object", "text", "text"]
        assert '"minLength": 1' in opened.bodies[-1]["messages"][0]["content"], "the shape is told in words"
        await opened.ask(request(model="other"))
        assert formats(opened)[4:] == ["json_schema", "json_object", "text"], "remembered per model"
    async with rig("openai", monkeypatch, {"reply": ANSWER, "fault": "refuse_json_schema"}) as opened:
        await opened.ask()
        assert formats(opened) == ["json_schema", "json_object"]


async def test_anthropic_and_ollama_fall_back_and_remember(monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig("anthropic", monkeypatch, {"reply": ANSWER, "fault": "refuse_response_format"}) as opened:
        for _ in range(2):
            assert (await opened.ask()).text == ANSWER
    assert ["output_config" in body for body in opened.bodies] == [True, False, False]
    assert '"minLength": 1' in opened.bodies[-1]["system"][0]["text"]
    async with rig("ollama", monkeypatch, {"reply": ANSWER, "fault": "refuse_response_format"}) as opened:
        for _ in range(2):
            assert (await opened.ask()).text == ANSWER
    assert [body.get("format") for body in opened.bodies][1:] == ["json", None, None]
    assert isinstance(opened.bodies[0]["format"], dict)


async def test_calls_side_by_side_fall_back_no_further_than_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig("openai", monkeypatch, {"reply": ANSWER, "fault": "refuse_json_schema"}) as opened:
        await asyncio.gather(*(Rig(opened.provider).ask() for _ in range(5)))
        await opened.ask()
    assert opened.bodies[-1]["response_format"] == {"type": "json_object"}
    assert "text" not in [body.get("response_format", {}).get("type", "text") for body in opened.bodies]


@pytest.mark.parametrize("fault", ["refuse_max_tokens", "refuse_max_completion_tokens"])
async def test_openai_finds_the_name_of_the_output_limit(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig("openai", monkeypatch, {"reply": ANSWER, "fault": fault}) as opened:
        for _ in range(2):
            assert (await opened.ask(request(max_tokens=777))).text == ANSWER
    name = "max_completion_tokens" if fault == "refuse_max_tokens" else "max_tokens"
    assert [body[name] for body in opened.bodies[-2:]] == [777 + 16384] * 2
    assert len(opened.bodies) == (3 if fault == "refuse_max_tokens" else 2)


async def test_openai_does_without_the_count_of_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig("openai", monkeypatch, {"reply": ANSWER, "fault": "refuse_stream_options"}) as opened:
        for _ in range(2):
            assert (await opened.ask()).text == ANSWER
    assert ["stream_options" in body for body in opened.bodies] == [True, False, False]


@pytest.mark.parametrize("name", ["anthropic", "openai"])
async def test_output_limits_are_learned(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = (
        {"when": ["long prompt"], "reply": ANSWER, "fault": "context_shared"},
        {"reply": ANSWER, "fault": "max_tokens_limit"},
    )
    async with rig(name, monkeypatch, *entries) as opened:
        for prompt in ("long prompt", "short", "short"):
            assert (await opened.ask(request(prompt, max_tokens=16384))).text == ANSWER
    # What one prompt leaves of the context says nothing about the next; what the model grants does.
    room = 16384 if name == "anthropic" else 2 * 16384
    assert [body["max_tokens"] for body in opened.bodies] == [room, 3000, room, 4096, 4096]


# Ollama's own ---------------------------------------------------------------------------------------------------


async def test_ollama_names_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    models = ["qwen3:4b", "llama3.2:1b", "qwen2.5-coder:7b"]
    async with rig("ollama", monkeypatch, {"reply": ANSWER}, models=models) as opened:
        with pytest.raises(ModelMissing) as caught:
            await opened.ask(request(model="qwen3:8b"))
        assert await installed_names() == models
        assert opened.server is not None and not opened.server.chats
    assert "qwen3:4b" in caught.value.message and "llama3.2" not in caught.value.message
    assert caught.value.hint == "Get it: selfheal models pull qwen3:8b"


async def test_ollama_does_not_let_the_prompt_be_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    used = {"input_tokens": 4096, "output_tokens": 5}
    async with rig("ollama", monkeypatch, {"reply": ANSWER, "usage": used}, context_length=4096) as opened:
        with pytest.raises(ContextTooLong) as caught:  # it fits by our guess, but the server had to cut it
            await opened.ask(request("x" * 12000, max_tokens=1000))
        assert caught.value.limit_tokens == 4096
        with pytest.raises(ContextTooLong):  # it cannot fit: nothing is asked
            await opened.ask(request("x" * 30000))
    assert len(opened.bodies) == 1


async def test_ollama_that_says_nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clean(monkeypatch)
    left = asyncio.Event()

    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()
        await writer.wait_closed()
        left.set()

    async with await asyncio.start_server(say_nothing, "127.0.0.1", 0) as silent:
        with pytest.raises(TimedOut):
            await installed_names(f"127.0.0.1:{silent.sockets[0].getsockname()[1]}", time_s=0.3)
        await asyncio.wait_for(left.wait(), 5)
    with pytest.raises(SettingsError):
        await installed_names("127.0.0.1:none")


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("box:99", "http://box:99"),
        ("https://box/ollama/", "https://box:443/ollama"),
        ("http://box", "http://box:80"),
        ("[::1]:99", "http://[::1]:99"),
    ],
)
def test_ollama_reads_hosts_as_ollama_does(host: str, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", host)
    assert ollama.open_provider("tiny").service.url == url


async def test_ollama_tells_the_context_before_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig("ollama", monkeypatch, {"reply": ANSWER}, context_length=20000, models=["tiny"]) as opened:
        provider = opened.provider
        assert isinstance(provider, TellsContext) and opened.server is not None
        assert await provider.context_tokens("absent") is None
        assert [await provider.context_tokens("tiny") for _ in range(3)] == [20000] * 3
        assert len([r for r in opened.server.requests if r.path == "/api/show"]) == 2
    async with rig("ollama", monkeypatch, {"fault": "refuse_connection"}) as opened:
        assert isinstance(opened.provider, TellsContext)
        assert await opened.provider.context_tokens("tiny") is None, "the call will say what is wrong"
