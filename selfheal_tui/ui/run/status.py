"""Turns a run model into the line of the status bar."""

from __future__ import annotations

from dataclasses import replace

from selfheal_tui.engine.moment.budget import notice
from selfheal_tui.engine.moment.node_facts import facts_of
from selfheal_tui.engine.moment.words import bill_words
from selfheal_tui.errors import SessionDamaged
from selfheal_tui.text import plural

from ..view.model import RunModel
from ..view.spark import passed_by_iteration, spark
from ..view.timeline_rows import moment_words
from ..view.words import outcome_words, report_now, role_words
from .status_bar import StatusLine


def status_line(model: RunModel, session: str, allowed: tuple[str, ...] = ()) -> StatusLine:
    """Return what the status bar says of a model; `session` is its title, `allowed` what its tests may have now."""
    snapshot, read_only = model.shown, model.watched is not None
    if snapshot is None:
        return StatusLine(
            session, "", 0, 0, state_words(model), "", "", (), past=False, read_only=read_only, allowed=allowed
        )
    points = passed_by_iteration(model.timeline.lineage(snapshot.checkpoint_id))
    return StatusLine(
        session=session,
        branch=snapshot.branch,
        iteration=snapshot.iteration,
        max_iterations=snapshot.limits["max_iterations"],
        state=state_words(model),
        spent=bill_words(snapshot.spent, snapshot.limits),
        model=role_words(snapshot.models),
        isolation=tuple(snapshot.report["isolation"]) if snapshot.report else (),
        trust=snapshot.report["trust"] if snapshot.report else "",
        budget=notice(snapshot.limits, snapshot.spent),
        past=model.past is not None,
        bars=spark(points),
        # Of an earlier moment the same figures as in its tabs, so none where the tabs have none.
        passed="{}/{}".format(*points[-1]) if points and (model.past is None or report_now(snapshot)) else "",
        worked_s=snapshot.spent["time_s"],
        max_time_s=snapshot.limits["max_time_s"],
        ticks=model.running and model.past is None and not read_only,
        read_only=read_only,
        allowed=allowed,
        thinks=model.live.thinks if model.past is None else "",
    )


def window_title(model: RunModel, session: str) -> str:
    """Return the title of the terminal's window: `◆ selfheal: your decision · TITLE`."""
    glyph, _, words = state_words(replace(model, past=None)).partition(" ")
    if model.running and not model.lanes and model.watched is None:
        words = model.live.doing or ("starting" if model.shown else "opening")
    return f"{glyph} selfheal: {words} · {session}"


def state_words(model: RunModel) -> str:
    """Say in a few words what happens now, or which moment of the past is shown."""
    if model.past is not None:
        return moment_words(model.timeline, model.past.checkpoint_id) or facts_of(model.past.node).done
    if model.watched == "" and model.only_read is not None:
        is_damaged = isinstance(model.only_read, SessionDamaged)
        return "! damaged: only read" if is_damaged else "◎ only read: it cannot be written"
    if model.watched is not None:
        return f"◎ driven by {model.watched}" if model.watched else "◎ nobody drives it: R goes on"
    if model.running and model.lanes:
        return f"⚑ {plural(len(model.lanes), 'lane')} {'races' if len(model.lanes) == 1 else 'race'}"
    if model.running:
        # What it does stands on the panel: said here too, the two would differ until both are painted.
        return "▸ running" if model.shown else "▸ opening"
    if model.error is not None:
        return "! could not go on"
    if model.review is not None:
        return "◆ your decision"
    if model.race is not None:
        return "⚑ your choice"
    if model.outcome:
        glyph, word, _ = outcome_words(model.outcome)
        return f"{glyph} {word}"
    return "‖ paused"
