"""What a prompt leaves out when it would not fit a model's context: whole pieces, in a fixed order, and it says so.

Pure. Nothing is cut in the middle: a piece that may not go is always whole, and if those alone are too much the
caller is told so by the size.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from selfheal_tui.text import plural

BYTES_PER_TOKEN = 3.0
"""Guesses high: prose and code have 3.4 to 4.5 UTF-8 bytes a token, our filled-in prompts 3.1 to 3.4 (measured with
the public vocabularies p50k, cl100k and o200k), CJK text about 3. A refusal corrects what is denser still."""
LEAST_REPLY_TOKENS = 1024
"""With less than this left for the reply, the prompt is too long."""
_TEMPLATE_TOKENS = 128
"""For what the server wraps around the messages."""
_DENSER = 2 / 3


@dataclass(frozen=True, slots=True)
class Shrinkable:
    """A prompt's value of which some pieces may be left out."""

    pieces: tuple[str, ...]
    """In the order in which they are shown."""
    goes: tuple[tuple[int, str], ...] = ()
    """Index and name (in the singular) of the pieces that may be left out, the first to go first; others stay."""
    between: str = "\n"
    empty: str = "(none)"

    def text(self, dropped: int = 0) -> str:
        """Return the value without the first `dropped` pieces that may go, and with a line that says so."""
        gone = {index for index, _ in self.goes[:dropped]}
        pieces = [piece for index, piece in enumerate(self.pieces) if index not in gone]
        if gone:
            pieces.append(f"({', '.join(self.left_out(dropped))} left out)")
        return self.between.join(pieces) or self.empty

    def left_out(self, dropped: int) -> list[str]:
        """Return what the first `dropped` pieces that may go are: `3 older repairs`."""
        nouns = Counter(noun for _, noun in self.goes[:dropped])
        return [plural(count, noun) for noun, count in nouns.items()]


@dataclass(frozen=True, slots=True)
class Fit:
    """Values as they go into the prompt."""

    values: Mapping[str, str]
    left_out: tuple[str, ...]
    """What is missing, in words: `3 older repairs`."""
    tokens: int
    """Of the whole prompt with these values, estimated."""


@dataclass(frozen=True, slots=True)
class Room:
    """What is known of a model's context."""

    context: int | None = None
    """Tokens for prompt and reply together; None when nobody has said."""
    bytes_per_token: float = BYTES_PER_TOKEN
    """How dense its text is taken to be."""

    def tokens(self, text: str) -> int:
        """Return how many tokens a prompt takes at most, as far as can be told without the model's tokenizer."""
        return math.ceil(len(text.encode("utf-8", "replace")) / self.bytes_per_token) + _TEMPLATE_TOKENS

    def for_prompt(self, max_tokens: int) -> int | None:
        """Return how many tokens the prompt may take: what the reply leaves, and half of the context at least."""
        return None if self.context is None else self.context - min(max_tokens, self.context // 2)

    def for_reply(self, max_tokens: int, prompt_tokens: int) -> int | None:
        """Return how many tokens a prompt leaves for the reply; None when they are too few."""
        if self.context is None:
            return max_tokens
        reply_tokens = min(max_tokens, self.context - prompt_tokens)
        return reply_tokens if reply_tokens >= min(max_tokens, LEAST_REPLY_TOKENS) else None

    def refused(self, context: int | None) -> Room | None:
        """Return the room after a model refused a prompt as too long; None when it cannot be told.

        `context` is the length that the refusal names, if any.
        """
        if context is not None and (self.context is None or context < self.context):
            return replace(self, context=context)
        return None if self.context is None else self.denser()

    def denser(self) -> Room:
        """Return a Room that counts more tokens for the same text: a prompt that should have fitted did not."""
        return replace(self, bytes_per_token=self.bytes_per_token * _DENSER)


def fit(
    values: Mapping[str, str | Shrinkable],
    gives_way: Sequence[str],
    measure: Callable[[Mapping[str, str]], int],
    most_tokens: int | None,
) -> Fit:
    """Leave out as few pieces as needed, one value of `gives_way` after the other, until `most_tokens` is kept.

    `measure` returns the tokens of the prompt with the given texts. When even the last piece that may go does not
    help, the result has them all left out, and its `tokens` say by how much it is too long.
    """
    shrinkable = {name: value for name in gives_way if isinstance(value := values.get(name), Shrinkable)}
    dropped = dict.fromkeys(shrinkable, 0)
    steps = (name for name, value in shrinkable.items() for _ in value.goes)
    while True:
        texts = {
            name: value if isinstance(value, str) else value.text(dropped.get(name, 0))
            for name, value in values.items()
        }
        tokens = measure(texts)
        step = None if most_tokens is None or tokens <= most_tokens else next(steps, None)
        if step is None:
            words = [words for name, count in dropped.items() for words in shrinkable[name].left_out(count)]
            return Fit(texts, tuple(words), tokens)
        dropped[step] += 1
