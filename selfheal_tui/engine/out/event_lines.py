"""Events as lines of JSON, safe to print: they hold no control character and no key. Pure but for the clock."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from selfheal_tui.money import json_text
from selfheal_tui.store.clock import now_at

from ..moment.events import Event, LaneTold
from .event_forms import ENGINE, VERSION, Form
from .export.redact import Redaction


class EventLines:
    """Writes events as lines; a key is known by the environment as it was at the start."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._redaction = Redaction(environ)

    def line(self, event: Event, session_id: str, task_id: str = "") -> str:
        """Return an event of a session as a line; an event of a race's lane names the lane."""
        where = {"session": session_id} | ({"task": task_id} if task_id else {})
        while isinstance(event, LaneTold):
            where["lane"], event = event.branch, event.event
        return self.made(ENGINE[type(event)], event, where)

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
