"""Node: advisory, after green: what bandit says of the finished program. The program is read, never run.

bandit works in a process of its own, on a copy, with `-P`: without it a program file named like one of its modules
(`yaml.py`) would be imported in that module's place, and so run outside the sandbox. `# nosec` in the program, which
a model may have written, hides nothing.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from selfheal_tui.text import one_line, plural

from ...moment.state import Advice, Evidence, HealState
from ...moment.workspace import load_workspace
from ...workshop.deps import Deps
from .common import took

_SEVERITIES = ("HIGH", "MEDIUM", "LOW", "UNDEFINED")
_SHOWN = 30
_TIME_S = 60.0
_COMMAND = ("-P", "-m", "bandit", "-r", "-q", "-f", "json", "--ignore-nosec", "--exit-zero")
_INSTALL = "pip install 'selfheal-tui[security]'"


async def security_review(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Return the advice, when it is asked for."""
    if "security_review" not in state["policy"]["advisors"]:
        return {}
    started = time.monotonic()
    workspace = await load_workspace(runtime.context.blobs, state)
    advice = await reviewed(workspace.program_texts)
    return {"advice": {"security_review": await runtime.context.blobs.put(advice)}, "spent": took(started)}


async def reviewed(program: Mapping[str, str]) -> Advice:
    """Return what bandit finds in the program's texts (path -> text), or why it could not look."""
    if importlib.util.find_spec("bandit") is None:
        return _advice(f"bandit is not installed; it comes with {_INSTALL}.")
    with tempfile.TemporaryDirectory(prefix="selfheal-review-") as folder:
        root = Path(folder).resolve()
        try:
            for path, text in program.items():
                copy = root / path
                if path.endswith(".py") and copy.resolve().is_relative_to(root):
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    copy.write_text(text, "utf-8", errors="replace")
            output, errors = await _bandit(root)
        except (OSError, TimeoutError) as error:
            return _advice(f"bandit did not come to an end: {type(error).__name__}.")
        try:
            return _read(json.loads(output), root)
        except (ValueError, KeyError, TypeError):
            return _advice(
                f"bandit could not look: {one_line(errors.splitlines()[-1] if errors.strip() else 'no report')}."
            )


async def _bandit(root: Path) -> tuple[str, str]:
    """Return what it printed and its complaints. Raises: OSError, TimeoutError."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *_COMMAND,
        str(root),
        cwd="/",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(_TIME_S):
            output, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return output.decode("utf-8", "replace"), errors.decode("utf-8", "replace")


def _read(report: Mapping[str, Any], root: Path) -> Advice:
    """Raises: ValueError, KeyError, TypeError when this is no report of bandit's."""
    results = sorted(report["results"], key=lambda r: (_SEVERITIES.index(r["issue_severity"]), r["filename"]))
    items: list[Evidence] = [
        {
            "file": Path(issue["filename"]).relative_to(root).as_posix(),
            "line": int(issue["line_number"]),
            "why": one_line(f"{issue['issue_severity'].lower()}: {issue['issue_text']} ({issue['test_id']})", 300),
        }
        for issue in results[:_SHOWN]
    ]
    counts = {name: sum(issue["issue_severity"] == name for issue in results) for name in _SEVERITIES}
    parts = ", ".join(f"{count} {name.lower()}" for name, count in counts.items() if count)
    summary = f"bandit found {plural(len(results), 'issue')}: {parts}." if results else "bandit found nothing."
    if len(results) > _SHOWN:
        summary += f" The first {_SHOWN} are shown."
    if unread := report.get("errors"):
        summary += f" It could not read {plural(len(unread), 'file')}."
    return _advice(summary, items)


def _advice(summary: str, items: list[Evidence] | None = None) -> Advice:
    return {"by": "security_review", "summary": summary, "items": items or []}
