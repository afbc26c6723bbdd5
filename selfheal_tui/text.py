"""Text functions that all share: make foreign text safe, shorten it, write amounts and outcomes in words."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI
    r"|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x1b\\|\x07)?"  # OSC, DCS, SOS, PM, APC; never beyond their line
    r"|\x1b[ -/]*[0-~]"  # two-character escapes
)
_HARM = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # reorder (Unicode Bidirectional Algorithm, UAX #9)
    "\u00ad\u180e\u200b\u2060-\u2064\ufeff\U000e0000-\U000e007f"  # take no room, so that they are not seen
)
_OUTCOMES = {"": "unfinished", "running": "unfinished", "budget": "budget used up"}
_OF_SESSION = re.compile(r"\b(selfheal (?:sessions [a-z]+|resume)) SESSION\b")
_HARMFUL = re.compile(f"[{_HARM}]")
_HARMFUL_IN_CODE = re.compile(f"[{_HARM}\u200c\u200d]")
"""Also the joiners, which prose needs for words and emoji."""
_QUOTED = re.compile(r"""\\.|(?<!\w)[bfru]{0,2}('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")""", re.IGNORECASE)
"""A string as Python writes it, not the apostrophe of a word; an escaped quote outside of one opens none."""
CUT = "…"
"""Stands where a text was shortened."""
_HOLD = "\x00"
"""Stands for a blank that stays; no safe text has it."""
_SENTENCE_END = re.compile(r"[.!?](?= )")
_ROW_OF_BLANKS = re.compile(r"  +")


def strip_controls(text: str) -> str:
    """Remove escape sequences, and make characters visible that move a cursor, reorder or hide text. For prose.

    Newlines and tabs stay; other control characters, bidi overrides, invisible characters and lone surrogates become
    U+FFFD.
    """
    return _HARMFUL.sub("\ufffd", _ESCAPES.sub("", text.replace("\r\n", "\n")))


def show_controls(text: str) -> str:
    """Make the same characters visible, one for one, and remove none. For code: all that would run must be seen."""
    return _HARMFUL_IN_CODE.sub(_picture, text.replace("\r\n", "\n"))


def _picture(match: re.Match[str]) -> str:
    """Return the Unicode control picture of an ASCII control (`␛`), else U+FFFD."""
    code = ord(match[0])
    return chr(0x2400 + code) if code < 32 else "\u2421" if code == 127 else "\ufffd"


def one_line(text: str, limit: int = 200) -> str:
    """Return the text as one safe line of at most `limit` characters; the blanks in `f('a  b')` stay."""
    line = _joined(text)
    return line if len(line) <= limit else line[: limit - 1] + "…"


def whole_sentences(text: str, limit: int) -> str:
    """Return the first sentences of a text as one safe line of at most `limit` characters; empty where none fits."""
    line = _joined(text)
    if len(line) <= limit:
        return line
    ends = [match.end() for match in _SENTENCE_END.finditer(line) if match.end() <= limit]
    return line[: ends[-1]] if ends else ""


def value_line(text: str, limit: int = 200) -> str:
    """Return a value's repr as one safe line of at most `limit` characters; blanks stay as they are."""
    line = show_controls(text).replace("\n", "␊").replace("\t", "␉")
    return line if len(line) <= limit else line[: limit - 1] + "…"


def middle_line(text: str, limit: int = 600) -> str:
    """Return the text as one safe line, without its middle when it is longer than `limit`."""
    line = _joined(text)
    half = limit // 2
    return line if len(line) <= limit else f"{line[:half]}… {len(line) - 2 * half} more …{line[-half:]}"


def both_ends(text: str, limit: int) -> str:
    """Return the text as one safe line with both its ends: `race-avoid-…shop.py-12`, where names differ at the end."""
    line = _joined(text)
    tail = max(1, (limit - 1) * 3 // 5)
    return line if len(line) <= limit else f"{line[: limit - 1 - tail]}…{line[-tail:]}"


def filled(line: str, width: int, indent_below: str = "") -> str:
    """Break a line between words; the blanks in `f('a  b')` stay."""
    broken = textwrap.fill(
        _hold_quoted(line),
        width,
        subsequent_indent=indent_below,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
        expand_tabs=False,
    )
    return broken.replace(_HOLD, " ")


def _joined(text: str) -> str:
    """Return the text as one safe line: one blank for each row of blanks that is not in quotes."""
    return " ".join(_hold_quoted(strip_controls(text)).split()).replace(_HOLD, " ")


def _hold_quoted(text: str) -> str:
    """Put `_HOLD` in the place of each blank of a row of them in quotes."""
    if "  " not in text or ("'" not in text and '"' not in text):
        return text
    return _QUOTED.sub(lambda part: _ROW_OF_BLANKS.sub(_held, part[0]) if part[1] else part[0], text)


def _held(blanks: re.Match[str]) -> str:
    return _HOLD * len(blanks[0])


def truncate_middle(text: str, limit: int) -> str:
    """Keep head and tail of a text longer than `limit` characters and say how much was left out."""
    if len(text) <= limit:
        return text
    half = max(1, (limit - 40) // 2)
    return f"{text[:half]}\n... {len(text) - 2 * half} characters left out ...\n{text[-half:]}"


def plural(count: int, noun: str, many: str = "") -> str:
    """Return `1 case`, `2 cases`; `many` where the plural is irregular."""
    return f"{count} {noun if count == 1 else many or noun + 's'}"


def and_list(words: Sequence[str]) -> str:
    """Return words as a list in a sentence: `4, 6 and 7`; one word stays as it is."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def price_words(cost_usd: float | None, places: int = 4, *, sign: bool = False) -> str:
    """Return dollars to some decimal places; `sign` also before a gain. An unknown price says so and is never 0."""
    if cost_usd is None:
        return "price unknown"
    return f"{'-' if cost_usd < 0 else '+' if sign else ''}${abs(cost_usd):.{places}f}"


def with_session(words: str, address: str) -> str:
    """Put a session in the place of the word SESSION in the commands that words name.

    `address` is what stands there in a command: its id, and `--sessions FOLDER` where that is needed.
    """
    return _OF_SESSION.sub(lambda command: f"{command[1]} {address}", words)


def outcome_word(outcome: str) -> str:
    """Say how a session or a branch stands; what is not over is unfinished."""
    return _OUTCOMES.get(outcome, one_line(outcome.replace("_", " ")))


def short_number(number: int) -> str:
    """Say a number in at most five characters: `950`, `1.2k`, `20k`, `3.4M`."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.1f}".removesuffix(".0") + unit
    return str(number)


def size_words(size_bytes: int) -> str:
    """Say a size: `312 KB`."""
    size = float(size_bytes)
    for unit in ("B", "KB", "MB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if size >= 10 or unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GB"


def ranges(lines: Sequence[int]) -> str:
    """Return ascending line numbers in short: `3-5, 9`."""
    parts: list[list[int]] = []
    for line in lines:
        if parts and line == parts[-1][-1] + 1:
            parts[-1][1:] = [line]
        else:
            parts.append([line])
    return ", ".join("-".join(map(str, part)) for part in parts)
