"""Real bugs from red to `git diff`: the reference fix as a model's edits heals, and `apply` writes just that fix.

`PYTHONPATH=. python -m tests.benchmarks.project_edits` plays the debugger and the repairer of every project with a
scripted model. The project is a git repository of its own; after `sessions apply` its `git diff` must be, byte for byte,
that of the fixed release, and the project's judging tests must pass. `--as crlf` (or `bom`, `unended`, `latin-1`) first
rewrites the files that the fix changes in that way. Where the program is too long to be shown whole, it is also told
whether both roles were shown the lines that the fix changes.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from tests.line_edits import edits_between

from .project_places import faulty_lines
from .projects import Project, environment, judge, projects

UNSEEN = {role: f"The {role} was not shown these lines." for role in ("debugger", "repairer")}
"""What a role says when its prompt lacks the lines that the fix changes."""
_GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
}  # fmt: skip

Form = Callable[[str], str]

FORMS: dict[str, tuple[Form, str]] = {
    "plain": (lambda text: text, "utf-8"),
    "crlf": (lambda text: text.replace("\n", "\r\n"), "utf-8"),
    "bom": (lambda text: text, "utf-8-sig"),
    "unended": (lambda text: text.rstrip("\n"), "utf-8"),
    "latin-1": (lambda text: f"# -*- coding: latin-1 -*- caf\xe9\n{text}", "latin-1"),
}
"""How the changed files are written: what becomes of the text, and the encoding."""


def git(folder: Path, *words: str) -> str:
    """Run git in a repository that knows no settings of this machine; return what it prints."""
    ran = subprocess.run(["git", *words], cwd=folder, capture_output=True, check=True, env={**os.environ, **_GIT})
    return ran.stdout.decode("utf-8", "surrogateescape")


def in_form(project: Project, form: str) -> Project | None:
    """Return the project with the files that the fix changes in another form; None where they cannot be so."""
    rewritten, encoding = FORMS[form]
    if form == "latin-1" and not all(_is_plain_ascii(project.files[path]) for path in project.fixed):
        return None
    try:
        fixed = {path: rewritten(text) for path, text in project.fixed.items()}
        files = {**project.files, **{path: rewritten(project.files[path]) for path in project.fixed}}
        for path, text in fixed.items():
            (files[path] + text).encode(encoding)
    except UnicodeEncodeError:
        return None
    return replace(project, files=files, fixed=fixed)


def write(project: Project, folder: Path, encoding: str, texts: Mapping[str, str]) -> None:
    """Write the texts into the project's folder."""
    for path, text in texts.items():
        (folder / path).write_bytes(text.encode(encoding))


def script(project: Project, file: Path) -> str:
    """Write what the models say, the reference fix as edits; return the model's name."""
    # A model writes line feeds, whatever the file has.
    before, after = ({p: t.replace("\r\n", "\n") for p, t in texts.items()} for texts in (project.files, project.fixed))
    edits = [
        {"path": path, "find": find, "replace": put}
        for path, text in after.items()
        for find, put in edits_between(before[path].split("\n"), text.split("\n"))
    ]
    lines = [(path, line) for path in after for line in faulty_lines(before[path], after[path])]
    diagnosis = {
        "thought": "", "cause": "The lines named are wrong.", "fault": "code", "category": "logic",
        "strategy": "Change the lines named.", "disproof": "", "confidence": 0.9,
        "evidence": [{"file": path, "line": line, "why": "wrong here"} for path, line in lines][:8],
    }  # fmt: skip
    numbered = [f"{line:4} {before[path].split(chr(10))[line - 1]}" for path, line in lines]
    repair = {"why": "", "summary": "Change the lines named.", "edits": edits}
    replies = [
        {"role": "debugger", "when": numbered, "reply": diagnosis},
        {"role": "debugger", "reply": {**diagnosis, "cause": UNSEEN["debugger"]}},
        {"role": "repairer", "when": [edit["find"].rstrip("\n") for edit in edits], "reply": repair},
        {"role": "repairer", "reply": {**repair, "summary": UNSEEN["repairer"]}},
    ]
    file.write_text(yaml.safe_dump({"replies": replies}), "utf-8")
    return f"scripted:{file}"


