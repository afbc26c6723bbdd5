"""Turn an error status and a server's words into one fault with one sentence.

Servers differ in wording more than in status codes, so the status decides first and the words refine it. The
server's own words are quoted only after keys were taken out of them.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from selfheal_tui.text import one_line

from .faults import (
    AddressWrong,
    AuthFailed,
    BadAnswer,
    BadRequest,
    Conflicted,
    ConnectionFailed,
    ContextTooLong,
    Declined,
    ModelMissing,
    ModelOfOtherApi,
    Overloaded,
    ProviderFault,
    QuotaUsedUp,
    RateLimited,
    ServerFailed,
    TimedOut,
    TooLarge,
)
from .service import Service
from .time_limits import duration

_CONTEXT = re.compile(
    r"prompt (?:is )?too long|context[ _-]?(?:length|window|size|limit)|context the overflows|exceed_context"
    r"|input length (?:and|exceeds)|range of input length|input is too long|too many input tokens",
    re.IGNORECASE,
)
_CONTEXT_LIMITS = (
    re.compile(r"\d \+ \d+ > (\d{3,})"),
    re.compile(r"tokens > (\d{3,})"),
    re.compile(r"context (?:length|size|window|limit)\D{0,40}?(\d{3,})", re.IGNORECASE),
    re.compile(r"input length should be \[\d+, ?(\d{3,})", re.IGNORECASE),
)
"""In this order: the sum of prompt and reply comes before the limit that it breaks."""
_QUOTA = re.compile(
    r"insufficient_quota|exceeded your current quota|credit balance|billing_|arrearage|spend limit|payment required",
    re.IGNORECASE,
)
_DECLINED = re.compile(
    r"content[ _](?:policy|filter|management)|data_?inspection_?failed|inappropriate content|usage polic",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model_not_found|(?:no such|unknown|invalid) model|^model: "
    r"|\bmodel\b.{0,120}?(?:not found|does not exist|not exist|not loaded)",
    re.IGNORECASE | re.DOTALL,
)
_OTHER_API = re.compile(
    r"not a chat model|only supported in v1/(?:responses|completions)|v1/responses|responses api", re.IGNORECASE
)
_NO_MEMORY = re.compile(r"more system memory|out of memory|cudaMalloc|insufficient memory", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
PROXY_HINT = "A proxy or a sign-in page may stand in between: check HTTPS_PROXY, NO_PROXY and {}."
_MAX_WORDS = 2000


def explain_status(
    service: Service, model: str, status: int, text: str, headers: Mapping[str, str] | None = None
) -> ProviderFault:
    """Return the fault of an answer with an error status.

    `text` is the body as it came: JSON of any vendor's shape, a web page or anything else. `headers` have names in
    lower case or fold case themselves.
    """
    headers = headers or {}
    server_words, code = _server_words(service, text)
    fault = _by_status(service, model, status, server_words, code, is_page(text))
    fault.server_words = server_words
    fault.retry_after_s = retry_after_s(headers)
    if headers.get("x-should-retry") == "false":
        fault.retryable = False
    if fault.retryable and fault.retry_after_s:
        fault.say(f"{fault.message[:-1]} and asks to wait {duration(fault.retry_after_s)}.")
    return fault


def page_instead(service: Service, status: int = 200) -> BadAnswer:
    """Return the fault of a web page where the API should be."""
    message = f"{service.label} answered with a web page instead of a reply ({status})."
    return BadAnswer(message, PROXY_HINT.format(service.url_name), retryable=False)


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait: milliseconds, seconds or a date (RFC 9110, 10.2.3)."""
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers.get(name, "")) / scale)
        except ValueError:
            pass
    try:
        until = parsedate_to_datetime(headers.get("retry-after", "")).timestamp()
    except (ValueError, OverflowError):
        return None
    try:
        now = parsedate_to_datetime(headers.get("date", "")).timestamp()
    except (ValueError, OverflowError):
        now = time.time()
    return max(0.0, until - now)


def is_page(text: str) -> bool:
    """Return whether a body is a web page."""
    start = text.lstrip()[:200].lower()
    return start.startswith(("<!doctype", "<html", "<head", "<body", "<?xml"))


