"""A run's figures as one JSON object and as Markdown. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selfheal_tui.engine.moment.state import default_policy
from selfheal_tui.text import plural

from ..suites.shards import shard_words
from .cells import cell as _cell
from .cells import interval as _interval
from .cells import percent as _percent
from .metrics import Share, TaskResult, summarise
from .own_metrics import metric_lines

_LATE = 1.2
"""A task that worked this many times as long as it was given is told of: steps that have begun are ended first."""
_LISTED = 200
"""Tasks named one by one in the Markdown; all are in results.jsonl."""


def build_report(
    header: Mapping[str, Any],
    results: Sequence[TaskResult],
    *,
    selected: int,
    not_tried: Mapping[str, str],
    not_read: Sequence[str] = (),
    failed: Mapping[str, str] | None = None,
    isolation: Sequence[str] = (),
) -> dict[str, Any]:
    """Return a run as JSON-ready data: what was run, the figures, each task.

    `selected` is how many tasks were to be run; `not_read` has a sentence for each entry of the data that is no record;
    `failed` maps tasks that could not go on to why.
    """
    return {
        **header,
        "complete": len(results) == selected,
        "selected": selected,
        "not_tried": dict(not_tried),
        "not_read": list(not_read),
        "failed": dict(failed or {}),
        "isolation": list(isolation),
        "summary": summarise(results),
        "tasks": [dict(result) for result in results],
    }


def markdown(report: Mapping[str, Any], listed: int = _LISTED) -> str:
    """Return a report as Markdown; at most so many tasks are listed one by one."""
    config, figures = report["config"], report["summary"]
    lines = [f"# {_cell(config['suite'])}: {_percent(figures['repaired'])} repaired", ""]
    if not report["complete"]:
        lines += [f"**Not finished**: {figures['tasks']} of {report['selected']} tasks.", ""]
    lines += [
        "| | count | share | 95 % interval |",
        "|---|---|---|---|",
        _share_row("repaired: the hidden tests pass (pass@1)", figures["repaired"]),
        _share_row("plausible: the tests that the loop saw pass", figures["plausible"]),
        _share_row("plausible but wrong", figures["plausible_but_wrong"]),
    ]
    if figures["passed_as_given"]:
        lines.append(
            _share_row("repaired of those that failed the visible tests as given", figures["repaired_of_failing"])
        )
    if figures["repaired_plus"]["of"]:
        lines.append(_share_row("repaired by the stronger tests too", figures["repaired_plus"]))
    lines += ["", *_remarks(report), "", *_costs(figures), "", *_tries(figures["over_tries"])]
    for title, key in (("Category", "by_category"), ("Bug type", "by_bug_type"), ("Written by", "by_author")):
        if len(figures[key]) > 1:
            lines += [f"| {title.lower()} | repaired | 95 % interval | plausible |", "|---|---|---|---|"]
            lines += [_group_row(name, group) for name, group in figures[key].items()]
            lines.append("")
    lines += _precision(figures["edits"])
    lines += _calibration(figures["calibration"])
    lines += metric_lines(figures.get("metrics", {}), _cell)
    lines += ["## What was run", "", *_origin(report), ""]
    if listed:
        lines += [
            "## Tasks",
            "",
            "| task | outcome | visible | hidden | stronger | s | why |",
            "|---|---|---|---|---|---|---|",
        ]
        lines += [_task_row(task) for task in report["tasks"][:listed]]
    if listed and len(report["tasks"]) > listed:
        lines.append(f"\n{len(report['tasks']) - listed} more are in results.jsonl.")
    return "\n".join(lines).rstrip("\n") + "\n"


def _remarks(report: Mapping[str, Any]) -> list[str]:
    figures, lines = report["summary"], []
    if report["config"]["tests_given"] == "all":
        lines.append("- The loop saw the hidden tests too.")
    if count := figures["passed_as_given"]:
        lines.append(f"- {plural(count, 'program')} passed the visible tests as given: nothing was to be seen.")
    if count := figures["not_verified"]:
        lines.append(f"- {plural(count, 'repair')} could not be verified from another process.")
    most = report["config"]["limits"].get("max_time_s")
    if most and (late := sum(task["time_s"] > _LATE * most for task in report["tasks"])):
        lines.append(f"- {plural(late, 'task')} worked longer than the {most:g} s that were given.")
    reasons: dict[str, int] = {}
    for why in report["not_tried"].values():
        reasons[why] = reasons.get(why, 0) + 1
    lines += [f"- Not tried, and not counted: {plural(count, 'record')}, {why}." for why, count in reasons.items()]
    lines += [f"- Left out: {_cell(sentence)}" for sentence in report["not_read"]]
    lines += [f"- {_cell(task)} could not go on: {_cell(why)}" for task, why in report["failed"].items()]
    outcomes = ", ".join(f"{name} {count}" for name, count in figures["outcomes"].items())
    return [*lines, f"- Outcomes of the loop: {outcomes or 'none'}."]


def _costs(figures: Mapping[str, Any]) -> list[str]:
    time_s, plausible_s, spent = figures["time_s"], figures["time_to_plausible_s"], figures["spent"]
    money = "of unknown price" if spent["cost_usd"] is None else f"${spent['cost_usd']:.4f}"
    if spent["cost_usd_per_repair"]:
        money += f", ${spent['cost_usd_per_repair']:.4f} a repair"
    tokens = f"{spent['input_tokens']:,} + {spent['output_tokens']:,} tokens"
    return [
        f"- Time a task: median {_seconds(time_s['median'])}, nine of ten within {_seconds(time_s['p90'])}, "
        f"at most {_seconds(time_s['max'])}; to a plausible repair: median {_seconds(plausible_s['median'])}.",
        f"- Model: {plural(spent['calls'], 'call')}, {spent['replayed_calls']} replayed, {tokens} "
        f"(a task: median {spent['tokens_median'] or 0:g}), {money}.",
        f"- Search: {plural(figures['candidates'], 'candidate')} judged.",
    ]


def _tries(figures: Mapping[str, Any] | None) -> list[str]:
    if figures is None:
        return []
    shares = ", ".join(f"{100 * part:.1f} %" for part in figures["by_try"]) or "-"
    spread = "" if figures["deviation"] is None else f" (standard deviation {100 * figures['deviation']:.1f} points)"
    return [
        f"{plural(figures['tasks'], 'task')}, each tried {figures['tries']} times. Above, each try counts like a task: "
        "tries of one task are alike, so the intervals are too narrow.",
        "",
        "| k | " + " | ".join(figures["pass_at_k"]) + " |",
        "|---|" + "---|" * len(figures["pass_at_k"]),
        "| pass@k | " + " | ".join(f"{100 * part:.1f} %" for part in figures["pass_at_k"].values()) + " |",
        "",
        f"- Repaired, try by try: {shares}{spread}, over {plural(figures['tried_in_full'], 'task')} tried in full.",
        f"- Repaired by some tries and not by others: {plural(figures['changing'], 'task')}.",
        "",
    ]


def _precision(figures: Mapping[str, Any] | None) -> list[str]:
    if figures is None:
        return []
    rows = [("needed for the hidden tests, of what a repair changes", figures["needed"])]
    if figures["with_reference"]:
        rows += [
            ("precision: where the reference changes something too, of what a repair changes", figures["precision"]),
            ("recall: the same, of what the reference changes", figures["recall"]),
        ]
    return [
        f"| edits of {plural(figures['repairs'], 'right repair')}, {figures['with_reference']} with a reference; means "
        "| lines | tokens |",
        "|---|---|---|",
        *(f"| {name} | {100 * part['lines']:.1f} % | {100 * part['tokens']:.1f} % |" for name, part in rows),
        "",
    ]


def _calibration(figures: Mapping[str, Any] | None) -> list[str]:
    if figures is None:
        return []
    return [
        f"Confidence of {plural(figures['repairs'], 'plausible repair')} against the hidden tests: "
        f"Brier score {figures['brier']:.3f}, calibration error {figures['ece']:.3f}.",
        "",
        "| confidence | said, mean | repaired | 95 % interval |",
        "|---|---|---|---|",
        *(
            f"| {row['from']:.1f} to {row['to']:.1f} | {row['mean_confidence']:.2f} "
            f"| {row['repaired']['count']} of {row['repaired']['of']} ({_percent(row['repaired'])}) "
            f"| {_interval(row['repaired'])} |"
            for row in figures["bins"]
        ),
        "",
    ]


def _origin(report: Mapping[str, Any]) -> list[str]:
    config, machine = report["config"], report["machine"]
    models = ", ".join(name if role == "*" else f"{role}={name}" for role, name in config["models"].items())
    limits = ", ".join(f"{name} {value}" for name, value in config["limits"].items() if value is not None)
    usual = default_policy()
    policy = {name: value for name, value in config.get("policy", {}).items() if usual.get(name) != value}
    changed = ", ".join(f"{name} {value}" for name, value in policy.items())
    versions = ", ".join(f"{name} {version}" for name, version in config["versions"].items())
    prompts = ", ".join(f"{name} {sha256[:12]}" for name, sha256 in config["prompts"].items())
    chosen = report["chosen"]
    picked = [
        f"limit {chosen['limit']}" if chosen["limit"] else "",
        f"{len(chosen['ids'])} ids" if chosen["ids"] else "",
        shard_words(chosen),
    ]
    seed = "none" if chosen["seed"] is None else str(chosen["seed"])
    return [
        f"- Begun {report['started_at']}; {_where(report)}.",
        f"- Data: {_cell(config['data'])}, sha256 {config['data_sha256'][:16]}; tests given: {config['tests_given']}.",
        f"- Chosen: {', '.join(filter(None, picked)) or 'all'}; seed {seed}.",
        f"- Model: {_cell(models)}; {limits}.",
        *([f"- Loop: {_cell(changed)}."] if changed else []),
        f"- Versions: {versions}. Prompts: {prompts}.",
        f"- Machine: {_cell(machine['system'])}, {_cell(machine['processor'])}, {plural(machine['cores'], 'core')}; "
        f"sandbox: {', '.join(report['isolation']) or 'not started'}.",
    ]


def _where(report: Mapping[str, Any]) -> str:
    if report["chosen"].get("on") != "ray":
        return f"jobs {report['chosen']['jobs']}"
    hosts = {task["host"] for task in report["tasks"] if "host" in task}
    return f"on Ray, workers on {plural(len(hosts), 'machine')}"


def _task_row(task: Mapping[str, Any]) -> str:
    hidden, plus = task["hidden"], task["plus"]
    cells = [
        _cell(task["id"]),
        task["outcome"],
        "pass" if task["plausible"] else "fail",
        f"{hidden['cases_passed']} of {hidden['cases']}" if hidden else "-",
        ("pass" if plus["passed"] else "fail") if plus else "-",
        f"{task['time_s']:.1f}",
        _cell(task["reason"]),
    ]
    return f"| {' | '.join(cells)} |"


def _group_row(name: str, group: Mapping[str, Any]) -> str:
    repaired, plausible = group["repaired"], group["plausible"]
    counts = f"{repaired['count']} of {repaired['of']} ({_percent(repaired)})"
    return f"| {_cell(name)} | {counts} | {_interval(repaired)} | {plausible['count']} |"


def _share_row(name: str, part: Share) -> str:
    return f"| {name} | {part['count']} of {part['of']} | {_percent(part)} | {_interval(part)} |"


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f} s"
