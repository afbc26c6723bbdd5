"""Local models through Ollama's own SDK: one context size for all roles, the schema as a grammar where none thinks.

A model that thinks gets no grammar: on some versions a grammar ends the thinking, on others `think=false` breaks the
grammar (ollama #14645, #15260, #17292). The reply is then found in the text, or in the thinking where there is no text.
"""

from __future__ import annotations

import math
import os
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from selfheal_tui.text import plural

from .attempt import Attempt, count, look
from .base import Completion, Departure, Notice, Request, TextDelta, ThoughtDelta, Usage
from .breakages import bad_answer, explain_error
from .faults import BadRequest, ContextTooLong, ModelMissing, ProviderFault, ServerFailed
from .model_facts import UNKNOWN, ModelFacts, nearest_effort, output_room
from .ollama_host import is_local, ollama_service, slot_count
from .ollama_place import Place, place_of
from .schemas import closed_schema, schema_note, simple_schema
from .sdk import SdkProvider, check_installed
from .service import Service, check_proxies
from .statuses import explain_status
from .time_limits import Stopwatch, TimeLimits
from .turns import slots_at

KEEP_ALIVE = "30m"
"""How long the model stays loaded after a call: reviews take minutes, loading it again does too."""
_LEAST_CONTEXT = 16_384
_BYTES_PER_TOKEN = 3
"""Code has 3 to 4 bytes a token, CJK text 3: this guesses high."""
_MOST_CHARS_PER_TOKEN = 5
"""No tokenizer puts more of a program into a token: a prompt that is too long by this count cannot fit."""
_TEMPLATE_TOKENS = 128
_SHOW_TIME_S = 10.0
_PLACE_TIME_S = 2.0
_FORMATS = ("schema", "json", "")


