"""The commands that a headless run names when it has come to rest: each complete, to be copied as it stands."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Mapping
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

from selfheal_tui.engine.moment.budget import reached, time_for_search, used
from selfheal_tui.engine.moment.events import Event, RunFailed
from selfheal_tui.engine.moment.words import not_searched_words
from selfheal_tui.engine.suites.missing_packages import in_environment, python_with
from selfheal_tui.engine.task.fix_command import PATH, fix_command, not_searched_of, wider_command
from selfheal_tui.errors import MissingPackages, UnnamedModules, UnusableTests
from selfheal_tui.python_source import parse_or_none
from selfheal_tui.sandbox.allowance import flags_of
from selfheal_tui.settings import Settings, sessions_flag

from .find import left_for_a_person

if TYPE_CHECKING:
    from selfheal_tui.engine.moment.snapshot import Snapshot
    from selfheal_tui.engine.moment.state import Manifest
    from selfheal_tui.engine.session.session import Session

OUTPUT = "healed"
"""The folder that is named for a program that came from none."""


class Rest(NamedTuple):
    """What the result does not hold, and the next command depends on."""

    has_folder: bool = True
    """Whether the files came from a folder: those of a demo or a specification did not."""
    left: str = ""
    """The checkpoint whose repairs full autonomy left for a person; empty for none."""
    again: str = ""
    """The command that starts a new session with the same paths, where it takes other tests; empty for none."""
    is_open: bool = False
    """Whether a part of `again` is the user's to name: other tests."""
    raised: tuple[str, ...] = ()
    """The flags that give more of each limit that is used up."""
    python: str = ""
    """The interpreter that has the packages that are missing; `PATH` for the user to name; else empty."""
    wider: str = ""
    """The command that starts anew with the files that failing cases run and that were not searched; else empty."""
    with_python: str = ""
    """The command that starts anew with the project's environment, which has what some test files lack; else empty."""
    not_searched: str = ""
    """Says which these are."""
    call: str = "f(3)"
    """A call of the program, for an example; `...` stands for its arguments."""
    lanes: tuple[str, ...] = ()
    """How the lanes of a race ended, in lines, where one is still to be kept: the result is that of the best."""


FROM_A_FOLDER = Rest()


async def rest_of(session: Session, newest: Snapshot | None, last: Event | None, settings: Settings) -> Rest:
    """Return what the next command depends on, at the newest moment of a run whose last event was `last`."""
    left = left_for_a_person(await session.timeline())
    manifest = await session.manifest()
    unusable = last.error if isinstance(last, RunFailed) and isinstance(last.error, UnusableTests) else None
    as_given = newest is not None and newest.outcome == "nothing_to_heal"
    is_open = unusable is not None and unusable.none_found
    same_name = unusable.same_name if unusable else ""
    allow = unusable.allow if unusable else ""
    whole = unusable is not None and unusable.bad_configuration
    if unusable is not None and unusable.refused_options:
        manifest = {**manifest, "pytest_args": []}
    again = (
        fix_command(manifest, settings, other_tests=is_open, alone=same_name, allow=allow, whole=whole)
        if unusable or as_given
        else ""
    )
    raised = raised_limits(newest) if newest else ()
    python = last.error.python if isinstance(last, RunFailed) and isinstance(last.error, MissingPackages) else ""
    if isinstance(last, RunFailed) and isinstance(last.error, UnnamedModules):
        again = _with_modules(manifest, last.error, settings)
    others = not_searched_of(newest)
    wider = wider_command(manifest, settings, others)
    is_from = manifest["root"] is not None
    other = _with_python(manifest, newest, settings)
    call = next(filter(None, map(_call_in, newest.program.values())), FROM_A_FOLDER.call) if newest else ""
    return Rest(is_from, left, again, is_open, raised, python, wider, other, not_searched_words(others), call)


def _call_in(text: str) -> str:
    """Return a call of the first public function of a file; empty where there is none, or it does not parse."""
    tree = parse_or_none(text)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)] if tree is not None else []
    public = next((one for one in functions if not one.name.startswith("_")), None)
    return f"{public.name}({'...' if public.args.args else ''})" if public is not None else ""


def _with_modules(manifest: Manifest, missing: UnnamedModules, settings: Settings) -> str:
    """Return the command that names the user's modules too, or heals them alone with the tests that need them."""
    if not missing.tests:
        return wider_command(manifest, settings, missing.program)
    return fix_command({**manifest, "program": [*missing.program], "tests": [*missing.tests]}, settings)


def _with_python(manifest: Manifest, newest: Snapshot | None, settings: Settings) -> str:
    packages = newest.aside.get("packages", []) if newest and newest.aside else []
    if settings.origins.get("python", "").startswith("flag") or not in_environment(packages, manifest["root"]):
        return ""
    return fix_command(manifest, settings, python=python_with(packages, manifest["root"]))


def raised_limits(snapshot: Snapshot) -> tuple[str, ...]:
    """Return the flags that double each limit that is used up, that of a search too."""
    limits: Mapping[str, Any] = snapshot.limits
    full = [name for name in ("max_iterations",) if snapshot.iteration >= limits[name]]
    full += reached(snapshot.limits, snapshot.spent)
    flags = []
    for name in full:
        spent = snapshot.iteration if name == "max_iterations" else used(snapshot.spent, name)
        if spent is not None:  # no limit in dollars helps where a price is unknown
            more = 2 * max(spent, limits[name])
            text = f"{more:.2f}" if name == "max_cost_usd" else str(ceil(more))
            flags.append(f"--{name.replace('_', '-')} {text}")
    if snapshot.search_s and "max_time_s" not in full:
        flags.append(f"--max-time-s {time_for_search(snapshot.spent, snapshot.search_s)}")
    return tuple(flags)


