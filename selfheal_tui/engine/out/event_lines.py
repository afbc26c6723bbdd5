"""Events as lines of JSON, safe to print: they hold no control character and no key. Pure but for the clock."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from selfheal_tui.money import json_text
from selfheal_tui.store.clock import now_at

from ..moment.events import (
    CallFinished,
    CallWaits,
    CheckpointSaved,
    Event,
    LaneTold,
    ReviewRequested,
    RunFailed,
    RunFinished,
    ThoughtStreamed,
    TokenStreamed,
)
from .event_forms import ENGINE, VERSION, Form
from .export.redact import Redaction


class EventLines:
    """Writes events as lines; a key is known by the environment as it was at the start."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._redaction = Redaction(environ)
        self._held: dict[tuple[str, ...], TokenStreamed | ThoughtStreamed] = {}
        """Ends of streamed texts that may begin a key: they wait for what follows, as a key may come in pieces."""

    def line(self, event: Event, session_id: str, task_id: str = "") -> str:
        """Return an event of a session as a line; an event of a race's lane names the lane.

        A piece of a model's text can be none, and the end of that text a line before another one.
        """
        where = {"session": session_id} | ({"task": task_id} if task_id else {})
        while isinstance(event, LaneTold):
            where["lane"], event = event.branch, event.event
        if isinstance(event, TokenStreamed | ThoughtStreamed):
            return self._piece(event, where)
        return self._rest(event, where) + self.made(ENGINE[type(event)], event, where)

    def _piece(self, event: TokenStreamed | ThoughtStreamed, where: Mapping[str, str]) -> str:
        place = (*where.values(), event.role, event.by, type(event).__name__)
        before = self._held.pop(place, None)
        text = self._redaction.text((before.text if before else "") + event.text)
        if held := self._redaction.begun(text):
            self._held[place] = replace(event, text=text[-held:])
            text = text[:-held]
        return self.made(ENGINE[type(event)], replace(event, text=text), where) if text else ""

    def _rest(self, event: Event, where: Mapping[str, str]) -> str:
        """Return the held ends of texts that an event shows to be over."""
        of_call = (event.role, event.by) if isinstance(event, CallFinished | CallWaits) else ()
        if not of_call and not isinstance(event, CheckpointSaved | ReviewRequested | RunFinished | RunFailed):
            return ""
        begins = (*where.values(), *of_call)
        over = [place for place in self._held if place[: len(begins)] == begins]
        return "".join(self.made(ENGINE[type(one)], one, where) for one in map(self._held.pop, over))

    def made(self, form: Form, event: object, where: Mapping[str, str]) -> str:
        """Return an event of any form as a line; `where` says where it belongs."""
        return self.of(form.name, {**where, **form.values(event)})

    def of(self, name: str, fields: Mapping[str, Any]) -> str:
        """Return a line of these fields, with its version, name and time."""
        head = {"v": VERSION, "event": name, "at": now_at()}
        return _escaped(json_text({**head, **self._redaction.clean(fields)}))


def plain_line(name: str, fields: Mapping[str, Any]) -> str:
    """Return a line that holds no text of others, where nothing is known of the environment."""
    return _escaped(json.dumps({"v": VERSION, "event": name, "at": now_at(), **fields}))


def _escaped(text: str) -> str:
    """JSON leaves one control character as it is."""
    return text.replace("\x7f", "\\u007f") + "\n"
