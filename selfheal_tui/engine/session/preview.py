"""What a run would take in and send first, before there is one: nothing is created, run or sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypedDict

from selfheal_tui.llm.base import TellsAddress
from selfheal_tui.llm.registry import open_provider
from selfheal_tui.setting_values import ROLES, SEARCH
from selfheal_tui.store.sent import SentFile
from selfheal_tui.text import plural

from ..dialogue.describe import plain
from ..dialogue.program_map import show_program
from ..dialogue.prompt_request import PromptRequest
from ..dialogue.prompts import load_prompt, names_in
from ..history.sent import files_words
from ..moment.workspace import Workspace, test_files_of
from ..task.task import Task
from ..workshop.prompt_room import Room, Shrinkable
from ..workshop.sent_files import files_sent

FileRole = Literal["program", "test", "support"]
_ASK_FIRST = ("debugger", "repairer")
"""Roles that a run whose tests fail asks before all others."""


class FrozenFile(TypedDict):
    """A file that the session would hold a copy of."""

    path: str
    bytes: int
    role: FileRole


@dataclass(frozen=True, slots=True)
class Preview:
    """What would be frozen, and what would be asked first."""

    root: str
    """Folder that the paths start from; empty for a demo or a spec."""
    files: tuple[FrozenFile, ...]
    model: str
    """`provider:model` of the first prompt; `search` when no role asks a model."""
    role: str
    """Who would ask; empty when nobody would."""
    sends_to: str | None
    """Address of the first prompt; None when nothing leaves this machine."""
    first_prompt_files: tuple[SentFile, ...]
    """What the first prompt would hold if the model's context has room for all of it."""


def build_preview(task: Task, models: Mapping[str, str], prompts_dir: Path | None = None) -> Preview:
    """Look at what a run with these models (role -> PROVIDER:NAME, `*` for the others) would freeze and send first.

    Raises: SettingsError for a prompt or a provider that cannot be used.
    """
    workspace = _workspace(task)
    files = tuple(
        FrozenFile(path=path, bytes=len(text.encode("utf-8", "replace")), role=_role(path, workspace))
        for path, text in task.files.items()
    )
    role, model = _first(task, models)
    if not role:
        return Preview(task.root or "", files, SEARCH, "", None, ())
    provider = open_provider(model)
    address = provider.address if isinstance(provider, TellsAddress) else None
    first_files = _first_prompt_files(task, workspace, role, model, prompts_dir)
    return Preview(task.root or "", files, model, role, address, first_files)


def preview_words(preview: Preview) -> list[str]:
    """Say it in two sentences: what is copied, and what leaves first."""
    named = files_words([SentFile(path=file["path"], whole=True) for file in preview.files])
    frozen = f"Copies {frozen_words(preview)}: {named}."
    if not preview.role:
        return [frozen, "Nothing leaves this machine: no model is asked."]
    file_names = files_words(preview.first_prompt_files)
    if preview.sends_to is None:
        return [frozen, f"The first prompt stays on this machine ({preview.model}); it holds {file_names}."]
    return [frozen, f"The first prompt goes to {preview.sends_to}; it holds {file_names}."]


def frozen_words(preview: Preview) -> str:
    """Say how much would be copied: `3 files, 1,204 bytes`."""
    size_bytes = sum(file["bytes"] for file in preview.files)
    return f"{plural(len(preview.files), 'file')}, {size_bytes:,} bytes"


def _workspace(task: Task) -> Workspace:
    """Return the task's files as the first node would see them."""
    test_files = test_files_of(task.files, task.program, task.tests)
    base = {path: task.files[path] for path in task.program if path in task.files}
    return Workspace(task.files, task.program, task.tests, test_files, base, task.pytest_args)


def _role(path: str, workspace: Workspace) -> FileRole:
    if path in workspace.program:
        return "program"
    return "test" if path in workspace.test_files else "support"


def _first(task: Task, models: Mapping[str, str]) -> tuple[str, str]:
    """Return the first role that asks a model, and the model; empty when none does."""
    roles = ROLES if task.mode == "spec" else (*_ASK_FIRST, *ROLES)
    asking = [(role, model) for role in roles if (model := models.get(role) or models["*"]) != SEARCH]
    return asking[0] if asking else ("", "")


def _first_prompt_files(
    task: Task, workspace: Workspace, role: str, model: str, prompts_dir: Path | None
) -> tuple[SentFile, ...]:
    """Fill the role's own prompt in with the files; what its run of the tests would add is not known yet."""
    prompt = load_prompt(role, prompts_dir)
    values: dict[str, str | Shrinkable] = dict.fromkeys(names_in(prompt), "")
    values |= {
        "spec": task.spec,
        "program": show_program(workspace.program_texts, with_numbers=True).text,
        "tests": plain(workspace.test_texts),
    }
    request = PromptRequest(prompt, model, values, (), "").fitted(Room()).request
    return tuple(files_sent(f"{request.system}\n{request.user}", workspace))
