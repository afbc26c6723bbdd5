"""The HTML report of a benchmark: right figures in its charts, nothing foreign in its markup, older runs read."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest

from selfheal_tui.bench.figures.kinds import kind_of
from selfheal_tui.bench.figures.report import build_report
from selfheal_tui.bench.figures.saved_results import whole_result
from selfheal_tui.bench.figures.task_names import shared_beginning
from selfheal_tui.bench.html.cost import unit_of
from selfheal_tui.bench.html.curve import shares
from selfheal_tui.bench.html.draw import short_time, time_scale
from selfheal_tui.bench.html.heat import heat
from selfheal_tui.bench.html.page import page
from selfheal_tui.bench.html.times import times
from selfheal_tui.engine.moment.state import no_spend
from tests.bench_runs import HEADER
from tests.unit.test_bench_metrics import result

HOSTILE = (
    "</title></style></svg><script>alert(1)</script><img src=x onerror=alert(2)>",
    '"\' onload=alert(3) x="&lt;b&gt;',
    "\x1b]0;pwned\x07\x1b[31m\u202eevil\u202c\ud800",
    "]]><!--<a href=javascript:alert(4)>",
)
SVG = "{http://www.w3.org/2000/svg}"


class Elements(HTMLParser):
    """Collects what a browser would see: elements, attributes, text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.words = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.words += data


def written(results: Any, **changes: Any) -> str:
    return page({**build_report(HEADER, results, selected=len(results), not_tried={}), **changes})


def charts(text: str) -> list[ElementTree.Element]:
    """Return the page's drawings; each is well-formed XML."""
    return [ElementTree.fromstring(one) for one in re.findall(r"<svg xmlns.*?</svg>", text, re.DOTALL)]


def titles(chart: ElementTree.Element) -> list[str]:
    return [title.text or "" for title in chart.iter(f"{SVG}title")]


def mixed() -> list[Any]:
    spent = {**no_spend(), "calls": 1, "cost_usd": 0.01}
    return [
        result("a", confidence=0.9, time_s=2.0, spent=spent, finished_at="1"),
        result("b", repaired=False, confidence=0.7, time_s=4.0, iterations=2, spent=spent, finished_at="2"),
        result("c", plausible=False, repaired=False, time_s=30.0, iterations=6, finished_at="3"),
        result("d", plausible=False, repaired=False, outcome="refused", time_s=0.0, finished_at="4"),
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_foreign_text_becomes_markup(text: str) -> None:
    results = [{**r, "id": f"{text}{n}", "reason": text, "diff": f"+{text}"} for n, r in enumerate(mixed())]
    header = {
        "config": {**HEADER["config"], "suite": text, "data": text, "models": {text: text}, "prompts": {text: text}},
        "machine": {"system": text, "processor": text, "cores": text},
        "started_at": text,
        "not_tried": {text: text},
        "failed": {text: text},
        "not_read": [text],
        "isolation": [text],
    }
    groups = [{**r, "bug_type": f"{text}{n}", "author": f"{text}{n}"} for n, r in enumerate(results)]
    seen = Elements(written(groups, **header))
    plain = [{**r, "bug_type": f"type {n}", "diff": "+x\n-y\n@@"} for n, r in enumerate(mixed())]
    expected = Elements(written(plain, failed={"a": "b"}))
    assert seen.tags <= expected.tags and not seen.tags & {"script", "img", "a", "iframe", "link"}
    assert seen.attributes <= expected.attributes
    assert not {name for name in seen.attributes if name.startswith("on") or name in ("style", "href", "src")}
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\ud800-\udfff]", seen.words)
    written(groups, **header).encode("utf-8")


def test_the_page_forbids_itself_all_but_its_own_style() -> None:
    text = written(mixed())
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'" in text
    assert set(re.findall(r"url\((.*?)\)", text)) == {"#hatch"}
    assert "http" not in re.sub(r'xmlns="[^"]*"|http-equiv', "", text), "nothing from elsewhere"
    assert "prefers-color-scheme: dark" in style and "@media print" in style


