"""The first frame comes before LangGraph is imported, and the session opens after it all the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_PROBE = """
import asyncio, sys
from pathlib import Path
from selfheal_tui.engine.task.demos import load_demo
from selfheal_tui.engine.session.workbench import RunOptions, Workbench
from selfheal_tui.ui.app import SelfHealApp

heavy = None
display = SelfHealApp._display

def first(app, screen, renderable):
    global heavy
    display(app, screen, renderable)
    if heavy is None:
        heavy = sorted({m.partition(".")[0] for m in sys.modules} & {"langgraph", "langchain_core", "anthropic"})

SelfHealApp._display = first

async def main(home):
    workbench = Workbench(Path(home))
    session_id = await workbench.create(load_demo("intervals"), RunOptions())
    app = SelfHealApp(workbench, session_id=session_id, options=RunOptions())
    async with app.run_test(size=(100, 30)) as pilot:
        while "langgraph" not in sys.modules:
            await pilot.pause()
    await workbench.aclose()
    print("heavy at first paint:", heavy)

asyncio.run(main(sys.argv[1]))
"""


def test_first_paint_comes_before_langgraph(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROBE, str(tmp_path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "heavy at first paint: []\n", done.stderr[-2000:]
