"""`selfheal bench --on ray` on a local cluster: a node is killed, the driver is stopped, nothing is paid twice.

Needs the extra `ray`; without it the tests are left out.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.cli import main
from tests.bench_data import write
from tests.e2e.test_bench import DIAGNOSIS, repairer
from tests.wire.rig import KEY, clean
from tests.wire.script import Script
from tests.wire.server import WireServer

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs the extra ray"),
    pytest.mark.xdist_group("ray"),
]


class Nodes:
    """A head that runs nothing, and workers of one CPU each, whose environment has the keys."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        self.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
        self.workers = [self.cluster.add_node(num_cpus=1) for _ in range(2)]

    def busy(self, title: str = "ray::work") -> list[Any]:
        """Return the nodes that run a task of this title now."""
        parents = {_raylet(node): node for node in self.workers}
        return [parents[parent] for name, parent in _processes() if name.startswith(title) and parent in parents]

    def kill(self, node: Any) -> None:
        """End a node at once."""
        self.workers.remove(node)
        self.cluster.remove_node(node, allow_graceful=False)


def _raylet(node: Any) -> int:
    (info,) = node.all_processes["raylet"]
    return int(info.process.pid)


def _processes() -> Iterator[tuple[str, int]]:
    """Yield title and parent of each process."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            title = (folder / "cmdline").read_bytes().decode("utf-8", "replace").strip("\0")
            parent = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1]
        except OSError:
            continue
        yield title, int(parent)


@asynccontextmanager
async def driver(folder: Path, *argv: str, command: str = "bench run") -> AsyncIterator[asyncio.subprocess.Process]:
    """Run the real command, without any key."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI")}
    pipe = asyncio.subprocess.PIPE
    words = [sys.executable, "-P", "-m", "selfheal_tui", *command.split(), *argv]
    process = await asyncio.create_subprocess_exec(
        *words, cwd=folder, env={**environ, "PYTHONPATH": str(ROOT)}, stdout=pipe, stderr=pipe
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def until(holds: Callable[[], bool], process: asyncio.subprocess.Process) -> None:
    """Wait for what the run brings about; fail with its words when it ends before."""
    async with asyncio.timeout(120):
        while not holds():
            if process.returncode is not None:
                assert process.stderr is not None
                pytest.fail((await process.stderr.read()).decode())
            await asyncio.sleep(0.02)


async def test_a_node_dies_and_the_driver_is_stopped_and_nothing_is_paid_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stalling = [{**repairer(name), "fault": "stall", "times": 1} for name in ("total", "smaller")]
    script = Script.of({"role": "debugger", "reply": DIAGNOSIS}, *stalling, key=KEY)
    clean(monkeypatch)
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "own.jsonl")
    # Workers would find these before the real ones if the current folder were searched.
    (tmp_path / "jsonschema.py").write_text("raise RuntimeError('a stranger')\n", "utf-8")
    async with WireServer(script) as server:
        for name, value in server.environment(KEY).items():
            monkeypatch.setenv(name, value)
        nodes = Nodes()  # Ray sets signal handlers, which only the main thread may
        try:
            argv = ("own.jsonl", "--model", "openai:tiny", "--max-iterations", "2", "--json")
            place = f"ray://{nodes.cluster.address}"

            def asked(role: str, name: str) -> int:
                return sum(chat.role == role and f"def {name}(" in json.dumps(chat.body) for chat in server.chats)

            async with driver(tmp_path, *argv, "--ids", "Own/total", "--on", place, "--out", "a") as run:
                await until(lambda: asked("repairer", "total") == 1, run)
                nodes.kill(nodes.busy()[0])
                out, err = await run.communicate()
            assert run.returncode == 0, err.decode()
            report = json.loads(out)
            (task,) = report["tasks"]
            assert task["repaired"] and task["host"] and report["isolation"]
            assert task["spent"]["calls"] == 2  # the first by the worker that died
            assert (asked("debugger", "total"), asked("repairer", "total")) == (1, 2)
            assert not (tmp_path / "a" / "sessions").exists() and err.decode().count("\n") == 2, err.decode()

            async with driver(tmp_path, *argv, "--ids", "Own/smaller", "--on", place, "--out", "b", "--keep") as run:
                await until(lambda: asked("repairer", "smaller") == 1, run)
                run.send_signal(signal.SIGINT)
                out, err = await run.communicate()
            assert run.returncode == 130 and not out, err.decode()
            assert "go on with: selfheal bench own.jsonl --out b --resume" in err.decode()
            assert "Traceback" not in err.decode()
            assert len(list((tmp_path / "b" / "sessions" / ".carried").iterdir())) == 1
            async with driver(tmp_path, "--resume", "--out", "b", "--json") as run:
                out, err = await run.communicate()
            assert run.returncode == 0, err.decode()
            (task,) = json.loads(out)["tasks"]
            assert task["plausible"] and task["spent"]["calls"] == 2 and asked("debugger", "smaller") == 1
            kept = tmp_path / "b" / "sessions" / task["session_id"]
            assert main(["sessions", "check", kept.name, "--sessions", str(kept.parent)]) == 0
            everything = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
            assert KEY.encode() not in everything

        finally:
            nodes.cluster.shutdown()


@pytest.mark.parametrize(
    ("place", "said"),
    [("ray://127.0.0.1:9", "127.0.0.1:9 cannot be reached"), ("ray://nowhere", "is no address of a Ray cluster")],
)
def test_a_cluster_that_is_not_there_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], place: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "own.jsonl")
    assert main(["bench", "own.jsonl", "--ids", "Own/total", "--on", place, "--out", "r"]) == 2
    _, err = capsys.readouterr()
    assert said in err and "Traceback" not in err


def test_another_program_at_the_address_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("selfheal_tui.cluster.connection._ANSWER_S", 6.0)
    write(tmp_path / "own.jsonl")
    with socket.create_server(("0.0.0.0", 0)) as other:
        place = f"ray://127.0.0.1:{other.getsockname()[1]}"
        assert main(["bench", "own.jsonl", "--ids", "Own/total", "--on", place, "--out", "r"]) == 2
    _, err = capsys.readouterr()
    assert "no head of a Ray cluster answers" in err and err.count("\n") == 3
