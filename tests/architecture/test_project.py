"""The project's shell: commands, layers as they are loaded, and what the README and CI promise."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import selfheal_tui
from selfheal_tui.cli import COMMANDS
from tests.conftest import NOT_DEEP, TIERS

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_a_module_with_two_functions(name: str) -> None:
    module = importlib.import_module(f"selfheal_tui.cli.{COMMANDS[name].module}")
    assert list(inspect.signature(module.add_arguments).parameters) == ["parser"]
    assert hasattr(module, "run") or name in ("bench", "sessions")
    assert COMMANDS[name].summary and not COMMANDS[name].summary.endswith(".")


@pytest.mark.parametrize(
    ("modules", "forbidden"),
    [
        ("selfheal_tui.__main__, selfheal_tui.settings", "textual, langgraph, yaml, sqlite3"),
        (
            "selfheal_tui.engine.session.workbench, selfheal_tui.cli.drive",
            "textual, langgraph, anthropic, ollama, torch, transformers",
        ),
        ("selfheal_tui.engine.session.session, selfheal_tui.engine.loop.graph", "textual, torch, transformers"),
        ("selfheal_tui.ui.app", "langgraph, anthropic, ollama, torch, transformers"),
    ],
)
def test_what_is_heavy_is_imported_on_use(modules: str, forbidden: str) -> None:
    code = f"import sys, {modules}; print(sorted(set({forbidden.split(', ')!r}) & set(sys.modules)))"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False, cwd=ROOT
    )
    assert (ran.stdout.strip(), ran.stderr) == ("[]", "")


def test_the_version_is_told_without_what_commands_need() -> None:
    """Scripts ask for it: 45 ms of CPU beyond a bare Python, where the parsers of the app took 155."""
    code = "import sys; sys.argv[1:] = ['--version']; from selfheal_tui.__main__ import main\ntry:\n    main()\n"
    code += "finally:\n    unneeded = ('asyncio', 'importlib.metadata', 'json', 'sqlite3', 'selfheal_tui.settings')\n"
    code += "    print([name for name in unneeded if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert ran.stdout.splitlines() == [f"selfheal {selfheal_tui.__version__}", "[]"]


_UNCHOSEN = [
    *("e2b", "docker", "torch", "transformers", "huggingface_hub", "accelerate"),
    *("selfheal_tui.sandbox.e2b", "selfheal_tui.sandbox.container", "selfheal_transformers"),
]
"""What only a run that has chosen it imports: the sandboxes that are not local, and local models."""


@pytest.mark.parametrize(
    "command", ["--version", "doctor", pytest.param("demo --headless --autonomy full_auto", marks=pytest.mark.deep)]
)
def test_sandboxes_and_models_that_nobody_chose_are_not_imported(tmp_path: Path, command: str) -> None:
    code = f"""
import sys
from selfheal_tui.__main__ import main
try:
    main()
finally:
    print("imported:", sorted(set({_UNCHOSEN!r}) & set(sys.modules)))
"""
    ran = subprocess.run(
        [sys.executable, "-c", code, *command.split()],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "SELFHEAL_SESSIONS": str(tmp_path / "sessions")},
    )
    assert ran.stdout.splitlines()[-1] == "imported: []", ran.stderr
    assert "Traceback" not in ran.stderr


def test_the_installed_command_is_the_package_main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, function = project["scripts"]["selfheal"].partition(":")
    assert callable(getattr(importlib.import_module(module), function))
    assert re.fullmatch(r"\d+\.\d+\.\d+", selfheal_tui.__version__)


def test_commands_shown_in_the_readme_exist() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"```\w*\n(.*?)```", text, flags=re.DOTALL))
    shown = set(re.findall(r"(?:^|/|\s)selfheal ([a-z][a-z-]*)", blocks))
    assert shown <= set(COMMANDS), f"not commands: {sorted(shown - set(COMMANDS))}"
    assert "-m pytest" in blocks, "the README's test command"


def test_ci_is_one_executable_strict_script_that_the_workflow_calls() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    text = script.read_text(encoding="utf-8")
    assert "set -euo pipefail" in text
    subprocess.run(["bash", "-n", str(script)], check=True, timeout=10)
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert "run: .ci/run" in workflow and '["3.11", "3.12"]' in workflow


def test_ci_and_make_check_run_every_test_and_a_bare_pytest_all_but_the_deep_ones() -> None:
    everything = '-m pytest -m ""'
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    bare, deep = (script.index(f'"$bin/python" -m pytest{rest}') for rest in ("", ' -m "deep or property"'))
    assert bare < deep
    targets = (ROOT / "Makefile").read_text(encoding="utf-8").split("\n\n")
    (check,) = (text for text in targets if text.startswith("check:"))
    assert everything in check and "check-style" in check
    options = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    assert f"-m '{NOT_DEEP}'" in options["addopts"]
    assert "python -m pytest -m ''" in (ROOT / "README.md").read_text(encoding="utf-8"), "how all of it is run"


@pytest.mark.parametrize("tier", [pytest.param("quick"), pytest.param("deep", marks=pytest.mark.deep)])
def test_a_test_is_of_one_tier(request: pytest.FixtureRequest, tier: str) -> None:
    """The one of its folder, or `deep` where that is said of it."""
    assert [mark.name for mark in request.node.iter_markers() if mark.name in {"deep", *TIERS.values()}] == [tier]
    folders = {path.parent.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").glob("*/**/test_*.py")}
    assert folders == set(TIERS)


def test_every_package_folder_is_a_package() -> None:
    data = {"demos", "tasks"}
    folders = {path.parent for path in (ROOT / "selfheal_tui").rglob("*.py")}
    missing = [
        str(folder.relative_to(ROOT))
        for folder in folders
        if not (folder / "__init__.py").exists() and not data & set(folder.relative_to(ROOT).parts)
    ]
    assert missing == []


_POSSESSIVE_CHOICE = re.compile(r"\|[^()\n]*\)(?:[*+?]|\{[0-9,]+\})\+")


def test_no_pattern_repeats_a_choice_possessively() -> None:
    """Before Python 3.11.5 `(?:a+b|c)*+` ends too early (gh-106052), and Debian 12 has 3.11.2."""
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in sorted((ROOT / "selfheal_tui").rglob("*.py"))
        for line in path.read_text("utf-8").splitlines()
        if _POSSESSIVE_CHOICE.search(line) and not line.lstrip().startswith("#")
    ]
    assert found == []
