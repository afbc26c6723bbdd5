"""What leaves this machine: no key, no markup of others, patches that apply."""

from __future__ import annotations

import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.engine.out.export.markdown import fenced, inline
from selfheal_tui.engine.out.export.patch import git_patch
from selfheal_tui.engine.out.export.redact import names_in, redacted

KEY = 'sk-live"\\42<é&'
ENVIRON = {
    "ANTHROPIC_API_KEY": KEY,
    "ANTHROPIC_CUSTOM_HEADERS": "X-Gate: open-sesame\nX-On: 1",
    "OPENAI_BASE_URL": "http://me:hunter2hunter2@127.0.0.1/v1",
    "OLLAMA_API_KEY": "ollama-secret-1",
    "E2B_API_KEY": "short",
}


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (f"a {KEY} b", "a [ANTHROPIC_API_KEY] b"),
        (f"key = {KEY!r}", "key = '[ANTHROPIC_API_KEY]'"),
        ("sk-live&quot;\\42&lt;é&amp;", "[ANTHROPIC_API_KEY]"),
        ("?k=sk-live%22%5C42%3C%C3%A9%26", "?k=[ANTHROPIC_API_KEY]"),
        ('"sk-live\\"\\\\42<\\u00e9&"', '"[ANTHROPIC_API_KEY]"'),
        ("http://me:hunter2hunter2@host", "http://me:[OPENAI_BASE_URL]@host"),
        ("X-Gate: open-sesame", "X-Gate: [ANTHROPIC_CUSTOM_HEADERS]"),
        ("key: ollama-secret-1", "key: [OLLAMA_API_KEY]"),
        ("a short text", "a short text"),
        ("/home/ann/x.py, /home/ann, /home/anna, /home/ann.b", "~/x.py, ~, /home/anna, /home/ann.b"),
    ],
)
def test_keys_and_home_are_taken_out(text: str, clean: str) -> None:
    assert redacted({text: [text, 1, None]}, ENVIRON, "/home/ann") == {clean: [clean, 1, None]}


def test_of_two_keys_that_begin_alike_the_longer_one_goes_whole() -> None:
    environ = {"OPENAI_API_KEY": "sk-live-1234", "ANTHROPIC_API_KEY": "sk-live-1234-5678"}
    assert redacted("sk-live-1234-5678 sk-live-1234", environ) == "[ANTHROPIC_API_KEY] [OPENAI_API_KEY]"


def test_keys_in_a_patch_are_named() -> None:
    assert names_in(f"+x = {KEY}\n", ENVIRON) == ["ANTHROPIC_API_KEY"] and names_in("+x\n", ENVIRON) == []


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("**bold** [a](b) <script>", r"\*\*bold\*\* \[a\](b) \<script\>"),
        ("one\n# two\n\x1b[31mred", "one # two red"),
        ("see http://x.y, www.z.com, a@b.c", r"see http\://x.y, www\.z.com, a\@b.c"),
        ("a | b `c`", r"a \| b \`c\`"),
    ],
)
def test_foreign_text_is_no_markdown(text: str, safe: str) -> None:
    assert inline(text) == safe


def test_a_fence_is_longer_than_any_within() -> None:
    block = fenced("```\n# not a heading\n`````\n\x1b]0;title\x07x")
    assert block[0] == "``````" and block[-2] == "``````" and "\x1b" not in "".join(block)


def test_a_patch_applies(tmp_path: Path) -> None:
    before = {
        "a b.py": "x\n" * 9,
        'q"t.py': "a\nb",
        "pkg/ä.py": "1\r\n2\r\n\f3\n",
        "gone.py": "z\n",
        "same.py": "s\n",
        "tab\t.py": "--- a\n+++ b\n@@ c\n",
    }
    after = {
        **before,
        "a b.py": "x\n" * 8 + "y\n",
        'q"t.py': "a\nc\n",
        "pkg/ä.py": "1\r\n2\r\n\f4",
        "gone.py": "",
        "new.py": "k\n",
        "empty.py": "",
        "tab\t.py": "--- a\n+++ b\n@@ d\n",
    }
    (tmp_path / "pkg").mkdir()
    for path, text in before.items():
        (tmp_path / path).write_bytes(text.encode())
    subprocess.run(["git", "apply", "-"], input=git_patch(before, after).encode(), cwd=tmp_path, check=True, timeout=30)
    assert {path: (tmp_path / path).read_bytes().decode() for path in after} == after
    assert git_patch(after, after) == ""