def selfheal(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command of selfheal to its end."""
    return subprocess.run([sys.executable, "-m", "selfheal_tui", *words], capture_output=True, text=True, check=False)


def result_of(ran: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """Return the JSON object that a command printed; without one, its last words as the reason."""
    return json.loads(ran.stdout) if ran.stdout.strip() else {"reason": ran.stderr.strip()[-300:]}


def home(project: Project, python: Path, work: Path, form: str) -> tuple[str, str]:
    """Heal and apply; return how it ended, `just the fix` if well, and what the models were not shown."""
    encoding = FORMS[form][1]
    folder = project.write(work / "edited", {path: "" for path in project.fixed})
    write(project, folder, encoding, {path: project.files[path] for path in project.fixed})
    git(folder, "init", "-q")
    git(folder, "add", "-A", "-f")
    git(folder, "commit", "-q", "-m", "before")
    write(project, folder, encoding, project.fixed)
    wanted = git(folder, "diff", "--binary")
    git(folder, "checkout", "-q", ".")
    model = script(project, work / "script.yaml")
    sessions = ["--sessions", str(work / "edit-sessions")]
    tests = ["--tests", *(str(folder / test) for test in project.tests)] if project.tests else []
    options = [
        "--model",
        model,
        "--autonomy",
        "full_auto",
        "--critic",
        "off",
        "--no-lessons",
        "--python",
        str(python),
        *sessions,
    ]
    result = result_of(selfheal("fix", str(folder), *tests, "--json", *options))
    if "session_id" not in result:
        return str(result["reason"]), ""
    session = str(result["session_id"])
    asked = selfheal("sessions", "export", session, "--format", "prompts", *sessions).stdout
    unseen = " and ".join(role for role, text in UNSEEN.items() if text in asked)
    if result["outcome"] != "healed":
        return str(result["reason"] or result["outcome"]), unseen
    applied = result_of(selfheal("sessions", "apply", session, "--yes", "--json", *sessions))
    if len(applied.get("written", ())) != len(project.fixed):
        return f"apply: {applied.get('written', applied.get('reason'))}", unseen
    if git(folder, "diff", "--binary") != wanted:
        return "git diff shows something else", unseen
    if git(folder, "status", "--porcelain", "-uall", "--ignored").count("\n") != len(project.fixed):
        return "git status shows other files", unseen
    after = judge(folder, project.tests, python)
    return after.error or ", ".join(sorted(after.failing)[:3]) or "just the fix", unseen


def main() -> None:
    """Print a line for each project, and the sum."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="only projects with this in their name")
    parser.add_argument("--as", dest="form", choices=FORMS, default="plain", help="how the changed files are written")
    parser.add_argument("--work", type=Path, default=Path("/tmp/selfheal-projects"))
    args = parser.parse_args()
    ends: list[str] = []
    for whole in projects(args.only):
        if (project := in_form(whole, args.form)) is None:
            continue
        python = environment(project.requirements, args.work)
        began, used = time.monotonic(), _cpu_s()
        end, unseen = home(project, python, args.work, args.form)
        ends.append(end)
        spent = f"{time.monotonic() - began:6.1f} s, CPU {_cpu_s() - used:5.1f} s"
        print(f"{project.name:50} {spent}  {end}{f'; not shown to {unseen}' if unseen else ''}", flush=True)
    print(f"{ends.count('just the fix')} of {len(ends)}: just the fix")


def _is_plain_ascii(text: str) -> bool:
    return text.isascii() and "coding" not in "".join(text.splitlines()[:2])


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
