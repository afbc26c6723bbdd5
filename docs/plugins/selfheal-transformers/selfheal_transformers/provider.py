"""Local models through Hugging Face's transformers: no server, no key, no network.

`transformers:OWNER/NAME` is a model in the cache of Hugging Face, `transformers:./FOLDER` one in a folder. It is loaded
and asked in a process of its own (`local_worker.py`), which keeps it for the next call and ends with the provider.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import re
import signal
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from contextlib import aclosing
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from selfheal_tui.plugins.providers import (
    Completion,
    Request,
    Service,
    SettingsError,
    StopReason,
    Stopwatch,
    TextDelta,
    TimeLimitReached,
    TimeLimits,
    Usage,
    explain_limit,
    faults,
    one_line,
    sendable,
)
from selfheal_tui.plugins.providers.faults import BadAnswer, ProviderFault, ServerFailed

from .local_model import Place, no_memory
from .local_process import LocalProcess, WorkerDied

PACKAGES = ("transformers", "torch", "accelerate")
"""What a model needs, imported by the worker alone."""
INSTALL = "pip install 'selfheal-tui[transformers]'"

DEVICE_NAME, FOUR_BIT_NAME = "TRANSFORMERS_DEVICE", "TRANSFORMERS_4BIT"
LIMITS = TimeLimits(first_s=1800.0, piece_s=300.0, total_s=7200.0)
"""Without a graphics card a few tokens a second are normal, and nobody is paid by the minute."""
_DEVICE = re.compile(r"auto|cpu|mps|(?:cuda|xpu)(?::\d{1,2})?")
_SWITCH = {"": False, "0": False, "no": False, "false": False, "1": True, "yes": True, "true": True}
_STOP_S = 3.0
"""After this the worker is killed, and the model has to be loaded again."""


@dataclass(slots=True)
class _Reply:
    """What has arrived of one reply."""

    pieces: list[str] = field(default_factory=list)
    prompt_tokens: int = 0
    tokens: int = 0
    end: str = ""
    """end, length or stopped; empty while it goes on."""

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    @property
    def usage(self) -> Usage:
        return Usage(self.prompt_tokens, self.tokens)


class TransformersProvider:
    """Asks a model on this machine."""

    name = "transformers"

    def __init__(self, place: Place, limits: TimeLimits = LIMITS) -> None:
        self.place = place
        self.limits = limits
        self._worker: LocalProcess | None = None
        self._last_number = 0
        self._turn = asyncio.Lock()
        """One question at a time: two would only share the same memory and cores."""

    async def stream(self, request: Request) -> AsyncIterator[TextDelta | Completion]:
        """Stream the reply; closing it stops the model. Raises: ProviderFault with what had arrived, SettingsError."""
        reply = _Reply()
        fault: ProviderFault
        async with self._turn:
            try:
                async with aclosing(self._pieces(request, reply)) as pieces:
                    async for piece in pieces:
                        yield TextDelta(piece)
            except ProviderFault as known:
                fault = known
            except TimeLimitReached as reached:
                fault = explain_limit(Service(f"the model {_shown(request)}", "", "", is_vendor=True), reached)
            except WorkerDied as died:
                fault = _explain_death(request, died)
            else:
                if reply.end == "length" or reply.text.strip():
                    stop: StopReason = "length" if reply.end == "length" else "end"
                    yield Completion(reply.text, reply.usage, stop)
                    return
                fault = BadAnswer(f"The model {_shown(request)} gave an empty reply.", "Choose another model.")
        # The same question would fail the same way again.
        fault.retryable = False
        fault.partial_text, fault.usage = reply.text, reply.usage
        raise fault

    async def aclose(self) -> None:
        """End the worker; the next call would start another one."""
        worker, self._worker = self._worker, None
        if worker is not None:
            await worker.kill()

    async def _pieces(self, request: Request, reply: _Reply) -> AsyncGenerator[str, None]:
        """Ask the worker and fill in the reply. Raises: ProviderFault, SettingsError, TimeLimitReached, WorkerDied."""
        if self._worker is None or not self._worker.is_alive:
            await self.aclose()
            self._worker = await LocalProcess.start()
        worker, watch = self._worker, Stopwatch(self.limits)
        self._last_number += 1
        number = self._last_number
        try:
            await worker.send({"ask": number, "request": _plain(sendable(request)), "place": asdict(self.place)})
            while not reply.end:
                answer = await watch.wait(worker.take())
                if answer["id"] != number:
                    continue  # The rest of a reply that was dropped.
                if "fault" in answer:
                    reply.end = "fault"
                    raise _revived(answer)
                reply.prompt_tokens = answer.get("prompt_tokens", reply.prompt_tokens)
                reply.tokens = answer.get("tokens", reply.tokens)
                reply.end = answer.get("end", "")
                if "text" in answer:
                    reply.pieces.append(answer["text"])
                    yield answer["text"]
                    watch.is_alive()
        finally:
            if not reply.end:
                await self._stop(worker, number, reading=reply.prompt_tokens > 0)

    async def _stop(self, worker: LocalProcess, number: int, reading: bool) -> None:
        """Make the worker drop a question; while it still loads the model, it loads on for the next question."""
        try:
            async with asyncio.timeout(_STOP_S):
                await worker.send({"stop": number})
                while reading:
                    answer = await worker.take()
                    reading = answer["id"] != number or not {"end", "fault"} & set(answer)
        except (TimeoutError, WorkerDied):
            await self.aclose()
        except asyncio.CancelledError:
            await self.aclose()
            raise


def open_provider(model: str, limits: TimeLimits | None = None) -> TransformersProvider:
    """Open it with TRANSFORMERS_DEVICE and TRANSFORMERS_4BIT of the environment. Raises: SettingsError.

    However short the limits are, it has the time to load a model.
    """
    _check_installed(PACKAGES, INSTALL)
    place = _place(os.environ)
    if place.four_bit:
        _check_installed(("bitsandbytes",), "pip install bitsandbytes")
    limits = LIMITS if limits is None else replace(limits, first_s=max(limits.first_s, LIMITS.first_s))
    return TransformersProvider(place, limits)


def _check_installed(packages: Iterable[str], install: str) -> None:
    """Look for packages without importing any of them. Raises: SettingsError."""
    for package in packages:
        if importlib.util.find_spec(package) is None:
            raise SettingsError(f"The {package} package is not installed.", f"Install it: {install}.")


def _place(environ: Mapping[str, str]) -> Place:
    device = environ.get(DEVICE_NAME, "").strip().lower() or "auto"
    if not _DEVICE.fullmatch(device):
        raise SettingsError(f"{DEVICE_NAME} is no device: {one_line(device, 40)}.", "It is auto, cpu, cuda, cuda:1...")
    switch = environ.get(FOUR_BIT_NAME, "").strip().lower()
    if switch not in _SWITCH:
        raise SettingsError(f"{FOUR_BIT_NAME} is neither yes nor no: {one_line(switch, 40)}.", "Set it to 1 or 0.")
    return Place(device, _SWITCH[switch])


def _plain(request: Request) -> dict[str, Any]:
    values = {each.name: getattr(request, each.name) for each in fields(request)}
    return {**values, "schema": dict(request.schema)}


def _shown(request: Request) -> str:
    return repr(one_line(request.model, 80))


def _revived(answer: Mapping[str, Any]) -> ProviderFault | SettingsError:
    """Return the error that the worker met."""
    kind = getattr(faults, answer["fault"], None)
    if kind is None:
        return SettingsError(answer["message"], answer["hint"])
    fault: ProviderFault = kind(answer["message"], answer["hint"], limit_tokens=answer["limit_tokens"])
    return fault


def _explain_death(request: Request, died: WorkerDied) -> ServerFailed:
    """Return the fault of a worker that ended by itself."""
    if died.code == -signal.SIGKILL:
        # Linux kills a process in this way to get memory back.
        return no_memory(request.model, " (the system ended it)")
    why = f": {died.last_words}" if died.last_words else f" (exit code {died.code})"
    return ServerFailed(f"The process of the model {_shown(request)} ended{why}.", "Choose another model.")
