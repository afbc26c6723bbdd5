"""Role: says why the suite fails, from the failing cases: a model that may look with tools, or the search's figures."""

from __future__ import annotations

import asyncio
import importlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from selfheal_tui.errors import SandboxError
from selfheal_tui.llm.faults import ContextTooLong
from selfheal_tui.search.blame import Searched
from selfheal_tui.search.program.localise import is_failing
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.store.blobs import json_text, text_ref
from selfheal_tui.text import one_line, strip_controls

from ...moment.budget import kept_for_needed, reached, sentence
from ...moment.events import Noticed, ToolCalled
from ...moment.state import DebugStep, Diagnosis, Spent, Suspects, add_spent, no_spend
from ...moment.steering import unread_words
from ...suites.answers import only_said, only_said_words
from ...workshop.inquiries import earlier_inquiries, edits_refused, program_hash
from ...workshop.kept_search import KeptSearch, as_searched, search_once
from ...workshop.prompt_room import Shrinkable
from ...workshop.role_context import (
    GIVES_WAY,
    TRIED_SHOWN,
    RoleContext,
    last_change,
    load_newest_taken,
    load_records,
    tried_texts,
)
from ...workshop.searched import closed, tell_coverage
from ...workshop.suspects import build_suspects, find_suspects
from ..describe import (
    earlier_text,
    feedback_text,
    history_text,
    lessons_text,
    report_text,
    shown_tests,
)
from ..focus import build_focus
from ..not_searched import run_by_failing, with_not_searched
from ..program_map import show_to_fit
from ..reply import InvalidReply, ask_model
from ..tools.localise import suspects_text
from ..tools.registry import CONCLUDE, arguments_of, as_seen, could_not_run, observe

_REPEATS = 2
"""After so many repeated actions the diagnosis is asked for."""
_REPEATED = "This is exactly what you did in the step before; what it showed stands. Do something else, or conclude."
_CALLS_WITH_REPAIR = 3
"""A step, the diagnosis and the repair that it must leave room for."""
_TURN = "Answer with one action. Actions left before you must conclude, this one included: {}."
_LAST_TURN = "No action but `conclude` is left. Give the `diagnosis` now, from what you have seen."
_EMPTY = "To conclude, give the `diagnosis`: an object with fault, category, cause, evidence, strategy and confidence."


@dataclass(frozen=True, slots=True)
class Finding:
    """The debugger's result."""

    diagnosis: Diagnosis
    """Of confidence 0 when the model gave none that could be read."""
    spent: Spent
    steps: tuple[DebugStep, ...] = ()
    """What it looked at first."""
    suspects: Suspects | None = None
    """Lines that the failing cases point to; None when the sandbox could not tell."""
    searched: KeptSearch | None = None
    """The search that it was made from."""


async def find_cause(context: RoleContext) -> Finding:
    """Return a diagnosis, what it cost and the steps towards it. Raises: ProviderError, SandboxError."""
    model = context.model("debugger")
    if model == SEARCH:
        return await _by_search(context)
    assert context.report is not None
    head = context.state.get("head", "")
    records = await load_records(context.deps, head, TRIED_SHOWN)
    inquiries = await earlier_inquiries(context.deps.blobs, context.state)
    values: dict[str, str | Shrinkable] = {
        "spec": context.spec or "(none: the tests say what is right)",
        "tests": shown_tests(context.workspace.test_texts, context.report),
        "report": report_text(context.report, context.workspace.origins),
        "changes": last_change(await load_newest_taken(context.deps, head)),
        "history": history_text(tried_texts(records, context.state.get("empty_rounds", ()))),
        "earlier": earlier_text(inquiries, program_hash(context.state)),
        "lessons": lessons_text(context.state, records),
        "feedback": feedback_text(context.state.get("feedback", [])),
    }
    return await _Inquiry(context, model, values).run()