class OllamaProvider(SdkProvider):
    """Asks an Ollama server."""

    name = "ollama"
    sdk_name = "ollama"

    def __init__(self, service: Service, limits: TimeLimits | None = None) -> None:
        super().__init__(service, limits)
        self._facts: dict[str, ModelFacts] = {}
        """Model -> what the server says of it."""
        self._loaded: dict[str, int] = {}
        """Model -> the context it was last asked for: another size makes Ollama load the model anew."""
        self._format: dict[str, int] = {}
        """Model -> index into _FORMATS of what the server accepts."""
        self._without_think: set[str] = set()
        """Models for which the server refused to be told how much to think."""
        self._placed: set[str] = set()
        """Models for which the server was asked whether they run on the graphics card."""
        self._told_of_turns = False

    async def stream(
        self, request: Request
    ) -> AsyncIterator[TextDelta | ThoughtDelta | Notice | Departure | Completion]:
        """Stream the reply of one attempt, which begins when the server has a slot for it. Raises: ProviderFault."""
        slots = slots_at(self.address, slot_count())
        if slots.locked() and not self._told_of_turns:
            self._told_of_turns = True
            yield Notice(_turn_words(self.service))
        async with slots, aclosing(super().stream(request)) as parts:  # type: ignore[type-var]
            async for part in parts:
                yield part
                if isinstance(part, TextDelta | ThoughtDelta) and request.model not in self._placed:
                    self._placed.add(request.model)
                    place = await self._place(request.model)
                    if place is not None and (warning := place.warning(request.model)):
                        yield Notice(warning)

    async def _place(self, model: str) -> Place | None:
        """Return where a model runs that is loaded; None where the server does not tell."""
        client = await self.client()
        watch = Stopwatch(TimeLimits(first_s=_PLACE_TIME_S))
        try:
            return place_of(model, await self.step(watch.wait(client.ps()), model))
        except ProviderFault:
            return None

    def _connect(self, sdk: Any) -> Any:
        import httpx

        limits = self.limits
        timeout = httpx.Timeout(limits.total_s, connect=limits.connect_s, pool=limits.connect_s)
        return sdk.AsyncClient(
            self.service.url,
            timeout=timeout,
            # A server on this machine is never behind a proxy, whatever HTTP_PROXY says.
            trust_env=not is_local(self.service.url),
            # The SDK puts OLLAMA_API_KEY into a header by itself; this comes after it.
            auth=self._sign,
            # The prompts hold the user's code: they go to this address and to none that it names.
            follow_redirects=False,
        )

    def _sign(self, request: Any) -> Any:
        """Give a request the service's key, or none."""
        request.headers.pop("authorization", None)
        if self.service.key:
            request.headers["authorization"] = f"Bearer {self.service.key}"
        return request

    async def context_tokens(self, model: str) -> int | None:
        """Return the model's longest context; None where the server does not tell, or is not there."""
        try:
            return self._longest(await self.facts(model))
        except ModelMissing:
            return None

    async def _prepare(self, client: Any, attempt: Attempt) -> None:
        model = attempt.request.model
        longest = self._longest(await self.facts(model))
        if longest and len(attempt.request.system) + len(attempt.request.user) > longest * _MOST_CHARS_PER_TOKEN:
            raise _too_long(model, longest)

    def _longest(self, facts: ModelFacts) -> int | None:
        """Return the longest context to ask for; None where neither server nor user tells."""
        limits = [tokens for tokens in (facts.context_tokens, self.limits.context_tokens) if tokens]
        return min(limits, default=None)

    async def facts(self, model: str) -> ModelFacts:
        """Return what the server says of a model, asked once. Raises: ModelMissing."""
        if model not in self._facts:
            client = await self.client()
            watch = Stopwatch(TimeLimits(first_s=min(_SHOW_TIME_S, self.limits.first_s)))
            try:
                details = await self.step(watch.wait(client.show(model)), model)
            except ModelMissing:
                raise
            except ProviderFault:
                # The chat itself will say what is wrong, if it is; a context of unknown length is no fault.
                return UNKNOWN
            capabilities = look(details, "capabilities") or ()
            self._facts[model] = ModelFacts(
                _context_length(look(details, "modelinfo")),
                thinks="thinking" in capabilities,
                writes=not capabilities or "completion" in capabilities,
            )
        return self._facts[model]

    def _payload(self, attempt: Attempt) -> dict[str, Any]:
        request, facts = attempt.request, self._facts.get(attempt.request.model, UNKNOWN)
        accepted: Any = _FORMATS[self._format.get(request.model, 0)] if request.schema and not facts.thinks else ""
        if accepted == "schema":
            accepted = closed_schema(request.schema) or simple_schema(request.schema)
        # A grammar forces the shape but does not tell the model what it is: the words do, and small models need them.
        system = request.system + schema_note(request.schema)
        reply_tokens = output_room(request, replace(facts, thinks=bool(facts.thinks)))
        attempt.context = self._context_for(request, system, reply_tokens)
        return {
            "model": request.model,
            "messages": [
                *([{"role": "system", "content": system}] if system.strip() else []),
                {"role": "user", "content": request.user},
            ],
            "format": accepted or None,
            "keep_alive": KEEP_ALIVE,
            "options": {"num_ctx": attempt.context, "num_predict": reply_tokens},
            **self._think(request, facts),
        }

    def _think(self, request: Request, facts: ModelFacts) -> dict[str, Any]:
        """Return how much to think as the server takes it: left out, the model thinks as it likes."""
        if not facts.thinks or not request.effort or request.model in self._without_think:
            return {}
        if request.model.rpartition("/")[2].startswith("gpt-oss"):
            return {"think": nearest_effort(request.effort, ("low", "medium", "high"))}
        return {"think": False} if request.effort == "none" else {}

    async def _send(self, client: Any, payload: dict[str, Any]) -> Any:
        return await client.chat(**payload, stream=True)

    def _read(self, event: Any, attempt: Attempt) -> str:
        if thought := look(event, "message", "thinking"):
            attempt.thinking.append(str(thought))
        piece = attempt.thoughts.feed(str(look(event, "message", "content") or ""))
        if "\ufffd" in piece and "\ufffd" not in attempt.request.system + attempt.request.user:
            # The SDK decodes leniently and would hand over damaged code as if it were the model's.
            raise attempt.noted_on(bad_answer(self.service, "bytes that are not UTF-8"))
        if not look(event, "done"):
            return piece
        piece += attempt.thoughts.finish()
        prompt_tokens, reply_tokens = count(look(event, "prompt_eval_count")), count(look(event, "eval_count"))
        if prompt_tokens and reply_tokens:
            attempt.usage = Usage(prompt_tokens, reply_tokens)
        if prompt_tokens >= attempt.context:
            # Ollama cuts the start off a prompt that is too long and says nothing (ollama #4967).
            raise attempt.noted_on(_too_long(attempt.request.model, attempt.context))
        attempt.stop = "length" if look(event, "done_reason") == "length" else "end"
        if not (attempt.text + piece).strip() and attempt.stop == "end" and attempt.request.schema:
            # Some versions file all of the answer under thinking (ollama #11545).
            piece = "".join(attempt.thinking)
        return piece

    def _explain(self, error: Exception, model: str) -> ProviderFault:
        words, status = look(error, "error"), look(error, "status_code")
        if words is None or status is None:
            return explain_error(self.service, error)
        # An error in the middle of a stream comes without a status; headers are on the error that the SDK replaced.
        headers = look(error.__context__, "response", "headers")
        fault = explain_status(self.service, model, status if status >= 400 else 500, str(words), headers)
        if isinstance(fault, ContextTooLong) and fault.limit_tokens is None and model in self._facts:
            longest = self._longest(self._facts[model])
            return _too_long(model, longest) if longest else fault
        if isinstance(fault, ModelMissing):
            fault.hint = f"Get it: selfheal models pull {model}"
        return fault

    def _adapt(self, fault: ProviderFault, attempt: Attempt) -> bool:
        words, sent = fault.server_words.lower(), attempt.payload.get("format")
        if "think" in attempt.payload and "think" in words and isinstance(fault, BadRequest):
            self._without_think.add(attempt.request.model)
            return True
        refused = isinstance(fault, BadRequest | ServerFailed) and any(
            word in words for word in ("format", "grammar", "schema")
        )
        if not refused or not sent:
            return False
        model, next_one = attempt.request.model, 2 if sent == "json" else 1
        self._format[model] = max(next_one, self._format.get(model, 0))
        return True

    async def _list(self, client: Any) -> dict[str, ModelFacts]:
        return {str(model.model): UNKNOWN for model in (await client.list()).models}

    def _context_for(self, request: Request, system: str, reply_tokens: int) -> int:
        """Return the context to ask for: prompt, reply and the model's own template, the same for as long as it serves.

        Another size makes Ollama load the model anew, which takes a minute for a large one: so there is room for half
        as much again from the start, in powers of two.
        """
        size_bytes = len((system + request.user).encode("utf-8", "replace"))
        needed = math.ceil(size_bytes / _BYTES_PER_TOKEN) + reply_tokens + _TEMPLATE_TOKENS
        context = self._loaded.get(request.model, 0)
        if needed > context:
            context = max(_LEAST_CONTEXT, 1 << math.ceil(math.log2(needed * 1.5)))
        longest = self._longest(self._facts.get(request.model, UNKNOWN))
        context = min(context, longest or context)
        self._loaded[request.model] = context
        return context


