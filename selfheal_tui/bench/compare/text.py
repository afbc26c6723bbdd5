"""A comparison of two runs as Markdown. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selfheal_tui.text import plural

from ..figures.cells import cell, counted, dollars, p_value

_LISTED = 100
"""Tasks named one by one; `--json` has all."""
_SHOWN_DIFFERENCES = 20
_FEW = 6
"""With fewer turned tasks, no outcome of the test is below 0.05."""


def comparison_markdown(comparison: Mapping[str, Any]) -> str:
    """Return what `bench compare` prints."""
    a, b, once = comparison["a"], comparison["b"], comparison["tried_once"]
    lines = [
        "# A against B",
        "",
        f"- A: {cell(a['folder'])}",
        f"- B: {cell(b['folder'])}",
        *(f"- {sentence}" for sentence in _left_out(comparison["left_out"])),
        "",
        *_counts(comparison, once),
        "",
        *_tested(comparison),
        "",
        *_costs(a, b),
        "",
        *_turned("Repaired by A only" if once else "Repaired more often by A", comparison["turned"]["only_a"]),
        *_turned("Repaired by B only" if once else "Repaired more often by B", comparison["turned"]["only_b"]),
        *_differs(comparison["differs"]),
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


def _left_out(left_out: Mapping[str, Sequence[str]]) -> list[str]:
    return [
        f"Left out: {plural(len(left_out[key]), 'task')} that only {side} has finished: {_named(left_out[key])}."
        for key, side in (("only_in_a", "A"), ("only_in_b", "B"))
        if left_out[key]
    ]


def _counts(comparison: Mapping[str, Any], once: bool) -> list[str]:
    repaired = comparison["repaired"]
    names = (
        {"both": "both", "only_a": "only A", "only_b": "only B", "neither": "neither"}
        if once
        else {
            "both": "both, equally often",
            "only_a": "A more often",
            "only_b": "B more often",
            "neither": "neither, in any try",
        }
    )
    return [
        f"| repaired by, of {plural(comparison['tasks'], 'task')} that both tried | tasks |",
        "|---|---|",
        *(f"| {words} | {repaired[key]} |" for key, words in names.items()),
    ]


def _tested(comparison: Mapping[str, Any]) -> list[str]:
    difference, p = comparison["difference"], comparison["test"]["p"]
    turned = comparison["repaired"]["only_a"] + comparison["repaired"]["only_b"]
    points = 100 * difference["mean"]
    words = "A and B repair the same share" if not points else f"B repairs {abs(points):.1f} points "
    words += "" if not points else "more than A" if points > 0 else "less than A"
    lines = [
        f"- {words}; 95 % interval of the difference: {100 * difference['low']:+.1f} to "
        f"{100 * difference['high']:+.1f} points ({_of(difference)}).",
        f"- {comparison['test']['name']}: p = {p_value(p)} ({plural(turned, 'task')} turned).",
    ]
    if not comparison["tried_once"]:
        lines.append("- Tries of a task are averaged; the test counts the tasks that one run repaired more often.")
    if turned < _FEW:
        lines.append(
            f"- Only {plural(turned, 'task')} turned: with fewer than {_FEW} no difference can be told from chance."
        )
    return lines


def _of(difference: Mapping[str, Any]) -> str:
    return f"paired bootstrap over tasks, {difference['resamples']:,} resamples, seed {difference['seed']}"


def _costs(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[str]:
    rows = [("repaired", counted(a["repaired"]), counted(b["repaired"]))]
    rows.append(("plausible", counted(a["plausible"]), counted(b["plausible"])))
    for key, name in (("cost_usd", "money"), ("calls", "calls"), ("tokens", "tokens"), ("time_s", "time")):
        rows.append((name, _amount(key, a["spent"][key]), _amount(key, b["spent"][key])))
        rows.append((f"{name} a repair", _each(key, a), _each(key, b)))
    return ["| | A | B |", "|---|---|---|", *(f"| {name} | {one} | {other} |" for name, one, other in rows)]


def _each(key: str, side: Mapping[str, Any]) -> str:
    if not side["repaired"]["count"]:
        return "-"
    return _amount(key, side["per_repair"][key])


def _amount(key: str, value: float | None) -> str:
    if key == "cost_usd" or value is None:
        return dollars(value)
    if key == "time_s":
        return f"{value:,.1f} s"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def _turned(title: str, tasks: Sequence[str]) -> list[str]:
    if not tasks:
        return []
    more = [f"- {len(tasks) - _LISTED} more"] if len(tasks) > _LISTED else []
    return [f"## {title}", "", *(f"- {cell(task)}" for task in tasks[:_LISTED]), *more, ""]


def _differs(differs: Mapping[str, Mapping[str, Any]]) -> list[str]:
    if not differs:
        return ["## What else differs", "", "Nothing: models, settings, limits, versions and machine are the same."]
    shown = list(differs.items())[:_SHOWN_DIFFERENCES]
    more = len(differs) - len(shown)
    return [
        "## What else differs",
        "",
        "| | A | B |",
        "|---|---|---|",
        *(f"| {cell(_name(name))} | {_value(sides['a'])} | {_value(sides['b'])} |" for name, sides in shown),
        *([f"\n{more} more are in the object that `--json` prints."] if more else []),
    ]


def _name(name: str) -> str:
    whole, dot, part = name.partition(".")
    if whole == "models":
        return "model" if part == "*" else f"model of the {part}"
    words = {"policy": "", "limits": "", "suite_limits": "one run of the tests: ", "prompts": "prompt: "}
    return words.get(whole, f"{whole}: ") + part if dot else name


def _value(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list | tuple):
        return cell(", ".join(map(str, value)) or "-")
    if isinstance(value, Mapping):
        return cell(", ".join(f"{key} {part}" for key, part in value.items()) or "-")
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return cell(text[:12] + "…" if len(text) == 64 and text.isalnum() else text)


def _named(tasks: Sequence[str]) -> str:
    shown = ", ".join(cell(task) for task in tasks[:10])
    return shown + (f" and {len(tasks) - 10} more" if len(tasks) > 10 else "")