class Tags(HTMLParser):
    """Collects what a browser would see of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read_page(text: str) -> Tags:
    tags = Tags()
    tags.feed(text)
    return tags


HOSTILE = "</pre></style></title><script>alert(1)</script><img src=x onerror=alert(1)> \" ' & \x1b[2J \u202e ``` \n# x"


def hostile_story() -> dict[str, Any]:
    """A story in which every text is hostile."""
    spent = {"calls": 1, "replayed_calls": 1, "input_tokens": 1, "output_tokens": 1, "cost_usd": None, "time_s": 1.0}
    case = {"id": HOSTILE, "suite": HOSTILE, "outcome": "failed", "message": HOSTILE}
    report = {"passed": 0, "failed": 1, "errors": 0, "timeouts": 0, "skipped": 0, "duration_s": 0.1, "error": None}
    run = {"checkpoint_id": "c", "at": HOSTILE, "report": {**report, "trust": "verified", "cases": [case]}}
    evidence = [{"file": HOSTILE, "line": 3, "why": HOSTILE}]
    words = dict.fromkeys(("fault", "cause", "strategy", "by"), HOSTILE)
    diagnosis = {**words, "confidence": 0.5, "evidence": evidence}
    step = {"tool": HOSTILE, "thought": HOSTILE, "arguments": {HOSTILE: HOSTILE}, "observation": HOSTILE}
    repair = {"summary": HOSTILE, "by": HOSTILE, "strategy": HOSTILE, "reasons": [HOSTILE], "diff": HOSTILE}
    decision = {"kind": HOSTILE, "verdict": HOSTILE, "by": HOSTILE, "note": HOSTILE, "edited": diagnosis, "diff": ""}
    comment = {"path": HOSTILE, "line": 3, "text": HOSTILE, "quoted": HOSTILE}
    decision |= {"comments": [comment], "edited_words": HOSTILE}
    told = {
        "iteration": 0,
        "spent": spent,
        "runs": [run],
        "not_tested": [HOSTILE],
        "notes": [{"checkpoint_id": "c", "at": HOSTILE, "read_by": HOSTILE, "text": HOSTILE}],
        "diagnoses": [{"diagnosis": diagnosis, "steps": [step]}],
        "decisions": [
            {**decision, "proposal": {"label": "1", "candidates": {"1": repair}}},
            {**decision, "proposal": {}, "diff": HOSTILE},
        ],
    }
    usage = {
        **spent,
        "runs": 2,
        "branch": HOSTILE,
        "node": HOSTILE,
        "role": HOSTILE,
        "model": HOSTILE,
        "unpriced_calls": 1,
    }
    call = {
        **dict.fromkeys(("role", "model", "prompt", "at", "written_by", "degraded"), HOSTILE),
        "reply": {HOSTILE: HOSTILE},
        "replayed": False,
        "sent": HOSTILE,
        "time_s": 1.0,
    }
    asked = {
        "candidates": {HOSTILE: {**repair, "marks": [{"why": HOSTILE}]}},
        "files": {HOSTILE: HOSTILE},
        "question": {"call": HOSTILE, "answers": [{"text": HOSTILE, "repairs": 2}]},
        "opinions": [HOSTILE],
        "objection": {"summary": HOSTILE},
        "reason": HOSTILE,
    }
    return {
        **dict.fromkeys(("title", "session_id", "branch", "spec", "outcome", "reason", "autonomy", "diff"), HOSTILE),
        "pending": {"kind": "diagnosis", "proposal": {**diagnosis, **asked}},
        "models": {HOSTILE: HOSTILE},
        "limits": {"max_tokens": 3},
        "rules": [{"name": HOSTILE, "max_lines": 3}],
        "spent": spent,
        "not_tested": [HOSTILE],
        "iterations": [told],
        "matrix": {"iterations": [0], "cases": [{"id": HOSTILE, "outcomes": ["failed"], "flips": ["broke"]}]},
        "usage": [usage, {**usage, "role": ""}],
        "calls": [{**call, "usage": {"input_tokens": 1, "output_tokens": 1, "cost_usd": 0.5}}],
    }


def test_nothing_in_a_page_is_markup_of_others() -> None:
    from selfheal_tui.engine.out.export.html import page

    text = page(hostile_story())
    seen = read_page(text)
    assert not seen.tags & {"script", "img", "link", "iframe", "a", "base", "form", "object"}
    assert seen.attributes <= {"lang", "charset", "http-equiv", "content", "name", "class"}
    assert "alert(1)" in "".join(seen.text) and "\x1b" not in text and "\u202e" not in text
    assert "http://" not in text and "https://" not in text and "url(" not in text


def test_nothing_in_markdown_is_markup_of_others() -> None:
    from selfheal_tui.engine.out.export.markdown import markdown

    text = markdown(hostile_story())
    fence = ""
    for line in text.splitlines():
        if fence:
            fence = "" if line == fence else fence
        elif line.startswith("```"):
            fence = line.rstrip("abcdefghijklmnopqrstuvwxyz")
        else:
            bare = line.replace("\\<", "").replace("\\`", "").replace("\\>", "")
            assert "<" not in bare and line != "# x", line
    assert fence == "" and "\x1b" not in text and "\u202e" not in text


def test_a_question_that_waits_is_told_as_its_card_does() -> None:
    from selfheal_tui.engine.out.export.html import page
    from selfheal_tui.engine.out.export.markdown import markdown

    repair = {"summary": "line 3", "by": "search", "strategy": "search", "reasons": [], "diff": "-a\n+b\n"}
    proposal = {"label": "1", "candidates": {"1": {**repair, "marks": [{"why": "It returns early."}]}}}
    told = {**hostile_story(), "iterations": [], "calls": [], "pending": {"kind": "repair", "proposal": proposal}}
    waits = markdown(told).partition("## What waits for a decision\n\n")[2]
    repair_line = "Repair 1: line 3 (search)\n\n- ⚠ It returns early.\n\n```diff\n-a\n+b\n```\n"
    assert waits.startswith(f"A repair waits for your decision.\n\n{repair_line}")
    assert "It returns early." in page(told) and "&quot;candidates&quot;" not in page(told)


def test_a_branch_that_has_not_ended_is_unfinished_without_a_reason() -> None:
    from selfheal_tui.engine.out.export.markdown import markdown

    told = {**hostile_story(), "outcome": "", "reason": "", "pending": None}
    assert "**unfinished**" in markdown(told).splitlines()
