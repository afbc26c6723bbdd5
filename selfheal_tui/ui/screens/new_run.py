"""The form of a new run: Enter looks at what would run and what a call costs, Enter again starts it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from selfheal_tui.errors import SelfHealError
from selfheal_tui.text import one_line

from ..kit.choice_list import Choice, ChoiceList
from ..kit.key_footer import KeyFooter
from ..kit.picker import Picker, Question
from ..kit.pull_line import PullLine
from ..kit.text_line import TextLine
from ..kit.too_small import TooSmall
from ..kit.working_screen import WorkingScreen
from ..view.model_rows import joined, missing_model, models
from ..view.new_run_form import (
    FIELDS,
    FieldError,
    apply_draft,
    build_options,
    build_task,
    check_callable,
    choices,
    field_error,
    first_draft,
    startable_task,
    what_leaves,
    with_model,
)
from ..view.picks import Pick

if TYPE_CHECKING:
    from selfheal_tui.engine.session.workbench import RunOptions
    from selfheal_tui.engine.task.task import Task

    from ..app import SelfHealApp

_DIM = "$foreground 60%"
_PULL, _PULL_WORDS = "pull ", "let Ollama fetch it; esc stops that"
_KEYS = "  tab next line · ↓ choices · enter looks, enter again starts"


class FormLine(TextLine):
    """One line of the form; what was filled in for the user is selected, so that typing replaces it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Look, start", id="new.go", tooltip="Look at what would run; again: start it"),
        Binding("down", "screen.down", "Choose", id="new.down", tooltip="What the line can be, else the next line"),
        Binding("up", "screen.up", "Up", show=False, id="new.up", tooltip="The line above"),
    ]

    def __init__(self, value: str, *, id: str, placeholder: str, filled_in: bool) -> None:
        """`filled_in`: the value is not the user's own."""
        super().__init__(value, id=id, placeholder=placeholder, compact=True, select_on_focus=False)
        self._filled_in = value if filled_in else ""

    def on_focus(self) -> None:
        """Select what nobody has typed or chosen yet."""
        if self.value and self.value == self._filled_in:
            self.select_all()


