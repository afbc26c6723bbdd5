"""A run's prompts as one page: each call by role, model, iteration and step, and what is repeated is shown once."""

from __future__ import annotations

from typing import Any

from selfheal_tui.engine.out.export.forms import exported

SYSTEM = "\n".join(f"rule {number}" for number in range(10))


def _call(role: str, prompt: str, reply: Any, iteration: int = 0) -> dict[str, Any]:
    usage = {"input_tokens": 10, "output_tokens": 2, "cost_usd": 0.5}
    return {
        "role": role, "model": "openai:m", "branch": "main", "iteration": iteration, "prompt": prompt,
        "reply": reply, "usage": usage, "time_s": 1.0, "replayed": False, "degraded": "",
        "written_by": f"{role} v1 abc", "sent": "", "node": "diagnose", "checkpoint_id": f"c{iteration}", "at": "t",
    }  # fmt: skip


def _page(*calls: dict[str, Any], environ: dict[str, str] | None = None) -> str:
    story = {"title": "shop", "session_id": "s1", "branch": "main", "calls": list(calls)}
    return exported(story, "prompts", environ or {}, "/home/me")


def test_steps_are_counted_and_what_they_share_is_shown_once() -> None:
    asked = f"{SYSTEM}\n=== program ===\nx = 1\n=== your steps so far ===\n"
    page = _page(
        _call("debugger", f"{asked}(nothing yet)", {"thought": "Look."}),
        _call("repairer", f"{SYSTEM}\n=== program ===\nx = 1", {"summary": "Done."}),
        _call("debugger", f"{asked}Step 1", {"thought": "Sure."}),
        _call("debugger", f"{SYSTEM}\n=== program ===\nx = 2", "not JSON", iteration=1),
    )
    headings = [line for line in page.splitlines() if line.startswith("## ")]
    assert headings == [
        "## 1. debugger, iteration 0, step 1",
        "## 2. repairer, iteration 0, step 1",
        "## 3. debugger, iteration 0, step 2",
        "## 4. debugger, iteration 1, step 1",
    ]
    assert page.count("rule 9") == 2, "once for each role"
    assert "The first 13 lines are those of call 1, which end in your steps so far.\n\n```\nStep 1\n```" in page
    assert "The first 11 lines are those of call 3, which end in program.\n\n```\nx = 2\n```" in page
    assert "Reply:\n\n```\nnot JSON\n```" in page and '"thought": "Sure."' in page


def test_a_fence_in_a_prompt_ends_no_block_and_no_key_leaves() -> None:
    page = _page(
        _call("critic", "```python\nKEY\n```\n# heading sk-secret-0123456789 /home/me/shop.py", {"test": "```"}),
        environ={"OPENAI_API_KEY": "sk-secret-0123456789"},
    )
    assert "````\n```python" in page and "sk-secret" not in page and "/home/me" not in page
