"""The form of a new run: defaults that start with two Enters, errors at their field, choices, what a call costs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from selfheal_tui.engine.session.options import run_options
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.estimate import estimate_call, estimate_words
from selfheal_tui.engine.task.task import load_task
from selfheal_tui.llm import offers
from selfheal_tui.llm.auto import SUGGESTED
from selfheal_tui.settings import Settings, default_settings
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.kit.picker import Picker
from selfheal_tui.ui.kit.pull_line import PullLine
from selfheal_tui.ui.run.run import RunScreen
from selfheal_tui.ui.screens.new_run import NewRunScreen
from selfheal_tui.ui.view.new_run_form import (
    FieldError,
    apply_draft,
    build_options,
    build_task,
    choices,
    field_error,
    first_draft,
    path_choices,
    what_leaves,
)
from tests.engine.driving import script
from tests.ui.fakes import settle
from tests.wire.script import Script
from tests.wire.server import WireServer

PROGRAM = "def total(prices):\n    return sum(prices[1:])\n"
TESTS = "from shop import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / "tests").mkdir(parents=True)
    (folder / "shop.py").write_text(PROGRAM)
    (folder / "tests" / "test_shop.py").write_text(TESTS)
    monkeypatch.chdir(folder)
    for key in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "DASHSCOPE_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    return folder


class Form:
    """The form in a running app over a real workbench."""

    def __init__(self, app: SelfHealApp, pilot: Pilot[str | None]) -> None:
        self.app, self.pilot = app, pilot

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.rest()

    async def until(self, holds: Callable[[], bool]) -> None:
        for _ in range(1000):
            if holds():
                break
            await self.pilot.pause(0.01)
        assert holds(), self.told

    async def rest(self) -> None:
        for _ in range(2000):
            await self.pilot.pause(0.01)
            if all(w.is_finished for w in self.app.workers if w.group in ("new", "offers", "list", "pull")):
                break
        await settle(self.pilot)

    def line(self, name: str) -> Input:
        return self.app.screen.query_one(f"#{name}", Input)

    def wrong(self, name: str) -> str:
        return str(self.app.screen.query_one(f"#of-{name} .wrong", Static).render())

    @property
    def offers(self) -> list[str]:
        return [str(option.prompt) for option in self.app.screen.query_one(OptionList).options]

    @property
    def pulled(self) -> str:
        return str(self.app.screen.query_one(PullLine).render())

    @property
    def told(self) -> str:
        return str(self.app.screen.query_one("#told", Static).render())


@asynccontextmanager
async def form(home: Path, settings: Settings | None = None) -> AsyncIterator[Form]:
    workbench = Workbench(home)
    app = SelfHealApp(workbench, settings=settings or replace(default_settings(), sessions=home))
    try:
        async with app.run_test(size=(80, 24)) as pilot:
            shown = Form(app, pilot)
            await shown.rest()
            await shown.press("n")
            assert isinstance(app.screen, NewRunScreen)
            yield shown
            for screen in app.screen_stack:
                if isinstance(screen, RunScreen):
                    await screen.driver.close()
    finally:
        await workbench.aclose()


async def test_enter_looks_and_enter_again_starts_a_real_session(project: Path, tmp_path: Path) -> None:
    async with form(tmp_path / "home") as shown:
        assert shown.line("paths").value == "."
        await shown.press("enter")
        assert "Heals 1 file: shop.py. 1 test file: tests/test_shop.py." in shown.told
        size_bytes = len(PROGRAM) + len(TESTS)
        assert f"Copies 2 files, {size_bytes} bytes: shop.py, tests/test_shop.py." in shown.told
        assert "Nothing leaves this machine: no model is asked." in shown.told
        assert "search: no model calls, no cost" in shown.told
        assert not list((tmp_path / "home").glob("2*"))
        await shown.press("enter")
        for _ in range(3000):
            if isinstance(shown.app.screen, RunScreen) and shown.app.screen.model.question:
                break
            await shown.pilot.pause(0.01)
        assert isinstance(shown.app.screen, RunScreen) and shown.app.screen.model.question is not None
        assert (project / "shop.py").read_text() == PROGRAM


async def test_what_changed_since_the_look_is_looked_at_again(project: Path, tmp_path: Path) -> None:
    async with form(tmp_path / "home") as shown:
        await shown.press("enter", "x", "enter")
        assert "does not exist" in shown.wrong("paths")
        assert isinstance(shown.app.screen, NewRunScreen)


async def test_an_error_stands_at_its_field_and_has_the_cursor(project: Path, tmp_path: Path) -> None:
    (project / "tests" / "test_shop.py").unlink()
    async with form(tmp_path / "home") as shown:
        await shown.press("enter")
        assert "No tests were found" in shown.wrong("tests") and "--tests" not in shown.wrong("tests")
        assert shown.line("tests").has_focus and shown.told == ""
        shown.line("paths").value = ""
        shown.line("spec").value = "Write slugify(text)."
        await shown.press("enter")
        assert "cannot write it from a spec" in shown.wrong("model") and shown.line("model").has_focus
        assert shown.told == "" and "command line" not in shown.wrong("model")
        (project / "bad.py").write_text("def f(:\n")
        (project / "test_bad.py").write_text("import bad\n\n\ndef test_f(): ...\n")
        shown.line("paths").value, shown.line("spec").value = "bad.py", ""
        await shown.press("enter")
        assert "bad.py does not parse" in shown.wrong("paths") and "needs code that parses" in shown.wrong("paths")
        assert shown.line("paths").has_focus and shown.told == ""
        assert not list((tmp_path / "home").glob("2*"))


async def test_a_folder_without_tests_is_refused_at_its_line(project: Path, tmp_path: Path) -> None:
    (project / "src").mkdir()
    (project / "src" / "shop.py").write_text(PROGRAM)
    (project / "tests" / "test_shop.py").unlink()
    async with form(tmp_path / "home") as shown:
        shown.line("paths").value, shown.line("tests").value = "src", "tests"
        await shown.press("enter")
        assert "! tests holds no test file: no test_*.py" in shown.wrong("tests")
        assert shown.line("tests").has_focus and shown.told == "" and "--tests" not in shown.wrong("tests")


async def test_choices_are_taken_into_their_line(project: Path, tmp_path: Path) -> None:
    async with form(tmp_path / "home") as shown:
        await shown.press("down", "enter")
        assert shown.line("paths").value == "./tests/" and shown.line("paths").has_focus
        await shown.press("tab", "tab", "tab", "tab")
        assert shown.line("autonomy").has_focus
        await shown.press("down", "down", "down", "enter")
        assert shown.line("autonomy").value == "full_auto"
        await shown.press("tab", "down", "escape")
        assert shown.line("strategies").has_focus and shown.line("strategies").value == "minimal"


async def test_typing_replaces_what_was_filled_in_and_a_path_stays_what_it_is(project: Path, tmp_path: Path) -> None:
    async with form(tmp_path / "home") as shown:
        path = f"{project}/shop.py"
        assert shown.line("paths").value == "." and shown.line("paths").selected_text == "."
        for letter in path:
            shown.app.post_message(events.Key({"/": "slash", ".": "full_stop"}.get(letter, letter), letter))
        await shown.until(lambda: shown.line("paths").value == path and shown.wrong("paths") == "")
        await shown.press("tab", "shift+tab", "x")
        assert shown.line("paths").value == f"{path}x", "what one has typed is not selected"
        await shown.press("tab", "tab", "tab", *"ollama:x")
        assert shown.line("model").value == "ollama:x"
        await shown.press("escape", "n", "y")
        assert shown.line("paths").value == f"{path}xy", "nor when the form is opened again"


async def test_what_was_typed_is_there_again(project: Path, tmp_path: Path) -> None:
    async with form(tmp_path / "home") as shown:
        await shown.press("tab", *"spec", "escape")
        await shown.press("n")
        assert shown.line("spec").value == "spec"


async def test_the_models_here_are_offered(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret-value")
    settings = replace(default_settings(), sessions=tmp_path / "home", model="ollama:mine")
    sizes = {"qwen3:8b": 1024**3, "nomic-embed-text:latest": 1}
    async with WireServer(Script.of(models=list(sizes), sizes=sizes)) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        async with form(tmp_path / "home", settings) as shown:
            await shown.press("tab", "tab", "tab")
            told = shown.offers
            assert told[0] == "ollama:mine  in your settings"
            assert any(line.startswith("anthropic:claude-sonnet-5-5  ANTHROPIC_API_KEY is set; $") for line in told)
            assert any(line.startswith("ollama:qwen3:8b  Ollama has it: 1.0 GB") for line in told)
            assert not any("embed" in line for line in told)
            assert not any("secret-value" in line or line.startswith("openai") for line in told)


async def test_the_model_is_picked_from_a_list_that_takes_only_what_can_be_asked(project: Path, tmp_path: Path) -> None:
    settings = replace(default_settings(), sessions=tmp_path / "home", role_models={"critic": "ollama:q"})
    async with form(tmp_path / "home", settings) as shown:
        await shown.press("tab", "tab", "tab", "down")
        picker = shown.app.screen.query_one(Picker)
        assert picker.is_open and not shown.app.screen.query_one(OptionList).display
        await shown.press(*"sonnet", "enter")
        hint = str(picker.query_one(".picker-hint", Static).render())
        assert picker.is_open and "ANTHROPIC_API_KEY is not set" in hint
        picker.query_one(Input).value = "debugger=ollama:tiny"
        await shown.press("enter")
        assert shown.line("model").value == "search critic=ollama:q debugger=ollama:tiny"
        assert not picker.is_open and shown.line("model").has_focus
        await shown.press("down", *"auto", "enter")
        assert shown.line("model").value == "auto critic=ollama:q debugger=ollama:tiny"
        await shown.press("down", "escape", "tab")
        assert shown.line("autonomy").has_focus


async def test_a_model_that_ollama_lacks_is_pulled_from_the_form(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = replace(default_settings(), sessions=tmp_path / "home", model="ollama:new:8b")
    script = Script.of(models=["tiny"], pulls={"new:8b": {"bytes": 4 * 1024**3, "fault": "stall"}})
    async with WireServer(script) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        async with form(tmp_path / "home", settings) as shown:
            await shown.press("enter")
            assert "Ollama does not have new:8b" in shown.wrong("model") and shown.line("model").has_focus
            assert shown.offers[0].startswith("pull new:8b")
            await shown.press("enter")
            assert not server.library.fetched, "enter alone pulls nothing"
            await shown.pilot.press("down", "enter")
            await shown.until(
                lambda: "new:8b: 2.0 GB of 4.0 GB (50 %)" in shown.pulled and "esc stops it" in shown.pulled
            )
            await shown.press("escape")
            assert isinstance(shown.app.screen, NewRunScreen) and "goes on where it stopped" in shown.pulled
            await shown.press("enter", "down", "enter")
            await shown.until(lambda: "enter starts it" in shown.told)
            assert shown.line("model").value == "ollama:new:8b" and shown.wrong("model") == ""
            assert any(line.startswith("ollama:new:8b  ") for line in shown.offers)


async def test_the_form_says_which_model_is_asked_where_repairs_disagree(project: Path, tmp_path: Path) -> None:
    oracle = script(tmp_path / "m.yaml", {"role": "oracle", "error": "must not be asked"})
    settings = replace(default_settings(), sessions=tmp_path / "home", role_models={"oracle": oracle})
    async with form(tmp_path / "home", settings) as shown:
        await shown.press("enter")
        await shown.until(lambda: "enter starts it" in shown.told)
        assert f"Where good repairs disagree, {oracle} is asked 3 times what is right" in shown.told


async def test_a_pull_that_fails_says_so_at_the_model(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = replace(default_settings(), sessions=tmp_path / "home", model="ollama:typo")
    async with WireServer(Script.of(models=["tiny"])) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        async with form(tmp_path / "home", settings) as shown:
            await shown.press("enter", "down", "enter")
            assert "library has no model 'typo'" in shown.wrong("model") and shown.told == ""


async def test_an_ollama_that_is_down_is_told_before_the_start(project: Path, tmp_path: Path) -> None:
    settings = replace(default_settings(), sessions=tmp_path / "home", model="ollama:tiny")
    async with form(tmp_path / "home", settings) as shown:
        await shown.press("enter")
        assert "No Ollama answers. Start it: ollama serve" in shown.told and "enter starts it" in shown.told


def test_the_form_changes_only_what_it_says(project: Path) -> None:
    settings = replace(default_settings(), debug_steps=7, max_tokens=500)
    draft = first_draft(settings, project)
    assert apply_draft(draft, settings) == settings
    changed = apply_draft({**draft, "max_tokens": "", "model": "ollama:a debugger=search"}, settings)
    assert (changed.max_tokens, changed.model, changed.debug_steps) == (None, "ollama:a", 7)
    assert changed.role_models == {"debugger": "search"}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("model", "olama:x", "Did you mean 'ollama'"),
        ("model", "", "A model is needed"),
        ("model", "debuger=search", "no role"),
        ("strategies", "minimum", "There are: minimal"),
        ("max_iterations", "0", "above 0"),
        ("max_iterations", "abc", "Iterations must be a whole number above 0, not 'abc'."),
        ("max_cost_usd", "much", "number"),
        ("autonomy", "all", "one of"),
        ("paths", "gone.py", "does not exist"),
        ("tests", "tests/test_shop.py::test_total", ""),
        ("paths", "'open", "quotes"),
        ("max_tokens", "", ""),
    ],
)
def test_a_line_says_what_is_wrong_while_it_is_typed(project: Path, name: str, text: str, words: str) -> None:
    error = field_error(name, text)
    assert words in error if words else error == ""


def test_tests_alone_name_the_line_that_is_missing(project: Path) -> None:
    draft = {**first_draft(default_settings(), project), "paths": "", "tests": "tests"}
    with pytest.raises(FieldError) as caught:
        build_task(draft)
    assert caught.value.name == "paths"
    with pytest.raises(FieldError) as caught:
        build_task({**draft, "tests": "", "spec": "@gone.txt"})
    assert caught.value.name == "spec"


def test_paths_are_completed(project: Path) -> None:
    (project / "two words.py").write_text("")
    (project / ".hidden.py").write_text("")
    (project / "steers\x1b[2J.py").write_text("")
    assert [value for value, _ in path_choices("", project)] == ["tests/", "shop.py", "'two words.py'"]
    assert path_choices("shop.py tests/te", project) == [("shop.py tests/test_shop.py", "Python")]
    assert path_choices("/nowhere/at/all", project) == []


def test_strategies_are_added_and_left_out() -> None:
    offered = [value for value, _ in choices("strategies", "minimal,search", Path("."))]
    assert "search" in offered and "minimal,search,rewrite" in offered


def test_an_estimate_says_what_is_not_known(project: Path) -> None:
    task = load_task([project / "shop.py"])
    assert "price unknown" in estimate_words(task, "openai:new-model")
    assert "free: it runs here" in estimate_words(task, "ollama:a")
    dear, cheap = estimate_call(task, "anthropic:claude-opus-4-1"), estimate_call(task, "anthropic:claude-haiku-4-5")
    assert dear.cost_usd is not None and cheap.cost_usd is not None and dear.cost_usd > cheap.cost_usd > 0
    assert dear.input_tokens > len(PROGRAM + TESTS) // 4


async def test_dollars_and_a_model_of_unknown_price_do_not_go_together(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    draft = {**first_draft(default_settings(), project), "model": "openai:new-model", "max_cost_usd": "1"}
    settings = apply_draft(draft, default_settings())
    with pytest.raises(FieldError, match="The price of openai:new-model is not known"):
        await build_options(settings)
    options, _ = await build_options(replace(settings, prices={"openai:new-model": "1/2"}))
    assert options.limits["max_cost_usd"] == 1.0
    assert "(by your prices)" in estimate_words(build_task(draft), "openai:new-model", {"openai:new-model": "1/2"})


async def test_an_ollama_that_cannot_be_asked_or_is_empty_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:none")
    models, why = await offers.local_offers()
    assert models == [] and why.startswith("OLLAMA_HOST is not an address")
    async with WireServer(Script.of(models=["nomic-embed-text"])) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        models, why = await offers.local_offers()
    assert [offer.model for offer in models] == [f"ollama:{SUGGESTED}"] and "no model installed" in why


async def test_two_enters_heal_a_demo_where_there_is_no_program(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    draft = first_draft(default_settings(), empty)
    assert draft["paths"] == "demo:intervals" and build_task(draft).tests
    assert ("demo:paging", "Page through a list") in choices("paths", "demo:", empty)
    with pytest.raises(FieldError, match="Did you mean intervals"):
        build_task({**draft, "paths": "demo:interval"})
    async with form(tmp_path) as run:
        await run.press("enter")
        await run.press("enter")
        assert isinstance(run.app.screen, RunScreen)


def test_a_folder_of_a_package_and_its_tests_is_a_program(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text("")
    assert first_draft(default_settings(), tmp_path)["paths"] == "."


def test_a_program_file_that_cannot_be_read_is_named_before_the_start(project: Path) -> None:
    (project / "latin.py").write_bytes(b"# caf\xe9\n")
    task = load_task([project])
    settings = default_settings({})
    words = what_leaves(task, run_options(settings, {"*": "search"}), settings)
    assert any(line.startswith("Left out: latin.py is not UTF-8 text (line 1).") for line in words)
