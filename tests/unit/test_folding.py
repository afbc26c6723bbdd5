"""At a terminal prose is broken between words; what is copied stays on one line."""

from __future__ import annotations

import io

from selfheal_tui.cli.folding import Code, fold, folded


def test_prose_is_broken_between_words_and_nothing_else_is() -> None:
    words = "  ⚠ Nobody looked at this repair: 2 independent edits."
    assert fold(words, 40) == "  ⚠ Nobody looked at this repair: 2\n    independent edits."
    for whole in ("x" * 50, Code("y = " + "1 + " * 20), f"answer   selfheal sessions decide {'s' * 20} approve"):
        assert fold(whole, 40) == whole
    command = "selfheal resume 20261123-124730-fee-py-baf7"
    assert fold(f"selfheal: go on with: {command}", 60) == f"selfheal: go on with:\n  {command}"
    assert folded(words, io.StringIO()) == words, "no terminal"
    assert fold("  a doubt about reverse_words('bB  ') here", 36) == "  a doubt about\n    reverse_words('bB  ') here"