def _by_status(service: Service, model: str, status: int, server_words: str, code: str, page: bool) -> ProviderFault:
    label, quoted = service.label, _quote(server_words)
    words = f"{server_words} {code}"
    if page and status < 500:
        return page_instead(service, status)
    if status == 402 or (status in (400, 403, 429) and _QUOTA.search(words)):
        return QuotaUsedUp(f"{label} says that the credit or quota is used up ({status}).")
    if status == 401:
        message = f"{label} refused the key ({status})." if service.key else f"{label} asks for a key ({status})."
        hint = f"{'Check' if service.key else 'Set'} {service.key_name}." if service.key_name else None
        return AuthFailed(message, hint)
    if status == 403:
        return AuthFailed(f"{label} does not allow {model!r} to be used ({status}{quoted}).", "Check the key's rights.")
    if status == 407:
        return ConnectionFailed(f"The proxy asks for a sign-in ({status}).", "Check HTTPS_PROXY.", retryable=False)
    if status == 408:
        return TimedOut(f"{label} gave up waiting ({status}).")
    if status == 409:
        return Conflicted(f"{label} reported a conflict ({status}{quoted}).")
    if status == 413 or (status == 429 and server_words.startswith("Request too large")):
        return TooLarge(f"The request is too large for {label} ({status}).")
    if status == 429:
        return RateLimited(f"{label} limits how often it is asked ({status}).")
    if status in (400, 404, 422, 500) and _CONTEXT.search(words):
        return _context(model, server_words)
    if status in (400, 404, 422) and _OTHER_API.search(words):
        # OpenAI offers some models through its Responses API alone.
        message = f"{label} offers {model!r} only through another API than chat completions, which selfheal uses."
        return ModelOfOtherApi(message, "Choose another model (--model PROVIDER:NAME).")
    if status in (400, 404, 422) and _NO_MODEL.search(words):
        return ModelMissing(f"{label} has no model {model!r}.", "Check the name.")
    if status == 404:
        return AddressWrong(f"{label} does not speak this API ({status}{quoted}).", f"Check {service.url_name}.")
    if status in (503, 529):
        return Overloaded(f"{label} is overloaded ({status}).")
    if status >= 500 and _NO_MEMORY.search(server_words):
        hint = "Choose a smaller model, or free memory."
        return ServerFailed(f"{label} has too little memory for {model!r} ({status}{quoted}).", hint, retryable=False)
    if status >= 500:
        if status == 501:
            return ServerFailed(f"{label} cannot do this ({status}{quoted}).", "Choose another model.", retryable=False)
        return ServerFailed(f"{label} failed ({status}{quoted}).")
    if _DECLINED.search(words):
        return Declined(f"{label} does not accept this prompt ({status}{quoted}).")
    return BadRequest(f"{label} refused the request ({status}{quoted}).")


def _context(model: str, server_words: str) -> ContextTooLong:
    matches = (pattern.search(server_words) for pattern in _CONTEXT_LIMITS)
    limit = next((int(match[1]) for match in matches if match), None)
    size = f" of {limit:,} tokens" if limit else ""
    return ContextTooLong(f"The prompt does not fit into the context{size} of {model!r}.", limit_tokens=limit)


def _server_words(service: Service, text: str) -> tuple[str, str]:
    """Return the message and the code or type of an error body, without keys; empty when there are none."""
    try:
        body: Any = json.loads(text)
    except (ValueError, RecursionError):
        return ("" if is_page(text) else service.scrub(text[:_MAX_WORDS])), ""
    inner = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(inner, dict):
        return service.scrub(str(inner)[:_MAX_WORDS]), ""
    message = next((inner[key] for key in ("message", "error", "detail", "msg") if inner.get(key)), "")
    code = " ".join(str(inner[key]) for key in ("code", "type") if inner.get(key))
    return service.scrub((message if isinstance(message, str) else json.dumps(message))[:_MAX_WORDS]), code


def _quote(server_words: str) -> str:
    """Return the first sentence of what a server said as the tail of one of ours."""
    first = _SENTENCE_END.split(one_line(server_words, 2 * _MAX_WORDS))[0]
    return f": {one_line(first, 160).rstrip('.!')}" if first else ""
