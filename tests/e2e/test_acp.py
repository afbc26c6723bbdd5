"""`selfheal acp` as an editor runs it: over pipes, cancelled in the middle, killed and loaded again, fed rubbish."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from selfheal_tui.store.sessions import SessionStore
from tests.acp_editor import PATIENCE_S, ROOT, Editor, prompted, spawned
from tests.engine.driving import ANSWERS, BUGGY, FIXED, TESTS, script
from tests.processes import descendants

COMMAND = [sys.executable, "-m", "selfheal_tui", "acp"]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "shop.py").write_text(BUGGY)
    (folder / "test_shop.py").write_text(TESTS)
    return folder


def outcome(shop: Path, session_id: str) -> str:
    return SessionStore(shop.parent / "sessions").row(session_id).outcome


async def test_an_editor_heals_a_project_without_a_model_and_the_command_leaves_nothing_behind(shop: Path) -> None:
    editor = Editor("approve", "approve", "write", files=True)
    async with spawned(shop, editor) as (agent, process):
        session = await agent.new_session(str(shop))
        assert await prompted(agent, session.session_id, "heal this project") == "end_turn"
        assert [one.title.partition(" ")[0] for one in editor.questions] == ["Diagnosis:", "Repair", "Write"]
        assert editor.written == {str(shop / "shop.py"): FIXED}
        assert editor.plans[-1][-1][0].startswith("Healed: ")
        assert {status for _, status in editor.plans[-1]} == {"completed"}
        left = descendants(process.pid)
    assert process.returncode == 0
    assert not [pid for pid in left if Path(f"/proc/{pid}").exists()]


async def test_the_users_hook_may_refuse_what_the_editor_would_write(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuses = "import sys; print('Not today.', file=sys.stderr); sys.exit(2)"
    monkeypatch.setenv("SELFHEAL_HOOKS", f'before_apply={sys.executable} -c "{refuses}"')
    editor = Editor("approve", "approve", "write", files=True)
    async with spawned(shop, editor) as (agent, _):
        session = await agent.new_session(str(shop))
        await prompted(agent, session.session_id, "heal this project")
        assert [one.title.partition(" ")[0] for one in editor.questions] == ["Diagnosis:", "Repair", "Write"]
        assert editor.written == {} and (shop / "shop.py").read_text() == BUGGY
        assert any("Your hook before_apply refused: Not today." in str(one) for one in editor.updates)


async def test_a_run_that_is_cancelled_goes_on_later(shop: Path) -> None:
    slow = {**ANSWERS[0], "delay_s": 3600}
    model = script(shop.parent / "replies.yaml", slow, *ANSWERS[1:])
    editor = Editor()
    async with spawned(shop, editor, "--model", model) as (agent, _):
        session_id = (await agent.new_session(str(shop))).session_id
        turn = asyncio.create_task(prompted(agent, session_id, "/fix shop.py"))
        await editor.until(lambda: any(call["title"] == "Asking the debugger" for call in editor.calls.values()))
        await agent.cancel(session_id)
        assert await turn == "cancelled"
        assert {call["status"] for call in editor.calls.values()} == {"completed", "failed"}
        assert outcome(shop, session_id) == "running"
        script(shop.parent / "replies.yaml", *ANSWERS)
        editor.answers += ["approve", "approve", "not-now"]
        assert await prompted(agent, session_id, "go on, please") == "end_turn"
    assert outcome(shop, session_id) == "healed"
    assert (shop / "shop.py").read_text() == BUGGY


async def test_an_agent_that_was_killed_is_loaded_again_and_asks_again(shop: Path) -> None:
    model = script(shop.parent / "replies.yaml", *ANSWERS)
    editor = Editor("approve")
    async with spawned(shop, editor, "--model", model) as (agent, process):
        session_id = (await agent.new_session(str(shop))).session_id
        turn = asyncio.create_task(prompted(agent, session_id, "/fix shop.py"))
        await asyncio.wait_for(editor.asked.wait(), PATIENCE_S)
        process.kill()
        with pytest.raises(ConnectionError):
            await turn
    assert outcome(shop, session_id) == "waiting"
    editor = Editor("approve", "write", files=True)
    async with spawned(shop, editor, "--model", model) as (agent, _):
        await agent.load_session(str(shop), session_id)
        assert editor.prompted == ["/fix shop.py", "diagnosis: approved by you"]
        # Nobody sends a prompt: the question that waited is asked, and the run goes on with the answer.
        await editor.until(lambda: any(call["title"] == "Wrote `shop.py`" for call in editor.calls.values()))
    assert outcome(shop, session_id) == "healed"
    assert (shop / "shop.py").read_text() == FIXED


def test_bad_input_is_answered_line_by_line_and_stdout_holds_nothing_else(shop: Path) -> None:
    requests = [
        "this is no JSON",
        "[1, 2, 3]",
        '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "one"}}',
        '{"jsonrpc": "2.0", "id": 2, "method": "session/new", "params": {"cwd": "shop", "mcpServers": []}}',
        '{"jsonrpc": "2.0", "id": 3, "method": "session/prompt", "params": {"sessionId": "x", "prompt": []}}',
        '{"jsonrpc": "2.0", "id": 4, "method": "nothing/there"}',
        '{"jsonrpc": "2.0", "id": 5, "method": "initialize", "params": {"protocolVersion": 1}}',
    ]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        COMMAND, input="\n".join(requests) + "\n", capture_output=True, text=True, timeout=PATIENCE_S, check=False,
        cwd=shop, env=environ,
    )  # fmt: skip
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    by_id = {answer["id"]: answer for answer in answers if answer["id"] is not None}
    assert (ran.returncode, ran.stderr) == (0, "")
    assert len(answers) == len(requests) and [*by_id] == [1, 2, 3, 4, 5]
    assert "shop is no folder" in by_id[2]["error"]["message"]
    assert by_id[5]["result"]["agentCapabilities"]["loadSession"] is True
    at_no_pipe = subprocess.run(
        COMMAND, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_S, check=False, cwd=shop,
        env=environ,
    )  # fmt: skip
    assert (at_no_pipe.returncode, at_no_pipe.stdout) == (2, "")
    assert "An editor starts this command and speaks to it over pipes; here are none." in at_no_pipe.stderr


def test_without_its_package_the_command_says_what_to_install(shop: Path) -> None:
    (shop / "hidden.py").write_text("import sys\nsys.modules['acp'] = None\n")
    code = "import hidden, sys; sys.argv = ['selfheal', 'acp']; from selfheal_tui.__main__ import main; main()"
    ran = subprocess.run(
        [sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_S,
        check=False, cwd=shop, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "selfheal: acp needs agent-client-protocol. Run: pip install 'selfheal-tui[acp]'.\n"
