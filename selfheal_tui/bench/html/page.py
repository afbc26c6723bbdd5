"""A run's report as one HTML page with charts: no script, nothing from elsewhere, every foreign text escaped. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from selfheal_tui.text import one_line, plural, price_words

from ..figures.kinds import KINDS, MEANINGS, WORDS, kind_of
from ..figures.metrics import TaskResult, summarise
from ..figures.saved_results import whole_result
from . import tables
from .cost import cost, unit_of
from .curve import by_iteration, by_seconds
from .draw import short_time, text
from .heat import heat
from .reliability import reliability
from .squares import PATTERN
from .style import STYLE, policy
from .times import times

_MOST_ON_MAP = 2000
_MOST_REMARKS = 200
_COSTS = {
    "usd": (
        "Cost against repaired tasks",
        "In the order in which tasks finished: what was spent, and what it repaired.",
    ),
    "tokens": ("Tokens against repaired tasks", "A price is not known, so tokens are counted, as the tasks finished."),
    "time": ("Working time against repaired tasks", "The model was free, so time is counted, as the tasks finished."),
}


def page(report: Mapping[str, Any]) -> str:
    """Return a report of `build_report` as a page; one of an older run lacks fields."""
    results = [result for row in _list(report, "tasks") if (result := whole_result(row)) is not None]
    config = _dict(report, "config")
    title = text(one_line(str(config.get("suite") or "benchmark"), 120))
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy()}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{title}: benchmark</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>",
            f'<svg class="defs" aria-hidden="true">{PATTERN}</svg>',
            *_body(title, report, results),
            "</body>\n</html>\n",
        ]
    )


def _body(title: str, report: Mapping[str, Any], results: Sequence[TaskResult]) -> Iterator[str]:
    figures = summarise(results)
    models = ", ".join(
        str(name) if role == "*" else f"{role}={name}" for role, name in _dict(report, "config", "models").items()
    )
    begun = str(report.get("started_at") or "")[:16].replace("T", " ")
    yield f"<header><h1>{title}</h1>"
    yield f'<p class="soft">{text(one_line(models, 300))}{f", begun {text(begun)} UTC" if begun else ""}</p></header>'
    if report.get("complete") is not True:
        of = f" of {report['selected']}" if isinstance(report.get("selected"), int) else ""
        yield f'<p class="warning"><b>Not finished</b>: {len(results)}{of} tasks.</p>'
    yield _headline(figures)
    yield "<h2>Shares</h2>" + tables.shares_table("", tables.summary_rows(figures))
    yield from _over_tries(figures["over_tries"])
    for name, key in (("category", "by_category"), ("bug type", "by_bug_type"), ("written by", "by_author")):
        if len(figures[key]) > 1:
            groups = ((group, part["repaired"]) for group, part in figures[key].items())
            yield f"<h2>Repaired, by {name}</h2>" + tables.shares_table(name, groups)
    if results:
        yield from _charts(figures, results)
        yield "<h2>Each task</h2>" + _map(results)
    yield "<h2>What was run</h2>" + tables.facts_table(_origin(report))
    yield from _remarks(report)
    yield tables.hashes_table("prompt", ((str(k), str(v)) for k, v in _dict(report, "config", "prompts").items()))
    if results:
        yield "<h2>Tasks</h2>" + tables.tasks_table(results)


def _headline(figures: Mapping[str, Any]) -> str:
    repaired, plausible, time_s, spent = (figures[k] for k in ("repaired", "plausible", "time_s", "spent"))
    cards = [
        (tables.percent(repaired), f"repaired: {repaired['count']} of {repaired['of']}"),
        (tables.between(repaired), "95 % interval (Wilson)"),
        (tables.percent(plausible), f"plausible: {plausible['count']} of {plausible['of']}"),
        ("–" if time_s["median"] is None else short_time(time_s["median"]), "median time a task"),
    ]
    if spent["calls"]:
        each = spent["cost_usd_per_repair"]
        about = plural(spent["calls"], "call") + (f", {price_words(each)} a repair" if each else "")
        cards.append((price_words(spent["cost_usd"]), about))
    else:
        cards.append(("free", f"{figures['candidates']:,} candidates judged"))
    return '<div class="headline">' + "".join(f"<div><b>{a}</b><span>{b}</span></div>" for a, b in cards) + "</div>"


def _over_tries(figures: Mapping[str, Any] | None) -> Iterator[str]:
    if figures is None:
        return
    head = "".join(f'<th class="n">{k}</th>' for k in figures["pass_at_k"])
    row = "".join(f'<td class="n">{100 * part:.1f} %</td>' for part in figures["pass_at_k"].values())
    yield (
        f"<p>{plural(figures['tasks'], 'task')}, each tried {figures['tries']} times. Above, each try counts like a "
        "task: tries of one task are alike, so the intervals are too narrow. "
        f"{plural(figures['changing'], 'task')} repaired by some tries and not by others.</p>"
        f'<div class="wide"><table><tr><th>k</th>{head}</tr><tr><th>pass@k</th>{row}</tr></table></div>'
    )


def _charts(figures: Mapping[str, Any], results: Sequence[TaskResult]) -> Iterator[str]:
    yield '<h2>Charts</h2>\n<div class="charts">'
    yield _figure("Healing by iteration", "How many tasks were healed after so many rounds.", by_iteration(results))
    yield _figure("Healing by time", "How many tasks were healed within so much time.", by_seconds(results))
    yield _figure(*_COSTS[unit_of(results)], cost(results))
    if figures["calibration"] is not None:
        about = (
            "Bars: how many of the plausible repairs with such a confidence are right. On the dashed line, confidence "
            f"would be exact. Brier score {figures['calibration']['brier']:.3f}, calibration error "
            f"{figures['calibration']['ece']:.3f}."
        )
        yield _figure("Is the confidence right?", about, reliability(figures["calibration"]))
    yield _figure("Time a task", "How long tasks took, by how they ended.", times(results))
    yield "</div>"


def _figure(title: str, about: str, chart: str) -> str:
    return f"<figure><figcaption><b>{title}</b><span>{about}</span></figcaption>\n{chart}\n</figure>"


def _map(results: Sequence[TaskResult]) -> str:
    kinds = [kind_of(result) for result in results]
    key = "".join(
        f"<li>{tables.kind_icon(kind)}{WORDS[kind]} ({kinds.count(kind)}): {MEANINGS[kind]}</li>"
        for kind in KINDS
        if kind in kinds
    )
    more = len(results) - _MOST_ON_MAP
    rest = f'<p class="soft">The first {_MOST_ON_MAP} are drawn.</p>' if more > 0 else ""
    return f'<ul class="key">{key}</ul><figure class="map">{heat(results[:_MOST_ON_MAP])}</figure>{rest}'


def _remarks(report: Mapping[str, Any]) -> Iterator[str]:
    reasons: dict[str, int] = {}
    for why in _dict(report, "not_tried").values():
        reasons[str(why)] = reasons.get(str(why), 0) + 1
    lines = [f"Not tried, and not counted: {plural(count, 'record')}, {why}." for why, count in reasons.items()]
    lines += [f"Left out: {sentence}" for sentence in _list(report, "not_read")]
    lines += [f"{task} could not go on: {why}" for task, why in _dict(report, "failed").items()]
    if _dict(report, "config").get("tests_given") == "all":
        lines.append("The loop saw the hidden tests too.")
    if lines:
        yield "<ul>" + "".join(f"<li>{text(one_line(line, 300))}</li>" for line in lines[:_MOST_REMARKS]) + "</ul>"


def _origin(report: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    config, chosen, machine = (_dict(report, name) for name in ("config", "chosen", "machine"))
    yield "data", one_line(str(config.get("data") or ""), 300)
    yield "sha256 of the data", one_line(str(config.get("data_sha256") or ""), 100)
    yield "tests given to the loop", one_line(str(config.get("tests_given") or ""), 40)
    yield "chosen", _chosen(chosen)
    models = _dict(report, "config", "models").items()
    yield "model", one_line(", ".join(str(n) if role == "*" else f"{role}={n}" for role, n in models), 300)
    yield "limits", _pairs(_dict(report, "config", "limits"))
    yield "limits of a test run", _pairs(_dict(report, "config", "suite_limits"))
    yield "versions", _pairs(_dict(report, "config", "versions"))
    parts = [machine.get("system"), machine.get("processor")]
    cores = machine.get("cores")
    parts.append(plural(cores, "core") if isinstance(cores, int) else None)
    yield "machine", one_line(", ".join(str(part) for part in parts if part), 300)
    yield "sandbox", one_line(", ".join(str(layer) for layer in _list(report, "isolation")), 200)
    yield "begun", one_line(str(report.get("started_at") or ""), 60)


def _chosen(chosen: Mapping[str, Any]) -> str:
    ids, limit, seed, tries = chosen.get("ids"), chosen.get("limit"), chosen.get("seed"), chosen.get("tries")
    parts = [
        f"limit {limit}" if limit else "",
        plural(len(ids), "id") if isinstance(ids, list) and ids else "",
        "" if seed is None else f"seed {seed}",
        f"{tries} tries" if isinstance(tries, int) and tries > 1 else "",
        f"{chosen['jobs']} at a time" if isinstance(chosen.get("jobs"), int) and chosen["jobs"] > 1 else "",
    ]
    return one_line(", ".join(filter(None, parts)) or "all", 200)


def _pairs(values: Mapping[str, Any]) -> str:
    return one_line(", ".join(f"{name} {value}" for name, value in values.items() if value is not None), 400)


def _dict(report: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    value: Any = report
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def _list(report: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = report.get(name)
    return value if isinstance(value, list) else []
