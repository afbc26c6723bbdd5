"""What can go wrong between us and a model: one class per kind, each saying whether asking again can help.

    ProviderFault           (a ProviderError)
    |- AuthFailed           the key is wrong, missing or not allowed to do this
    |- QuotaUsedUp          no credit left: waiting does not help
    |- ModelMissing         there is no such model
    |- ModelOfOtherApi      the model answers through an API that we do not speak
    |- AddressWrong         something answers there, but not the API
    |- ContextTooLong       the prompt does not fit the model
    |- TooLarge             the request does not fit the server
    |- RateLimited          too many requests; may say how long to wait
    |- Overloaded           the server is busy
    |- ServerFailed         the server made a mistake
    |- Conflicted           another request stood in the way
    |- TimedOut             too slow
    |- ConnectionFailed     no connection, or it broke off
    |- BadAnswer            an answer that cannot be read, or an empty one
    |- Declined             the server will not let the model see this prompt
    `- BadRequest           the server does not accept what was asked

A model that declines in its reply is no fault but a Completion whose stop reason is `refusal`.
"""

from __future__ import annotations

from typing import ClassVar

from selfheal_tui.errors import ProviderError

from .base import Usage

RETRY_HINT = "Resume to try again, or choose another model."


class ProviderFault(ProviderError):
    """One attempt failed. No message, hint or attribute ever holds a key."""

    kind: ClassVar[str] = "fault"
    can_retry: ClassVar[bool] = False
    hint_text: ClassVar[str] = RETRY_HINT

    def __init__(
        self,
        message: str,
        hint: str | None = None,
        *,
        retryable: bool | None = None,
        retry_after_s: float | None = None,
        server_words: str = "",
        limit_tokens: int | None = None,
    ) -> None:
        super().__init__(_capital(message), self.hint_text if hint is None else hint)
        self.retryable = self.can_retry if retryable is None else retryable
        """Whether the same request may succeed when it is sent again."""
        self.retry_after_s = retry_after_s
        """How long the server asks to wait; None when it does not say."""
        self.server_words = server_words
        """The server's own words, without keys; empty when it said nothing readable."""
        self.limit_tokens = limit_tokens
        """The model's context in tokens, where a ContextTooLong knows it."""
        self.partial_text = ""
        """What had arrived of the reply."""
        self.usage = Usage()
        """What the attempt is known or estimated to have used; nothing when no text had arrived."""

    def say(self, message: str) -> None:
        """Replace the message by a fuller one."""
        self.message = _capital(message)
        self.args = (self.message,)


class AuthFailed(ProviderFault):
    """The key is wrong, missing or not allowed to do this."""

    kind = "auth"


class QuotaUsedUp(ProviderFault):
    """There is no credit left."""

    kind = "quota"
    hint_text = "Add credit or raise the limit, then resume; or choose another model."


class ModelMissing(ProviderFault):
    """There is no such model."""

    kind = "model_missing"


class ModelOfOtherApi(ProviderFault):
    """The model answers through an API that we do not speak."""

    kind = "other_api"


class AddressWrong(ProviderFault):
    """Something answers at the address, but not the API."""

    kind = "address"


class ContextTooLong(ProviderFault):
    """The prompt does not fit into the model's context."""

    kind = "context_too_long"
    hint_text = "Choose a model with a longer context."


class TooLarge(ProviderFault):
    """The request is larger than the server accepts."""

    kind = "too_large"
    hint_text = "Choose another model, or give a smaller program."


class RateLimited(ProviderFault):
    """Too many requests or tokens in too short a time."""

    kind = "rate_limit"
    can_retry = True


class Overloaded(ProviderFault):
    """The server is busy."""

    kind = "overloaded"
    can_retry = True


class ServerFailed(ProviderFault):
    """The server made a mistake."""

    kind = "server"
    can_retry = True


class Conflicted(ProviderFault):
    """Another request stood in the way."""

    kind = "conflict"
    can_retry = True


class TimedOut(ProviderFault):
    """The server took too long."""

    kind = "timeout"
    can_retry = True


class ConnectionFailed(ProviderFault):
    """No connection, or it broke off."""

    kind = "connection"
    can_retry = True


class BadAnswer(ProviderFault):
    """The answer is empty or cannot be read."""

    kind = "bad_answer"
    can_retry = True


class Declined(ProviderFault):
    """The server will not let the model see this prompt."""

    kind = "refused"
    hint_text = "Look at the prompt for what its rules forbid, or choose another model."


class BadRequest(ProviderFault):
    """The server does not accept what was asked."""

    kind = "bad_request"
    hint_text = "Choose another model; if every model refuses, report it."


def _capital(sentence: str) -> str:
    """Begin a sentence with a capital: some servers are called "the server at ..."."""
    return sentence[:1].upper() + sentence[1:]
