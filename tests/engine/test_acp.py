"""Threads of an editor, in this process, over the real store and sandbox: what is said, asked and written."""

from __future__ import annotations

import asyncio
import socket
from argparse import Namespace
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from acp import RequestError
from acp.agent.connection import AgentSideConnection
from acp.client.connection import ClientSideConnection

from selfheal_tui.acp.agent import SelfHealAgent
from selfheal_tui.acp.transport import Lines
from selfheal_tui.cli.acp import FolderDesk, add_arguments
from selfheal_tui.cli.parser import build_parser
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.store.applied import applied_branch
from selfheal_tui.store.sessions import SessionRow, SessionStore
from tests.acp_editor import DISMISS, Editor, prompted
from tests.engine.driving import ANSWERS, BUGGY, FIXED, TESTS, repair_reply, script

OTHER = FIXED.replace("return amount - discount", "amount -= discount\n    return amount")


class Opened(NamedTuple):
    """An editor that is connected to an agent in this process."""

    agent: Any
    editor: Editor
    folder: Path
    home: Path

    def row(self, session_id: str) -> SessionRow:
        return SessionStore(self.home).row(session_id)

    async def new(self) -> str:
        session_id: str = (await self.agent.new_session(str(self.folder))).session_id
        return session_id


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a program that fails, and replies of a model that mends it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "shop.py").write_text(BUGGY)
    (folder / "test_shop.py").write_text(TESTS)
    return folder


@asynccontextmanager
async def opened(folder: Path, editor: Editor, *flags: str) -> AsyncIterator[Opened]:
    """Connect an editor over a pair of sockets."""
    parser = build_parser("selfheal acp", "")
    add_arguments(parser)
    home = folder.parent / "sessions"
    args: Namespace = parser.parse_args(["--sessions", str(home), *flags])
    ends = socket.socketpair()
    (ours, theirs) = [await asyncio.open_connection(sock=end) for end in ends]
    agent = SelfHealAgent(lambda place: FolderDesk(args, place))
    agent_side = AgentSideConnection(agent, Lines(*theirs), use_unstable_protocol=True)  # type: ignore[arg-type]
    editor_side = ClientSideConnection(editor, Lines(*ours), use_unstable_protocol=True)  # type: ignore[arg-type]
    try:
        await editor_side.initialize(1, client_capabilities=editor.capabilities)
        yield Opened(editor_side, editor, folder, home)
    finally:
        await agent.aclose()
        for side, (_, writer) in ((editor_side, ours), (agent_side, theirs)):
            await side.close()
            await writer.wait_closed()


def scripted(folder: Path, *replies: dict[str, Any]) -> str:
    return f"--model={script(folder.parent / 'replies.yaml', *replies)}"


async def test_a_healed_program_is_written_by_the_editor_once_the_user_says_so(shop: Path) -> None:
    editor = Editor("approve", "approve", "write", files=True)
    async with opened(shop, editor, scripted(shop, *ANSWERS)) as at:
        session_id = await at.new()
        assert await prompted(at.agent, session_id, "Please heal shop.py") == "end_turn"
        assert editor.written == {str(shop / "shop.py"): FIXED}
        diagnosis, repair, write = editor.questions
        assert diagnosis.title == "Diagnosis: is this the cause?"
        assert repair.title.startswith("Repair 1 of 1") and write.title == f"Write 1 file into `{shop}`?"
        assert "**Healed**" in editor.said
        assert at.row(session_id).outcome == "healed"
        assert applied_branch(at.home / session_id) == "main"
        assert await prompted(at.agent, session_id, "/apply") == "end_turn"
        assert "holds this program already" in editor.said


async def test_what_the_editor_has_not_saved_is_never_overwritten(shop: Path) -> None:
    editor = Editor("approve", "approve", "not-now", "write", "write", files=True)
    async with opened(shop, editor, scripted(shop, *ANSWERS)) as at:
        session_id = await at.new()
        await prompted(at.agent, session_id, "/fix")
        assert "Nothing was written." in editor.said
        editor.buffers[str(shop / "shop.py")] = BUGGY + "\nx = 1\n"
        await prompted(at.agent, session_id, "/apply")
        assert editor.written == {} and "that are not saved: nothing was written" in editor.said
        editor.buffers.clear()
        await prompted(at.agent, session_id, "/apply")
        assert (shop / "shop.py").read_text() == FIXED


async def test_an_editor_without_files_has_them_written_as_the_command_does(shop: Path) -> None:
    (shop / "shop.py").write_text("\ufeff" + BUGGY, "utf-8")
    editor = Editor("approve", "approve", "write")
    async with opened(shop, editor, scripted(shop, *ANSWERS)) as at:
        await prompted(at.agent, await at.new(), "heal this project")
        assert (shop / "shop.py").read_text("utf-8") == "\ufeff" + FIXED and editor.written == {}


