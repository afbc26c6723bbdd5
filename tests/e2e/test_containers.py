"""Dockerfile and compose.yaml: what they name exists, no key gets near an image, and the health check works here."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from selfheal_tui.bench.suites.suite import load_suite
from selfheal_tui.cli import main
from tests.e2e import default_container
from tests.e2e.dockerfile import ROOT, in_context, read_stages

BIN = Path(sys.executable).parent
BUILD, IMAGE = read_stages()
SERVICES: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]


def test_what_is_copied_exists_and_is_in_the_context() -> None:
    copied = [word for step in BUILD.steps if step.kind == "COPY" for word in step.words[:-1]]
    assert "selfheal_tui" in copied
    for path in copied:
        assert (ROOT / path).exists() and in_context(path), path


def test_nothing_of_the_user_gets_into_the_context() -> None:
    kept_out = [
        ".git/config",
        ".env",
        "selfheal.yaml",
        "sessions/x/session.db",
        ".venv/bin/python",
        "tests/conftest.py",
    ]
    kept_out += ["selfheal_tui/.env", "selfheal_tui/bench/.env.local", "selfheal_tui/llm/__pycache__/x.pyc"]
    assert [path for path in kept_out if in_context(path)] == []
    assert in_context("selfheal_tui/cli/doctor.py") and in_context("prompts/critic.yaml")


def test_the_extras_that_are_installed_exist() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    (named,) = (re.search(r"\[([\w,]+)\]", step.text) for step in BUILD.steps if "install" in step.text)
    assert named is not None and set(named[1].split(",")) <= set(extras)


def test_the_image_runs_as_an_ordinary_user_and_holds_no_key() -> None:
    assert IMAGE.last("USER").text == "1000:1000"
    assert IMAGE.environment()["SELFHEAL_SESSIONS"] == IMAGE.last("VOLUME").text == "/sessions"
    named = re.findall(r"\w*(?:KEY|TOKEN|SECRET|PASSWORD)\w*", (ROOT / "Dockerfile").read_text("utf-8"))
    assert named == []
    given = SERVICES["app"]["environment"]
    assert {name: value for name, value in given.items() if name.endswith("_KEY") and value is not None} == {}


def test_the_app_is_open_to_this_machine_only() -> None:
    (port,) = SERVICES["app"]["ports"]
    words = SERVICES["app"]["command"]
    assert port.startswith("127.0.0.1:") and words[-1] in port
    assert "ports" not in SERVICES["ollama"] and SERVICES["ollama"]["profiles"] == ["ollama"]
    assert f"sessions:{IMAGE.last('VOLUME').text}" in SERVICES["app"]["volumes"]


def test_the_command_of_the_service_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    words = [re.sub(r"\$\{\w+:-(\w+)\}", r"\1", word) for word in SERVICES["app"]["command"]]
    assert IMAGE.last("ENTRYPOINT").words == ["selfheal"] and words[-1] == IMAGE.last("EXPOSE").text
    assert main([*words, "--port", "70000"]) == 2  # refused once all else is understood
    assert "70000 is no port" in capsys.readouterr().err


@pytest.mark.skipif(platform.machine() != default_container.MACHINE, reason="the rules are written for x86_64")
@pytest.mark.parametrize("home", ["sessions", "/proc/none"])
def test_the_health_check_under_docker_s_default_rules(home: str, tmp_path: Path) -> None:
    environ = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "SELFHEAL_SESSIONS": str(tmp_path / home)}
    command = [sys.executable, default_container.__file__, "/bin/sh", "-c", IMAGE.health_command()]
    ran = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert ran.returncode == (0 if home == "sessions" else 1), ran.stderr
    assert re.search(r"ok +sandbox +local: landlock, seccomp", ran.stdout), ran.stdout


def test_the_benchmark_of_the_workflow_names_tasks_that_the_search_can_try(capsys: pytest.CaptureFixture[str]) -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "bench.yml").read_text("utf-8"))
    (command,) = (
        step["run"] for step in workflow["jobs"]["builtin"]["steps"] if "bench builtin" in step.get("run", "")
    )
    words = command.split()[2:]
    ids = words[words.index("--ids") + 1].split(",")
    assert words[0] == "builtin" and "--fail-under" in words
    assert [record.id for record in load_suite("builtin", ids=tuple(ids)).records] == ids and len(ids) == 5
    assert main(["bench", *words, "--max-time-s", "none"]) == 2
    assert "max-time-s" in capsys.readouterr().err
