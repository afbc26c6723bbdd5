"""A story as one HTML page: no script, nothing from elsewhere, every foreign text escaped. Pure.

The page forbids itself scripts, images and connections (CSP level 3, https://www.w3.org/TR/CSP3/), so that text
which got past the escaping by a mistake of ours could still do nothing.
"""

from __future__ import annotations

import html as markup
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from selfheal_tui.text import one_line, outcome_word, plural, show_controls, strip_controls

from ...moment.comments import comment_line
from ...moment.sureness import cause_sureness
from ...moment.words import bill_line, decider
from . import words

_STYLE = """
:root { color-scheme: light dark; --line: #8886; --good: #1a7f37; --bad: #c62828; --soft: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
pre { font: 13px/1.45 ui-monospace, monospace; background: var(--soft); padding: .6rem .8rem; overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; }
td, th { border: 1px solid var(--line); padding: .15rem .5rem; text-align: left; }
h2 { border-bottom: 1px solid var(--line); margin-top: 2.2rem; }
summary { cursor: pointer; }
.add, .passed { color: var(--good); } .del, .failed, .error, .timeout { color: var(--bad); } .at { opacity: .65; }
.flip { font-weight: bold; outline: 2px solid currentColor; outline-offset: -3px; }
.outcome { display: inline-block; border: 1px solid; border-radius: 4px; padding: 0 .6rem; font-weight: bold; }
.healed, .nothing_to_heal, .approve { color: var(--good); }
.failed, .gave_up, .stalled, .budget, .reject { color: var(--bad); }
.facts { margin: 1rem 0; } .facts th { font-weight: normal; opacity: .75; vertical-align: top; }
.decision { border-left: 3px solid var(--line); padding: .1rem 0 .1rem .9rem; margin: .8rem 0; }
.hash { font-family: ui-monospace, monospace; font-size: 12px; overflow-wrap: anywhere; }
.soft { opacity: .75; }
""".strip()
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def page(story: Mapping[str, Any]) -> str:
    """Return the report of a branch."""
    title = _text(one_line(story["title"]))
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{title}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>",
            *_body(story),
            "</body>\n</html>\n",
        ]
    )


def _text(text: object) -> str:
    return markup.escape(strip_controls(str(text)), quote=True)


def _pre(text: str) -> str:
    return f"<pre>{markup.escape(show_controls(text), quote=True)}</pre>"


def _diff(text: str) -> str:
    lines = []
    for line in show_controls(text).rstrip("\n").split("\n"):
        kind = "add" if line[:1] == "+" else "del" if line[:1] == "-" else "at" if line[:2] == "@@" else ""
        safe = markup.escape(line, quote=True)
        lines.append(f'<span class="{kind}">{safe}</span>' if kind else safe)
    return "<pre>" + "\n".join(lines) + "</pre>"


