"""The form of a new run without a screen: its fields, what they start with, what may be typed, what it all means."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from selfheal_tui.errors import InputError, SelfHealError, SettingsError
from selfheal_tui.setting_values import AUTO, SEARCH, setting_text, split_models
from selfheal_tui.settings import Settings, parse_setting, setting_type
from selfheal_tui.text import one_line, plural

if TYPE_CHECKING:
    from selfheal_tui.engine.session.workbench import RunOptions
    from selfheal_tui.engine.task.task import Task

MOST_CHOICES = 200
DEMO = "demo:"
"""What a bundled program is named with in the line of the program."""


class Field(NamedTuple):
    """One line of the form."""

    name: str
    label: str
    hint: str
    """Shown while the line is empty."""


FIELDS = (
    Field("paths", "Program", "files, a folder or demo:NAME; empty: write code for the spec below"),
    Field("spec", "Spec", "what the program should do; @FILE reads it from a file"),
    Field("tests", "Tests", "found beside the program or in tests/"),
    Field("model", "Model", "PROVIDER:NAME for all roles, ROLE=PROVIDER:NAME for one"),
    Field("autonomy", "Autonomy", ""),
    Field("strategies", "Strategies", ""),
    Field("max_iterations", "Iterations", ""),
    Field("max_tokens", "Tokens", "no limit"),
    Field("max_cost_usd", "Dollars", "no limit"),
    Field("max_time_s", "Seconds", "no limit"),
)
_LABELS = {field.name: field.label for field in FIELDS}
_HERE = "here"
_MOST_UNREAD = 5
_SETTINGS = ("autonomy", "strategies", "max_iterations", "max_tokens", "max_cost_usd", "max_time_s")


class FieldError(Exception):
    """What is wrong, at which field."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name, self.message = name, message


def first_draft(settings: Settings, folder: Path) -> dict[str, str]:
    """Return what the form starts with: the settings, and the current folder when it holds Python, else a demo."""
    from selfheal_tui.engine.task.demos import DEFAULT_DEMO

    models = " ".join([settings.model, *(f"{role}={model}" for role, model in settings.role_models.items())])
    return {
        "paths": "." if _holds_python(folder) else f"{DEMO}{DEFAULT_DEMO}",
        "spec": "",
        "tests": "",
        "model": models,
        **{name: setting_text(name, getattr(settings, name)) for name in _SETTINGS},
    }


def _holds_python(folder: Path) -> bool:
    """Tell whether a folder looks like a program: Python in it, or tests in a folder of it."""
    return any(next(folder.glob(pattern), None) for pattern in ("*.py", "*/test_*.py", "*/*_test.py"))


def field_error(name: str, text: str) -> str:
    """Return what is wrong with one line as far as it can be told while typing; empty when nothing is."""
    try:
        if name in _SETTINGS and text.strip():
            _setting(name, text)
        elif name == "model":
            _models(text)
        elif name in ("paths", "tests") and not text.startswith(DEMO):
            for path in _paths(text):
                if not Path(str(path).partition("::")[0]).expanduser().exists():
                    return f"{path} does not exist."
    except SelfHealError as error:
        return str(error)
    return ""


def choices(name: str, text: str, folder: Path) -> list[tuple[str, str]]:
    """Return (what the line becomes, why) for a field with few values, and for paths what is there."""
    if name == "autonomy":
        words = {
            "review_all": "asks about tests, first code, diagnoses, repairs and the end",
            "review_repairs": "asks about each diagnosis and each repair",
            "full_auto": "asks nothing; takes a repair only when more cases pass",
        }
        return [(str(word), words.get(str(word), "")) for word in get_args(setting_type("autonomy"))]
    if name == "strategies":
        from selfheal_tui.engine.moment.state import STRATEGIES

        names = [word for word in text.split(",") if word.strip()]
        return [
            (",".join([*names, word] if word not in names else [one for one in names if one != word] or [word]), words)
            for word, words in ((one, "taken, leave it out" if one in names else "add it") for one in STRATEGIES)
        ]
    if name == "paths" and (text.startswith(DEMO) or not text.strip()):
        from selfheal_tui.engine.task.demos import list_demos

        here = path_choices("", folder)
        return [*(here if not text else []), *((f"{DEMO}{demo.name}", demo.title) for demo in list_demos())]
    if name in ("paths", "tests"):
        return path_choices(text, folder)
    return []


