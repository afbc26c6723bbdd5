"""`selfheal fix --dry-run`: what a session would copy, and what a model would see first; nothing is created or sent."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from selfheal_tui.money import json_text
from selfheal_tui.text import one_line, strip_controls

from .compose import build_options
from .start import tell_left_out
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.session.preview import Preview
    from selfheal_tui.engine.task.task import Task
    from selfheal_tui.settings import Settings


def dry_run(args: Namespace, load: Callable[[Settings], Task]) -> int:
    """Print what would be frozen and sent; return the exit code. Raises: InputError, SettingsError."""
    from selfheal_tui.engine.session.checked_task import checked_task
    from selfheal_tui.engine.session.preview import build_preview
    from selfheal_tui.engine.task.estimate import oracle_words

    settings = load_from(args)
    task = load(settings)
    tell_left_out(task)
    options = build_options(settings)
    task = checked_task(task, options.models)
    preview = build_preview(task, options.models, settings.prompts)
    asked = oracle_words(options.models, options.policy)
    print(json_text(build_dry_run(preview, task)) if args.json else dry_run_text(preview, asked))
    return 0


def build_dry_run(preview: Preview, task: Task) -> dict[str, Any]:
    """Build the JSON of `fix --dry-run`."""
    return {
        "root": preview.root,
        "files": list(preview.files),
        "model": preview.model,
        "sends_to": preview.sends_to,
        "left_out": list(task.left_out),
        "unread": {one.path: one.why for one in task.unread},
        "first_prompt_files": [file["path"] for file in preview.first_prompt_files],
    }


def dry_run_text(preview: Preview, asked: str = "") -> str:
    """Return the files, and what leaves, for people; `asked` says what else a model is asked."""
    from selfheal_tui.engine.session.preview import frozen_words, preview_words

    _, leaves = preview_words(preview)
    width = max((len(f"{file['bytes']:,}") for file in preview.files), default=1)
    lines = [f"A session would hold a copy of {frozen_words(preview)}, from {one_line(preview.root, 300)}:"]
    lines += [f"  {file['bytes']:>{width},}  {file['role']:<8} {one_line(file['path'], 300)}" for file in preview.files]
    if any(file["role"] == "support" for file in preview.files):
        lines.append("support: neither program nor test; copied beside them and never changed.")
    lines += [leaves]
    if preview.role:
        lines.append("Beside them it holds what the tests print, and what you say with --spec.")
    lines += [asked] * bool(asked)
    return strip_controls("\n".join(lines))
