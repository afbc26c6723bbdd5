"""Plug-ins of other packages: found without being imported, off until named, told in one sentence where they fail."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from selfheal_tui.bench.compare.comparison import _differs
from selfheal_tui.bench.figures.metrics import TaskResult
from selfheal_tui.bench.figures.own_metrics import load_metrics, measure, metric_lines, over_metrics
from selfheal_tui.bench.running.origin import check_same
from selfheal_tui.bench.saved.finished import BenchRun
from selfheal_tui.bench.saved.merging import Part, merge
from selfheal_tui.bench.suites.named import suites
from selfheal_tui.bench.suites.suite import load_suite
from selfheal_tui.engine.history.sent import sent_words
from selfheal_tui.engine.loop.own_advisors import advice_by, own_names
from selfheal_tui.engine.loop.policy_fields import policy_value
from selfheal_tui.engine.out.export.forms import exported
from selfheal_tui.engine.out.export.plugged import check_format
from selfheal_tui.engine.session.options import run_options
from selfheal_tui.errors import InputError, SettingsError
from selfheal_tui.extensions import enable, enabled_record, installed, other_plugins_words, take_problems
from selfheal_tui.extensions.enabled import enabling
from selfheal_tui.llm.prices import is_free
from selfheal_tui.llm.registry import check_model, open_provider
from selfheal_tui.plugins.testing.contract import Given, promises
from selfheal_tui.provider_variables import secrets
from selfheal_tui.search.hunt.families import families
from selfheal_tui.search.operators import OPERATORS
from selfheal_tui.search.program.source import parse_source
from selfheal_tui.settings import default_settings
from tests.plugin_packages import POINTS, install

ALL = [name for of_kind in POINTS.values() for name in of_kind]


@pytest.fixture(autouse=True)
def _nothing_enabled() -> Iterator[None]:
    with enabling([]):
        take_problems()
        yield
        take_problems()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    install(tmp_path / "site", monkeypatch)
    return tmp_path / "site"


def test_what_is_installed_is_listed_with_its_origin_and_not_imported(package: Path) -> None:
    mine = [one for one in installed() if one.package == "acme-rules"]
    assert {one.kind: one.name for one in mine} == {kind: next(iter(names)) for kind, names in POINTS.items()}
    assert {(one.origin, one.group.split(".")[0]) for one in mine} == {("acme-rules 1.2", "selfheal_tui")}
    assert "tax_rate" not in families() and "taxes" not in suites() and load_metrics() == {}
    enable(ALL)
    assert "acme_rules" not in sys.modules, "naming one does not import it yet"


def test_a_package_in_the_folder_one_stands_in_is_not_looked_for(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(package)
    monkeypatch.syspath_prepend("")
    assert not [one for one in installed() if one.package == "acme-rules"]


def test_what_is_not_enabled_is_refused_with_how_to_enable_it(package: Path) -> None:
    for kind, ask in {
        "provider 'echo'": lambda: check_model("echo:any"),
        "suite 'taxes'": lambda: load_suite("taxes"),
        "exporter 'csv'": lambda: check_format("csv"),
        "advisor 'open_marks'": lambda: policy_value("advisors", "open_marks"),
    }.items():
        with pytest.raises(InputError) as caught:
            ask()
        assert caught.value.message == f"The {kind} of acme-rules 1.2 is not enabled.", kind
        assert "--plugins " in caught.value.hint
    assert "acme_rules" not in sys.modules


def test_the_provider_that_became_a_plug_in_says_what_to_install_and_enable() -> None:
    with pytest.raises(SettingsError) as caught:
        check_model("transformers:x")
    said = str(caught.value)
    assert "plug-in" in said or "not enabled" in said, said
    assert "--plugins transformers" in said


async def test_each_kind_works_once_it_is_enabled(package: Path) -> None:
    enable(ALL)
    check_model("echo:any")
    provider = open_provider("echo:any")
    assert [type(part).__name__ async for part in provider.stream(cast(Any, None))][-1] == "Completion"
    assert is_free("echo") and "ECHO_API_KEY" in secrets()
    assert sent_words("echo:any", False, ()) == "nothing (the model runs on this machine)"
    assert families()["tax_rate"].reason and len(families()) == len(OPERATORS) + 1
    assert [one.id for one in load_suite("taxes").records] == ["tax/1"]
    assert exported({"report": None}, "csv", {}, "") == "case,outcome\n"
    assert own_names(["quality", "open_marks"]) == ["open_marks"]
    assert policy_value("advisors", "quality,open_marks") == ["quality", "open_marks"]
    assert (await advice_by("open_marks", None, {"a.py": "FIXME"}))["summary"] == "1 marks"
    assert list(load_metrics()) == ["lines"]
    assert take_problems() == []


def test_an_exporter_gets_no_key_and_one_that_fails_names_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = "def csv(story): return story['title']\ndef number(story): return 3\ndef fails(story): return story['x']\n"
    install(tmp_path / "s", monkeypatch, "ex-a", {"exporter": {n: n for n in ("csv", "number", "fails")}}, module)
    enable(["csv", "number", "fails"])
    assert exported({"title": "sk-1234567890"}, "csv", {"OPENAI_API_KEY": "sk-1234567890"}, "") == "[OPENAI_API_KEY]"
    with pytest.raises(InputError, match=r"number' of ex-a 1\.2 returned int where an export is a text"):
        exported({}, "number", {}, "")
    with pytest.raises(InputError, match=r"fails' of ex-a 1\.2 failed: KeyError"):
        exported({}, "fails", {}, "")


def test_one_that_does_not_load_is_left_out_with_one_sentence_and_the_rest_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: Path
) -> None:
    install(
        tmp_path / "b", monkeypatch, "bad-one", {"operator": {"boom": "x"}, "metric": {"m": "x"}}, "raise SystemExit(3)"
    )
    install(tmp_path / "c", monkeypatch, "bad-two", {"operator": {"odd": "x"}}, "x = 3\n")
    enable(["boom", "m", "odd", *ALL])
    assert "tax_rate" in families() and {"boom", "odd"}.isdisjoint(families()) and list(load_metrics()) == ["lines"]
    said = take_problems()
    assert len(said) == 3 and take_problems() == []
    assert any("The operator 'boom' of bad-one 1.2 cannot be imported (SystemExit: 3)." in text for text in said)
    assert any("The operator 'odd' of bad-two 1.2 is no operator" in text for text in said)
    assert all("out of `plugins`" in text for text in said)


def test_names_that_are_taken_twice_or_not_there_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: Path
) -> None:
    install(
        tmp_path / "d", monkeypatch, "other-rules", {"metric": {"tax_rate": "x"}, "operator": {"comparison": "x"}}, ""
    )
    enable(["tax_rate", "comparison", "gone"])
    assert families() is OPERATORS or "tax_rate" not in families()
    said = " ".join(take_problems())
    assert "'tax_rate' is left out: acme-rules and other-rules each have one" in said
    assert "acme-rules:tax_rate" in said and "'gone' is enabled, and no installed package has it" in said
    assert "The operator 'comparison' of other-rules 1.2 is left out: selfheal has an operator of that name." in said
    enable(["Acme_Rules:tax_rate"])
    assert "tax_rate" in families() and take_problems() == []


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("yield 3", "AttributeError"),
        ("yield Splice(0, 10**9, 'x', 'y')", "an edit reaches outside of the file"),
        ("yield Splice(0, 0, '', 'y')", "an edit changes nothing"),
        ("yield Splice(0, 0, 'x', 'y', 0.1)", "an edit costs less than its operator says"),
        ("raise KeyError('no')", "KeyError: 'no'"),
        ("yield from (Splice(0, 0, 'x' * n, 'y') for n in range(1, 10**9))", "more than 1000 edits at one place"),
    ],
)
def test_an_operator_that_breaks_its_contract_is_left_out_while_the_search_goes_on(
    body: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = (
        "from selfheal_tui.plugins.operators import Splice, edit_operator\n"
        f"@edit_operator('wild', 1.0, 'nothing')\ndef wild(source, node):\n    {body}\n"
    )
    install(tmp_path / "w", monkeypatch, "wild-ops", {"operator": {"wild": "wild"}}, module, version=str(hash(body)))
    enable(["wild"])
    source = parse_source("p.py", "x = 1\n", ())
    drawn = [splice for node in source.nodes() for splice in families()["wild"].edits(source, node)]
    assert len(drawn) <= 1000
    (said,) = take_problems()
    assert "The operator 'wild' of wild-ops" in said and why in said and "failed on p.py" in said


def test_a_provider_that_breaks_its_contract_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = (
        "class P:\n    name = 'other'\n    def stream(self, r): ...\n    async def aclose(self): ...\n"
        "def other(model, limits): return P()\ndef none(model, limits): return None\n"
        "def fails(model, limits): return 1 / 0\n"
    )
    points = {"provider": {"other": "other", "none": "none", "fails": "fails", "three": "P.name"}}
    install(tmp_path / "p", monkeypatch, "p-x", points, module)
    enable(["none", "fails", "three", "p-x:other"])
    assert open_provider("other:m")
    for name, why in {
        "none": "opens no provider",
        "fails": "failed: ZeroDivisionError",
        "three": "is neither a ProviderPlugin nor",
    }.items():
        with pytest.raises(SettingsError, match=f"provider '{name}' of p-x 1.2 {why}"):
            open_provider(f"{name}:m")


def test_what_was_enabled_is_recorded_and_a_difference_is_told(package: Path) -> None:
    settings = default_settings({})
    assert "plugins" not in run_options(settings, {"*": "search"}).policy
    enable(ALL)
    recorded = run_options(settings, {"*": "search"}).policy["plugins"]
    assert recorded == enabled_record() and recorded["operator:tax_rate"] == "acme-rules 1.2"
    assert "exporter:csv" not in recorded, "it changes no result"
    words = other_plugins_words({"operator:tax_rate": "acme-rules 1.1", "metric:m": "x 1"}, recorded)
    assert "operator:tax_rate is acme-rules 1.2 now (acme-rules 1.1 then)" in words and "--plugins m" in words
    assert other_plugins_words(recorded, recorded) == ""


@pytest.mark.parametrize("kind", POINTS)
def test_the_example_package_keeps_every_promise(kind: str, package: Path) -> None:
    enable(ALL)
    import acme_rules  # type: ignore[import-not-found]

    ((name, target),) = POINTS[kind].items()
    broken, mended = "def f(a):\n    return a * 0.19\n", "def f(a):\n    return a * 0.2137\n"
    given = Given(
        name,
        getattr(acme_rules, target),
        mends=[(broken, mended)] if kind == "operator" else (),
        opens=acme_rules.Echo if kind == "provider" else None,
    )
    assert promises(kind)
    for check in promises(kind).values():
        check(given)


async def test_whatever_an_advisor_returns_is_told_and_ends_no_run() -> None:
    def fails(program: Any) -> None:
        raise RuntimeError("no")

    said = {
        "It is not installed here.": None,
        "It failed: RuntimeError: no": fails,
        "Nothing to say.": lambda program: None,
        "Fine.": lambda program: "Fine.",
    }
    for words, function in said.items():
        assert (await advice_by("mine", cast(Any, function), {}))["summary"] == words
    for wrong in (3, {}, {"summary": "x", "items": [{"file": "a"}]}, {"summary": "x", "items": 3}, []):
        summary = (await advice_by("mine", lambda program, wrong=wrong: wrong, {}))["summary"]  # type: ignore[misc]
        assert summary.startswith("It returned no advice"), wrong
    found = {"summary": "2 marks", "items": [{"file": "a.py", "line": 1, "why": "FIXME\x1b[0m"}]}
    advice = await advice_by("mine", lambda program: found, {"a.py": "x"})
    assert advice == {"by": "mine", "summary": "2 marks", "items": [{"file": "a.py", "line": 1, "why": "FIXME"}]}


def test_metrics_are_measured_told_and_cost_no_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = (
        "def lines(result, program): return sum(len(text.splitlines()) for text in program.values())\n"
        "def fails(result, program): raise ValueError('no')\ndef text(result, program): return 'many'\n"
        "def none(result, program): return None\n"
    )
    names = ("fails", "lines", "none", "text")
    install(tmp_path / "m", monkeypatch, "my-metrics", {"metric": {name: name for name in names}}, module)
    enable(names)
    metrics, results = load_metrics(), [cast(TaskResult, {"id": str(n)}) for n in range(2)]
    assert tuple(metrics) == names
    for number, result in enumerate(results, 1):
        measure(metrics, result, {"a.py": "x\n" * number})
    assert results[0]["metrics"] == {"lines": 1.0}
    assert results[0]["not_measured"] == {"fails": "ValueError: no", "text": "It returned 'many', not a number."}
    figures = over_metrics(results)
    assert figures["lines"] == {"tasks": 2, "mean": 1.5, "low": 1.0, "high": 2.0, "failed": 0, "why": ""}
    assert (figures["fails"]["failed"], figures["fails"]["mean"]) == (2, None) and "none" not in figures
    lines = metric_lines(figures, lambda text: text)
    assert "| lines | 2 | 1.5 | 1 | 2 |" in lines and "- fails failed for 2 tasks: ValueError: no" in lines
    assert over_metrics([]) == {} and metric_lines({}, str) == []


def test_runs_with_other_plug_ins_are_not_mixed_and_a_comparison_names_them(tmp_path: Path) -> None:
    policy = {"critic": "auto"}
    plain, with_one = {"policy": policy}, {"policy": {**policy, "plugins": {"operator:tax_rate": "acme-rules 1.2"}}}
    for then, now in ((plain, with_one), (with_one, plain)):
        with pytest.raises(InputError) as caught:
            check_same(then, now, tmp_path)
        assert "was begun with other plug-ins: " in caught.value.message and "acme-rules 1.2" in caught.value.message
    shard = cast(Any, {"of": 2, "selected": 1})
    parts = [
        Part(tmp_path / name, {"config": config, "chosen": {}}, shard, {}, {}, True)
        for name, config in (("a", plain), ("b", with_one))
    ]
    with pytest.raises(InputError, match=r"b was run with other plug-ins than .*a\."):
        merge(parts, partial=True)
    runs = [BenchRun(tmp_path, config, {}, {}, ()) for config in (plain, with_one)]
    assert _differs(*runs) == {"policy.plugins": {"a": None, "b": {"operator:tax_rate": "acme-rules 1.2"}}}
