"""What `--events` writes of a benchmark run beside the events of its sessions, which carry the field `task`."""

from __future__ import annotations

from collections.abc import Mapping

from selfheal_tui.engine.out.event_forms import SPENT, SPENT_KIND, Field, Form, spent

from .runner import TaskFailed, TaskFinished, TaskStarted

BENCH: Mapping[type, Form] = {
    TaskStarted: Form(
        "task_started", "A task's session begins, or goes on.", (Field("task", "string", "Its id.", lambda e: e.id),)
    ),
    TaskFinished: Form(
        "task_finished",
        "A task has its verdict, and is on disk. `results.jsonl` has all of it.",
        (
            Field("task", "string", "Its id.", lambda event: event.result["id"]),
            Field("outcome", "string", "How its session ended.", lambda event: event.result["outcome"]),
            Field("plausible", "true or false", "The visible tests pass.", lambda event: event.result["plausible"]),
            Field("repaired", "true or false", "The hidden tests pass too.", lambda event: event.result["repaired"]),
            Field("iterations", "number", "Rounds.", lambda event: event.result["iterations"]),
            Field("time_s", "number", "Seconds of work, without the verdict.", lambda event: event.result["time_s"]),
            Field("spent", SPENT_KIND, f"By this task: {', '.join(SPENT)}.", lambda e: spent(e.result["spent"])),
        ),
    ),
    TaskFailed: Form(
        "task_failed",
        "A task could not go on. `--resume` tries it again.",
        (
            Field("task", "string", "Its id.", lambda event: event.id),
            Field("error", "string", "What is wrong and what to do.", lambda event: str(event.error)),
            Field("exit_code", "number", "As the command will exit.", lambda event: event.error.exit_code),
        ),
    ),
}
"""Kind of event -> its form."""
