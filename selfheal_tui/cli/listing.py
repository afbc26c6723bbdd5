"""`selfheal sessions list`: all sessions, the newest first."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict

from selfheal_tui.money import json_text
from selfheal_tui.store.sessions import SessionRow
from selfheal_tui.text import one_line, outcome_word, plural, size_words

from .compose import build_workbench
from .folding import width_of
from .options import add_json, add_store_settings
from .trusting import load_from

_WIDEST = 44
"""Characters: a session that stands in a longer way moves its own line's columns, not all."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    add_json(parser, "a JSON list with an object for each session")
    add_store_settings(parser)


def state_words(row: SessionRow) -> str:
    """Say how a session stands: `healed`, `healed on main; gave up on other`, `gave up; left for you: 1 repair`."""
    state = f"{row.outcome} ({row.waiting_for})" if row.waiting_for else outcome_word(row.outcome)
    if row.healed_beside:
        more = f" and {len(row.healed_branches) - 1} more" if len(row.healed_branches) > 1 else ""
        state = f"healed on {one_line(row.healed_beside, 40)}{more}; {state} on {one_line(row.stands, 40)}"
    left = {"": "", "repair": "1 repair"}.get(row.left_for_you, f"a question ({row.left_for_you})")
    return f"{state}; left for you: {left}" if left else state


def run(args: Namespace) -> int:
    """List."""
    settings = load_from(args)
    rows = build_workbench(settings).list_sessions()
    if args.json:
        print(json_text([asdict(row) for row in rows]))
        return 0
    if rows:
        print(f"selfheal: {plural(len(rows), 'session')} in {settings.sessions}", file=sys.stderr)
    else:
        print(f"No sessions in {settings.sessions} yet; start one with: selfheal demo")
    print("\n".join(table(rows, width_of(sys.stdout))), end="\n" if rows else "")
    return 0


def table(rows: Sequence[SessionRow], room: int = 0) -> list[str]:
    """Return a line for each session, in columns; two where they do not fit into `room` columns, 0 for any."""
    width = max((len(row.session_id) for row in rows), default=0)
    states = [state_words(row) for row in rows]
    wide = max((len(state) for state in states if len(state) <= _WIDEST), default=0)
    lines = []
    for row, state in zip(rows, states, strict=True):
        counts = f"{plural(row.iteration, 'iteration'):<14}{plural(row.branches, 'branch', 'branches'):<12}"
        size, title = size_words(row.size_bytes), one_line(row.title, 60)
        line = f"{row.session_id:<{width}}  {state:<{wide}}  {counts}{size:>10}  {title}"
        if room and len(line) > room:
            line = f"{row.session_id}  {state}\n    {counts}{size:>10}  {title}"
        lines.append(line)
    return lines