def open_provider(model: str, limits: TimeLimits | None = None) -> OllamaProvider:
    """Open it with OLLAMA_HOST of the environment. Raises: SettingsError."""
    return open_at(None, limits)


def open_at(host: str | None = None, limits: TimeLimits | None = None) -> OllamaProvider:
    """Open it with a host instead of that of the environment. Raises: SettingsError."""
    check_installed("ollama")
    service = ollama_service(os.environ.get("OLLAMA_HOST", "") if host is None else host)
    if not is_local(service.url):
        check_proxies()
    return OllamaProvider(service, limits)


def _context_length(info: Any) -> int | None:
    """Return the context length of `model_info`, whose key starts with the model's architecture."""
    lengths = [value for key, value in (info or {}).items() if str(key).endswith(".context_length")]
    return lengths[0] if lengths and count(lengths[0]) else None


def _turn_words(service: Service) -> str:
    slots = slot_count()
    return (
        f"{service.label} answers {plural(slots, 'request')} at a time: the others wait for their turn. "
        "OLLAMA_NUM_PARALLEL says when it answers more."
    )


def _too_long(model: str, longest: int) -> ContextTooLong:
    message = f"The prompt does not fit into the context of {longest:,} tokens of {model!r}."
    return ContextTooLong(message, limit_tokens=longest)
