"""`selfheal bench`: run a benchmark suite through the real loop and report what held."""

from __future__ import annotations

import asyncio
import shlex
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from selfheal_tui.bench.figures.report import build_report, markdown
from selfheal_tui.bench.figures.tries import each_try
from selfheal_tui.bench.running.crashed import reason_kept
from selfheal_tui.bench.running.origin import build_config, build_header, check_same
from selfheal_tui.bench.running.shelf import Shelf
from selfheal_tui.bench.running.tracking import Status, Tracked, check_track
from selfheal_tui.bench.saved.journal import Journal, new_folder, newest_unfinished, open_journal, read_header, vouch
from selfheal_tui.bench.suites.cases import GivenTests, loop_limits
from selfheal_tui.bench.suites.named import SUITES, suites
from selfheal_tui.bench.suites.shards import parse_shard, records_of, shard_header
from selfheal_tui.bench.suites.suite import BenchSuite, load_suite
from selfheal_tui.errors import InputError, SelfHealError
from selfheal_tui.money import json_text
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.text import one_line, plural, strip_controls

from . import CANCELLED
from .bench_progress import Progress, tell
from .compose import build_options, build_workbench, close_workbench
from .event_stream import add_events, events_of, say_result
from .options import RUN_SETTINGS, STORE_SETTINGS, add_settings
from .parser import Parser
from .place import add_on, check_place, opened, room_setup
from .trusting import load_from, without_hooks

if TYPE_CHECKING:
    from selfheal_tui.bench.running.runner import BenchEvent
    from selfheal_tui.engine.session.otel import Traced
    from selfheal_tui.engine.session.workbench import RunOptions, Workbench
    from selfheal_tui.settings import Settings

