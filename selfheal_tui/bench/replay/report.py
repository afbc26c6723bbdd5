"""What a replay found, as one JSON object and as Markdown: agreement, mended failures, repetition. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selfheal_tui.text import one_line, plural

from ..figures.cells import cell, counted, dollars
from ..figures.metrics import TaskResult, share
from .recorded import PASS, Recordings, failed
from .rejudged import OurVerdict, key_of, programs
from .repetition import IN_A_ROW, repetition

_LISTED = 50


def build_replay(
    recordings: Recordings,
    verdicts: Mapping[str, OurVerdict],
    results: Sequence[TaskResult],
    models: Mapping[str, str],
    could_not_go_on: Mapping[str, str],
) -> dict[str, Any]:
    """Return a replay as JSON-ready data; `results` are those of the recorded failures, tried by our loop."""
    loops = recordings.loops
    failures = failed(loops)
    repaired = sum(result["repaired"] for result in results)
    costs = [result["spent"]["cost_usd"] for result in results]
    known = [cost for cost in costs if cost is not None]
    wanted = programs(loops)
    judged = sum(key in verdicts for key in wanted)
    return {
        "data": str(recordings.path),
        "data_sha256": recordings.sha256,
        "loops": len(loops),
        "left_out": list(recordings.left_out),
        "programs": len(wanted),
        "judged": judged,
        "complete": judged == len(wanted) and len(results) == len(failures) and not could_not_go_on,
        "agreement": {tests: _agreement(recordings, verdicts, tests) for tests in ("visible", "hidden")},
        "mended": {
            "models": dict(models),
            "recorded_failures": len(failures),
            "repaired": share(repaired, len(results)),
            "plausible": share(sum(result["plausible"] for result in results), len(results)),
            "time_s": round(sum(result["time_s"] for result in results), 3),
            "calls": sum(result["spent"]["calls"] for result in results),
            "cost_usd": round(sum(known), 6) if len(known) == len(costs) else None,
            "ids": [result["id"] for result in results if result["repaired"]],
            "could_not_go_on": dict(could_not_go_on),
        },
        "repetition": repetition(loops),
    }


def _agreement(recordings: Recordings, verdicts: Mapping[str, OurVerdict], tests: str) -> dict[str, Any]:
    """Compare verdicts program by program; one that comes again in its loop counts once."""
    table = {f"{recorded}_{ours}": 0 for recorded in ("pass", "fail") for ours in ("pass", "fail")}
    disagreements = []
    for loop in recordings.loops:
        seen: set[str] = set()
        for number, step in enumerate(loop.steps):
            recorded, key = step.visible if tests == "visible" else step.hidden, key_of(loop, step.code)
            if not recorded or key in seen or key not in verdicts:
                continue
            seen.add(key)
            verdict = verdicts[key]
            ours = verdict["visible"] if tests == "visible" else verdict["hidden"]
            table[f"{'pass' if recorded == PASS else 'fail'}_{'pass' if ours else 'fail'}"] += 1
            if (recorded == PASS) != ours:
                disagreements.append(
                    {"id": loop.record.id, "step": number, "recorded": recorded, "ours": "pass" if ours else "fail",
                     "why": verdict["why"]}
                )  # fmt: skip
    agreed = table["pass_pass"] + table["fail_fail"]
    return {"table": table, "agreed": share(agreed, sum(table.values())), "disagreements": disagreements}


def replay_markdown(replay: Mapping[str, Any]) -> str:
    """Return what `bench replay` prints."""
    mended = replay["mended"]
    lines = [f"# {plural(replay['loops'], 'recorded loop')} of {cell(replay['data'])}", ""]
    if not replay["complete"]:
        judged = f"{replay['judged']} of {plural(replay['programs'], 'program')} judged"
        tried = f"{mended['repaired']['of']} of {plural(mended['recorded_failures'], 'recorded failure')} tried"
        lines += [f"**Not finished**: {judged}, {tried}.", ""]
    if replay["left_out"]:
        lines += [f"- Left out: {_sentence(sentence)}" for sentence in replay["left_out"][:5]]
        more = len(replay["left_out"]) - 5
        lines += [*([f"- Left out: {more} more, which `--json` names."] if more > 0 else []), ""]
    lines += ["## Our verdicts against the recorded", ""]
    for tests in ("hidden", "visible"):
        lines += _agreement_lines(tests, replay["agreement"][tests])
    lines += ["## Recorded failures, tried by our loop", "", *_mended_lines(mended), ""]
    lines += ["## Programs that come again", "", *_repetition_lines(replay["repetition"])]
    return "\n".join(lines).rstrip("\n") + "\n"


def _sentence(text: str) -> str:
    return one_line(text, 300).replace("<", "&lt;")


def _agreement_lines(tests: str, agreement: Mapping[str, Any]) -> list[str]:
    table, found = agreement["table"], agreement["disagreements"]
    lines = [
        f"| {tests} tests | we say pass | we say fail |",
        "|---|---|---|",
        f"| recorded as pass | {table['pass_pass']} | {table['pass_fail']} |",
        f"| recorded as fail | {table['fail_pass']} | {table['fail_fail']} |",
        "",
        f"The same for {counted(agreement['agreed'])} programs.",
        "",
    ]
    if found:
        lines += ["| program | step | recorded | we say | why |", "|---|---|---|---|---|"]
        lines += map(_disagreement_row, found[:_LISTED])
        if len(found) > _LISTED:
            lines.append(f"\n{len(found) - _LISTED} more are in the object that `--json` prints.")
        lines.append("")
    return lines


def _disagreement_row(one: Mapping[str, Any]) -> str:
    cells = [cell(one["id"]), str(one["step"]), cell(one["recorded"]), one["ours"], cell(one["why"]) or "-"]
    return f"| {' | '.join(cells)} |"


def _mended_lines(mended: Mapping[str, Any]) -> list[str]:
    models = ", ".join(name if role == "*" else f"{role}={name}" for role, name in mended["models"].items())
    if not mended["recorded_failures"]:
        return ["No recorded loop ended with a program that fails the hidden tests."]
    return [
        f"{plural(mended['recorded_failures'], 'recorded loop')} ended with a program that fails the hidden tests. Our "
        "loop was given the first program of each and the visible tests.",
        "",
        f"- Model: {cell(models)}.",
        f"- Mended, by the hidden tests: {counted(mended['repaired'])}.",
        f"- Visible tests pass: {counted(mended['plausible'])}.",
        f"- {plural(mended['calls'], 'call')}, {dollars(mended['cost_usd'])}, {mended['time_s']:,.1f} s.",
        *(f"- {cell(task)} could not go on: {cell(why)}" for task, why in mended["could_not_go_on"].items()),
    ]


def _repetition_lines(figures: Mapping[str, Any]) -> list[str]:
    lines = [
        f"The recorded models were asked at least {figures['calls']} times for a repair. {figures['again']} answers "
        "brought a program that was there before in the same loop (but for comments and formatting), in "
        f"{figures['loops_with_repetition']} of {plural(figures['loops'], 'loop')}.",
        "",
        "| a loop ends | loops ended | calls saved | of all | would have healed later |",
        "|---|---|---|---|---|",
    ]
    words = {"1": "at the first program that comes again", str(IN_A_ROW): f"after {IN_A_ROW} in a row, as ours does"}
    for number, row in figures["stops"].items():
        part = f"{100 * row['saved_calls'] / figures['calls']:.1f} %" if figures["calls"] else "-"
        lines.append(f"| {words[number]} | {row['loops']} | {row['saved_calls']} | {part} | {row['healed_later']} |")
    return lines
