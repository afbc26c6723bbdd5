"""What a release is made by: the script that builds it, the workflow, the changelog, the forms for reports."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import selfheal_tui
from selfheal_tui import errors
from selfheal_tui.cli import BUG, CANCELLED, UNREAD
from selfheal_tui.cli.exit_codes import EXIT_CODES, exits_text
from selfheal_tui.cli.result import HEALED, UNHEALED, WAITING

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def dist(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / ".ci" / "dist.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_tag_that_is_not_the_version_is_not_released() -> None:
    ran = dist("--tag", "v999.0.0")
    assert ran.returncode == 1 and f"not the version {selfheal_tui.__version__}" in ran.stderr


def test_the_changelog_has_a_section_for_the_version_and_one_for_what_comes() -> None:
    ran = dist("--notes")
    assert ran.returncode == 0 and ran.stdout.strip()
    titles = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), flags=re.MULTILINE)
    assert titles[0] == "[Unreleased]"
    assert all(re.match(r"\[\d+\.\d+\.\d+\]", title) for title in titles[1:])


def test_entries_of_the_changelog_stand_below_the_usual_headings() -> None:
    unreleased = (ROOT / "CHANGELOG.md").read_text("utf-8").partition("## [Unreleased]")[2].partition("\n## ")[0]
    usual = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "For contributors"}
    assert set(re.findall(r"^### (.*)$", unreleased, flags=re.MULTILINE)) <= usual
    assert unreleased.partition("### ")[0].strip() == "", "each entry stands below one of these headings"


def test_a_release_is_built_checked_tried_and_then_published_without_a_token() -> None:
    jobs = WORKFLOW["jobs"]
    assert WORKFLOW[True] == {"push": {"tags": ["v*"]}}  # YAML 1.1 reads `on` so
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert set(jobs["publish"]["needs"]) == {"build", "check", "try"} and jobs["tell"]["needs"] == "publish"
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert "secrets." not in str(WORKFLOW) and "password" not in str(WORKFLOW)
    steps = [step for job in jobs.values() for step in job["steps"]]
    assert [step["run"] for step in steps if "${{" in step.get("run", "")] == []
    scripts = {name for step in steps for name in re.findall(r"\.ci/[\w.]+", step.get("run", ""))}
    assert scripts == {".ci/dist.py", ".ci/try_wheel.py", ".ci/run"}
    assert all((ROOT / name).is_file() for name in scripts) and os.access(ROOT / ".ci" / "run", os.X_OK)


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.name)
def test_a_form_for_reports_asks_in_words_and_names_what_to_paste(form: Path) -> None:
    told = yaml.safe_load(form.read_text("utf-8"))
    if form.name == "config.yml":
        assert told == {"blank_issues_enabled": True}
        return
    fields = [field for field in told["body"] if field["type"] != "markdown"]
    assert told["name"] and told["description"] and fields
    assert len({field["id"] for field in fields}) == len(fields)
    assert all(field["attributes"]["label"] for field in fields)
    if form.name != "wish.yml":
        assert any("selfheal doctor --report" in field["attributes"]["label"] for field in fields)


def test_every_exit_code_of_the_program_is_told() -> None:
    used = {HEALED, UNHEALED, WAITING, BUG, CANCELLED, UNREAD, 128 + 1, 128 + 15}
    used |= {
        error.exit_code
        for error in vars(errors).values()
        if isinstance(error, type) and issubclass(error, errors.SelfHealError)
    }
    assert {code.number for code in EXIT_CODES} == used
    assert [code.number for code in EXIT_CODES] == sorted(used)
    assert exits_text().splitlines()[0] == (
        "exit codes: 0 healed or done, 1 ended unhealed, 2 usage or bad input, 3 a decision is waiting,"
    )
