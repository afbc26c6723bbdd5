"""The script of our GitHub Action, run by a plain shell: what it writes, what it leaves alone, and hostile projects."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / ".github" / "actions" / "heal" / "heal.sh"
BIN = Path(sys.executable).parent
PROGRAM = "def last(items):\n    return items[len(items)]\n"
RIGHT = PROGRAM.replace("len(items)", "-1")
TEST = "from prog import last\n\n\ndef test_last():\n    assert last([1, 2]) == 2\n    assert last([3, 2, 1]) == 1\n"
JUNIT = """<testsuites><testsuite name="pytest" errors="0" failures="1" skipped="0" tests="1" time="0.1">
<testcase classname="test_prog" name="test_last" time="0.01"><failure message="E">...</failure></testcase>
</testsuite></testsuites>"""
PAGE = (ROOT / "docs" / "ci.md").read_text("utf-8")
SNIPPETS = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(\S.*?)```", PAGE, flags=re.DOTALL)]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "a project"
    folder.mkdir()
    (folder / "prog.py").write_text(PROGRAM)
    (folder / "test_prog.py").write_text(TEST)
    return folder


def environ(folder: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "SELFHEAL", "HEAL_"))}
    return {**kept, "SELFHEAL": str(BIN / "selfheal"), "TMPDIR": str(folder.parent / "tmp"), **more}


def heal(project: Path, out: str | Path = "../out", **more: str) -> subprocess.CompletedProcess[str]:
    (project.parent / "tmp").mkdir(exist_ok=True)
    command = ["bash", str(SCRIPT), str(out)]
    return subprocess.run(
        command, cwd=project, env=environ(project, **more), capture_output=True, text=True, check=False
    )


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_green_run_writes_nothing(project: Path) -> None:
    (project / "prog.py").write_text(RIGHT)
    outputs = project.parent / "outputs"
    ran = heal(project, GITHUB_OUTPUT=str(outputs))
    assert ran.returncode == 0 and outputs.read_text().startswith("outcome=nothing_to_heal\n")
    assert not (project.parent / "out").exists() and not list((project.parent / "tmp").iterdir())


def test_a_junit_file_names_the_cases_and_a_run_without_a_repair_ends_with_1_and_has_no_patch(project: Path) -> None:
    (project / "prog.py").write_text("def last():\n    pass\n")  # few edits: soon all are judged
    (project / "test_prog.py").write_text("from prog import last\n\n\ndef test_last():\n    assert last() is object\n")
    (project / "test_other.py").write_text("def test_other():\n    assert 0\n")
    (project / "red.xml").write_text(JUNIT)
    ran = heal(project, HEAL_JUNIT="red.xml", HEAL_PYTHON=sys.executable, HEAL_MAX_TIME_S="60")
    assert ran.returncode == 1 and "test_other.py::test_other fails too and is left out" in ran.stderr, ran.stderr
    out = files(project.parent / "out")
    assert sorted(out) == ["report.md", "session.selfheal", "summary.md"]
    assert b"The report and the session" in out["summary.md"] and "heal.patch" not in ran.stderr


def test_a_junit_file_that_is_lost_is_bad_input(project: Path) -> None:
    ran = heal(project, HEAL_JUNIT="gone.xml")
    assert ran.returncode == 2 and "gone.xml cannot be read" in ran.stderr
    assert list(out := files(project.parent / "out")) == ["summary.md"]
    assert b"files of this run" not in out["summary.md"]


def test_a_folder_that_is_there_or_a_link_is_refused(project: Path) -> None:
    for link in ("there", "link"):
        (project / "there").mkdir(exist_ok=True)
        (project / "link").is_symlink() or (project / "link").symlink_to(project.parent / "elsewhere")
        assert heal(project, link).returncode == 2
    assert heal(project, "a\nb").returncode == 2
    assert not (project.parent / "elsewhere").exists()


def test_nothing_of_a_hostile_project_reaches_the_runner(project: Path) -> None:
    """Its names stay data, no module of it is imported, and no line of the log is a command."""
    spoil = "open('../spoilt', 'w')\n"
    for name in ("json", "venv", "pip", "sitecustomize", "selfheal_tui"):
        (project / f"{name}.py").write_text(spoil)
    (project / "my prog.py").write_text("x = 1\n")
    (project / "a\noutcome=hacked\n::error::b.py").write_text("x = 1\n")
    values = ["\n::set-output name=a::b", "$(touch ../spoilt)`touch ../spoilt`"]
    hostile = f"{TEST}\n\nimport pytest\n\n@pytest.mark.parametrize('x', {values})\n" + (
        "def test_hostile(x):\n    print('\\n::error::x\\n##[error]x')\n    assert last([x]) == x, '\\n::error::y'\n"
    )
    (project / "test_prog.py").write_text(hostile)
    outputs, summary = project.parent / "outputs", project.parent / "step-summary"
    ran = heal(project, GITHUB_OUTPUT=str(outputs), GITHUB_STEP_SUMMARY=str(summary), GITHUB_ACTIONS="true")
    assert ran.returncode == 0, ran.stdout
    assert outputs.read_text() == f"outcome=healed\nfolder={project}/../out\n"
    assert summary.read_text() == (project.parent / "out" / "summary.md").read_text()
    assert not (project.parent / "spoilt").exists()
    assert ran.stderr == ""
    lines = ran.stdout.splitlines()
    word = lines[0].removeprefix("::stop-commands::")
    assert re.fullmatch(r"[0-9a-f]{32}", word) and lines[-1] == f"::{word}::"
    assert [line for line in lines[1:-1] if word in line] == []
    subprocess.run(["git", "apply", str(project.parent / "out" / "heal.patch")], cwd=project, check=True)


def test_the_action_only_passes_values_through_the_environment() -> None:
    action = yaml.safe_load((SCRIPT.parent / "action.yml").read_text("utf-8"))
    steps = action["runs"]["steps"]
    assert [step["run"] for step in steps if "${{" in step.get("run", "")] == []
    assert os.access(SCRIPT, os.X_OK) and any("heal.sh" in step.get("run", "") for step in steps)
    used = set(re.findall(r"inputs\.([\w-]+)", str(steps)))
    assert used == set(action["inputs"])
    variables = {name for step in steps for name in step.get("env", {}) if name.startswith("HEAL_")}
    assert {name for name in variables if name not in SCRIPT.read_text("utf-8")} == {"HEAL_FOLDER"}
    # A module of the project would be run where Python looks into the folder it stands in.
    assert re.findall(r"python3?\"? -m", "\n".join(step.get("run", "") for step in steps)) == []


def test_the_page_shows_the_action_as_it_is() -> None:
    action = yaml.safe_load((SCRIPT.parent / "action.yml").read_text("utf-8"))
    workflow = SNIPPETS[0]
    (step,) = (step for step in workflow["jobs"]["tests"]["steps"] if "heal@" in step.get("uses", ""))
    assert set(step["with"]) <= set(action["inputs"])
    assert workflow["permissions"] == {"contents": "read"} and "pull_request_target" not in str(workflow)
    assert set(re.findall(r"^\| `([\w-]+)` \|", PAGE, flags=re.MULTILINE)) == set(action["inputs"])
    assert (ROOT / step["uses"].partition("selfheal/")[2].partition("@")[0] / "action.yml").is_file()


def test_the_lines_for_gitlab_leave_patch_report_session_and_summary(project: Path) -> None:
    (job,) = (snippet["heal"] for snippet in SNIPPETS if "heal" in snippet)
    lines = "\n".join(job["script"]).replace("/tmp/selfheal-venv/bin", str(BIN)).replace("/tmp/selfheal", str(ROOT))
    more = {"PATH": f"{BIN}:{os.environ['PATH']}"}
    (project.parent / "tmp").mkdir()
    before = files(project)
    command = ["bash", "-eo", "pipefail", "-c", lines]
    subprocess.run(command, cwd=project, env=environ(project, **more), capture_output=True, check=True)
    (name,) = job["artifacts"]["paths"]
    out = project / name
    assert sorted(files(out)) == ["heal.patch", "report.md", "session.selfheal", "summary.md"]
    summary = (out / "summary.md").read_text()
    assert "git apply heal.patch" in summary and "## What changed" in summary
    left = {path: content for path, content in files(project).items() if not path.startswith(name)}
    assert left == before and not list((project.parent / "tmp").iterdir())
    subprocess.run(["git", "apply", str(out / "heal.patch")], cwd=project, check=True)
    scope: dict[str, object] = {}
    exec((project / "prog.py").read_text(), scope)
    assert scope["last"]([1, 2]) == 2  # type: ignore[operator]


def test_the_hooks_stop_a_red_push_with_the_command_that_opens_its_session(project: Path) -> None:
    (hook,) = (snippet["repos"][0]["hooks"][0]["entry"] for snippet in SNIPPETS if "repos" in snippet)
    (script,) = re.findall(r"```sh\n(.*?)```", PAGE, flags=re.DOTALL)
    assert script.splitlines()[-1] == f"exec {hook}"
    more = {"PATH": f"{BIN}:{os.environ['PATH']}", "SELFHEAL_SESSIONS": str(project.parent / "sessions")}
    ran = subprocess.run(
        shlex.split(hook), cwd=project, env=environ(project, **more), capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1 and ran.stdout.splitlines()[-1].startswith("open     selfheal resume ")