async def test_another_candidate_is_picked_by_its_own_button(shop: Path) -> None:
    both = {"role": "repairer", "reply": repair_reply(OTHER, "In a line of its own.")}
    replies = (ANSWERS[0], {**ANSWERS[1], "when": ["smallest change"]}, both)
    editor = Editor("approve", "approve:2", "write", files=True)
    async with opened(shop, editor, scripted(shop, *replies), "--strategies=minimal,rewrite") as at:
        await prompted(at.agent, await at.new(), "shop.py")
        assert len(editor.questions[1].options) == 4, editor.questions
        first = editor.questions[1].call.content[0].new_text
        assert [*editor.written.values()] == [OTHER if first == FIXED else FIXED]
        assert "took 2" in "".join(call["title"] for call in editor.calls.values())


async def test_a_rejection_ends_the_turn_and_the_next_message_is_its_reason(shop: Path) -> None:
    again = {"role": "repairer", "when": ["no minus sign"], "reply": repair_reply(OTHER, "Another way.")}
    editor = Editor("approve", "reject", "approve", "approve", "not-now")
    async with opened(shop, editor, scripted(shop, ANSWERS[0], again, ANSWERS[1])) as at:
        session_id = await at.new()
        assert await prompted(at.agent, session_id, "/fix shop.py") == "end_turn"
        assert "Say why in your next message" in editor.said
        assert at.row(session_id).waiting_for == "repair"
        await prompted(at.agent, session_id, "I want no minus sign in a return.")
        assert at.row(session_id).outcome == "healed"
        workbench = Workbench(at.home)
        async with workbench.watch_session(session_id) as session:
            notes = [one.decision["note"] for one in await session.timeline() if one.decision]
        await workbench.aclose()
        assert "I want no minus sign in a return." in notes


async def test_a_question_is_dismissed_and_answered_by_commands_and_taken_back(shop: Path) -> None:
    editor = Editor("approve", DISMISS, "not-now", DISMISS)
    async with opened(shop, editor, scripted(shop, *ANSWERS)) as at:
        session_id = await at.new()
        assert await prompted(at.agent, session_id, "/fix") == "cancelled"
        await prompted(at.agent, session_id, "/status")
        assert "A repair waits for your decision." in editor.said
        await prompted(at.agent, session_id, "/reject")
        assert "A rejection needs a reason." in editor.said
        assert await prompted(at.agent, session_id, "/approve 1") == "end_turn"
        assert at.row(session_id).outcome == "healed"
        assert await prompted(at.agent, session_id, "/undo") == "cancelled"
        assert "Undid your approval of the repair." in editor.said
        await prompted(at.agent, session_id, "/stop")
        assert at.row(session_id).outcome == "stopped"
        editor.answers += [DISMISS]
        await prompted(at.agent, session_id, "/fork max_iterations=3")
        assert at.row(session_id).branches > 1


async def test_a_loaded_session_tells_its_history_and_asks_again_what_waits(shop: Path) -> None:
    model = scripted(shop, *ANSWERS)
    async with opened(shop, Editor("approve", DISMISS), model) as at:
        session_id = await at.new()
        await prompted(at.agent, session_id, "/fix shop.py")
    editor = Editor()
    async with opened(shop, editor, model) as at:
        listed = (await at.agent.list_sessions(str(shop))).sessions
        assert [(one.session_id, one.cwd, one.title) for one in listed] == [(session_id, str(shop), "shop.py")]
        assert (await at.agent.list_sessions(str(shop.parent / "config"))).sessions == []
        loaded = await at.agent.load_session(str(shop), session_id)
        assert loaded.modes.current_mode_id == "review_repairs"
        assert editor.prompted == ["/fix shop.py", "diagnosis: approved by you"]
        titles = [call["title"] for call in editor.calls.values()]
        assert titles[0] == "Tests ran: 1 passed, 1 failed" and titles[1].startswith("Diagnosis made")
        await asyncio.wait_for(editor.asked.wait(), 60)
        assert editor.questions[0].title.startswith("Repair 1 of 1")
        editor.answers += ["stop"]
        await prompted(at.agent, session_id, "ask me again")
        assert at.row(session_id).outcome == "stopped"