def path_choices(text: str, folder: Path) -> list[tuple[str, str]]:
    """Return the ways to complete the last path of a line: folders and Python files, hidden ones left out."""
    before, typed = _last_word(text)
    head, _, start = typed.rpartition("/") if typed not in (".", "..", "~") else (typed, "/", "")
    base = (folder / Path(head + "/" if typed.startswith("/") and not head else head or ".").expanduser()).resolve()
    choices = []
    try:
        with os.scandir(base) as entries:
            for entry in entries:
                hidden = entry.name.startswith((".", "__pycache__")) or not entry.name.isprintable()
                if hidden or not entry.name.startswith(start):
                    continue
                if entry.is_dir():
                    choices.append((f"{entry.name}/", "folder"))
                elif entry.name.endswith(".py"):
                    choices.append((entry.name, "Python"))
                if len(choices) >= MOST_CHOICES:
                    break
    except OSError:
        return []
    prefix = f"{head}/" if head or typed.startswith("/") else ""
    choices.sort(key=lambda pair: (not pair[0].endswith("/"), pair[0]))
    return [(before + shlex.quote(prefix + name), kind) for name, kind in choices]


def build_task(draft: Mapping[str, str]) -> Task:
    """Read program and tests. Raises: FieldError."""
    from selfheal_tui.engine.task.demos import load_demo
    from selfheal_tui.engine.task.source_files import read_named
    from selfheal_tui.engine.task.task import load_task

    if draft["paths"].strip().startswith(DEMO):
        try:
            return load_demo(draft["paths"].strip().removeprefix(DEMO))
        except InputError as error:
            raise FieldError("paths", str(error)) from error
    paths, tests = _checked_paths("paths", draft), _checked_paths("tests", draft)
    spec = draft["spec"].strip()
    if spec.startswith("@"):
        try:
            spec = read_named(Path(spec[1:]).expanduser())
        except InputError as error:
            raise FieldError("spec", str(error)) from error
    if tests and not paths:
        raise FieldError("paths", "Tests need the program that they test. Name its file or folder.")
    try:
        return load_task(paths, tests, spec)
    except InputError as error:
        at = "spec" if not paths else "paths"
        if error.message.startswith("No tests were found") or (tests and _loads(paths, spec)):
            at = "tests"
        raise FieldError(at, f"{error.message} {error.hint.replace('with --tests PATH', 'here')}".strip()) from error


def apply_draft(draft: Mapping[str, str], settings: Settings) -> Settings:
    """Return the settings with what the form says. Raises: FieldError."""
    changed: dict[str, Any] = {}
    for name in _SETTINGS:
        try:
            changed[name] = _setting(name, draft[name]) if draft[name].strip() else _empty(name)
        except SelfHealError as error:
            raise FieldError(name, str(error)) from error
    try:
        everyone, roles = _models(draft["model"])
    except SelfHealError as error:
        raise FieldError("model", str(error)) from error
    return replace(settings, **changed, model=everyone or settings.model, role_models=roles)


async def build_options(settings: Settings) -> tuple[RunOptions, str]:
    """Return what the run goes with, and which model `auto` took. Raises: FieldError."""
    from selfheal_tui.engine.session.options import chosen_models, startable_options

    try:
        models, why = await chosen_models(settings.models())
        return startable_options(settings, models), why
    except SelfHealError as error:
        raise FieldError("model", str(error)) from error