SETTINGS = tuple(name for name in RUN_SETTINGS if name not in ("sessions", "autonomy"))
"""The settings that a run has flags for."""
_LIMITS = tuple(name for name in SETTINGS if name.startswith("max_"))
_POLICY = tuple(name for name in SETTINGS if name not in (*STORE_SETTINGS, *_LIMITS, "model"))
"""How the loop works: critic, adversary, strategies and the like."""
_RECORDED = (
    *(
        "suite",
        "data",
        "tests",
        "limit",
        "ids",
        "seed",
        "tries",
        "shard",
        "on",
        "jobs",
        "keep",
        "model",
        "prompts",
        "sandbox",
        "python",
        "track",
        "plugins",
    ),
    *_LIMITS,
    *_POLICY,
)
"""What a run's header says of how it was started, and what is taken from there."""
_TOLD = 5
"""Entries of the data that are no records, told one by one."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "suite", nargs="?", metavar="SUITE", help=f"which suite: {', '.join(SUITES)}; or a file or folder of tasks"
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="PATH",
        help="the suite's data: JSONL (also .gz), JSON, Parquet or Arrow; or a folder",
    )
    parser.add_argument("--limit", type=count, metavar="N", help="at most N tasks: the first, or by --seed")
    parser.add_argument("--seed", type=int, metavar="N", help="draw the --limit tasks at random with this seed")
    parser.add_argument("--ids", type=id_list, metavar="ID,...", help="these tasks only")
    parser.add_argument(
        "--tests",
        choices=("visible", "all"),
        help="which tests the loop sees (default: visible; the hidden ones judge in both cases)",
    )
    parser.add_argument("--tries", type=count, metavar="N", help="try each task N times (default: 1); tells pass@k")
    parser.add_argument(
        "--shard",
        type=_shard,
        metavar="K/N",
        help="only part K of N of the tasks; `selfheal bench merge` joins the parts",
    )
    add_on(parser, "the tasks")
    parser.add_argument(
        "--jobs", type=count, metavar="N", help="tasks at a time (default: 1; on Ray, the cluster's CPUs)"
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="results go here (default: a new folder in bench-results/)"
    )
    parser.add_argument("--resume", action="store_true", help="go on with the run in --out, or else with the newest")
    parser.add_argument("--keep", action="store_true", default=None, help="keep the sessions, in DIR/sessions")
    parser.add_argument(
        "--track",
        metavar="mlflow[:URI]",
        help="also keep the run in MLflow: in DIR/mlflow, where MLFLOW_TRACKING_URI says, or at URI",
    )
    parser.add_argument("--fail-under", type=percent, metavar="PERCENT", help="exit 1 when fewer are repaired")
    parser.add_argument("--json", action="store_true", help="print the results as one JSON object, not as Markdown")
    add_events(parser)
    add_settings(parser, SETTINGS)


def run_arguments(**given: Any) -> Namespace:
    """Return what a run has without any flag, with `given` in its place: for actions that make runs."""
    parser = Parser()
    add_arguments(parser)
    args: Namespace = parser.parse_args([])
    vars(args).update(given)
    return args


def run(args: Namespace) -> int:
    """Run the suite; 0 when every task has its verdict (and enough are repaired, with --fail-under)."""
    if args.shard and args.fail_under is not None:
        raise InputError(
            "One shard's share says little: --fail-under does not go with --shard.",
            "Give it to `selfheal bench merge`.",
        )
    # First: a plug-in that is enabled may bring the suite.
    settings = None if args.resume else load_from(args)
    folder = _folder(args)
    recorded = read_header(folder) if args.resume else None
    if recorded:
        vouch(folder, args.trust)
        _take_over(args, recorded)
    if args.track:
        args.track = check_track(args.track)
    if not args.suite:
        raise InputError(
            "Name a suite, a file or a folder.", f"There is: {', '.join(suites())}. See docs/benchmarks.md."
        )
    with opened_run(folder, args, without_hooks(settings or load_from(args)), recorded) as bench:
        return bench.to_end()


@contextmanager
def opened_run(
    folder: Path,
    args: Namespace,
    settings: Settings,
    recorded: Mapping[str, Any] | None,
    shelf: Shelf | None = None,
) -> Iterator[SuiteRun]:
    """Begin a run in a folder, or go on with the one whose header is `recorded`; its replies may lie on a `shelf`.

    Raises: InputError, SettingsError, SessionError.
    """
    options = replace(build_options(settings), autonomy="full_auto")
    given = cast(GivenTests, args.tests or "visible")
    can_write = all(options.models.get(role, options.models["*"]) != SEARCH for role in ("spec_tester", "generator"))
    suite = load_suite(
        args.suite,
        args.data,
        given_tests=given,
        can_write=can_write,
        ids=args.ids or (),
        limit=args.limit,
        seed=args.seed,
    )
    suite = replace(suite, records=each_try(suite.records, args.tries or 1))
    selected, shard = len(suite.records), parse_shard(args.shard) if args.shard else None
    if shard:
        suite = replace(suite, records=records_of(suite.records, shard))
    config = build_config(suite, options, given, settings.prompts)
    if recorded:
        check_same(recorded["config"], config, folder)
        _check_same_shard(recorded, args.shard, folder)
    chosen = {
        "limit": args.limit,
        "ids": list(args.ids or ()),
        "seed": args.seed,
        "tries": args.tries or 1,
        "jobs": args.jobs or 1,
        "selected": len(suite.records),
        "arguments": _arguments(args, settings, options),
    }
    if args.on and args.on != "here":
        chosen["on"] = "ray"
    if shard:
        chosen["shard"] = shard_header(shard, len(suite.records), selected)
    # Before the folder is made: a run that cannot begin leaves nothing behind.
    check_place(args.on)
    header = {**recorded, "chosen": chosen} if recorded else build_header(config, chosen)
    with open_journal(folder, header, resume=recorded is not None) as journal:
        yield SuiteRun(args, settings, suite, options, journal, shelf)


class SuiteRun:
    """One run of a suite, from its first task to the report."""

    def __init__(
        self,
        args: Namespace,
        settings: Settings,
        suite: BenchSuite,
        options: RunOptions,
        journal: Journal,
        shelf: Shelf | None = None,
    ) -> None:
        self._args = args
        self._settings = replace(settings, sessions=journal.sessions)
        self._suite = suite
        self._options = options
        self._journal = journal
        self._shelf = shelf
        self.failed: dict[str, SelfHealError] = {}
        self._isolation: tuple[str, ...] = ()
        self._events = events_of(args)
        self._tracked = Tracked(args.track, journal, len(suite.records), tell) if args.track else None

    @property
    def selected(self) -> int:
        """How many tasks are tried, each try counted."""
        return len(self._suite.records)

    @property
    def is_done(self) -> bool:
        """Whether every task has its verdict."""
        return all(record.id in self._journal.results for record in self._suite.records)

    def to_end(self) -> int:
        """Run; report also what an interrupted run has done, and say how to go on."""
        tell(f"selfheal: results in {self._journal.folder}")
        self.tell_what_is_left_out()
        try:
            report = self.work()
        except KeyboardInterrupt:
            self._say_how_to_go_on("cancelled")
            return CANCELLED
        except SelfHealError:
            self._say_how_to_go_on("stopped")
            raise
        text = json_text(report) if self._args.json else strip_controls(markdown(report, listed=0).rstrip("\n"))
        say_result(text, report, as_json=self._args.json, events=self._events)
        if self.failed:
            self._say_how_to_go_on("some tasks could not go on")
            return next(iter(self.failed.values())).exit_code
        rate = report["summary"]["repaired"]["rate"]
        return 1 if self._args.fail_under is not None and (rate or 0.0) * 100 < self._args.fail_under else 0

    def tell_what_is_left_out(self) -> None:
        """Name entries of the data that are no records."""
        for sentence in self._suite.not_read[:_TOLD]:
            tell(f"selfheal: left out: {sentence}")
        if (more := len(self._suite.not_read) - _TOLD) > 0:
            tell(f"selfheal: left out: {plural(more, 'more entry', 'more entries')}, which results.json names.")

    def work(self) -> dict[str, Any]:
        """Run to the end and return the report; it is on disk also where the run is stopped or cannot go on."""
        try:
            with reason_kept(self._journal.folder), opened(self._args.on) as ray:
                asyncio.run(self._follow(ray))
        except (KeyboardInterrupt, SelfHealError) as error:
            self._end_tracked(self._report(), "KILLED" if isinstance(error, KeyboardInterrupt) else "FAILED")
            raise
        report = self._report()
        self._end_tracked(report, "FAILED" if self.failed else "FINISHED")
        return report

    async def _follow(self, ray: Any) -> None:
        from selfheal_tui.bench.running.runner import TaskFailed, TaskFinished

        mine = [r for r in self._suite.records if r.id in self._journal.results]
        repaired = sum(self._journal.results[r.id]["repaired"] for r in mine)
        progress = Progress(len(self._suite.records), len(mine), repaired, sys.stderr)
        workbench = build_workbench(self._settings, loop_limits(self._settings.max_time_s), traced=self._traced())
        events = self._here(workbench) if ray is None else self._on_ray(workbench, ray)
        ticker = asyncio.create_task(progress.keep_time())
        try:
            async with aclosing(events) as run:
                async for event in run:
                    if self._events is not None:
                        self._events.of_bench(event)
                    match event:
                        case TaskFinished():
                            self.failed.pop(event.result["id"], None)
                            progress.finished(event.result)
                            if self._tracked is not None:
                                self._tracked.finished()
                        case TaskFailed():
                            self.failed[event.id] = event.error
                            progress.failed(event.id, str(event.error))
        finally:
            ticker.cancel()
            progress.close()
            if ray is None:
                self._isolation = workbench.sandbox.isolation
            await close_workbench(workbench)

    def _end_tracked(self, report: Mapping[str, Any], status: Status) -> None:
        if self._tracked is not None:
            self._tracked.end(report, status)

    def _traced(self) -> Traced:
        """Return what the spans of a task's session say of it; a task's id is the session's title."""
        from selfheal_tui.engine.session.otel import Traced

        suite, run = str(self._journal.header["config"]["suite"]), self._journal.folder.name
        named = {"selfheal.bench.suite": one_line(suite, 200), "selfheal.bench.run": one_line(run, 200)}
        return Traced(named, title_as="selfheal.bench.task")

    def _here(self, workbench: Workbench) -> AsyncGenerator[BenchEvent, None]:
        from selfheal_tui.bench.running.runner import run_bench

        return run_bench(
            workbench,
            self._suite.records,
            self._options,
            self._journal,
            given_tests=self._args.tests or "visible",
            jobs=self._args.jobs or 1,
            keep=bool(self._args.keep),
            told=self._events.told if self._events is not None else None,
            shelf=self._shelf,
        )

    async def _on_ray(self, workbench: Workbench, ray: Any) -> AsyncGenerator[BenchEvent, None]:
        from selfheal_tui.bench.running.at_worker import Setup
        from selfheal_tui.bench.running.on_ray import OnRay
        from selfheal_tui.bench.running.runner import run_tasks
        from selfheal_tui.bench.saved.carried import hand_out
        from selfheal_tui.cluster.connection import cluster_cpus

        await hand_out(workbench, self._journal)
        setup = Setup(
            room_setup(self._settings, loop_limits(self._settings.max_time_s)),
            self._options,
            self._args.tests or "visible",
            bool(self._args.keep),
        )
        workers = OnRay(ray, self._journal, workbench.store, setup)
        jobs = self._args.jobs or cluster_cpus(ray)
        try:
            run = run_tasks(workers, self._suite.records, self._journal, jobs=jobs, keep=setup.keep)
            async with aclosing(run) as events:
                async for event in events:
                    yield event
        finally:
            self._isolation = workers.isolation

    def _report(self) -> dict[str, Any]:
        results = [self._journal.results[r.id] for r in self._suite.records if r.id in self._journal.results]
        report = build_report(
            self._journal.header,
            results,
            selected=len(self._suite.records),
            not_tried=self._suite.not_tried,
            not_read=self._suite.not_read,
            failed={task: str(error) for task, error in self.failed.items()},
            isolation=self._isolation,
        )
        self._journal.write_report(report, markdown(report))
        return report

    def _say_how_to_go_on(self, ending: str) -> None:
        done = sum(r.id in self._journal.results for r in self._suite.records)
        command = (
            f"selfheal bench {shlex.quote(self._args.suite)} --out {shlex.quote(str(self._journal.folder))} --resume"
        )
        tell(f"selfheal: {ending} after {done} of {len(self._suite.records)} tasks; go on with: {command}")


