"""Replies that sessions of one task share: found by the very same request, whole or not at all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from selfheal_tui.bench.running.shelf import Shelf, paid
from selfheal_tui.errors import SessionError
from selfheal_tui.llm.base import Completion, Request, Usage

ASKED = Request("critic", "tiny", "You judge.", "Is it right?", {})
REPLY = Completion("yes \ud800", Usage(10, 2, 0.5, cached_tokens=3), "length", "cut")


async def test_a_reply_is_found_by_its_request_task_and_provider(tmp_path: Path) -> None:
    first, second = Shelf(tmp_path, "first"), Shelf(tmp_path, "second")
    assert await first.of_task("a").find("openai", ASKED) is None
    await first.of_task("a").keep("openai", ASKED, REPLY)
    assert await second.of_task("a").find("openai", ASKED) == REPLY
    assert await second.of_task("a#2").find("openai", ASKED) is None, "tries must differ"
    assert await second.of_task("a").find("ollama", ASKED) is None
    assert await second.of_task("a").find("openai", replace(ASKED, salt="1.0")) is None
    # Whoever paid first has paid.
    await second.of_task("a").keep("openai", ASKED, replace(REPLY, text="no"))
    assert await first.of_task("a").find("openai", ASKED) == REPLY
    await second.of_task("b").keep("openai", ASKED, REPLY)
    await second.of_task("c").keep("openai", ASKED, REPLY)
    assert paid(tmp_path) == {"first": (1, REPLY.usage), "second": (2, REPLY.usage + REPLY.usage)}


async def test_what_is_no_reply_is_named(tmp_path: Path) -> None:
    replies = Shelf(tmp_path, "first").of_task("a")
    await replies.keep("openai", ASKED, REPLY)
    (file,) = tmp_path.glob("*/*.json")
    for content in ("{", "[]", '{"completion": {"text": "x", "usage": {"colour": 1}}}'):
        file.write_text(content, "utf-8")
        with pytest.raises(SessionError, match=r"is damaged: it holds no reply"):
            await replies.find("openai", ASKED)


async def test_a_link_leads_nothing_elsewhere(tmp_path: Path) -> None:
    shelf, elsewhere = tmp_path / "replies", tmp_path / "elsewhere"
    shelf.mkdir()
    elsewhere.mkdir()
    replies = Shelf(shelf, "first").of_task("a")
    await replies.keep("openai", ASKED, REPLY)
    (folder,) = shelf.iterdir()
    (file,) = folder.iterdir()
    file.rename(elsewhere / file.name)
    folder.rmdir()
    folder.symlink_to(elsewhere)
    with pytest.raises(SessionError):
        await replies.find("openai", ASKED)
    with pytest.raises(SessionError):
        await replies.keep("openai", replace(ASKED, salt="2"), REPLY)
    assert len(list(elsewhere.iterdir())) == 1
