"""How natural a line of Python reads: token trigrams of Python's standard library, counted once and kept in a file.

After Hindle, Barr, Su, Gabel and Devanbu, "On the Naturalness of Software" (ICSE 2012): buggy lines are more surprising
than their fixes. The names of variables are one token, so it learns how Python is written and not what about.
"""

from __future__ import annotations

import ast
import builtins
import functools
import keyword
import math
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from selfheal_tui.python_source import parse_python

_COUNTS = Path(__file__).with_name("token_trigrams.txt")
"""Written by `python -m selfheal_tui.search.weigh.read_library`, which takes 1.5 s of CPU."""
_LONGEST_LINE = 160
_TOKEN = re.compile(r"\d+\.\d*|\d+|\w+|'[^'\n]*'|\"[^\"\n]*\"|\*\*|//|<=|>=|==|!=|->|<<|>>|[-+*/%&|^~<>=.,:;()\[\]{}@]")
_COMMON = """append extend join split lower upper strip items keys values get pop sort index count startswith endswith
isdigit isalpha isupper islower replace find add update remove insert self math re"""
_KEPT = frozenset(keyword.kwlist) | frozenset(dir(builtins)) | frozenset(_COMMON.split())
"""Names that are tokens of their own."""
_SMALL = frozenset("012")
_SMOOTHING = 4.0
"""Weight of the shorter context where the longer one was seldom seen."""


@dataclass(frozen=True, slots=True)
class TokenModel:
    """Counts of one, two and three tokens in a row."""

    ones: Mapping[str, int]
    twos: Mapping[tuple[str, str], int]
    threes: Mapping[tuple[str, str, str], int]
    after_one: Mapping[str, int]
    """How often anything followed the token."""
    after_two: Mapping[tuple[str, str], int]
    tokens: int

    def bits(self, line: str) -> float:
        """Return the surprise of a line: the sum over its tokens of -log2 of their likelihood after the two before."""
        words = tokens_of(line)
        return sum(-math.log2(self.likelihood(*words[at - 2 : at + 1])) for at in range(2, len(words)))

    def likelihood(self, before: str, last: str, word: str) -> float:
        """Return how likely a token is after two others, 0 to 1."""
        alone = (self.ones.get(word, 0) + 1) / (self.tokens + len(self.ones) + 1)
        pair = _smoothed(self.twos.get((last, word), 0), self.after_one.get(last, 0), alone)
        return _smoothed(self.threes.get((before, last, word), 0), self.after_two.get((before, last), 0), pair)


def surprise(model: TokenModel, before: str, after: str) -> float:
    """Return how many bits more the lines that change surprise than those they replace; both texts are programs."""
    old, new = _lines_of_one(before), lines_of(after)
    changes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return sum(
        sum(map(model.bits, new[into:until])) - sum(map(model.bits, old[start:end]))
        for tag, start, end, into, until in changes
        if tag != "equal"
    )


def tokens_of(line: str) -> list[str]:
    """Return a line's tokens between its bounds: variables, attributes, texts and larger numbers are each one token."""
    tokens = ["<s>", "<s>"]
    for text in _TOKEN.findall(line):
        tokens.append(_token(text, tokens[-1]))
    return [*tokens, "</s>"]


@functools.cache
def library_model() -> TokenModel:
    """Return the model of the standard library's modules."""
    return model_of(read_counts(_COUNTS.read_text(encoding="utf-8")))


def count_trigrams(lines: Iterable[str]) -> Counter[tuple[str, str, str]]:
    """Count three tokens in a row."""
    threes: Counter[tuple[str, str, str]] = Counter()
    for line in lines:
        words = tokens_of(line)
        threes.update(zip(words, words[1:], words[2:], strict=False))
    return threes


def model_of(threes: Mapping[tuple[str, str, str], int]) -> TokenModel:
    """Return the model of these counts: each token but a line's start is the last of one trigram."""
    ones: Counter[str] = Counter()
    twos: Counter[tuple[str, str]] = Counter()
    for (_, last, word), number in threes.items():
        ones[word] += number
        twos[last, word] += number
    return TokenModel(ones, twos, threes, _firsts(twos), _pairs(threes), sum(ones.values()))


def counts_text(threes: Mapping[tuple[str, str, str], int]) -> str:
    """Return a line for each two tokens: both, then each token that follows them and how often, parted by tabs."""
    after: dict[tuple[str, str], list[str]] = {}
    for (before, last, word), number in sorted(threes.items()):
        after.setdefault((before, last), []).append(f"{word}\t{number}")
    return "".join("\t".join([*context, *counts]) + "\n" for context, counts in after.items())


def read_counts(text: str) -> dict[tuple[str, str, str], int]:
    """Return the counts that `counts_text` wrote."""
    threes: dict[tuple[str, str, str], int] = {}
    for line in text.splitlines():
        before, last, *counts = line.split("\t")
        for word, number in zip(counts[::2], counts[1::2], strict=True):
            threes[before, last, word] = int(number)
    return threes


def _firsts(twos: Mapping[tuple[str, str], int]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for (first, _), number in twos.items():
        counts[first] += number
    return counts


def _pairs(threes: Mapping[tuple[str, str, str], int]) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for (first, second, _), number in threes.items():
        counts[first, second] += number
    return counts


def _smoothed(count: int, context: int, shorter: float) -> float:
    return (count + _SMOOTHING * shorter) / (context + _SMOOTHING)


def _token(text: str, last: str) -> str:
    if text[0] in "'\"":
        return '""' if len(text) == 2 else "STR"
    if text[0].isdigit():
        return text if text in _SMALL else "NUM"
    if (text[0].isalpha() or text[0] == "_") and text not in _KEPT:
        return "ATTR" if last == "." else "NAME"
    return text


def lines_of(text: str) -> list[str]:
    """Return a program's lines as `ast.unparse` writes them, without indents; as they are when it does not parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            text = ast.unparse(parse_python(text))
    except SyntaxError:
        pass
    return list(_shown(text))


_lines_of_one = functools.lru_cache(maxsize=8)(lines_of)
"""For the text that a search's candidates have in common."""


def _shown(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if stripped := line.strip():
            yield stripped[:_LONGEST_LINE]