def _folder(args: Namespace) -> Path:
    if args.out is not None:
        return Path(args.out)
    suite = str(args.suite or "")
    given = Path(suite).absolute().name.partition(".")[0] if suite else ""
    name = suite if args.data or suite in suites() else given
    return newest_unfinished(name) if args.resume else new_folder(name)


def _arguments(args: Namespace, settings: Settings, options: RunOptions) -> dict[str, Any]:
    """Return the flags that a resumed run starts with."""
    models = dict(options.models)
    named = args.data is not None or args.suite in suites()
    return {
        "suite": args.suite if named else str(Path(args.suite).absolute()),
        "data": str(args.data.absolute()) if args.data else None,
        "tests": args.tests,
        "limit": args.limit,
        "ids": list(args.ids) if args.ids else None,
        "seed": args.seed,
        "tries": args.tries,
        "shard": args.shard,
        "on": args.on,
        "jobs": args.jobs,
        "keep": args.keep,
        "track": args.track,
        "model": [models.pop("*"), *(f"{role}={model}" for role, model in models.items())],
        "prompts": str(settings.prompts) if settings.prompts else None,
        "sandbox": settings.sandbox,
        "python": settings.python or None,
        "plugins": list(settings.plugins) or None,
        **{name: getattr(settings, name) for name in _LIMITS},
        **{name: None if (value := getattr(settings, name)) == "" else _plain(value) for name in _POLICY},
    }


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


