"""How unlikely an expression is in a program: the bits of its words and signs, by how often the program has them.

A grammar weighted by the program at hand, as Probe weighs one by partial successes (Barke, Peleg, Polikarpova:
"Just-in-Time Learning for Bottom-Up Enumerative Synthesis", OOPSLA 2020), with single words for its rules.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable

_TOKEN = re.compile(r"\w+|[=!<>]=|//|\*\*|[^\w\s]")
_FREE = frozenset("()[],.:'\"")
_SMOOTH = 0.5
_OTHER_WORDS = 50
"""Words and signs that a program may use and does not."""


def tokens(text: str) -> list[str]:
    """Return the words and signs of a text that count."""
    return [token for token in _TOKEN.findall(text) if token not in _FREE]


def weigher(texts: Iterable[str]) -> Callable[[str], float]:
    """Return what gives the bits of an expression, for a program that is written as these texts."""
    counts = Counter(token for text in texts for token in tokens(text))
    total = sum(counts.values()) + _SMOOTH * (len(counts) + _OTHER_WORDS)

    def bits(text: str) -> float:
        return sum(math.log2(total / (counts[token] + _SMOOTH)) for token in tokens(text))

    return bits
