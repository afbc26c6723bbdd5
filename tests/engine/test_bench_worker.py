"""A benchmark's task as a worker elsewhere runs it: what leaves it, and what is refused there, without any cluster."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from selfheal_tui.bench.running.at_worker import Done, Setup, Told, work
from selfheal_tui.bench.suites.cases import loop_limits
from selfheal_tui.bench.suites.records import build_record
from selfheal_tui.bench.suites.suite import with_examples
from selfheal_tui.cli.compose import build_options, build_workbench
from selfheal_tui.cluster.room import Room, RoomSetup
from selfheal_tui.cluster.said import Broke, Kept
from selfheal_tui.cluster.versions import versions
from selfheal_tui.errors import InputError, SettingsError
from selfheal_tui.settings import default_settings
from tests.bench_data import records

ROOT = Path(__file__).resolve().parents[2]
DIAGNOSIS = {
    "fault": "code",
    "category": "operator",
    "cause": "It computes something else.",
    "evidence": [{"file": "solution.py", "line": 2, "why": "here"}],
    "strategy": "Compute what is asked for.",
    "confidence": 0.9,
}
REPAIR = {"summary": "Mended.", "files": [{"path": "solution.py", "text": "def total(a, b):\n    return a + b\n"}]}
USAGE = {"input_tokens": 100, "output_tokens": 10, "cost_usd": 0.25}
TOTAL = with_examples(build_record(records()[0], "here"))


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give the worker a folder of its own; afterwards nothing of it may be left."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    yield tmp_path
    if Room.current is not None:
        Room.current.close()
        Room.current = None
    assert not list(tmp_path.glob("selfheal-worker-*/*"))


def setup(place: Path, *replies: dict[str, Any], **changes: Any) -> Setup:
    """Return what a run sends to all workers, as it arrives there."""
    (place / "model.yaml").write_text(yaml.safe_dump({"replies": list(replies)}), "utf-8")
    settings = replace(default_settings({}), model=f"scripted:{place / 'model.yaml'}", max_iterations=2)
    options = replace(build_options(settings), autonomy="full_auto")
    workbench = partial(build_workbench, suite_limits=loop_limits(None))
    room = RoomSetup(str(place), settings, workbench, versions(), None, {})
    room = replace(room, **{name: changes.pop(name) for name in ("run_id", "versions") if name in changes})
    return pickle.loads(pickle.dumps(Setup(room, options, "visible", changes.get("keep", False))))  # type: ignore[no-any-return]


def told(sent: Setup, session: bytes = b"") -> list[Told]:
    """Run the task to its end."""
    return list(work(sent, TOTAL, session))


DEBUGGER = {"role": "debugger", "reply": DIAGNOSIS, "usage": USAGE}
REPAIRER = {"role": "repairer", "reply": REPAIR, "usage": USAGE}


def test_each_paid_reply_leaves_the_worker_and_another_worker_goes_on_from_it(place: Path) -> None:
    first = told(setup(place, DEBUGGER, {"role": "repairer", "error": "busy"}))
    assert [type(one) for one in first] == [Kept, Kept, Broke]
    broke = first[-1]
    assert isinstance(broke, Broke) and broke.of_task and "busy" in str(broke.as_error())
    # The worker is gone: all that is left is the file with the diagnosis.
    kept = first[0]
    assert isinstance(kept, Kept)
    second = told(setup(place, {"role": "debugger", "error": "asked again"}, REPAIRER, run_id="2"), kept.session)
    done = second[-1]
    assert [type(one) for one in second] == [Kept, Done] and isinstance(done, Done)
    assert done.result["repaired"] and done.isolation and done.session == b""
    assert (done.result["spent"]["calls"], done.result["spent"]["cost_usd"]) == (2, 0.5)


def test_a_task_stands_still_until_what_it_paid_for_was_taken_and_ends_when_nobody_wants_it(place: Path) -> None:
    steps = work(setup(place, DEBUGGER, {**REPAIRER, "delay_s": 60}), TOTAL, b"")
    assert isinstance(next(steps), Kept)
    (folder,) = place.glob("selfheal-worker-*/run-*")
    assert len(list(folder.glob("sessions/*/session.db"))) == 1
    steps.close()  # type: ignore[attr-defined]
    assert not list(folder.glob("sessions/*/session.db"))


def test_a_session_that_is_wanted_comes_back_whole(place: Path) -> None:
    done = told(setup(place, DEBUGGER, REPAIRER, keep=True))[-1]
    assert isinstance(done, Done) and done.session[:2] == b"\x1f\x8b"


def test_other_versions_and_a_missing_key_stop_the_run_with_the_workers_name(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (broke,) = told(setup(place, versions={**versions(), "pytest": "1.0"}))
    assert isinstance(broke, Broke) and not broke.of_task and isinstance(broke.as_error(), InputError)
    assert f"On the worker {broke.host}: it has pytest" in str(broke.as_error())
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    sent = setup(place)
    sent = replace(sent, options=replace(sent.options, models={"*": "anthropic:claude"}))
    (broke,) = told(sent)
    assert isinstance(broke, Broke) and not broke.of_task and isinstance(broke.as_error(), SettingsError)
    assert "ANTHROPIC_API_KEY is not set. Set it there: keys are never sent to workers." in str(broke.as_error())


def test_a_link_where_the_workers_folder_belongs_is_refused(place: Path) -> None:
    (place / "elsewhere").mkdir()
    link = place / f"selfheal-worker-{os.getuid()}"
    link.symlink_to(place / "elsewhere")
    (broke,) = told(setup(place))
    assert isinstance(broke, Broke) and str(link) in broke.message
    link.unlink()


@pytest.mark.deep
def test_a_full_disk_costs_the_task_and_is_told_in_a_sentence(place: Path) -> None:
    full = place / "full"
    full.mkdir()
    code = """
        import pickle, sys
        from selfheal_tui.bench.running.at_worker import work
        for told in work(*pickle.loads(bytes.fromhex(sys.stdin.read())), b""):
            print(type(told).__name__, getattr(told, "of_task", ""), getattr(told, "message", ""))
    """
    script = f"mount -t tmpfs -o size=60k none {full} && exec {sys.executable} -c '{textwrap.dedent(code)}'"
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-rm", "true"], check=False).returncode:
        pytest.skip("no file system can be mounted here")
    ran = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script],
        input=pickle.dumps((setup(place), TOTAL)).hex(),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TMPDIR": str(full), "PYTHONPATH": str(ROOT)},
    )
    assert ran.stdout.startswith("Broke True ") and ran.stdout.count("\n") == 1, ran.stdout + ran.stderr
    assert "full" in ran.stdout and "Traceback" not in ran.stderr