def _take_over(args: Namespace, header: Mapping[str, Any]) -> None:
    """Start from the flags of the run that goes on; those given again win, and `check_same` judges them."""
    try:
        recorded = dict(header["chosen"]["arguments"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError("The run's header is damaged: it does not say how it was started.") from error
    for name in _RECORDED:
        value = recorded.get(name)
        if getattr(args, name, None) is None and value is not None:
            setattr(args, name, Path(value) if name == "data" else tuple(value) if name == "ids" else value)


def _check_same_shard(recorded: Mapping[str, Any], shard: str | None, folder: Path) -> None:
    begun = recorded["chosen"]["arguments"].get("shard")
    if begun != shard:
        raise InputError(
            f"The run in {folder} was begun with {f'shard {begun}' if begun else 'no shard'}, not {shard}.",
            "Choose another --out DIR for another shard.",
        )


def count(text: str) -> int:
    """Read a whole number above 0. Raises: ArgumentTypeError."""
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is no whole number above 0")
    return int(text)


def _shard(text: str) -> str:
    try:
        return str(parse_shard(text))
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from error


def percent(text: str) -> float:
    """Read a share in percent. Raises: ArgumentTypeError."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 100:
        raise ArgumentTypeError(f"{text!r} is no number from 0 to 100")
    return number


def id_list(text: str) -> tuple[str, ...]:
    """Read ids with commas between."""
    return tuple(part.strip() for part in text.split(",") if part.strip())
