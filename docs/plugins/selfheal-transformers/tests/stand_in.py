"""A stand-in for `selfheal_transformers.local_worker`: the same lines, with replies from entries instead of a model.

role, when                    which questions it is for: by who asks, and texts that are in the prompt
reply, usage                  the text, and `input_tokens` and `output_tokens`
stop: length                  how it ends; end when it is left out
fault: loads                  tells that it loads, for ever
       stalls                 falls silent after the first piece, until it is told to stop
       is_deaf                the same, but does not stop
       is_killed, crashes     ends after the first piece, by a signal or an exception
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Mapping
from typing import Any

ENTRIES = "LOCAL_WORKER_ENTRIES"
"""Environment variable that holds the entries, as JSON."""
_PIECE = 24


def main() -> None:
    """Answer until the input ends."""
    orders: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    stops: dict[int, threading.Event] = {}
    threading.Thread(target=_read, args=(orders, stops), daemon=True).start()
    while True:
        order = orders.get()
        _answer(order["ask"], order["request"], stops[order["ask"]])


def _read(orders: queue.SimpleQueue[dict[str, Any]], stops: dict[int, threading.Event]) -> None:
    for line in sys.stdin:
        order = json.loads(line)
        if "ask" in order:
            stops[order["ask"]] = threading.Event()
            orders.put(order)
        else:
            stops[order["stop"]].set()
    os._exit(0)


def _answer(number: int, request: Mapping[str, Any], stop: threading.Event) -> None:
    def tell(**values: object) -> None:
        print(json.dumps({"id": number, **values}), flush=True)

    asked = request["shared"] + request["prompt"]
    entry = next(
        e
        for e in json.loads(os.environ[ENTRIES])
        if e.get("role", request["role"]) == request["role"] and all(text in asked for text in e.get("when", []))
    )
    used, fault = entry.get("usage", {}), entry.get("fault", "")
    tell(loading=True)
    if fault == "loads":
        threading.Event().wait()
    tell(prompt_tokens=used.get("input_tokens", 1))
    for start in range(0, len(entry["reply"]), _PIECE):
        tell(text=entry["reply"][start : start + _PIECE], tokens=1)
        if fault == "is_deaf":
            threading.Event().wait()
        if fault == "is_killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if fault == "crashes":
            raise RuntimeError("the cards are melting")
        if fault == "stalls":
            stop.wait()
            tell(end="stopped")
            return
    tell(end=entry.get("stop", "end"), tokens=used.get("output_tokens", 1))
