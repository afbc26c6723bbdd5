"""`heal`, `resume` and their async twins: one session, driven to its end or to a question that nobody answers.

A session stands in the sessions folder from the first moment. Whatever ends a call (Ctrl-C, a cancelled task, a model
that is gone), `resume` goes on with what was saved.
"""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, cast

from selfheal_tui.cli.compose import build_workbench
from selfheal_tui.engine.loop.advisors import ADVISORS
from selfheal_tui.engine.moment.events import Event, ReviewRequested, RunFailed
from selfheal_tui.engine.moment.state import AUTONOMIES, Autonomy
from selfheal_tui.engine.session.following import follow_run
from selfheal_tui.errors import InputError, SelfHealError
from selfheal_tui.setting_values import SEARCH, nearest
from selfheal_tui.text import one_line

from .answers import Decided, answer_to
from .beside import Call, call_here, run_to_end
from .given import Code, Given, Tests, build_task, folder_of
from .result import Result, build_result_of
from .review import Review, build_question
from .run_settings import RunSettings, check_names, folder_here, model_words, settings_of

if TYPE_CHECKING:
    from selfheal_tui.engine.loop.own_advisors import Advise
    from selfheal_tui.engine.moment.snapshot import Snapshot
    from selfheal_tui.engine.moment.state import RunPolicy
    from selfheal_tui.engine.session.workbench import Workbench
    from selfheal_tui.settings import Settings

Decide = Callable[[Review], Decided | Awaitable[Decided]]
"""Answers a question; may be async."""
OnEvent = Callable[[Event], object]
"""Hears each event of the engine; may be async."""


def heal(
    spec: str | None = None,
    code: Code | None = None,
    tests: Tests | None = None,
    path: Given | Sequence[Given] | None = None,
    model: str | Mapping[str, str] = SEARCH,
    autonomy: Autonomy | None = None,
    on_event: OnEvent | None = None,
    decide: Decide | None = None,
    *,
    pytest_args: Sequence[str] = (),
    advisors: Sequence[str | Advise] = (),
    sessions: Given | None = None,
    trust: bool = False,
    **limits: Unpack[RunSettings],
) -> Result:
    """Heal a program until its tests pass; no file of yours is written. Works in a notebook too.

    `code` is text, a `Path`, or a mapping of paths to texts; `tests` is text, a `Path`, or a list of paths, node ids
    and pytest commands. `path` names a file or a project's folder instead. `spec` alone has the code written, which
    needs a model. `model` is `provider:name`, or role -> that.

    `autonomy` is `full_auto`, and `review_repairs` where `decide` is given. `decide` gets each question as a `Review`
    and returns `approve()`, `edit(...)`, `reject(...)`, `stop()`, or None to leave it open: then `outcome` is
    `waiting`. `on_event` gets each event. `limits` are those of `RunSettings`: `max_time_s=60`, `max_cost_usd=1` ...

    `advisors` are names of advisory steps, and functions that get the program (path -> text) once every test passes and
    return a sentence.

    The session stays in `sessions`, by default where the commands have theirs. What a folder brings (`selfheal.yaml`,
    `.env`) counts only with `trust=True`.

    Raises: SelfHealError with a sentence: InputError for what cannot be used, ProviderError, SandboxError,
    SessionError.
    """
    check_names(limits, "heal")
    order = _Order(autonomy, on_event, decide, tuple(advisors), sessions, trust, model, dict(limits))
    source = (spec, code, tests, path, tuple(pytest_args))
    return run_to_end(lambda call: _heal(order, source, call))


async def aheal(
    spec: str | None = None,
    code: Code | None = None,
    tests: Tests | None = None,
    path: Given | Sequence[Given] | None = None,
    model: str | Mapping[str, str] = SEARCH,
    autonomy: Autonomy | None = None,
    on_event: OnEvent | None = None,
    decide: Decide | None = None,
    *,
    pytest_args: Sequence[str] = (),
    advisors: Sequence[str | Advise] = (),
    sessions: Given | None = None,
    trust: bool = False,
    **limits: Unpack[RunSettings],
) -> Result:
    """Do what `heal` does, in the running event loop; cancelling it leaves a session that can be resumed."""
    check_names(limits, "aheal")
    order = _Order(autonomy, on_event, decide, tuple(advisors), sessions, trust, model, dict(limits))
    return await _heal(order, (spec, code, tests, path, tuple(pytest_args)), call_here)


def resume(
    session: str | Result,
    answer: Decided = None,
    *,
    on_event: OnEvent | None = None,
    decide: Decide | None = None,
    advisors: Sequence[Advise] = (),
    sessions: Given | None = None,
    **settings: Unpack[RunSettings],
) -> Result:
    """Go on with a session that waits, was interrupted or failed, and return what comes of it.

    `session` is a `Result` or an id. `answer` answers the question that waits. Limits and models are those of the
    session; `settings` are those of this machine, as `python` and `sandbox`. `advisors` are the
    functions that `heal` got.
    Raises: SelfHealError, as `heal`.
    """
    check_names(settings, "resume")
    order = _Order(None, on_event, decide, tuple(advisors), sessions, False, None, dict(settings))
    return run_to_end(lambda call: _resume(order, session, answer, call))


