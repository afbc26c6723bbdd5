"""`selfheal bench replay`: recorded repair loops of models, judged again, and their failures put through our loop."""

from __future__ import annotations

import asyncio
import json
import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfheal_tui.bench.replay.recorded import Recordings, failed, read_recordings
from selfheal_tui.bench.replay.rejudged import FILE as VERDICTS
from selfheal_tui.bench.replay.rejudged import Verdicts, judge_all, programs
from selfheal_tui.bench.replay.report import build_replay, replay_markdown
from selfheal_tui.bench.saved.finished import read_run
from selfheal_tui.bench.saved.journal import DEFAULT_PARENT, HEADER, new_folder, read_header, vouch
from selfheal_tui.bench.saved.own_runs import check_run_folder
from selfheal_tui.errors import InputError, SelfHealError, SessionError
from selfheal_tui.money import json_text
from selfheal_tui.store.lock import open_driver_lock
from selfheal_tui.text import one_line, plural, strip_controls
from selfheal_tui.whole_file import write_whole

from . import CANCELLED
from .bench_progress import tell
from .bench_run import SETTINGS, count, id_list, opened_run, run_arguments
from .compose import build_options, build_workbench
from .options import add_json, add_settings, whole_number
from .trusting import load_from, without_hooks

if TYPE_CHECKING:
    from selfheal_tui.settings import Settings

MENDED, TABLE, REPORT = "mended", "replay.json", "replay.md"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    parser.add_argument("data", type=Path, metavar="DATA", help="JSONL (also .gz) of recorded loops")
    parser.add_argument("--limit", type=count, metavar="N", help="at most N loops: the first, or by --seed")
    parser.add_argument(
        "--seed", type=whole_number, metavar="N", help="draw the --limit loops at random with this seed"
    )
    parser.add_argument("--ids", type=id_list, metavar="ID,...", help="these loops only")
    parser.add_argument("--jobs", type=count, metavar="N", help="programs and tasks at a time (default: 1)")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help=f"results go here (default: a new folder in {DEFAULT_PARENT}/)"
    )
    parser.add_argument("--resume", action="store_true", help="go on with the replay in --out")
    add_json(parser)
    add_settings(parser, SETTINGS)


def run(args: Namespace) -> int:
    """Judge every recorded program, try the recorded failures, and print what was found."""
    if args.resume and args.out is None:
        raise InputError("--resume needs --out.", "Name the folder of the replay that is to go on.")
    settings = without_hooks(load_from(args))
    build_options(settings)
    recordings = read_recordings(args.data, args.ids or (), args.limit, args.seed)
    folder = args.out or new_folder(f"replay-{args.data.name.partition('.')[0]}")
    with _opened(folder, resume=args.resume):
        return _Replay(args, settings, recordings, folder).to_end()


@contextmanager
def _opened(folder: Path, *, resume: bool) -> Iterator[None]:
    """Hold the folder as its only writer. Raises: InputError, SessionError."""
    check_run_folder(folder, (VERDICTS, TABLE, REPORT), (MENDED,))
    begun = any((folder / name).exists() for name in (VERDICTS, TABLE, MENDED))
    if begun and not resume:
        raise InputError(f"{folder} holds a replay already.", "Go on with it by --resume, or choose another --out DIR.")
    if resume and not begun:
        raise InputError(f"{folder} holds no replay to resume.", "Name its folder with --out.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be written ({error.strerror}).", "Choose another --out DIR.") from error
    with open_driver_lock(folder):
        yield


class _Replay:
    """One replay, from the first verdict to the report."""

    def __init__(self, args: Namespace, settings: Settings, recordings: Recordings, folder: Path) -> None:
        self._args = args
        self._settings = settings
        self._recordings = recordings
        self._folder = folder
        self._verdicts = Verdicts(folder)
        self._could_not_go_on: dict[str, str] = {}
        self._exit_code = 0

    def to_end(self) -> int:
        tell(f"selfheal: results in {self._folder}")
        try:
            asyncio.run(self._judge())
            self._mend()
        except KeyboardInterrupt:
            self._report()
            self._say_how_to_go_on("cancelled")
            return CANCELLED
        except SelfHealError:
            self._report()
            self._say_how_to_go_on("stopped")
            raise
        report = self._report()
        text = json_text(report) if self._args.json else strip_controls(replay_markdown(report).rstrip("\n"))
        print(text, flush=True)
        if self._could_not_go_on:
            self._say_how_to_go_on("some tasks could not go on")
        return self._exit_code

    async def _judge(self) -> None:
        loops = self._recordings.loops
        wanted = programs(loops)
        done = sum(key in self._verdicts.found for key in wanted)
        workbench = build_workbench(self._settings)
        tell(
            f"selfheal: {plural(len(wanted), 'program')} of {plural(len(loops), 'recorded loop')} to judge, {done} done"
        )
        try:
            async with aclosing(judge_all(workbench.sandbox, loops, self._verdicts, self._args.jobs or 1)) as judged:
                async for one in judged:
                    done += 1
                    words = "passes" if one.verdict["hidden"] else "fails"
                    tell(f"{done} of {len(wanted)}: {one_line(one.record_id, 60)}, step {one.step}, {words}")
        finally:
            await workbench.aclose()

    def _mend(self) -> None:
        failures = failed(self._recordings.loops)
        if not failures:
            return
        tell(f"selfheal: {plural(len(failures), 'recorded failure')} to try")
        folder = self._folder / MENDED
        recorded = read_header(folder) if (folder / HEADER).exists() else None
        if recorded:
            vouch(folder, bool(self._args.trust))
        with opened_run(folder, self._arguments(folder), self._settings, recorded) as bench:
            if not bench.is_done:
                bench.work()
            self._could_not_go_on = {task: str(error) for task, error in bench.failed.items()}
            self._exit_code = next((error.exit_code for error in bench.failed.values()), 0)

    def _arguments(self, folder: Path) -> Namespace:
        """Return what `selfheal bench run` would have been given for the recorded failures."""
        return run_arguments(
            suite=str(self._recordings.path.absolute()),
            tests="visible",
            ids=tuple(loop.record.id for loop in failed(self._recordings.loops)),
            jobs=self._args.jobs,
            out=folder,
        )

    def _report(self) -> dict[str, Any]:
        failures = {loop.record.id for loop in failed(self._recordings.loops)}
        begun = (self._folder / MENDED / HEADER).exists()
        results = read_run(self._folder / MENDED).results if begun else ()
        report = build_replay(
            self._recordings,
            self._verdicts.found,
            [result for result in results if result["id"] in failures],
            build_options(self._settings).models,
            self._could_not_go_on,
        )
        for name, text in ((TABLE, json.dumps(report, indent=1) + "\n"), (REPORT, replay_markdown(report))):
            try:
                write_whole(self._folder / name, text.encode("utf-8", "backslashreplace"), 0o644)
            except OSError as error:
                raise SessionError(f"{self._folder / name} cannot be written ({error.strerror}).") from error
        return report

    def _say_how_to_go_on(self, ending: str) -> None:
        out = shlex.quote(str(self._folder))
        tell(f"selfheal: {ending}; go on with the same command and: --out {out} --resume")
