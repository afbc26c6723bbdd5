"""What a role asks its model, and the request that it becomes for a model with a given context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from selfheal_tui.llm.base import Request
from selfheal_tui.llm.faults import ContextTooLong
from selfheal_tui.llm.registry import split_model
from selfheal_tui.llm.schemas import schema_note

from ..workshop.prompt_room import LEAST_REPLY_TOKENS, Room, Shrinkable, fit
from .prompts import Prompt, names_in, render

_LAST_REPLY = "last reply"


@dataclass(frozen=True, slots=True)
class FittedRequest:
    """A request that fits into the model's context."""

    request: Request
    left_out: tuple[str, ...]
    """What the prompt had to leave out, in words."""


@dataclass(frozen=True, slots=True)
class PromptRequest:
    """A role's prompt with the values to fill in, not fitted to a context yet."""

    prompt: Prompt
    model: str
    """`provider:model`."""
    values: Mapping[str, str | Shrinkable]
    gives_way: Sequence[str]
    """Names of the values that may be shortened, first the one that is shortened first."""
    salt: str
    last_reply: str = ""
    """The reply to be asked for again; empty the first time."""
    problems: tuple[str, ...] = ()
    """What is wrong with it."""
    wider: bool = False
    """That reply was cut: twice the room."""
    effort: str = ""
    """How much the model should think; empty leaves it to the model."""

    def fitted(self, room: Room) -> FittedRequest:
        """Return the request, shortened to fit. Raises: ContextTooLong when what must stay is too long, SettingsError.

        The reply has its `max_tokens`, or half of a small context; what the prompt does not need is the reply's again.
        """
        prompt = self.prompt
        system = prompt.system + schema_note(prompt.schema)
        template_names = names_in(prompt)
        values, gives_way = dict(self.values), [name for name in self.gives_way if name in template_names]
        if self.problems:
            values[_LAST_REPLY] = Shrinkable((self.last_reply,), ((0, "unreadable reply"),))
            gives_way.append(_LAST_REPLY)

        def measure(texts: Mapping[str, str]) -> int:
            return room.tokens("".join((system, *self._kept(texts), self._user(texts))))

        fitted = fit(values, gives_way, measure, room.for_prompt(prompt.max_tokens))
        max_tokens = room.for_reply(prompt.max_tokens, fitted.tokens)
        if max_tokens is None:
            raise _too_long(self, room, fitted.tokens)
        shared, moment, grown = self._kept(fitted.values)
        request = Request(
            role=prompt.role,
            model=split_model(self.model)[1],
            system=prompt.system,
            shared=shared,
            moment=moment,
            grown=grown,
            prompt=self._user(fitted.values),
            schema=prompt.schema,
            max_tokens=max_tokens,
            salt=self.salt,
            room_tokens=room.context - fitted.tokens if room.context else 0,
            effort=self.effort,
            wider=self.wider,
        )
        return FittedRequest(request, fitted.left_out)

    def _kept(self, texts: Mapping[str, str]) -> tuple[str, str, str]:
        """Return the parts that later calls repeat: of the session, of the moment, and what grows."""
        prompt = self.prompt
        return (
            render(prompt, prompt.shared, texts),
            render(prompt, prompt.moment, texts),
            render(prompt, prompt.grows, texts),
        )

    def _user(self, texts: Mapping[str, str]) -> str:
        user = render(self.prompt, self.prompt.user, texts)
        if not self.problems:
            return user
        # Lines of the program that a problem quotes are data, like the reply itself.
        quoted = [problem for problem in self.problems if "\n" in problem]
        details = "".join(f"=== what is wrong with it ===\n{problem}\n" for problem in quoted)
        return (
            f"{user}\n=== your last reply ===\n{texts[_LAST_REPLY]}\n{details}=== end ===\nThat reply could not be "
            f"used: {'; '.join(problem.partition(chr(10))[0].rstrip(':') for problem in self.problems)}. "
            "Answer again with one JSON object of the asked shape."
        )


def _too_long(prompt_request: PromptRequest, room: Room, tokens: int) -> ContextTooLong:
    prompt = prompt_request.prompt
    least = min(prompt.max_tokens, LEAST_REPLY_TOKENS)
    return ContextTooLong(
        f"What the {prompt.role} must see takes about {tokens:,} tokens and its reply {least:,} at least, "
        f"but {split_model(prompt_request.model)[1]!r} has a context of {room.context:,}.",
        "Choose a model with a longer context (--model), or heal fewer files at once (selfheal fix FILE --tests FILE).",
        limit_tokens=room.context,
    )