async def test_a_fork_of_the_protocol_is_a_session_of_its_own(shop: Path) -> None:
    editor = Editor("approve", DISMISS)
    async with opened(shop, editor, scripted(shop, *ANSWERS)) as at:
        session_id = await at.new()
        await prompted(at.agent, session_id, "/fix")
        fork = (await at.agent.fork_session(session_id, str(shop))).session_id
        editor.answers += ["stop"]
        await prompted(at.agent, fork, "/resume")
        assert (at.row(fork).outcome, at.row(session_id).outcome) == ("stopped", "waiting")


async def test_who_decides_is_the_mode_of_the_thread(shop: Path) -> None:
    editor = Editor("not-now")
    async with opened(shop, editor, scripted(shop, *ANSWERS)) as at:
        session_id = await at.new()
        await at.agent.set_session_mode(session_id=session_id, mode_id="full_auto")
        await prompted(at.agent, session_id, "/fix")
        assert [one.title[:5] for one in editor.questions] == ["Write"]
        assert "repair: approved by the run's autonomy" in editor.said


async def test_what_a_folder_brings_is_asked_about_first(shop: Path) -> None:
    (shop / "selfheal.yaml").write_text("autonomy: full_auto\n")
    editor = Editor("leave-out", DISMISS)
    async with opened(shop, editor, scripted(shop, *ANSWERS)) as at:
        await prompted(at.agent, await at.new(), "/fix")
        assert editor.questions[0].title == "Use the settings that this folder brings?"
        assert "`autonomy = full_auto (selfheal.yaml, line 1)`" in editor.said
        assert editor.questions[1].title.startswith("Diagnosis")
        editor.answers += ["trust", "not-now"]
        await prompted(at.agent, await at.new(), "/fix")
        assert editor.questions[-1].title.startswith("Write")
        editor.answers += ["not-now"]
        await prompted(at.agent, await at.new(), "/fix")  # a yes is remembered: only the writing is asked about
        assert editor.questions[-1].title.startswith("Write")


async def test_words_without_a_path_are_a_project_or_a_text_and_a_model_is_needed_for_that(shop: Path) -> None:
    async with opened(shop, Editor(DISMISS), scripted(shop, *ANSWERS)) as at:
        await prompted(at.agent, await at.new(), "Write a function that reads roman numerals, please")
        assert [*at.editor.questions[0].options] == ["project", "text"]
    async with opened(shop, Editor()) as at:
        await prompted(at.agent, await at.new(), "/new Write a function f")
        assert "⚠" in at.editor.said and "model" in at.editor.said


@pytest.mark.parametrize(
    ("prompt", "sentence"),
    [
        ("/fix nothing.py", "nothing.py does not exist."),
        ("/status", "Nothing was healed in this thread yet."),
        ("/apply", "Nothing was healed in this thread yet."),
        ("/nonsense", "There is no command /nonsense."),
    ],
)
async def test_a_prompt_that_cannot_be_used_is_answered_in_the_thread(shop: Path, prompt: str, sentence: str) -> None:
    async with opened(shop, Editor()) as at:
        assert await prompted(at.agent, await at.new(), prompt) == "end_turn"
        assert sentence in at.editor.said
        assert not at.home.exists()


async def test_a_request_that_cannot_be_used_is_refused_in_a_sentence(shop: Path) -> None:
    async with opened(shop, Editor()) as at:
        for request, sentence in (
            (at.agent.new_session("shop"), "shop is no folder. Give the absolute path"),
            (at.agent.load_session(str(shop), "20260101-x"), "There is no session '20260101-x'"),
            (at.agent.load_session(str(shop), "../x"), "There is no session"),
            (at.agent.list_sessions(str(shop), "abc"), "The cursor is none that was given."),
            (prompted(at.agent, "nobody", "/fix"), "No thread of session 'nobody' is open."),
            (at.agent.set_session_mode(session_id=await at.new(), mode_id="wild"), "There is no mode 'wild'."),
        ):
            with pytest.raises(RequestError, match=sentence.replace("'", ".")):
                await request


async def test_a_line_that_is_no_message_is_answered_and_the_next_one_is_read() -> None:
    ends = socket.socketpair()
    (ours, theirs) = [await asyncio.open_connection(sock=end, limit=100) for end in ends]
    lines = Lines(*theirs)
    ours[1].write(b'{oops\n[1]\n{"id": []}\n{"method": 3}\n{}\n\n' + b"x" * 500 + b'\n{"id": 1, "result": 2}\n')
    ours[1].write_eof()
    assert await lines.receive() == {"id": 1, "result": 2}
    assert await lines.receive() is None
    await lines.close()
    answers = (await ours[0].read()).decode()
    assert answers.count('"id":null') == 6 and answers.count("-32700") == 1
    assert "longer than 50 MB" in answers
    for _, writer in (ours, theirs):
        writer.close()
        await writer.wait_closed()
