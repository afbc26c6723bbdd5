"""A note for the next step: read once by the next model that can, recorded, taken back while nobody read it."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path

import pytest

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import NodeStarted, NoteRead
from selfheal_tui.engine.out.export.html import page
from selfheal_tui.engine.out.export.markdown import markdown
from selfheal_tui.engine.out.tell import tell_story
from selfheal_tui.engine.out.transfer.reading import read_session
from selfheal_tui.engine.out.transfer.writing import write_session_file
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.errors import InputError

from .driving import BUGGY, DIAGNOSIS, FIXED, drain, options, repair_reply, script, shop_task, to_repair, to_review

NOTE = "The discount is an amount, no percentage."
OTHER = repair_reply(BUGGY.replace("amount + discount", "amount * (1 - discount)"), "Take it as a share.")


def _model(tmp_path: Path) -> str:
    return script(
        tmp_path / "replies.yaml",
        {"role": "debugger", "when": [NOTE], "reply": {**DIAGNOSIS, "cause": "As the human noted: an amount."}},
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "when": [NOTE], "reply": repair_reply(FIXED)},
        {"role": "repairer", "reply": OTHER},
    )


async def test_the_next_step_reads_a_note_and_says_so(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await workbench.create(shop_task(), options(_model(tmp_path)))
    read: list[NoteRead] = []
    async with workbench.open_session(session_id) as session:
        async with aclosing(session.resume()) as events:
            async for event in events:
                if isinstance(event, NodeStarted) and event.node == "run_suite":
                    await session.notes.add(NOTE)
                    assert [note.text for note in await session.notes.waiting()] == [NOTE]
                read += [event] if isinstance(event, NoteRead) else []
        assert read == [NoteRead(NOTE, "diagnose")] and await session.notes.waiting() == []
        asked = await to_repair(session, session.resume())
        assert asked.snapshot.diagnosis is not None and asked.snapshot.diagnosis["cause"].startswith("As the human")
        assert asked.snapshot.candidates["1"]["changes"] == {"shop.py": FIXED}, "the repairer reads it too"
        (reader,) = [checkpoint for checkpoint in await session.timeline() if checkpoint.heard]
        assert (reader.node, reader.heard) == ("diagnose", NOTE)
        story = await tell_story(session, "main")
        assert (await session.branches.undo()).kind == "decision", "what a step has read stays read"
        with pytest.raises(InputError, match="nothing to undo"):
            await session.branches.undo()
    assert [note["text"] for row in story["iterations"] for note in row["notes"]] == [NOTE]
    assert "note of the human, read before looking for the cause" in markdown(story).replace("\\", "")
    assert "note of the human" in page(story)
    path = tmp_path / "handed.selfheal"
    write_session_file(workbench.store.folder(session_id), path, {}, "/nowhere")
    imported = await read_session(workbench.store, path)
    async with workbench.open_session(imported.session_id) as session:
        assert [checkpoint.heard for checkpoint in await session.timeline() if checkpoint.heard] == [NOTE]


async def test_a_note_at_a_question_reaches_the_repairer(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await workbench.create(shop_task(), options(_model(tmp_path), "review_all"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        assert asked.kind == "diagnosis"
        await session.notes.add(NOTE)
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.decide(asked.checkpoint_id, review.approve()))
        assert asked.snapshot.candidates["1"]["changes"] == {"shop.py": FIXED}
        assert [c.node for c in await session.timeline() if c.heard] == ["plan"]


async def test_a_note_is_taken_back_while_no_step_has_read_it(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await workbench.create(shop_task(), options(_model(tmp_path), "review_all"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        await session.notes.add(NOTE)
        assert await session.notes.can_take_back()
        undone = await session.branches.undo()
        assert undone.words == "your note for the next step" and await session.notes.waiting() == []
        await session.branches.redo()
        assert len(await session.notes.waiting()) == 1
        await session.branches.undo()
        asked = await to_review(session.decide(asked.checkpoint_id, review.approve()))
        assert asked.snapshot.candidates["1"]["changes"] != {"shop.py": FIXED}
        assert not any(checkpoint.heard for checkpoint in await session.timeline())


async def test_a_step_that_is_cut_off_leaves_the_note_for_its_next_run(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await workbench.create(shop_task(), options(_model(tmp_path)))
    async with workbench.open_session(session_id) as session:
        await session.notes.add(NOTE)
        async with aclosing(session.resume()) as events:
            async for event in events:
                if isinstance(event, NoteRead):
                    break
        (waiting,) = await session.notes.waiting()
        assert waiting.read_by == "diagnose"
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        assert asked.snapshot.candidates["1"]["changes"] == {"shop.py": FIXED}
        assert asked.snapshot.feedback == (NOTE,), "once"


async def test_the_search_leaves_notes_to_models(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        await session.notes.add(NOTE)
        await drain(session.resume())
        assert [note.text for note in await session.notes.waiting()] == [NOTE]
        for text in ("  ", "x" * 2001):
            with pytest.raises(InputError, match="The note is"):
                await session.notes.add(text)