async def aresume(
    session: str | Result,
    answer: Decided = None,
    *,
    on_event: OnEvent | None = None,
    decide: Decide | None = None,
    advisors: Sequence[Advise] = (),
    sessions: Given | None = None,
    **settings: Unpack[RunSettings],
) -> Result:
    """Do what `resume` does, in the running event loop."""
    check_names(settings, "aresume")
    order = _Order(None, on_event, decide, tuple(advisors), sessions, False, None, dict(settings))
    return await _resume(order, session, answer, call_here)


@dataclass(frozen=True, slots=True)
class _Order:
    """How a session is to be driven, as the caller said it."""

    autonomy: Autonomy | None
    on_event: OnEvent | None
    decide: Decide | None
    advisors: tuple[str | Advise, ...]
    sessions: Given | None
    trust: bool
    model: str | Mapping[str, str] | None
    limits: Mapping[str, Any] = field(default_factory=dict)

    def settings(self, folder: Path | None) -> Settings:
        """Return the settings in force. Raises: SelfHealError."""
        given: dict[str, Any] = {**self.limits, "sessions": self.sessions}
        if self.model is not None:
            autonomy = self.autonomy or ("full_auto" if self.decide is None else "review_repairs")
            if autonomy not in AUTONOMIES:
                raise InputError(
                    f"There is no autonomy {one_line(str(autonomy), 40)!r}.", nearest(str(autonomy), AUTONOMIES)
                )
            named = [one for one in self.advisors if isinstance(one, str)]
            given |= {"autonomy": autonomy, "model": model_words(self.model), "advisors": named or None}
        return settings_of(given, folder, trust=self.trust)

    def functions(self) -> dict[str, Advise]:
        """Return name -> advisor, of those that are functions. Raises: InputError."""
        functions: dict[str, Advise] = {}
        for one in self.advisors:
            if isinstance(one, str):
                continue
            name = getattr(one, "__name__", type(one).__name__)
            if not callable(one) or name in ADVISORS or name in functions or not name.isidentifier():
                raise InputError(
                    f"advisors cannot hold {one_line(repr(one), 60)}.",
                    "Give names of advisors, and functions with names of their own.",
                )
            functions[name] = one
        return functions


async def _heal(order: _Order, source: tuple[Any, ...], call: Call) -> Result:
    from selfheal_tui.engine.session.options import chosen_models, startable_options
    from selfheal_tui.sandbox.allowance import checked_allowance

    folder_here()
    spec, code, tests, path, pytest_args = source
    task = build_task(spec, code, tests, path, pytest_args)
    settings = order.settings(folder_of(code, path))
    checked_allowance(settings.allow_read, settings.allow_network, settings.sessions, os.environ)
    models, _ = await chosen_models(settings.models())
    options, functions = startable_options(settings, models), order.functions()
    policy = {**options.policy, "advisors": [*options.policy["advisors"], *functions]}
    options = replace(options, policy=cast("RunPolicy", policy))
    workbench = build_workbench(settings, advisors=functions)
    try:
        # First: a sandbox that cannot be had must not leave a session behind.
        workbench.warm_up(task)
        session_id = await workbench.create(task, options)
        with _told(session_id, order):
            return await _driven(workbench, settings, session_id, order, call, None)
    finally:
        await workbench.aclose()
        for trouble in workbench.hook_troubles:
            logging.getLogger(__name__).warning(trouble)


async def _resume(order: _Order, session: str | Result, answer: Decided, call: Call) -> Result:
    if isinstance(session, Result) and order.sessions is None:
        order = replace(order, sessions=session.folder.parent)
    wanted = session.session if isinstance(session, Result) else session
    settings = order.settings(None)
    workbench = build_workbench(settings, advisors=order.functions())
    try:
        session_id = workbench.store.find(wanted)
        with _told(session_id, order):
            return await _driven(workbench, settings, session_id, order, call, answer)
    finally:
        await workbench.aclose()
        for trouble in workbench.hook_troubles:
            logging.getLogger(__name__).warning(trouble)


async def _driven(
    workbench: Workbench, settings: Settings, session_id: str, order: _Order, call: Call, answer: Decided
) -> Result:
    """Drive a session to its end, or to a question that is left open."""

    async def hear(event: Event) -> None:
        if order.on_event is not None:
            await call(order.on_event, event)

    async with workbench.open_session(session_id) as session:
        events: AsyncIterator[Event] = session.resume()
        newest: Snapshot | None = None
        while True:
            last, saved = await follow_run(events, hear)
            newest = saved or newest
            if isinstance(last, RunFailed):
                raise last.error
            if not isinstance(last, ReviewRequested):
                if answer is not None:
                    raise InputError(f"No question waits in session {session_id}.", "Leave the answer out.")
                break
            if answer is None and order.decide is not None:
                answer = cast(Decided, await call(order.decide, build_question(last.snapshot, last.kind, session_id)))
            checked = answer_to(last.kind, last.snapshot, answer)
            if checked is None:
                break
            answer = None
            events = session.decide(last.checkpoint_id, checked)
        return build_result_of(last, newest, session_id, settings.sessions / session_id)


@contextmanager
def _told(session_id: str, order: _Order) -> Iterator[None]:
    """Say in whatever ends the run early which session goes on."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, SelfHealError):
            error.session = session_id
        elsewhere = f", sessions={os.fspath(order.sessions)!r}" if order.sessions is not None else ""
        error.add_note(f"What was done is saved. To go on: selfheal_tui.resume({session_id!r}{elsewhere})")
        raise
