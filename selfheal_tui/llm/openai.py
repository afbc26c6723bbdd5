"""OpenAI's models, and every server that speaks its chat completions, through OpenAI's own SDK.

Such servers differ in what they accept. What one refuses is given up in steps and remembered per model: the reply's
format (json_schema, json_object, words alone), the name of the output limit, the count of tokens at the end.
"""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from .attempt import Attempt, count, look
from .base import Request, StopReason, Usage
from .breakages import explain_error
from .faults import AddressWrong, AuthFailed, BadRequest, ProviderFault, ServerFailed
from .model_facts import ModelFacts, nearest_effort
from .output_room import OutputRoom
from .prices import context_window
from .schemas import closed_schema, is_strict, schema_note, simple_schema
from .sdk import SdkProvider, check_installed, say_only_ours
from .service import KeyMissing, Service, check_proxies, headers_from, key_from, url_from
from .statuses import explain_status
from .time_limits import TimeLimits

_OPENAI_URL = "https://api.openai.com/v1"
_QWEN_URL = "https://dashscope.aliyuncs.com/compatible-mode/v1"
_NOT_SENT = ("organization", "project", "admin_api_key", "webhook_secret")
"""Arguments of the client that are not ours; an organisation that the user names is among the headers."""
_NAMED = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
"""Header -> the variable that holds its value."""
_EFFORTS = ("minimal", "low", "medium", "high")
"""Levels that every model of OpenAI's that thinks is known to take."""
_THINKS = re.compile(r"(?:gpt-(?:[5-9]|\d\d)|o\d)(?!.*-chat)")
_FORMATS = ("json_schema", "json_object", "text")
_STOPS: dict[str, StopReason] = {"length": "length", "content_filter": "refusal"}
_TOKEN_NAMES = ("max_completion_tokens", "max_tokens")
_FORMAT_WORDS = (
    "response_format", "json_schema", "json_object", "json mode", "structured output", "guided", "grammar", "schema",
)  # fmt: skip

_STATUSES = {
    "rate_limit_exceeded": 429, "insufficient_quota": 429, "context_length_exceeded": 400, "invalid_api_key": 401,
    "model_not_found": 404, "overloaded": 503,
}  # fmt: skip
"""Code of an error in the middle of a stream -> the status that it has elsewhere."""


@dataclass(slots=True)
class _Dialect:
    """What a server accepts for one model, as far as its refusals have told."""

    token_name: str
    format: int = 0
    """Index into _FORMATS."""
    counts_tokens: bool = True
    """Whether it takes `stream_options.include_usage`."""
    takes_effort: bool = True
    """Whether it takes `reasoning_effort`."""