def startable_task(task: Task, options: RunOptions) -> Task:
    """Return the task that the run's models can work on. Raises: FieldError, also where the start would refuse it."""
    from selfheal_tui.engine.session.checked_task import checked_task

    try:
        return checked_task(task, options.models)
    except SelfHealError as error:
        at = "model" if task.mode == "spec" else "paths"
        raise FieldError(at, str(error).replace(" (on the command line --model PROVIDER:NAME)", "")) from error


def files_told(paths: Sequence[str], most: int = 5) -> str:
    """Name some files, and count the others."""
    more = f" and {len(paths) - most} more" if len(paths) > most else ""
    return ", ".join(one_line(path, 100) for path in paths[:most]) + more


def what_leaves(task: Task, options: RunOptions, settings: Settings) -> list[str]:
    """Return what would be copied, and what a model would see first, in sentences. Raises: FieldError."""
    from selfheal_tui.engine.session.preview import build_preview, preview_words

    try:
        words = preview_words(build_preview(task, options.models, settings.prompts))
    except SelfHealError as error:
        raise FieldError("model", str(error)) from error
    words += [f"Left out: {one_line(one.words, 300)}" for one in task.unread[:_MOST_UNREAD]]
    if (more := len(task.unread) - _MOST_UNREAD) > 0:
        words.append(f"Left out: {plural(more, 'more Python file')} that cannot be read.")
    if task.left_out:
        words.append(f"Not read, as it lies outside of the folder: {files_told(task.left_out)}.")
    return words


def _setting(name: str, text: str) -> Any:
    from selfheal_tui.engine.session.options import check_setting

    try:
        value = parse_setting(name, text.strip(), _HERE, Path.cwd())
        check_setting(name, value)
    except SettingsError as error:
        # The form has a label where files and flags have a name, and no other place.
        message = error.message.replace(f" ({_HERE})", "").replace(name, _LABELS[name], 1)
        raise SettingsError(message, error.hint) from error
    return value


def _empty(name: str) -> Any:
    """Return what an empty line means: no limit, where there need be none."""
    if name.startswith("max_") and name != "max_iterations":
        return None
    raise SettingsError(f"{_LABELS[name]}: a value is needed.")


def _models(text: str) -> tuple[str, dict[str, str]]:
    from selfheal_tui.engine.session.options import check_setting

    everyone, roles = split_models(text.split(), _HERE)
    if not everyone and not roles:
        raise SettingsError("A model is needed.", "`search` needs none of any provider.")
    check_setting("model", everyone or SEARCH)
    check_setting("role_models", roles)
    return everyone, roles


def with_model(line: str, text: str) -> str:
    """Return the line of the models with another one: `text` is for all roles, or ROLE=PROVIDER:NAME for one."""
    everyone, roles = split_models(line.split(), _HERE)
    new, of_roles = split_models(text.split(), _HERE)
    return " ".join([new or everyone or SEARCH, *(f"{role}={model}" for role, model in {**roles, **of_roles}.items())])


def check_callable(text: str) -> None:
    """Check that the models of a text can be asked from here, as far as it can be told. Raises: SettingsError."""
    from selfheal_tui.llm.registry import check_ready

    everyone, roles = _models(text)
    check_ready(model for model in (everyone, *roles.values()) if model and model != AUTO)


def _paths(text: str) -> list[Path]:
    try:
        return [Path(word).expanduser() for word in shlex.split(text)]
    except ValueError as error:
        raise InputError(f"The paths cannot be read: {error}.", "Close the quotes.") from error


def _checked_paths(name: str, draft: Mapping[str, str]) -> list[Path]:
    try:
        return _paths(draft[name])
    except InputError as error:
        raise FieldError(name, str(error)) from error


def _last_word(text: str) -> tuple[str, str]:
    """Split a line before its last path, which is returned without quotes."""
    before, blank, last = text.rpartition(" ")  # a blank within quotes is not completed
    return before + blank, last.strip("'\"")


def _loads(paths: list[Path], spec: str) -> bool:
    from selfheal_tui.engine.task.task import load_task

    try:
        load_task(paths, (), spec)
    except InputError as error:
        return error.message.startswith("No tests were found")
    return True
