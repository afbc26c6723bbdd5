"""Write docs/events.md, the page of all events, from the forms that the lines are made of: `python docs/events.py`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from selfheal_tui.bench.running.event_forms import BENCH
from selfheal_tui.engine.out.event_forms import ENGINE, VERSION, Form

PAGE = Path(__file__).resolve().parent / "events.md"
_START = f"""\
# Events as lines of JSON

Written from the program by `python docs/events.py`.

`--events FILE` writes what a run does, as it happens: each event is one line that holds a JSON object. `--events -`
writes the lines to stdout. These commands have it: `fix`, `new`, `demo`, `resume`, `sessions decide`, `sessions fork`,
`sessions race` and `bench`. The app is not opened.

```
selfheal demo --events - --autonomy full_auto | jq -r 'select(.event == "case_finished") | .outcome + " " + .id'
selfheal bench builtin --events run.jsonl
```

- **stdout**: with `--events -` it holds the lines and nothing else. What it holds otherwise goes to stderr. With
  `--json` too, the object that `--json` prints stands in the last line instead.
- **The last line** is `result`. It comes however the command ends, unless it crashes or is killed.
- **A file** is appended to.
- **When the lines cannot be written any more**, because nobody reads them or the disk is full, one sentence on stderr
  says so. The run goes on without them and loses nothing. A reader that is slow holds the run up.
- **What is in a line**: ids, counts and short texts. `selfheal sessions show SESSION --at CHECKPOINT --json` has the
  code and reports of a moment. Texts of models, programs and tests are data: anything can stand in them. Control
  characters and all that is not ASCII are escaped, and your keys are replaced by their names.

## What every line has

| field | type | meaning |
|---|---|---|
| `v` | number | version of the schema: {VERSION}. Raised when a field goes or changes its meaning |
| `event` | string | the kind of event: the titles below |
| `at` | string | when it was told: UTC, ISO 8601, to the millisecond |
| `session` | string | id of the session; not in `task_started`, `task_finished` and `task_failed` |
| `task` | string | of a benchmark: id of the task |
| `lane` | string | of a race: the branch that the event is about |

Skip what you do not know: events and fields may be added."""
_RESULT = """\
### result

The command has ended.

| field | type | meaning |
|---|---|---|
| `exit_code` | number | as the command exits ([the list](command-line.md#exit-codes)) |
| `outcome` | string | healed, gave_up, waiting ...; `failed`, `cancelled`; empty of a benchmark |
| `reason` | string | why, or what is wrong and what to do |
| `result` | object or null | with `--json`: the object that it prints; else null |"""


def page() -> str:
    """Return the page."""
    parts = [_START, "## Events of a run", *_described(ENGINE.values())]
    parts += ["## Events of a benchmark", *_described(BENCH.values()), "## The end", _RESULT]
    return "\n\n".join(parts) + "\n"


def _described(forms: Iterable[Form]) -> Iterable[str]:
    for form in forms:
        rows = [f"| `{field.name}` | {field.kind} | {field.says} |" for field in form.fields]
        yield "\n".join([f"### {form.name}", "", form.says, "", "| field | type | meaning |", "|---|---|---|", *rows])


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