def test_every_chart_is_drawn_and_says_what_it_shows() -> None:
    text = written(mixed())
    drawings = charts(text)
    about = [chart.get("aria-label") or "" for chart in drawings]
    assert all(about)
    assert any("plausible in the end 50.0 %, repaired in the end 25.0 %" in words for words in about)
    assert "1 of 4 tasks repaired for $0.0200" in about
    (reliability,) = [c for c, words in zip(drawings, about, strict=True) if words.startswith("Confidence of 2")]
    assert "confidence 0.8 to 1.0: 1 of 1 right (100 %, 95 % interval 21 to 100 %), said 0.90" in titles(reliability)
    (heat_map,) = [c for c, words in zip(drawings, about, strict=True) if words == "How each of 4 tasks ended"]
    assert titles(heat_map) == [
        "a: repaired, 2 s",
        "b: plausible only, 4 s",
        "c: not repaired, 30 s",
        "d: refused, 0 s",
    ]
    words = Elements(text).words
    assert "25.0 %" in words and "4.6 to 69.9 %" in words, "Wilson's interval of 1 of 4"
    assert "ab" * 32 in words and "cd" * 32 in words and "python 3.11" in words and "2 cores" in words


def test_the_map_has_a_column_for_each_try() -> None:
    results = [result("x/a"), result("x/b"), result("x/a#2", repaired=False, attempt=2)]
    (drawing,) = charts(heat(results))
    assert titles(drawing) == [
        "x/a, try 1: repaired, 1 s",
        "x/a, try 2: plausible only, 1 s",
        "x/b, try 1: repaired, 1 s",
    ]
    assert [text.text for text in drawing.iter(f"{SVG}text")] == ["1", "2", "a", "b"]
    assert shared_beginning(["a/b/1", "a/b/2"]) == "a/b/" and shared_beginning(["a/1", "b/1"]) == ""
    assert shared_beginning(["a/", "a/"]) == "" and shared_beginning(["a/b"]) == ""


def test_the_curve_counts_all_tasks_and_each_value_once() -> None:
    results = [result("a", time_s=1.0), result("b", time_s=1.0), result("c", time_s=5.0), *mixed()[2:3]]
    assert shares(results, lambda r: r["time_s"], "repaired") == [(1.0, 0.5), (5.0, 0.75)]
    assert shares([], lambda r: r["time_s"], "repaired") == []


def test_each_task_is_in_one_bar_of_the_times() -> None:
    results = [result(str(n), time_s=0.3 * 1.5**n) for n in range(20)]
    (drawing,) = charts(times(results))
    counted = [re.findall(r"(\d+) repaired", title) for title in titles(drawing)]
    assert sum(int(count) for (count,) in counted) == 20
    scale = time_scale([r["time_s"] for r in results], 0, 100)
    assert scale.log and scale.low <= 0.3 and scale.high >= results[-1]["time_s"] and 3 <= len(scale.ticks) <= 7


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0 s"), (20, "20 s"), (80, "1:20 min"), (120, "2 min"), (5400, "1.5 h"), (86400, "1 d")]
)
def test_times_on_an_axis_are_short(seconds: float, words: str) -> None:
    assert short_time(seconds) == words


def test_what_is_counted_depends_on_what_is_known() -> None:
    paid = result("a", spent={**no_spend(), "cost_usd": 0.5})
    unknown = result("b", spent={**no_spend(), "cost_usd": None, "input_tokens": 10})
    assert (unit_of([result("c")]), unit_of([paid, result("c")]), unit_of([paid, unknown])) == ("time", "usd", "tokens")
    assert "Tokens against repaired tasks" in written([paid, unknown])


def test_a_run_of_an_earlier_version_is_read() -> None:
    old = {"id": "t", "outcome": "healed", "plausible": True, "repaired": True, "time_s": 2}
    text = page({"config": {"suite": "old"}, "tasks": [old, "no result", {"id": 3}], "complete": True})
    assert "repaired: 1 of 1" in text and "Not finished" not in text
    assert all(charts(text))


@pytest.mark.parametrize(
    "wrong", [None, 10**400, float("nan"), float("-inf"), True, "x" * 10, [], {"passed": 1, "calls": -3}]
)
def test_a_field_of_another_type_is_nothing(wrong: Any) -> None:
    row = {name: wrong for name in result("t")} | {"id": "t", "attempt": wrong, "session_id": wrong}
    whole = whole_result(row)
    assert whole is not None and whole["confidence"] is None and whole["spent"]["calls"] == 0
    assert kind_of(whole) in ("not", "repaired") and all(charts(written([whole, *mixed()])))


def test_a_run_without_a_finished_task_has_a_page() -> None:
    text = written([], selected=3, complete=False)
    assert "0 of 3 tasks" in text and "Charts" not in text