def _list(lines: Iterator[str] | list[str]) -> str:
    items = "".join(f"<li>{_text(line)}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else ""


def _body(story: Mapping[str, Any]) -> Iterator[str]:
    yield f"<h1>{_text(one_line(story['title']))}</h1>"
    outcome = _text(outcome_word(story["outcome"]))
    yield f'<p><span class="outcome {_class(story["outcome"])}">{outcome}</span> {_text(words.ending(story))}</p>'
    yield _facts(
        [
            ("session", story["session_id"]),
            ("branch", story["branch"]),
            ("spent", bill_line(story["spent"])),
            ("models", words.models_line(story["models"])),
            ("decisions", story["autonomy"].replace("_", " ")),
            ("limits", words.limits_line(story["limits"])),
            *((rule["name"], f"up to {rule['max_lines']} changed lines") for rule in story["rules"]),
        ]
    )
    if story["spec"]:
        yield f"<h2>Specification</h2>{_pre(story['spec'])}"
    yield "<h2>What changed</h2>" + (_diff(story["diff"]) if story["diff"] else "<p>Nothing.</p>")
    yield "<h2>Not tested</h2>" + _list(story["not_tested"] or ["Nothing is known to be left out."])
    yield _matrix(story["matrix"])
    for iteration in story["iterations"]:
        yield from _iteration(iteration)
    if story["pending"]:
        yield f"<h2>What waits for a decision</h2><p>{_text(words.pending_line(story['pending']))}</p>"
        yield from _pending(story["pending"]["kind"], story["pending"]["proposal"])
    if story["calls"]:
        yield "<h2>Prompts</h2>"
        yield _table(["prompt file, its version and sha256", "calls"], words.prompt_rows(story["calls"]))
        yield '<h2>Calls</h2><p class="soft">On the way to the end of this branch, with prompt and reply.</p>'
    for number, call in enumerate(story["calls"], 1):
        yield f"<details><summary>{number}. {_text(words.call_line(call))}</summary>"
        yield f'<p class="soft">{_text(call["at"])}, prompt <span class="hash">{_text(call["written_by"])}</span></p>'
        yield f'<p class="soft">{_text(words.sent_line(call))}</p>'
        yield f"{_pre(call['prompt'])}<p>Reply:</p>{_pre(words.reply_text(call))}</details>"
    yield f'<h2>What was used</h2><p class="soft">{_text(words.USED)}</p>'
    for branch in dict.fromkeys(row["branch"] for row in story["usage"]):
        used = [_usage(row) for row in story["usage"] if row["branch"] == branch]
        name = f"On {branch}" if branch else "Before branches were told apart"
        yield f"<details><summary>{_text(name)}</summary>{_table(['node', 'role and model', 'used'], used)}</details>"


def _usage(row: Mapping[str, Any]) -> tuple[object, ...]:
    if row["role"]:
        return "", f"{row['role']}, {row['model']}", bill_line({k: v for k, v in row.items() if k != "time_s"})
    return row["node"], "", f"{plural(row['runs'], 'run')}, {row['time_s']:.1f} s"


def _facts(pairs: Sequence[tuple[str, str]]) -> str:
    rows = "".join(f"<tr><th>{_text(name)}</th><td>{_text(value)}</td></tr>" for name, value in pairs if value)
    return f'<table class="facts">{rows}</table>'


def _table(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    head = "".join(f"<th>{_text(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _class(word: str) -> str:
    """Return a word of ours as a CSS class; empty for anything else."""
    return word if word.isidentifier() else ""


def _matrix(matrix: Mapping[str, Any]) -> str:
    if not matrix["cases"]:
        return ""
    head = "".join(f"<th>{head}</th>" for head in words.run_heads(matrix["iterations"]))
    rows = []
    for row in matrix["cases"]:
        cells = "".join(_cell(x, flip) for x, flip in zip(row["outcomes"], row["flips"], strict=True))
        rows.append(f"<tr><td>{_text(row['id'])}</td>{cells}</tr>")
    title = f"<h2>Cases over the iterations</h2><p>{words.COLUMNS}</p>"
    return f"{title}<table><tr><th>case</th>{head}</tr>{''.join(rows)}</table>"


def _cell(outcome: str | None, flip: str) -> str:
    text = f"{outcome or ''}{', ' + flip if flip else ''}"
    return f'<td class="{_class(outcome or "absent")}{" flip" if flip else ""}">{_text(text)}</td>'


def _pending(kind: str, proposal: Mapping[str, Any]) -> Iterator[str]:
    """Tell the question that waits as its card does."""
    if kind == "diagnosis":
        yield _diagnosis("Diagnosis", proposal)
    yield _list(words.more_lines(proposal))
    for label, candidate in proposal.get("candidates", {}).items():
        yield f"<p>Repair {_text(label)}: {_text(words.candidate_line(candidate))}</p>"
        yield _list([f"⚠ {mark['why']}" for mark in candidate.get("marks", [])])
        yield _diff(candidate["diff"]) if candidate.get("diff") else ""
    for path, text in proposal.get("files", {}).items():
        yield f"<p>{_text(path)}:</p>{_pre(text)}"


def _iteration(iteration: Mapping[str, Any]) -> Iterator[str]:
    yield f"<h2>{_text(words.heading(iteration))}</h2><p>Spent: {_text(bill_line(iteration['spent']))}</p>"
    for run in iteration["runs"]:
        yield f"<p>Suite: {_text(words.suite_line(run['report']))}</p>{_list(words.case_lines(run['report']))}"
    yield _list([f"not tested: {line}" for line in iteration["not_tested"]])
    yield _list([words.note_line(note) for note in iteration["notes"]])
    for entry in iteration["diagnoses"]:
        yield _diagnosis("Diagnosis", entry["diagnosis"])
        yield _list([f"looked: {line}" for line in words.step_lines(entry["steps"])])
    for decision in iteration["decisions"]:
        yield from _decision(decision)


def _diagnosis(title: str, diagnosis: Mapping[str, Any]) -> str:
    about = f"({', '.join(filter(None, (diagnosis.get('fault', ''), cause_sureness(diagnosis))))})"
    lines = [f"{line['file']} line {line['line']}: {line['why']}" for line in diagnosis.get("evidence", [])]
    by = f"by {_text(diagnosis.get('by', ''))} {_text(about)}: {_text(diagnosis.get('cause', ''))}"
    more = [f"{label}: {diagnosis[name]}" for name, label in words.DIAGNOSIS_WORDS.items() if diagnosis.get(name)]
    return f"<p><strong>{title}</strong> {by}</p>{_list([*lines, *more])}"


def _decision(decision: Mapping[str, Any]) -> Iterator[str]:
    verdict = f'<strong class="{_class(decision["verdict"])}">{_text(words.decided(decision))}</strong>'
    by = decider(decision["by"], "the human") + (f": {decision['note']}" if decision["note"] else "")
    sentence = f"<strong>Decision</strong> on the {_text(decision['kind'])}: {verdict} by {_text(by)}"
    yield f'<div class="decision"><p>{sentence}</p>'
    candidates, label = decision["proposal"].get("candidates", {}), decision["proposal"].get("label", "")
    marks = {label: " (the one decided on)"}
    yield _list(
        [f"repair {name}{marks.get(name, '')}: {words.candidate_line(one)}" for name, one in candidates.items()]
    )
    yield _list([f"comment on {comment_line(comment)}" for comment in decision["comments"]])
    if decision["edited"]:
        yield _diagnosis("Edited diagnosis", decision["edited"])
    if decision["diff"]:
        yield _diff(decision["diff"])
    elif proposed := candidates.get(label, {}).get("diff"):
        yield f"<p>Proposed, not taken:</p>{_diff(proposed)}"
    yield "</div>"