class _Inquiry:
    """Thought, action, observation, until a diagnosis (ReAct); after `debug_steps` actions it is asked for.

    On a replay the ledger gives the answers and the observations: nothing is paid, nothing runs.
    """

    def __init__(self, context: RoleContext, model: str, values: Mapping[str, str | Shrinkable]) -> None:
        self.context, self.model, self.values = context, model, values
        self.steps: list[DebugStep] = []
        self.spent = no_spend()
        self.dearest: Spent = {**no_spend(), "calls": 1}
        self.repeats = 0
        self.suspects: Suspects | None = None
        self.localised = ""
        """The same in words, as the tool `localise` gives it."""
        self.started = time.monotonic()

    async def run(self) -> Finding:
        """Ask until there is a diagnosis, or nothing to ask with."""
        self.localised = await self._localised()
        suspects_words = self.localised.partition("\n")[2] or self.localised
        self.values = {**self.values, "suspects": suspects_words, "program": self._shown_program()}
        try:
            for actions_left in range(self.context.state["policy"]["debug_steps"], 0, -1):
                if self.repeats == _REPEATS or self._is_short():
                    break
                try:
                    reply = await self._ask(actions_left)
                except ContextTooLong:
                    self.context.emit(Noticed("The debugger's tools do not fit into the model's context."))
                    break
                if diagnosis := _concluded(reply):
                    return self._finding(diagnosis)
                await self._step(reply)
            else:
                # The same conversation, so that most of it comes from the provider's cache.
                if self.steps and not self._used_up() and (diagnosis := _concluded(await self._ask(0))):
                    return self._finding(diagnosis)
            if self.steps and (names := self._used_up()):
                limits, spent = self.context.state["limits"], self._total()
                return self._degraded(f"there was no diagnosis yet. {sentence(limits, spent, names)}")
            return self._finding(await self._ask())
        except InvalidReply as error:
            self.spent = add_spent(self.spent, error.spent)
            return self._degraded(f"no diagnosis could be read. {error.message}")

    def _shown_program(self) -> Shrinkable:
        """Return the program with line numbers; of a long one what tracebacks, coverage and tests point to."""
        workspace, report = self.context.workspace, self.context.report
        assert report is not None
        program = workspace.program_texts
        focus = build_focus(program, workspace.test_texts, report, self.suspects, of_short=True)
        return show_to_fit(program, focus, with_numbers=True)[0]

    async def _ask(self, actions_left: int | None = None) -> dict[str, Any]:
        """Ask for an action or a diagnosis; with no action left, to conclude; with None, for a diagnosis by itself."""
        context, acting = self.context, actions_left is not None
        salt = f"{context.salt}.step{len(self.steps)}" if acting else context.salt
        turn = _TURN.format(actions_left) if actions_left else _LAST_TURN
        values = {**self.values, "steps": steps_text(self.steps), "turn": turn, "left": str(actions_left or 0)}
        reply, spent = await ask_model(
            context, "debugger", values, salt, ("earlier", "steps", *GIVES_WAY, "program"), acting=acting
        )
        self.spent = add_spent(self.spent, spent)
        self.dearest = max(self.dearest, spent, key=lambda bill: bill["input_tokens"] + bill["output_tokens"])
        return reply

    async def _step(self, reply: Mapping[str, Any]) -> None:
        tool, arguments = str(reply["action"]), arguments_of(reply)
        before = self.steps[-1] if self.steps else None
        if before and (before["tool"], before["arguments"]) == (tool, arguments):
            self.repeats += 1
            observation = _REPEATED
        elif tool == CONCLUDE:
            observation = _EMPTY
        elif tool == "localise" and self.suspects is not None:
            observation = self.localised
        else:
            observation = await self._observed(tool, arguments)
        thought = strip_controls(str(reply.get("thought", "")))
        self.steps.append({"thought": thought, "tool": tool, "arguments": arguments, "observation": observation})
        self.context.emit(ToolCalled(tool, arguments_line(arguments), thought, observation))

    async def _localised(self) -> str:
        """Find the suspicious lines, or take those recorded at this very point; return them in words."""
        deps, program = self.context.deps, self.context.workspace.program_texts
        key = self._point("suspects", {})
        if ref := await deps.ledger.observation(key):
            held = await deps.blobs.get(ref)
            self.suspects = held["suspects"]
            return str(held["text"])
        try:
            suspects, _ = await find_suspects(self.context)
        except SandboxError as error:
            return could_not_run(error)
        self.suspects = build_suspects(suspects, program)
        text = as_seen(suspects_text(suspects, program))
        await deps.ledger.note_observation(key, await deps.blobs.put({"text": text, "suspects": self.suspects}))
        return text

    def _point(self, tool: str, arguments: dict[str, str | int]) -> str:
        """Return a hash that identifies this point of this conversation."""
        state = cast(Mapping[str, Any], self.context.state)
        moment = [state.get(name) for name in ("manifest_ref", "changes", "suites", "report_ref", "head")]
        return text_ref(json_text([moment, self.context.salt, self.steps, tool, arguments]))

    async def _observed(self, tool: str, arguments: dict[str, str | int]) -> str:
        """Use the tool, or take what it showed at this very point before."""
        deps, key = self.context.deps, self._point(tool, arguments)
        if ref := await deps.ledger.observation(key):
            return await deps.blobs.get_text(ref)
        observation, lasting = await observe(self.context, tool, arguments)
        if lasting:
            await deps.ledger.note_observation(key, await deps.blobs.put_text(observation))
        return observation

    def _used_up(self) -> list[str]:
        """Return the limits that are used up."""
        return reached(self.context.state["limits"], self._total())

    def _is_short(self) -> bool:
        """Tell whether one more step would leave too little for the diagnosis and a repair."""
        state, size = self.context.state, self.dearest if self.steps else None
        own = kept_for_needed(state["limits"], self._total(), _CALLS_WITH_REPAIR, size)
        return bool(own or self.context.deps.purse.kept_for_needed(state, _CALLS_WITH_REPAIR))

    def _total(self) -> Spent:
        elapsed: Spent = {**no_spend(), "time_s": time.monotonic() - self.started}
        return add_spent(add_spent(self.context.state.get("spent"), self.spent), elapsed)

    def _finding(self, diagnosis: Mapping[str, Any]) -> Finding:
        fields = {name: value for name, value in diagnosis.items() if name != "thought"}
        if not fields.get("disproof", True):
            del fields["disproof"]
        return Finding(cast(Diagnosis, {**fields, "by": self.model}), self.spent, tuple(self.steps), self.suspects)

    def _degraded(self, why: str) -> Finding:
        thought = f" The debugger's last thought: {one_line(self.steps[-1]['thought'], 600)}" if self.steps else ""
        return self._finding(
            {
                "fault": "code",
                "category": "unknown",
                "cause": f"Degraded: {why}{thought}",
                "evidence": [],
                "strategy": "Repair from the failing cases alone.",
                "confidence": 0.0,
            }
        )


