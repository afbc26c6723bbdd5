"""The healed files on their way into the user's folder: the change is shown, asked about, and written or not.

Where the editor writes files it does, so that what it shows is what lies there; what it cannot write as it must be
(another encoding, a byte order mark) goes the way of `selfheal sessions apply`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from acp import RequestError
from acp.helpers import tool_content, update_tool_call
from acp.schema import PermissionOption

from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.unsettled import doubts_of_snapshot
from selfheal_tui.engine.out.applying import Writing, write
from selfheal_tui.engine.out.before_apply import permit_for
from selfheal_tui.engine.session.hook_story import SessionPlace
from selfheal_tui.engine.session.hooks import Hooks
from selfheal_tui.errors import InputError
from selfheal_tui.store.writing import file_bytes, pending_changes, read_now
from selfheal_tui.text import plural

from .editor import Editor
from .markup import code, prose, text_content
from .questions import diffs

WRITE, NOT_NOW = "write", "not-now"
_OPTIONS = [
    PermissionOption(option_id=WRITE, name="Write", kind="allow_once"),
    PermissionOption(option_id=NOT_NOW, name="Not now", kind="reject_once"),
]


async def offer(
    editor: Editor, call_id: str, writing: Writing, snapshot: Snapshot, place: SessionPlace, hooks: Hooks | None
) -> None:
    """Show what would be written, ask the user and then the user's hook, and write it. Raises: InputError."""
    if not writing.pending:
        await editor.say(f"{code(str(writing.folder))} holds this program already: nothing to write.")
        return
    before = {one.path: one.before for one in writing.pending if one.before is not None}
    content, locations = diffs(before, {one.path: one.after for one in writing.pending}, writing.folder)
    if doubts := doubts_of_snapshot(snapshot):
        content.append(tool_content(text_content("\n\n".join(f"⚠ {prose(one)}" for one in doubts))))
    title = f"Write {plural(len(writing.pending), 'file')} into {code(str(writing.folder))}?"
    chosen = await editor.ask(call_id, title, _OPTIONS, kind="edit", content=content, locations=locations)
    if chosen != WRITE:
        await editor.update(update_tool_call(call_id, title="Nothing was written", status="failed"))
        await editor.say("Nothing was written. `/apply` shows the change and asks again.")
        return
    try:
        permit = await asyncio.to_thread(permit_for, hooks, place, snapshot, writing)
        is_written = editor.writes and await _written_by_editor(editor, writing)
        # What the editor wrote needs to be noted only.
        rest = replace(writing, pending=()) if is_written else writing
        await asyncio.to_thread(write, rest, place.sessions / place.session_id, snapshot.branch, permit)
    except InputError:
        await editor.update(update_tool_call(call_id, title="Nothing was written", status="failed"))
        raise
    names = ", ".join(code(one.path) for one in writing.pending)
    await editor.update(update_tool_call(call_id, title=f"Wrote {names}", status="completed"))
    await editor.say(f"Written: {names}.")
    if permit.trouble:
        await editor.say(f"⚠ {prose(permit.trouble)}")
    if is_written and (other := await asyncio.to_thread(_otherwise, writing)):
        await editor.say(f"⚠ {prose(other)}")


async def _written_by_editor(editor: Editor, writing: Writing) -> bool:
    """Have the editor write all files; False where it cannot, and nothing was written. Raises: InputError."""
    texts = await asyncio.to_thread(_texts, writing)
    if texts is None:
        return False
    for path, (now, _) in texts.items():
        if not editor.reads or now is None:
            continue
        try:
            shown = await editor.read(writing.folder / path)
        except RequestError:
            return False
        if shown.rstrip("\n").splitlines() != now.rstrip("\n").splitlines():
            raise InputError(
                f"{path} has changes in the editor that are not saved: nothing was written.",
                "Save or undo them, then: /apply",
            )
    done: list[str] = []
    for path, (_, text) in texts.items():
        try:
            await editor.write(writing.folder / path, text)
        except RequestError as error:
            if not done:
                return False
            raise InputError(f"The editor wrote {', '.join(done)}, and could not write {path}: {error}.") from error
        done.append(path)
    return True


def _texts(writing: Writing) -> Mapping[str, tuple[str | None, str]] | None:
    """Return path -> the file's text now and the new one; None where a file is not plain UTF-8. Raises: InputError."""
    texts: dict[str, tuple[str | None, str]] = {}
    for change, now in zip(writing.pending, read_now(writing.folder, writing.pending), strict=True):
        try:
            after = file_bytes(change, change.after, now).decode("utf-8")
            before = now.decode("utf-8") if now is not None else None
        except UnicodeDecodeError:
            return None
        if after.startswith("\ufeff") or (before or "").startswith("\ufeff"):
            return None
        texts[change.path] = before, after
    return texts


def _otherwise(writing: Writing) -> str:
    """Say that the files are not as they were to be, as where the editor formats what it saves; empty if they are."""
    try:
        pending = pending_changes(writing.folder, writing.wanted)
    except InputError as error:
        return f"The editor saved something else than the repair, as with a formatter: {error.message}"
    names = ", ".join(change.path for change in pending)
    return f"The editor has not saved {names} yet." if pending else ""
