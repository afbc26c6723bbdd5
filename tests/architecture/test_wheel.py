"""What a user installs: prompts, demos and benchmark tasks are found in the wheel as in the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from selfheal_tui.bench.suites.suite import load_suite
from selfheal_tui.engine.dialogue.prompts import load_prompt, prompt_dirs

ROOT = Path(__file__).parents[2]
_PROBE = """
import json, sys
from selfheal_tui.engine.task.demos import list_demos, load_demo
from selfheal_tui.engine.dialogue.prompts import load_prompt, prompt_dirs
from selfheal_tui.bench.suites.suite import load_suite
from importlib.resources import files
assert files("selfheal_tui").joinpath("py.typed").is_file(), "type checkers read our types"
print(json.dumps([str(prompt_dirs(None)[0]), load_prompt("debugger").sha256, sorted(d.name for d in list_demos()),
                  load_demo("intervals").title, load_suite("builtin", can_write=True).sha256]))
"""


def test_prompts_are_found_in_a_checkout() -> None:
    assert prompt_dirs(None) == [ROOT / "prompts"]


@pytest.mark.deep
def test_prompts_demos_and_tasks_are_found_in_an_installed_wheel(tmp_path: Path) -> None:
    import json

    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    built = [*pip, "wheel", str(ROOT), "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path)]
    subprocess.run(built, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    place = tmp_path / "installed"
    subprocess.run(
        [*pip, "install", "--no-deps", "--no-index", "--target", str(place), str(wheel)],
        check=True,
        capture_output=True,
    )
    probe = subprocess.run(
        [sys.executable, "-c", _PROBE], cwd=tmp_path, env={"PYTHONPATH": str(place)}, check=True, capture_output=True
    )
    where, sha256, names, title, tasks_sha256 = json.loads(probe.stdout)
    assert where == str(place / "selfheal_tui" / "_prompts")
    assert sha256 == load_prompt("debugger").sha256
    assert names == sorted(p.name for p in (ROOT / "selfheal_tui" / "demos").iterdir() if (p / "demo.yaml").is_file())
    assert title
    assert tasks_sha256 == load_suite("builtin", can_write=True).sha256


@pytest.mark.deep
def test_two_builds_are_the_same_byte_for_byte_wherever_and_whenever_they_are_made(tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere"
    names = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    for name in names:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy / name)
        (copy / name).chmod(0o700 if os.access(ROOT / name, os.X_OK) else 0o600)  # other times, a stricter umask
    environ = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    for root, place in ((ROOT, "one"), (copy, "two")):
        command = [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path / place)]
        subprocess.run(command, cwd=root, env=environ, check=True, capture_output=True)
    one, two = ({path.name: path.read_bytes() for path in (tmp_path / place).iterdir()} for place in ("one", "two"))
    assert len(one) == 2 and one.keys() == two.keys()
    assert [name for name in one if one[name] != two[name]] == []
