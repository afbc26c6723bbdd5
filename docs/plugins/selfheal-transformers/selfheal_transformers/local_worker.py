"""The process that holds a local model: reads orders as JSON lines, answers with JSON lines, runs `local_model.py`.

    in   {"ask": 1, "request": {...}, "place": {...}}        a question; one is answered after the other
         {"stop": 1}                                         nobody wants answer 1 any more
    out  {"id": 1, "loading": true}                          the weights are read now
         {"id": 1, "prompt_tokens": 31}                      the model reads the prompt
         {"id": 1, "text": "..."}                            a piece of the reply
         {"id": 1, "end": "length", "tokens": 40}            the last line of an answer: how it ended (or stopped),
         {"id": 1, "fault": "ContextTooLong", "message": ...}   or what was wrong

The process ends as soon as its input ends, so it never outlives the one that started it.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from typing import Any, TextIO

from selfheal_tui.plugins.providers import Request, SelfHealError

from .generation import Stopped, generate
from .local_model import LocalModel, Place, Tell, load_model


def main() -> None:
    """Answer until the input ends."""
    # What libraries print must not get between the answers.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    orders: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    stops: dict[int, threading.Event] = {}
    threading.Thread(target=_read_orders, args=(sys.stdin, orders, stops), daemon=True).start()
    desk = _Desk()
    while True:
        order = orders.get()
        number = order["ask"]

        def tell(number: int = number, **values: object) -> None:
            out.write(json.dumps({"id": number, **values}) + "\n")
            out.flush()

        try:
            desk.answer(Request(**order["request"]), Place(**order["place"]), tell, stops[number])
        except Stopped:
            tell(end="stopped")
        except SelfHealError as error:
            limit = getattr(error, "limit_tokens", None)
            tell(fault=type(error).__name__, message=error.message, hint=error.hint, limit_tokens=limit)
        del stops[number]


class _Desk:
    """Answers questions, and keeps the model that answered last."""

    def __init__(self) -> None:
        self._model: LocalModel | None = None

    def answer(self, request: Request, place: Place, tell: Tell, stop: threading.Event) -> None:
        """Answer a question, loading its model if needed. Raises: Stopped, ProviderFault, SettingsError."""
        if stop.is_set():
            raise Stopped
        if self._model is None or self._model.name != request.model:
            self._model = None
            self._model = load_model(request.model, place, tell)
        generate(self._model, request, tell, stop)


def _read_orders(source: TextIO, orders: queue.SimpleQueue[dict[str, Any]], stops: dict[int, threading.Event]) -> None:
    for line in source:
        order = json.loads(line)
        if "ask" in order:
            stops[order["ask"]] = threading.Event()
            orders.put(order)
        elif event := stops.get(order["stop"]):
            event.set()
    # Not sys.exit: the main thread may be in the middle of minutes of work.
    os._exit(0)
