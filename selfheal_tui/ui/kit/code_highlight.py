"""Source code as coloured lines, one `Content` per printable line."""

from __future__ import annotations

from functools import lru_cache

from pygments.token import Token  # type: ignore[import-untyped]
from textual.content import Content, Span
from textual.highlight import HighlightTheme, highlight

from selfheal_tui.ui.view.code_lines import code_lines

_LANGUAGES = {"py": "python", "pyi": "python", "toml": "toml", "json": "json", "yaml": "yaml", "yml": "yaml"}
_HIGHLIGHT_LIMIT = 2000
"""Lines; longer files stay plain (the lexer takes about 80 ms per 1,000 lines)."""
_LONGEST_LINE = 5_000
"""Characters; with a longer line, a file stays plain: such a line is data."""


class _CodeTheme(HighlightTheme):
    """Textual's colours, but calm: names plain, nothing underlined, no red that could mean an error."""

    STYLES = {
        **HighlightTheme.STYLES,
        Token.Keyword.Namespace: "$text-accent",
        Token.Operator.Word: "$text-accent",
        Token.Name: "",
        Token.Name.Class: "$text-warning",
        Token.Name.Constant: "",
        Token.Name.Decorator: "$text-warning",
        Token.Name.Function: "$text-primary",
        Token.Name.Function.Magic: "$text-primary",
        Token.Operator: "",
    }


@lru_cache(maxsize=32)
def highlighted(path: str, text: str) -> tuple[Content, ...]:
    """Return the printable lines of a file, in colour when its language is known and it is not too long.

    Kept for the newest files, so that walking through the history costs no second colouring.
    """
    lines = code_lines(text)
    language = _LANGUAGES.get(path.rpartition(".")[2])
    if language is None or not 0 < len(lines) <= _HIGHLIGHT_LIMIT or max(map(len, lines)) > _LONGEST_LINE:
        return tuple(Content(line) for line in lines)
    whole = "\n".join(lines)
    coloured = highlight(whole, language=language, theme=_CodeTheme)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    cuts = [n for start, line in zip(starts, lines, strict=False) for n in (start + len(line), start + len(line) + 1)]
    return tuple(coloured.divide(cuts[:-1])[::2])


def emphasised(line: Content, ranges: tuple[tuple[int, int], ...], style: str) -> Content:
    """Add a style to character ranges of a line."""
    return line.add_spans([Span(start, end, style) for start, end in ranges]) if ranges else line
