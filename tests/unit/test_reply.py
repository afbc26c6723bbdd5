"""Filling prompts in without parsing what is inserted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from selfheal_tui.engine.prompts import load_prompt, names_in, render


@given(st.text(), st.sampled_from(["$spec", "${program}", "{0}", "```", "%s", "$"]))
def test_inserted_text_is_never_parsed(text: str, bait: str) -> None:
    prompt = load_prompt("debugger")
    filled = render(prompt, prompt.user, dict.fromkeys(names_in(prompt), "") | {"program": text + bait})
    assert text + bait in filled
