"""A plug-in package as its author writes, tests and installs it, and a user enables it: with pip and the commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.plugin_packages import MODULE, POINTS, TASK

PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "acme-rules"
version = "1.2"
[tool.hatch.build.targets.wheel]
include = ["acme_rules.py", "acme_tasks.jsonl"]
"""
AUTHORS_TESTS = """
from acme_rules import Echo
from selfheal_tui.plugins.testing import *

MENDS = {"tax_rate": [("x = 0.19\\n", "x = 0.2137\\n")]}
OPENS = {"echo": Echo}
"""
CODE = "def gross(net):\n    return net * (1 + 0.19)\n"
TESTS = "from shop import gross\n\ndef test_rate():\n    assert gross(100) == 100 * (1 + 0.2137)\n"
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the package with pip into a folder of its own."""
    source = tmp_path_factory.mktemp("acme")
    groups = {"exporter": "exporters", "operator": "operators", "provider": "providers", "suite": "suites"}
    groups |= {"advisor": "advisors", "metric": "metrics"}
    tables = (
        f'[project.entry-points."selfheal_tui.{groups[kind]}"]\n'
        + "".join(f'{name} = "acme_rules:{target}"\n' for name, target in of_kind.items())
        for kind, of_kind in POINTS.items()
    )
    (source / "pyproject.toml").write_text(PROJECT + "".join(tables))
    (source / "acme_rules.py").write_text(MODULE)
    (source / "acme_tasks.jsonl").write_text(TASK)
    (source / "tests").mkdir()
    (source / "tests" / "test_contract.py").write_text(AUTHORS_TESTS)
    site = source / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "--target", str(site), str(source)], check=True, capture_output=True)
    return site


@pytest.fixture
def run(site: Path, tmp_path: Path) -> Run:
    """Run selfheal in a folder of the user's, with the package installed."""
    (tmp_path / "shop.py").write_text(CODE)
    (tmp_path / "test_shop.py").write_text(TESTS)
    places = os.pathsep.join([str(site), str(Path(__file__).parents[2])])
    home = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "SELFHEAL_SESSIONS": str(tmp_path / "sessions")}

    def ran(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "selfheal_tui", *words],
            cwd=tmp_path,
            env={**os.environ, **home, "PYTHONPATH": places},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return ran


def test_the_author_s_one_import_tests_every_promise(site: Path) -> None:
    tests = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-rA", str(site.parent / "tests")]
    places = os.pathsep.join([str(site), str(Path(__file__).parents[2])])
    ran = subprocess.run(
        tests, env={**os.environ, "PYTHONPATH": places}, capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.returncode == 0, ran.stdout
    for name in (
        "operator-tax_rate-mends_what_its",
        "provider-echo-pieces_make",
        "suite-taxes-reads",
        "exporter-csv-is",
    ):
        assert f"test_plugin[{name}" in ran.stdout, ran.stdout


def test_the_doctor_names_where_each_comes_from(run: Run) -> None:
    found = json.loads(run("doctor", "--json", "--plugins", "tax_rate,echo").stdout)
    mine = {one["plugin"]["name"]: one for one in found if one.get("plugin", {}).get("package") == "acme-rules"}
    assert {name for name, one in mine.items() if one["plugin"]["enabled"]} == {"tax_rate", "echo"} and len(mine) == 6
    assert mine["csv"]["plugin"]["group"] == "selfheal_tui.exporters" and mine["csv"]["plugin"]["version"] == "1.2"
    assert mine["tax_rate"]["ok"] and "--plugins csv" in mine["csv"]["text"]


FIX = ("fix", "shop.py", "--tests", "test_shop.py", "--json")


def test_an_operator_heals_and_an_exporter_writes(run: Run) -> None:
    healed = run(*FIX, "--autonomy", "full_auto", "--plugins", "tax_rate")
    assert healed.returncode == 0, healed.stderr
    assert "0.2137" in json.loads(healed.stdout)["files"]["shop.py"]
    written = run("sessions", "export", "--format", "csv", "--plugins", "csv")
    assert written.stdout.startswith("case,outcome\n") and "test_rate" in written.stdout, written.stderr
    refused = run("sessions", "export", "--format", "csv")
    assert refused.returncode == 2 and "exporter 'csv' of acme-rules 1.2 is not enabled" in refused.stderr
    other = run("resume", "--headless")
    assert "this session began with other plug-ins: operator:tax_rate was enabled then" in other.stderr


def test_a_provider_is_asked_once_it_is_enabled(run: Run) -> None:
    model = ("--model", "echo:any", "--debug-steps", "0", "--max-iterations", "1", "--strategies", "minimal")
    refused = run(*FIX, *model)
    assert refused.returncode == 2 and "provider 'echo' of acme-rules 1.2 is not enabled" in refused.stderr
    asked = run(*FIX, *model, "--plugins", "echo", "--max-calls", "2")
    assert json.loads(asked.stdout)["spent"]["calls"] > 0, asked.stderr
    assert "Traceback" not in asked.stderr


def test_a_suite_runs_and_its_header_names_the_plug_ins(run: Run, tmp_path: Path) -> None:
    ran = run("bench", "taxes", "--out", "one", "--json", "--plugins", "taxes,tax_rate,lines", "--max-iterations", "1")
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    assert report["summary"]["repaired"]["count"] == 1 and report["tasks"][0]["metrics"] == {"lines": 2.0}
    assert [*report["config"]["policy"]["plugins"]] == ["metric:lines", "operator:tax_rate", "suite:taxes"]


def test_a_folder_enables_a_plug_in_only_once_it_is_trusted(run: Run, tmp_path: Path) -> None:
    (tmp_path / "selfheal.yaml").write_text("plugins: [tax_rate]\n")
    refused = run("config", "--json")
    assert json.loads(refused.stdout)["plugins"]["value"] == [] and "left out: plugins = tax_rate" in refused.stderr
    assert json.loads(run("config", "--json", "--trust").stdout)["plugins"]["value"] == ["tax_rate"]
