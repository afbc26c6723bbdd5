"""`selfheal sessions race --on ray` on a local cluster: a node is killed, the command is stopped and goes on.

Needs the extra `ray`; without it the test is left out.
"""

from __future__ import annotations

import importlib.util
import json
import signal
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.cli import main
from selfheal_tui.engine.session.workbench import Workbench
from tests.e2e.test_bench_on_ray import Nodes, driver, until
from tests.engine.driving import DIAGNOSIS, FIXED, repair_reply
from tests.engine.test_race import WORSE, started
from tests.wire.rig import KEY, clean
from tests.wire.script import Script
from tests.wire.server import WireServer

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs the extra ray"),
    pytest.mark.xdist_group("ray"),
]
REWRITE = "Write the faulty function anew"
QUIET = "model=openai:tiny critic=off autonomy=full_auto debug_steps=0 near_miss_s=0"


async def test_a_node_dies_the_command_is_stopped_and_nothing_is_paid_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    diagnosis = {"role": "debugger", "reply": DIAGNOSIS}
    heals = {"role": "repairer", "when": REWRITE, "reply": repair_reply(FIXED)}
    script = Script.of(
        diagnosis,
        {**heals, "fault": "stall", "times": 2},
        {"role": "repairer", "reply": repair_reply(WORSE)},
        key=KEY,
    )
    clean(monkeypatch)
    monkeypatch.chdir(tmp_path)
    workbench = Workbench(tmp_path / "sessions")
    session_id, at = await started(workbench, "search")
    await workbench.aclose()
    async with WireServer(script) as server:
        for name, value in server.environment(KEY).items():
            monkeypatch.setenv(name, value)
        nodes = Nodes()  # Ray sets signal handlers, which only the main thread may
        try:

            def asked(role: str, words: str) -> int:
                return sum(chat.role == role and words in json.dumps(chat.body) for chat in server.chats)

            on = ("--on", f"ray://{nodes.cluster.address}", "--sessions", str(tmp_path / "sessions"))
            lanes = [
                f"strategies={name} max_iterations={n} {QUIET}" for n, name in enumerate(("rewrite", "minimal"), 1)
            ]
            argv = ["race", session_id, *on, "--at", at, "--max-calls", "9"]
            for lane in lanes:
                argv += ["--lane", lane]
            async with driver(tmp_path, *argv, command="sessions") as run:
                # The other lane ends soon, or has not begun: then the only one that runs is the one that is stuck.
                await until(lambda: asked("repairer", REWRITE) == 1 and len(nodes.busy("ray::run_lane")) == 1, run)
                nodes.kill(nodes.busy("ray::run_lane")[0])
                await until(lambda: asked("repairer", REWRITE) == 2, run)
                run.send_signal(signal.SIGINT)
                _, err = await run.communicate()
            assert run.returncode == 130 and "Traceback" not in err.decode(), err.decode()
            assert f"go on with: selfheal sessions race {session_id} --on ray://" in err.decode()
            diagnoses = asked("debugger", "")
            async with driver(tmp_path, "race", session_id, *on, "--json", command="sessions") as run:
                out, err = await run.communicate()
            assert run.returncode == 0, err.decode()
            ended: dict[str, Any] = json.loads(out)
            best = ended["lanes"][0]
            assert (best["branch"], best["outcome"], best["passed"]) == ("race-openai-tiny", "healed", 2)
            assert asked("debugger", "") == diagnoses, "what was paid came home"
            assert main(["sessions", "check", session_id, "--sessions", str(tmp_path / "sessions")]) == 0
            everything = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
            assert KEY.encode() not in everything
        finally:
            nodes.cluster.shutdown()
