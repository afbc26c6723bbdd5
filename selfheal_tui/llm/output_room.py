"""How many output tokens a server allows, learned from its refusals: models differ, and no list is complete."""

from __future__ import annotations

import re

from .attempt import Attempt
from .faults import BadRequest, ContextTooLong, ProviderFault
from .model_facts import UNKNOWN, ModelFacts, output_room

_LEAST = 256
_LEAST_IN_CONTEXT = 1024
"""With less than this left for the reply, the prompt is too long rather than the reply."""

_CONTEXT_THEN_PROMPT = re.compile(
    r"context length (?:is|of) (?:only )?(\d+)\b.*?\b(\d+)\s+(?:input tokens|in the messages|in your prompt)",
    re.DOTALL | re.IGNORECASE,
)
_PROMPT_THEN_CONTEXT = re.compile(r"\b(\d+) \+ \d+ > (\d+)")
_NUMBER = re.compile(r"(?<![\w.-])\d+(?![\w.-]*[a-z])")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")


class OutputRoom:
    """The output limits of one server's models, as far as its refusals have told them."""

    def __init__(self) -> None:
        self._granted: dict[str, int] = {}
        self.facts: dict[str, ModelFacts] = {}
        """Model -> what its provider says of it."""

    def tokens(self, attempt: Attempt) -> int:
        """Return how many output tokens to ask for."""
        request = attempt.request
        wanted = output_room(request, self.facts.get(request.model, UNKNOWN))
        limits = (wanted, self._granted.get(request.model), attempt.room)
        return min(tokens for tokens in limits if tokens is not None)

    def learn(self, fault: ProviderFault, attempt: Attempt) -> bool:
        """Learn a limit from a refusal; return whether asking for fewer tokens can help."""
        wanted_tokens = self.tokens(attempt)
        if isinstance(fault, ContextTooLong) and (room := room_in_context(fault.server_words, wanted_tokens)):
            attempt.room = room
            return True
        names_it = re.search(r"max_(?:completion_)?tokens", fault.server_words)
        if isinstance(fault, BadRequest) and names_it and (limit := output_limit(fault.server_words, wanted_tokens)):
            self._granted[attempt.request.model] = limit
            return True
        return False


def output_limit(refusal: str, wanted_tokens: int) -> int | None:
    """Return the limit below `asked` that a refusal names, as in `16384 > 8192` or `should be [1, 8192]`."""
    numbers = (int(number) for number in _NUMBER.findall(_THOUSANDS.sub("", refusal)))
    return max((number for number in numbers if _LEAST <= number < wanted_tokens), default=None)


def room_in_context(refusal: str, wanted_tokens: int) -> int | None:
    """Return how many tokens a prompt leaves for the reply; None if the refusal does not say, or if it is too few.

    It knows the wordings of Anthropic (`195000 + 8192 > 200000`), vLLM (`context length is 8192 tokens and your
    request has 3000 input tokens`) and OpenAI (`... (3000 in the messages, 8192 in the completion)`).
    """
    refusal = _THOUSANDS.sub("", refusal)
    if match := _PROMPT_THEN_CONTEXT.search(refusal):
        room = int(match[2]) - int(match[1])
    elif match := _CONTEXT_THEN_PROMPT.search(refusal):
        room = int(match[1]) - int(match[2])
    else:
        return None
    return room if _LEAST_IN_CONTEXT <= room < wanted_tokens else None
