"""Filling prompts in without parsing what is inserted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from selfheal_tui.engine.dialogue.prompts import load_prompt, names_in, render

_DEBUGGER = load_prompt("debugger")


@given(st.text(), st.sampled_from(["$spec", "${program}", "{0}", "```", "%s", "$"]))
def test_inserted_text_is_never_parsed(text: str, bait: str) -> None:
    filled = render(_DEBUGGER, _DEBUGGER.moment, dict.fromkeys(names_in(_DEBUGGER), "") | {"program": text + bait})
    assert text + bait in filled