def decide_command(session_id: str, answer: str, settings: Settings) -> str:
    """Return the command that answers the question of a session; `answer` is its verdict with what belongs to it."""
    return f"selfheal sessions decide {shlex.quote(session_id)} {answer}{sessions_flag(settings)}{flags_of(settings)}"


def resume_command(session_id: str, settings: Settings) -> str:
    """Return the command that goes on with a session."""
    return f"selfheal resume {shlex.quote(session_id)}{sessions_flag(settings)}{flags_of(settings)}"


def keep_command(session_id: str, lane: str, place: str) -> str:
    """Return the command that keeps a lane of a race; `place` is the flag with which the session is found."""
    return f"selfheal sessions branch {shlex.quote(session_id)} keep {shlex.quote(lane)}{place}"


def put_back_command(session_id: str, settings: Settings) -> str:
    """Return the command that takes out of the files what a session has written there."""
    return f"selfheal sessions apply {shlex.quote(session_id)} --undo{sessions_flag(settings)}"


def going_on_command(session_id: str, place: str, settings: Settings) -> str:
    """Return the command that goes on with the race of a session at a place."""
    command = f"selfheal sessions race {shlex.quote(session_id)} --on {shlex.quote(place)}"
    return f"{command}{sessions_flag(settings)}{flags_of(settings)}"


class Step(NamedTuple):
    """A command that is named, or a line that says more about the one before it."""

    label: str
    """`apply`, `answer`; empty for a line that says more."""
    words: str
    """The command, complete, or the words of such a line."""

    @property
    def line(self) -> str:
        """As it is printed."""
        return f"{self.label:<8} {self.words}"


def next_command(result: Mapping[str, Any], settings: Settings, rest: Rest) -> str:
    """Return the command that goes on from a result: the first that is named, before one that only looks.

    Empty where a part of it is the user's to name.
    """
    if result["outcome"] == "nothing_to_heal":
        return ""  # the same again would find the same: a case has to be added
    steps = (step for step in next_steps(result, settings, rest) if step.label not in ("", "look"))
    command = next(steps).words
    is_open = (command == rest.again and rest.is_open) or rest.python == PATH
    return "" if is_open else command


def left_moment(result: Mapping[str, Any], rest: Rest) -> str:
    """Return the moment whose repairs a run that gave up left for a person; empty for none."""
    return rest.left if result["outcome"] == "gave_up" else ""


def next_lines(result: Mapping[str, Any], settings: Settings, rest: Rest) -> list[str]:
    """Return what `next_steps` names, as it is printed."""
    return [step.line for step in next_steps(result, settings, rest)]


def next_steps(result: Mapping[str, Any], settings: Settings, rest: Rest) -> list[Step]:
    """Return the command that takes the result, answers or goes on, and the one that opens the app."""
    named = shlex.quote(result["session_id"])
    place, opens = sessions_flag(settings), resume_command(result["session_id"], settings)
    outcome, left = result["outcome"], left_moment(result, rest)
    has_gain = bool(result["changed"]) and outcome not in ("healed", "failed") and not result["review"]
    output, where = ("", "your files") if rest.has_folder else (f" -o {OUTPUT}", f"the folder {OUTPUT}")
    gain = [Step("or apply", f"selfheal sessions apply {named} --unhealed{output}{place}")] if has_gain else []
    other_python = [Step("again", rest.with_python)] if rest.with_python else []
    or_open = [*other_python, Step("or open", opens)]
    aside = [Step("", f"({rest.not_searched.rstrip('.')})")] if rest.not_searched not in result["reason"] else []
    wider = [Step("or heal", rest.wider), *aside] if rest.wider else []
    if rest.lanes:
        keep = keep_command(result["session_id"], result["branch"], place)
        return [Step("keep", keep), Step("", "(the best, or another; or answer what a lane asks)"), *or_open]
    if result["review"] or left:
        at = left or result["checkpoint_id"]
        approved = "candidate 1; " if left else ""
        answer = "or answer" if left and wider else "answer"
        first = [Step("again", rest.wider), *aside] if left and wider else []
        more = [Step("or go on", f"{opens} {' '.join(rest.raised)} --headless")] if left and rest.raised else []
        return [
            *first,
            Step("look", f"selfheal sessions show {named} --at {at}{place}"),
            Step(answer, decide_command(result["session_id"], "approve", settings)),
            Step("", f"({approved}or edit --value FILE, reject --note REASON, stop)"),
            *([] if first else wider),
            *more,
            *gain,
            *or_open,
        ]
    if outcome == "failed":
        python = f" --python {shlex.quote(rest.python)}" if rest.python else ""
        return [Step("again", rest.again)] if rest.again else [Step("go on", f"{opens}{python}")]
    if outcome == "nothing_to_heal" and rest.again:
        call = next((doubt["call"] for doubt in result["doubts"] if doubt["call"]), rest.call)
        right = f"--wrong {shlex.quote(f'{call} should be VALUE')}"
        command, dashes, pytest_args = rest.again.partition(" -- ")
        return [
            Step("wrong?", f"{command} {right}{dashes}{pytest_args}"),
            Step("", "(if it is wrong all the same: say what is right, and it becomes a case)"),
            *or_open,
        ]
    if outcome == "healed" and result["changed"]:
        return [
            Step("apply", f"selfheal sessions apply {named}{output}{place}"),
            Step("", f"(shows the change and asks before it writes into {where})"),
            *or_open,
        ]
    if rest.raised and outcome in ("budget", "gave_up"):
        return [Step("go on", f"{opens} {' '.join(rest.raised)} --headless"), *wider, *gain, *or_open]
    if wider:
        return [Step("again", rest.wider), *aside, *gain, *or_open]
    return [*other_python, Step("open", opens), *gain]
