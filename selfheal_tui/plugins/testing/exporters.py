"""What an exporter promises: a text of every story, the same each time, and a story that stays as it was."""

from __future__ import annotations

import copy
from typing import Any

from .contract import Given, promise
from .stories import HEALED, WAITING


@promise("exporter")
def makes_a_text_of_every_story(given: Given) -> None:
    """A healed session, and one that waits before anything was changed, are each a text that UTF-8 can hold."""
    for story in (HEALED, WAITING):
        text: Any = given.loaded(copy.deepcopy(story))
        assert isinstance(text, str), f"{given.name}: it returned {type(text).__name__} where an export is a text"
        text.encode("utf-8")


@promise("exporter")
def is_pure(given: Given) -> None:
    """The same story gives the same text, and stays as it was."""
    story = copy.deepcopy(HEALED)
    first, second = given.loaded(story), given.loaded(story)
    assert story == HEALED, f"{given.name}: it changed the story"
    assert first == second, f"{given.name}: another text the second time"