def steps_text(steps: Sequence[DebugStep]) -> Shrinkable:
    """Return the steps so far; when shortened, observations go before actions, the oldest first, the newest last."""
    pieces: list[str] = []
    for number, step in enumerate(steps, 1):
        action = f"{step['tool']} {json.dumps(step['arguments'], ensure_ascii=False)}"
        pieces.append(f"Step {number}\nthought: {step['thought']}\naction: {action}")
        pieces.append(f"observation:\n{step['observation']}")
    observations = [(index, "older observation") for index in range(1, len(pieces) - 1, 2)]
    actions = [(index, "older step") for index in range(0, len(pieces) - 2, 2)]
    newest = [(len(pieces) - 1, "observation")] if pieces else []
    return Shrinkable(tuple(pieces), (*observations, *actions, *newest), empty="(nothing yet)")


def arguments_line(arguments: Mapping[str, str | int]) -> str:
    """Return a tool's arguments as one safe line, without those that the model left out."""
    return one_line(", ".join(f"{name}={value!r}" for name, value in arguments.items() if value), 400)


def _concluded(reply: dict[str, Any]) -> dict[str, Any] | None:
    """Return the diagnosis that a reply is or holds; None for any other action."""
    if "action" not in reply:
        return reply
    return reply.get("diagnosis") if reply["action"] == CONCLUDE else None


async def _by_search(context: RoleContext) -> Finding:
    """Search for repairs, and say by what edits do where the cause is; the repairer takes the same search."""
    assert context.report is not None
    program = context.workspace.program_texts
    if words := unread_words(context.state.get("decision")):
        context.emit(Noticed(words))
    # The search's modules take as long to import as the cases take to run.
    importing = asyncio.to_thread(importlib.import_module, "selfheal_tui.search.repair")
    (suspects, coverage), _ = await asyncio.gather(find_suspects(context, tell_coverage(context)), importing)
    kept = await search_once(context, coverage=coverage)
    from selfheal_tui.search.blame import explain
    from selfheal_tui.search.program.avoid import is_closed_line

    avoid = closed(context.avoid)
    still_open = [suspect for suspect in suspects if not is_closed_line(avoid, program, suspect.path, suspect.line)]
    of_group = bool(context.workspace.waiting)
    result = as_searched(kept, context.avoid, await edits_refused(context.deps.blobs, context.state))
    diagnosis = explain(
        context.report,
        replace(result, said=_only_said(context, result)),
        still_open,
        program,
        of_group=of_group,
        some_closed=len(still_open) < len(suspects),
        coverage=coverage,
    )
    if kept["judged"] and not any(place["whole"] for place in kept["places"]):
        diagnosis = with_not_searched(diagnosis, await run_by_failing(context, context.report))
    return Finding(diagnosis, no_spend(), suspects=build_suspects(suspects, program), searched=kept)


def _only_said(context: RoleContext, result: Searched) -> str:
    """Say what the human said, where the most telling edit leaves nothing else failing; empty elsewhere."""
    assert context.report is not None
    first = result.places[0] if result.places else None
    if first is not None and first["breaks"]:
        return ""
    mended = first["fixes"] if first is not None else []
    failing = [case["id"] for case in context.report["cases"] if is_failing(case) and case["id"] not in mended]
    workspace = context.workspace
    answers = context.state.get("answers", ())
    said = only_said(failing, workspace.origins, answers, workspace.program_texts, workspace.test_texts)
    return only_said_words(said, repaired=bool(context.state.get("changes")))
