"""The scripted provider: keyed by role and content, clear about what is missing or malformed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.errors import ProviderError, SettingsError
from selfheal_tui.llm.base import Completion, Request
from selfheal_tui.llm.registry import check_model, check_role, open_provider
from selfheal_tui.llm.scripted import ScriptedProvider


async def answer(entries: list[dict[str, Any]], role: str, prompt: str) -> Completion:
    request = Request(role, "m", "", prompt, {})
    parts = [part async for part in ScriptedProvider(entries).stream(request)]
    assert isinstance(parts[-1], Completion)
    assert "".join(p.text for p in parts[:-1]) == parts[-1].text
    return parts[-1]


async def test_first_fitting_entry_answers_whatever_came_before() -> None:
    entries = [
        {"role": "debugger", "when": ["a", "b"], "reply": "both"},
        {"role": "debugger", "when": "a", "reply": "one", "usage": {"input_tokens": 7, "cost_usd": 0.5}},
        {"role": "repairer", "reply": {"x": 1}},
    ]
    assert (await answer(entries, "debugger", "b a")).text == "both"
    one = await answer(entries, "debugger", "a")
    assert (one.text, one.usage.input_tokens, one.usage.cost_usd) == ("one", 7, 0.5)
    assert (await answer(entries, "repairer", "")).text == '{\n "x": 1\n}'
    with pytest.raises(ProviderError, match="no reply for the role 'critic'"):
        await answer(entries, "critic", "")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("replies: {}", "holds no list"),
        ("a: [", "not valid YAML"),
        ("a: " + "[" * 3000, "not valid YAML"),
        ("replies: [{role: x}]", "needs `role`"),
        ("replies: [{role: x, reply: y, wen: z}]", "unknown key 'wen'"),
    ],
)
def test_broken_script_is_named(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(content, "utf-8")
    with pytest.raises(SettingsError, match=words):
        open_provider(f"scripted:{path}")


def test_unknown_names_get_the_nearest() -> None:
    with pytest.raises(SettingsError, match="Did you mean 'scripted'"):
        check_model("scriptd:x")
    with pytest.raises(SettingsError, match="needs the name of a model"):
        check_model("scripted")
    with pytest.raises(SettingsError, match="Did you mean 'debugger'"):
        check_role("debuger")
    with pytest.raises(SettingsError, match="cannot be read"):
        open_provider("scripted:/nowhere.yaml")