class Choices(ChoiceList):
    """What can be chosen for the line that was left last."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Take", id="new.take", tooltip="Take it into the line"),
        Binding("escape", "screen.back_to_line", "Line", id="new.line", tooltip="Back to the line, nothing taken"),
    ]


class NewRunScreen(WorkingScreen[None]):
    """A form with defaults everywhere; what is typed is kept when it is left."""

    CSS_PATH = "new_run.tcss"
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="new.leave", tooltip="Back to the sessions; what you typed is kept"),
        Binding("f1", "app.help", "Help", id="new.help", tooltip="All keys"),
    ]
    app: SelfHealApp

    def __init__(self) -> None:
        super().__init__()
        self._checked: tuple[dict[str, str], Task, RunOptions] | None = None
        """What Enter looked at, and what it would start."""
        self._at = FIELDS[0].name
        self._offers: list[tuple[str, str]] = []
        self._values: list[str] = []
        self._missing = ""
        """A model that Ollama does not have: pulling it is offered."""

    def compose(self) -> ComposeResult:
        yield Static(id="heading")
        draft = self.app.new_run_draft or first_draft(self.app.settings, Path.cwd())
        with VerticalScroll(id="form", can_focus=False):
            for field in FIELDS:
                with Vertical(classes="field", id=f"of-{field.name}"):
                    with Horizontal():
                        yield Static(field.label, classes="label")
                        fresh = not self.app.new_run_draft
                        yield FormLine(draft[field.name], id=field.name, placeholder=field.hint, filled_in=fresh)
                    yield Static(classes="wrong")
        yield Static(id="told")
        yield PullLine(id="pull")
        yield Choices(id="choices")
        yield Picker(id="picker")
        yield KeyFooter()
        yield TooSmall()

    def on_mount(self) -> None:
        """Start in the first line; ask for local models meanwhile."""
        self.query_one("#heading", Static).update(
            Content.assemble(
                ("New run", "bold $text-primary"),
                (_KEYS, _DIM),
            )
        )
        self.query_one(f"#{self._at}", FormLine).focus()
        self._find_models()

    @work(group="offers", exclusive=True)
    async def _find_models(self) -> None:
        from selfheal_tui.llm.offers import known_offers, local_offers

        settings = self.app.settings
        offers = known_offers([settings.model, *settings.role_models.values()], prices=settings.prices)
        self._offers = [(offer.model, offer.why) for offer in offers]
        local, why = await local_offers()
        self._offers += [(offer.model, offer.why) for offer in local]
        self._offers += [("", why)] if why else []
        if self._at == "model":
            self._offer()

    # lines

    def _draft(self) -> dict[str, str]:
        return {field.name: self.query_one(f"#{field.name}", FormLine).value for field in FIELDS}

    def on_descendant_focus(self) -> None:
        """Offer what the line can be."""
        focused = self.focused
        if isinstance(focused, FormLine) and focused.id:
            self._at = focused.id
            self._offer()

    def _offer(self) -> None:
        text = self.query_one(f"#{self._at}", FormLine).value
        offers = self._model_offers() if self._at == "model" else choices(self._at, text, Path.cwd())
        panel = self.query_one(Choices)
        panel.show([Choice(one_line(value), one_line(why), disabled=not value) for value, why in offers])
        self._values = [value for value, _ in offers]
        panel.set_class(not offers, "-none")

    def _model_offers(self) -> list[tuple[str, str]]:
        pull = [(f"{_PULL}{self._missing}", _PULL_WORDS)] if self._missing else []
        return pull + self._offers

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say what is wrong while it is typed."""
        name = event.input.id or ""
        self._checked = None
        self._wrong(name, field_error(name, event.value))
        self._tell("")
        if name == "model":
            self._missing = ""
        if name == self._at and name in ("paths", "tests", "model", "strategies"):
            self._offer()

    def _wrong(self, name: str, words: str) -> None:
        field = self.query_one(f"#of-{name}")
        field.set_class(bool(words), "-wrong")
        field.query_one(".wrong", Static).update(Content(f"! {words}" if words else ""))

    def _tell(self, words: str, ready: bool = False) -> None:
        message = self.query_one("#told", Static)
        message.set_class(ready, "-ready")
        message.update(Content(words))

    def action_down(self) -> None:
        """Go to what can be chosen, else to the next line."""
        panel = self.query_one(Choices)
        if self._at == "model":
            self._ask_model()
        elif any(self._values):
            panel.focus()
            panel.action_first()
        else:
            self.focus_next(FormLine)

    def _ask_model(self) -> None:
        """Open the list of models; who lists more of them is asked meanwhile."""
        pull = [Pick(f"{_PULL}{self._missing}", f"{_PULL}{self._missing}", _PULL_WORDS)] if self._missing else []
        rows = [*pull, *(Pick(model, model, why) for model, why in self._offers if model)]
        now = "" if pull else next((word for word in self._draft()["model"].split() if "=" not in word), "")
        typed = "PROVIDER:NAME, or ROLE=PROVIDER:NAME for one role"
        self.add_class("-picking")
        self.query_one(Picker).ask(Question("The model of the run:", self._take_model, typed, at=now), rows)
        self.run_worker(self._list_models(rows), group="models", exclusive=True)

    async def _list_models(self, rows: list[Pick]) -> None:
        async for listed, note in models(self.app.settings):
            self.query_one(Picker).show(joined(rows, listed), note)

    def _take_model(self, text: str) -> None:
        if self._missing and text == f"{_PULL}{self._missing}":
            self._pull()
            return
        check_callable(text)
        line = self.query_one("#model", FormLine)
        line.value = with_model(line.value, text)
        line.cursor_position = len(line.value)

    @on(Picker.Closed)
    def _close_models(self) -> None:
        self.workers.cancel_group(self, "models")
        self.remove_class("-picking")
        self.query_one("#model", FormLine).focus()

    def action_up(self) -> None:
        """Go to the line above."""
        self.focus_previous(FormLine)

    def action_back_to_line(self) -> None:
        """Go back to the line that the choices are for; stop a pull."""
        self.query_one(PullLine).stop()
        self.query_one(f"#{self._at}", FormLine).focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take the choice into the line; a folder can be gone into."""
        value = self._values[event.option_index]
        line = self.query_one(f"#{self._at}", FormLine)
        if self._at == "model":
            try:
                self._take_model(value)
            except SelfHealError as error:
                self._wrong("model", str(error))
            line.focus()
            return
        line.value = value
        line.focus()
        line.cursor_position = len(value)

    def _pull(self) -> None:
        self._wrong("model", "")
        self.query_one(PullLine).pull(self._missing)

    def on_pull_line_ended(self, event: PullLine.Ended) -> None:
        """Look once more when the model is there, else say at the model what went wrong."""
        if event.fault:
            self._refuse("model", event.fault)
            return
        self._missing = ""
        self._find_models()
        self._look(self._draft())

    # start

    def on_input_submitted(self) -> None:
        """Look at what would run; when that was done and nothing changed since, start it."""
        pull_line = self.query_one(PullLine)
        if pull_line.pulling:
            return
        pull_line.tell("")
        draft = self._draft()
        if self._checked is not None and self._checked[0] == draft:
            self._start(self._checked[1], self._checked[2])
        else:
            self._look(draft)

    @work(group="new", exclusive=True)
    async def _look(self, draft: dict[str, str]) -> None:
        from selfheal_tui.engine.task.estimate import estimate_words, oracle_words, task_words

        self._tell("Reading…")
        for field in FIELDS:
            self._wrong(field.name, field_error(field.name, draft[field.name]))
        try:
            settings = apply_draft(draft, self.app.settings)
            task = await asyncio.to_thread(build_task, draft)
            options, why = await build_options(settings)
            task = await asyncio.to_thread(startable_task, task, options)
            leaves = await asyncio.to_thread(what_leaves, task, options, settings)
            missing, warning = await missing_model(options.models.values())
        except FieldError as error:
            self._refuse(error.name, error.message)
            return
        if self._draft() != draft:
            return
        if missing:
            self._missing = missing
            self._refuse("model", f"Ollama does not have {one_line(missing, 80)}. ↓ and enter pull it.")
            self._offer()
            return
        self._checked = (draft, task, options)
        costs = [estimate_words(task, model, settings.prices) for model in dict.fromkeys(options.models.values())]
        costs += filter(None, [oracle_words(options.models, options.policy)])
        lines = [task_words(task), *leaves, *([f"auto took {why}"] if why else []), *costs]
        lines += [warning] * bool(warning) + ["enter starts it"]
        self._tell("\n".join(lines), ready=True)

    @work(group="new", exclusive=True)
    async def _start(self, task: Task, options: RunOptions) -> None:
        workbench = self.app.workbench
        self._tell("Starting…")
        try:
            # Opened first: a sandbox that cannot be had must not leave a session behind.
            await asyncio.to_thread(lambda: workbench.sandbox)
            workbench.warm_up(task)
            session_id = await workbench.create(task, options)
        except SelfHealError as error:
            self._checked = None
            self._refuse("model", str(error))
            return
        self.app.new_run_draft = {}
        self.app.show_run(session_id)

    def _refuse(self, name: str, words: str) -> None:
        self._tell("")
        self._wrong(name, words)
        line = self.query_one(f"#{name}", FormLine)
        line.focus()
        line.scroll_visible()

    def action_leave(self) -> None:
        """Stop a pull; else back to the sessions, and the form is as it was when it is opened again."""
        if self.query_one(PullLine).stop():
            return
        self.app.new_run_draft = self._draft()
        self.app.show_sessions()
