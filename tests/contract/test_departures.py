"""Each provider that talks to a server tells every request that holds the prompt, before it goes out."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from selfheal_tui.llm import retry
from selfheal_tui.llm.base import Completion, Departure, TellsAddress
from selfheal_tui.llm.departures import address_of
from selfheal_tui.llm.sdk import SdkProvider
from tests.wire.rig import PATIENT, WIRED, open_with, request, rig
from tests.wire.server import WireServer

ANSWER = '{"cause": "a typo", "lines": [3]}'
SDKS = (*WIRED, "qwen")


def sizes(server: WireServer) -> list[int]:
    """Return how many bytes each body had that asked a model, by the server's account."""
    return [int(recorded.headers["content-length"]) for recorded in server.chats]


@pytest.mark.parametrize("name", SDKS)
async def test_a_request_is_told_before_it_goes_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig(name, monkeypatch, {"reply": ANSWER}) as opened:
        assert opened.server is not None
        async with aclosing(opened.provider.stream(request())) as parts:  # type: ignore[type-var]
            told = await anext(parts)
            assert isinstance(told, Departure) and told.address == opened.server.url
            await asyncio.sleep(0)
            assert opened.server.chats == [], "it went out before it was told"
            rest = [part async for part in parts]
        assert isinstance(rest[-1], Completion) and not any(isinstance(part, Departure) for part in rest)
        assert [told.size_bytes] == sizes(opened.server)
        assert isinstance(opened.provider, TellsAddress) and opened.provider.address == opened.server.url


@pytest.mark.parametrize("name", SDKS)
async def test_what_is_told_and_not_gone_on_with_never_goes_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig(name, monkeypatch, {"reply": ANSWER}) as opened:
        assert opened.server is not None
        async with aclosing(opened.provider.stream(request())) as parts:  # type: ignore[type-var]
            assert isinstance(await anext(parts), Departure)
        await opened.ask()
        assert len(opened.server.chats) == 1, "the first one went out all the same"


@pytest.mark.parametrize("name", SDKS)
async def test_a_retry_is_told_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def at_once(_: float) -> None:
        pass

    async with rig(name, monkeypatch, {"reply": ANSWER, "fault": 529, "times": 1}) as opened:
        assert opened.server is not None
        parts = [part async for part in retry.stream(opened.provider, request(), sleep=at_once)]
        told = [part.size_bytes for part in parts if isinstance(part, Departure)]
        assert len(told) == 2 and told == sizes(opened.server)


@pytest.mark.parametrize("fault", ["refuse_response_format", "refuse_stream_options"])
async def test_a_request_in_another_form_is_told_again(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig("openai", monkeypatch, {"reply": ANSWER, "fault": fault}) as opened:
        assert opened.server is not None
        await opened.ask()
        told = [departure.size_bytes for departure in opened.departures]
        assert len(told) > 1 and told == sizes(opened.server)


@pytest.mark.parametrize("name", SDKS)
async def test_what_holds_no_prompt_is_not_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with rig(name, monkeypatch, {"reply": ANSWER}, models=["tiny"]) as opened:
        assert opened.server is not None and isinstance(opened.provider, SdkProvider)
        assert list(await opened.provider.list_models()) == ["tiny"]
        await opened.ask()
        assert len(opened.departures) == len(opened.server.chats) == 1


@pytest.mark.parametrize("name", SDKS)
async def test_nothing_reaches_another_host_untold(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that sends the prompt on to another address: what arrives there was told with that address."""
    arrived: list[int] = []
    ports: list[int] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.partition("content-length: ")[2].partition("\r\n")[0] or 0)
        await reader.readexactly(length)
        here = writer.get_extra_info("sockname")[1]
        if here == ports[1]:
            arrived.append(length)
            writer.write(b"HTTP/1.1 503 no\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        else:
            to = f"http://127.0.0.1:{ports[1]}/v1"
            writer.write(f"HTTP/1.1 307 there\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n".encode())
        await writer.drain()
        writer.close()

    async with (
        rig(name, monkeypatch, {"reply": ANSWER}),
        await asyncio.start_server(answer, "127.0.0.1", 0) as first,
        await asyncio.start_server(answer, "127.0.0.1", 0) as second,
    ):
        ports += [server.sockets[0].getsockname()[1] for server in (first, second)]
        variable = {"anthropic": "ANTHROPIC_BASE_URL", "ollama": "OLLAMA_HOST", "qwen": "QWEN_BASE_URL"}.get(name)
        monkeypatch.setenv(variable or "OPENAI_BASE_URL", f"http://user:pw@127.0.0.1:{ports[0]}")
        provider = open_with(name, PATIENT)
        told: list[Departure] = []
        try:
            async with aclosing(provider.stream(request())) as parts:  # type: ignore[type-var]
                with pytest.raises(Exception, match=r"503|307|redirect"):
                    async for part in parts:
                        assert isinstance(part, Departure)
                        told.append(part)
        finally:
            await provider.aclose()
    assert told[0].address == f"http://127.0.0.1:{ports[0]}"
    there = [one.size_bytes for one in told if one.address == f"http://127.0.0.1:{ports[1]}"]
    # Ollama's question for the model's context is sent on too; it holds no prompt.
    assert there == [length for length in arrived if length > 100]


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://api.example.com/v1/", "https://api.example.com"),
        ("https://me:secret@api.example.com:443/v1?key=secret#x", "https://api.example.com"),
        ("http://me@h:8080/a", "http://h:8080"),
        ("http://h:443", "http://h:443"),
        ("http://[::1]:11434/api", "http://[::1]:11434"),
    ],
)
def test_an_address_names_nobody(url: str, address: str) -> None:
    assert address_of(url) == address
