"""A result in a console and in a notebook: what programs and models wrote is never markup, and never moves a cursor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from selfheal_tui import Result
from selfheal_tui.api.result import Doubt
from selfheal_tui.engine.moment.state import no_spend

EVIL = "<script>alert(1)</script> & [x](javascript:1) **b** `c` \x1b[31m"
REPORT: Any = {"passed": 1, "failed": 1, "cases": [{}, {}], "error": None}
RESULT = Result(
    outcome="gave_up",
    reason=EVIL,
    code=None,
    files={},
    changed=("a.py",),
    diff=f"--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@\n-{EVIL}\n+```\n",
    report=cast(Any, REPORT),
    iterations=2,
    spent=no_spend(),
    doubts=(Doubt(EVIL + "2", "", ()),),
    confidence=None,
    advice={"<i>": {"by": "<i>", "summary": EVIL, "items": []}},
    review=None,
    session="s1",
    folder=Path("s1"),
    checkpoint="c1",
)


def test_html_holds_no_markup_of_others() -> None:
    html = RESULT._repr_html_()
    assert "<script" not in html and "<i>" not in html and "\x1b" not in html
    assert "&lt;script&gt;" in html and html.count("<li>") == 3
    assert '<span style="background:rgba(248,81,73,.2)">-&lt;script' in html
    assert "\n--- a/a.py" in html or "<pre>--- a/a.py" in html, "the header has no colour"


def test_markdown_holds_no_markup_of_others() -> None:
    text = RESULT._repr_markdown_()
    prose, fence, diff = text.partition("````diff\n")
    assert fence and diff.endswith("````\n"), "a fence that the diff cannot end"
    assert r"\<script\>" in prose and r"\[x\]\(javascript:1\)" in prose and r"\*\*b\*\*" in prose
    assert "\x1b" not in text


def test_a_console_shows_it_in_plain_lines() -> None:
    assert repr(RESULT) == "<Result gave up; 1 of 2 cases pass; session s1>"
    text = str(RESULT)
    assert "\x1b" not in text and "gave up: 1 of 2 cases pass, 2 repairs tried" in text and "+```" in text
    broken = replace(RESULT, report={**REPORT, "error": "no module\x1b[0m x"}, diff="", reason="", doubts=(), advice={})
    assert str(broken).splitlines() == [
        "gave up: the tests could not run: no module x, 2 repairs tried, no model calls"
    ]
    assert "<pre>" not in broken._repr_html_() and "no tests have run" in str(replace(broken, report=None))
