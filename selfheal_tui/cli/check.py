"""`selfheal sessions check`: whether sessions are whole, and what can still be read of those that are not."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from selfheal_tui.errors import SessionError
from selfheal_tui.money import json_text
from selfheal_tui.store.lock import Holder
from selfheal_tui.store.sessions import SessionStore
from selfheal_tui.text import one_line, plural, size_words, strip_controls

from .options import add_json, add_session, add_store_settings
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.history.check import CheckReport


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    add_session(parser, optional=True, otherwise="all")
    add_json(parser)
    add_store_settings(parser)


def run(args: Namespace) -> int:
    """Check and print; 6 when something is damaged or cannot be read by this version."""
    from selfheal_tui.engine.history.check import check_session

    store = SessionStore(load_from(args).sessions)
    ids = [store.find(args.session)] if args.session else sorted(row.session_id for row in store.rows())
    reports = [check_session(store.folder(session_id)) for session_id in ids]
    if args.json:
        print(json_text(reports[0] if args.session else reports))
    else:
        print(strip_controls("\n".join(line for report in reports for line in _lines(report)) or "No sessions yet."))
    return 0 if all(report["sound"] for report in reports) else SessionError.exit_code


def _lines(report: CheckReport) -> Iterator[str]:
    whole = f"{report['whole']} of {report['checkpoints']} checkpoints whole"
    state = f"{'sound' if report['sound'] else 'DAMAGED'}; {whole}"
    if report["other_version"]:
        state = "of another version, not looked into"
    sizes = f"{size_words(report['size_bytes'])}, of it {plural(report['bodies'], 'body', 'bodies')} "
    sizes += f"with {size_words(report['bodies_bytes'])}"
    yield f"{report['session_id']}: {state}; {sizes}"
    if report["driver"] is not None:
        yield f"  driven by {Holder(report['driver'], report['driver_host']).words()}"
    if report["orphans"]:
        size = size_words(report["orphans_bytes"])
        yield f"  {plural(report['orphans'], 'body', 'bodies')} that nothing names ({size}): harmless"
    for damage in report["damage"]:
        yield f"  {one_line(damage['what'], 400)}"
        yield from (f"    at {one_line(place, 200)}" for place in damage["where"])
        if damage["moments"] > len(damage["where"]):
            yield f"    and {plural(damage['moments'] - len(damage['where']), 'moment')} more"
    for branch in report["still_readable"]:
        name = one_line(branch["branch"], 60)
        if branch["checkpoint_id"] is None:
            yield f"  {name}: nothing can be read whole"
        else:
            head = "to its end" if branch["is_head"] else f"up to checkpoint {branch['checkpoint_id'][:13]}"
            yield f"  {name}: can be read {head}, iteration {branch['iteration']}"