class OpenAIProvider(SdkProvider):
    """Asks a server for chat completions."""

    sdk_name = "openai"

    def __init__(self, name: str, service: Service, limits: TimeLimits | None = None) -> None:
        super().__init__(service, limits)
        self.name = name
        self._is_openai = name == "openai" and service.is_vendor
        self._dialects: dict[str, _Dialect] = {}
        self._room = OutputRoom()
        """What is known of models; other servers than OpenAI's do not tell which of theirs think."""

    def _connect(self, sdk: Any) -> Any:
        limits = self.limits
        client = sdk.AsyncOpenAI(
            # The SDK insists on a key; servers that need none ignore it.
            api_key=self.service.key or "none",
            base_url=self.service.url,
            # Ours are shown and can be cancelled; on top of the SDK's they would multiply.
            max_retries=0,
            timeout=sdk.Timeout(limits.total_s, connect=limits.connect_s, pool=limits.connect_s),
            default_headers=self.service.headers,
            # What is left out the SDK takes from the environment.
            **dict.fromkeys(_NOT_SENT, ""),
            # The prompts hold the user's code: they go to this address and to none that it names.
            http_client=sdk.DefaultAsyncHttpxClient(follow_redirects=False),
        )
        for name in _NOT_SENT:
            setattr(client, name, None)  # an empty one would be sent as an empty header
        say_only_ours(client, self.service.headers)
        _ = client.chat.completions  # imports more
        return client

    def _payload(self, attempt: Attempt) -> dict[str, Any]:
        request, dialect = attempt.request, self._dialect(attempt)
        if self._is_openai:
            self._room.facts.setdefault(request.model, ModelFacts(thinks=_THINKS.match(request.model) is not None))
        format_name = _FORMATS[dialect.format] if request.schema else "text"
        # Other servers only force the shape, or not even that: there the model learns it from words.
        shape_is_sent = self._is_openai and format_name == "json_schema"
        system = request.system + ("" if shape_is_sent else schema_note(request.schema))
        payload: dict[str, Any] = {
            "model": request.model,
            "messages": [
                *([{"role": "system", "content": system}] if system.strip() else []),
                {"role": "user", "content": request.user},
            ],
            dialect.token_name: self._room.tokens(attempt),
            "stream": True,
        }
        if dialect.counts_tokens:
            payload["stream_options"] = {"include_usage": True}
        if dialect.takes_effort and (effort := self._effort(request)):
            payload["reasoning_effort"] = effort
        if format_name == "json_object":
            payload["response_format"] = {"type": "json_object"}
        elif format_name == "json_schema":
            closed = closed_schema(request.schema)
            payload["response_format"] = {
                "type": "json_schema",
                "json_schema": {
                    "name": "reply",
                    # Strict wants every key required and none free; another schema is sent as guidance.
                    "strict": closed is not None and is_strict(closed),
                    "schema": closed or simple_schema(request.schema),
                },
            }
        return payload

    async def _send(self, client: Any, payload: dict[str, Any]) -> Any:
        return await client.chat.completions.create(**payload)

    def _read(self, event: Any, attempt: Attempt) -> str:
        counts = look(event, "usage")
        prompt_tokens, reply_tokens = count(look(counts, "prompt_tokens")), count(look(counts, "completion_tokens"))
        if prompt_tokens or reply_tokens:
            cached = count(look(counts, "prompt_tokens_details", "cached_tokens"))
            thought = count(look(counts, "completion_tokens_details", "reasoning_tokens"))
            attempt.usage = Usage(prompt_tokens, reply_tokens, cached_tokens=cached, thinking_tokens=thought)
        choices = look(event, "choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        # Reasoning comes in fields of its own (`reasoning_content`, `reasoning`) or in a block at the start.
        if thought := look(choice, "delta", "reasoning_content") or look(choice, "delta", "reasoning"):
            attempt.thinking.append(str(thought))
        text = attempt.thoughts.feed(str(look(choice, "delta", "content") or ""))
        if refusal := look(choice, "delta", "refusal"):
            attempt.why += str(refusal)
            text += str(refusal)
        if reason := look(choice, "finish_reason"):
            text += attempt.thoughts.finish()
            attempt.stop = "refusal" if attempt.why else _STOPS.get(reason, "end")
        return text

    def _explain(self, error: Exception, model: str) -> ProviderFault:
        response, status = look(error, "response"), look(error, "status_code")
        if response is not None and status is not None and status >= 400:
            return self._hinted(explain_status(self.service, model, status, response.text, response.headers))
        body = look(error, "body")
        if body is None:
            return explain_error(self.service, error)
        # An error in the middle of a stream: its code may be a status.
        code = str(body.get("code")) if isinstance(body, dict) else ""
        status = int(code) if code.isdigit() and 400 <= int(code) < 600 else _STATUSES.get(code, 500)
        return explain_status(self.service, model, status, json.dumps({"error": body}))

    def _adapt(self, fault: ProviderFault, attempt: Attempt) -> bool:
        if self._room.learn(fault, attempt):
            return True
        if not isinstance(fault, BadRequest | ServerFailed):
            return False
        dialect, words, sent = self._dialect(attempt), fault.server_words.lower(), attempt.payload
        if "stream_options" in sent and "stream_options" in words:
            dialect.counts_tokens = False
            return True
        if "reasoning_effort" in sent and "effort" in words:
            dialect.takes_effort = False
            return True
        name, other = _TOKEN_NAMES if _TOKEN_NAMES[0] in sent else _TOKEN_NAMES[::-1]
        if name in words and other not in attempt.refused:
            attempt.refused.add(name)
            dialect.token_name = other
            return True
        # Some servers refuse with 500, some with a bare 400.
        refused = any(word in words for word in _FORMAT_WORDS) or (isinstance(fault, BadRequest) and not words)
        if not refused or "response_format" not in sent:
            return False
        dialect.format = max(dialect.format, _FORMATS.index(sent["response_format"]["type"]) + 1)
        return True

    def _effort(self, request: Request) -> str:
        """Return the effort to ask for; a server that knows none ignores it, or refuses it once."""
        if self._is_openai:
            return nearest_effort(request.effort, _EFFORTS) if _THINKS.match(request.model) else ""
        return request.effort

    async def context_tokens(self, model: str) -> int | None:
        """Return the longest prompt of one of OpenAI's models; other servers' limits are learnt from a refusal."""
        return await asyncio.to_thread(context_window, "openai", model) if self._is_openai else None

    async def _list(self, client: Any) -> dict[str, ModelFacts]:
        def facts(model: Any) -> ModelFacts:
            context = context_window("openai", model.id) if self._is_openai else None
            thinks = _THINKS.match(model.id) is not None if self._is_openai else None
            return ModelFacts(context, thinks=thinks, ends=str(look(model, "shutdown_date") or ""))

        return {str(model.id): facts(model) for model in (await client.models.list()).data}

    def _hinted(self, fault: ProviderFault) -> ProviderFault:
        if isinstance(fault, AddressWrong):
            fault.hint = f"Check {self.service.url_name}; most servers want it to end in /v1."
        if isinstance(fault, AuthFailed) and self.name == "qwen" and self.service.key:
            fault.hint = (
                f"Check {self.service.key_name}; a key of another region needs {self.service.url_name} as well."
            )
        return fault

    def _dialect(self, attempt: Attempt) -> _Dialect:
        first = _TOKEN_NAMES[0] if self._is_openai else _TOKEN_NAMES[1]
        return self._dialects.setdefault(attempt.request.model, _Dialect(first))


def open_provider(model: str, limits: TimeLimits | None = None) -> OpenAIProvider:
    """Open it with OPENAI_API_KEY, OPENAI_BASE_URL and what else goes along. Raises: SettingsError.

    That is OPENAI_ORG_ID, OPENAI_PROJECT_ID and OPENAI_CUSTOM_HEADERS. Another server than OpenAI's needs a key only if
    it says so.
    """
    check_installed("openai", "openai")
    check_proxies()
    key, key_name = key_from("OPENAI_API_KEY")
    url = url_from("OPENAI_BASE_URL", _OPENAI_URL)
    is_openai = (urlsplit(url).hostname or "").endswith("api.openai.com")  # regions have hosts of their own
    if is_openai and not key:
        raise KeyMissing("OpenAI", key_name)
    name = "OpenAI" if is_openai else "the server"
    headers = {header: value for header, variable in _NAMED.items() if (value := key_from(variable)[0])}
    headers |= headers_from("OPENAI_CUSTOM_HEADERS")
    service = Service(name, url, "OPENAI_BASE_URL", key, key_name, is_vendor=is_openai, headers=headers)
    return OpenAIProvider("openai", service, limits)


def open_qwen(model: str, limits: TimeLimits | None = None) -> OpenAIProvider:
    """Open DashScope's compatible mode with DASHSCOPE_API_KEY; QWEN_BASE_URL for another region or server.

    Raises: SettingsError.
    """
    check_installed("openai", "openai")
    check_proxies()
    key, key_name = key_from("DASHSCOPE_API_KEY")
    url = url_from("QWEN_BASE_URL", _QWEN_URL)
    is_vendor = url.rstrip("/") == _QWEN_URL
    if is_vendor and not key:
        raise KeyMissing("Qwen", key_name)
    name = "DashScope" if is_vendor else "the Qwen server"
    return OpenAIProvider("qwen", Service(name, url, "QWEN_BASE_URL", key, key_name, is_vendor=is_vendor), limits)
