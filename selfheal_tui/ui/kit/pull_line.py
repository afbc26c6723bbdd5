"""A line that lets Ollama fetch a model, shows how far that has come, and can stop it."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import dataclass

from textual import work
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from selfheal_tui.errors import SelfHealError
from selfheal_tui.text import one_line


class PullLine(Static):
    """Takes no room while there is nothing to say."""

    DEFAULT_CSS = """
    PullLine { display: none; height: auto; }
    PullLine.-told { display: block; }
    """

    @dataclass
    class Ended(Message):
        """A pull came to its end; one that was stopped does not."""

        name: str
        fault: str
        """What went wrong; empty when the model is there."""

    pulling = ""
    """The model that is being fetched."""

    def pull(self, name: str) -> None:
        """Fetch a model, if none is being fetched."""
        if not self.pulling:
            self.pulling = name
            self._pull(name)

    def stop(self) -> bool:
        """Stop fetching; return whether there was something to stop."""
        if not self.pulling:
            return False
        self.workers.cancel_node(self)
        return True

    def tell(self, words: str) -> None:
        """Show some words, or nothing."""
        self.set_class(bool(words), "-told")
        self.update(Content(words))

    @work(group="pull")
    async def _pull(self, name: str) -> None:
        from selfheal_tui.llm.pull import GOES_ON, pull

        shown, fault = one_line(name, 80), ""
        self.tell(f"Pulling {shown}: asking Ollama\nesc stops it")
        try:
            async with aclosing(pull(name)) as steps:  # type: ignore[type-var]
                async for progress in steps:
                    self.tell(f"Pulling {shown}: {progress.words}\nesc stops it")
        except SelfHealError as error:
            fault = str(error)
        except asyncio.CancelledError:
            self.tell(f"Stopped. {GOES_ON}")
            raise
        finally:
            self.pulling = ""
        self.tell("")
        self.post_message(self.Ended(name, fault))
