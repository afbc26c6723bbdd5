"""A package that is not installed is told as that; a module of the project, or another failure beside it, is not."""

from __future__ import annotations

from typing import Any, cast

import pytest

from selfheal_tui.engine.suites.missing_packages import missing_packages, missing_words, python_with
from selfheal_tui.sandbox.base import SuiteReport

SIX = "ModuleNotFoundError: No module named 'six'"
NO_METADATA = "importlib.metadata.PackageNotFoundError: No package metadata was found for my-lib"


def report(*cases: tuple[str, str]) -> SuiteReport:
    return cast(SuiteReport, {"cases": [dict[str, Any](id="t", outcome=o, message=m) for o, m in cases]})


@pytest.mark.parametrize(
    ("cases", "files", "packages"),
    [
        ([("error", SIX)], ["a.py"], ["six"]),
        ([("error", SIX), ("passed", "")], ["a.py"], ["six"]),
        ([("error", SIX), ("failed", "ModuleNotFoundError: No module named 'yaml.nodes'")], ["a.py"], ["six", "yaml"]),
        ([("error", SIX), ("failed", "assert 1 == 2")], ["a.py"], []),
        ([("error", SIX)], ["six.py"], []),
        ([("error", SIX), ("error", NO_METADATA)], ["src/my_lib/__init__.py"], ["my-lib", "six"]),
        ([("error", "pkg_resources.DistributionNotFound: The 'my-lib' distribution")], ["a.py"], ["my-lib"]),
        ([("error", SIX)], ["src/six/__init__.py"], []),
        ([("passed", "")], ["a.py"], []),
        ([], ["a.py"], []),
    ],
)
def test_packages_that_no_edit_brings(cases: list[tuple[str, str]], files: list[str], packages: list[str]) -> None:
    assert missing_packages(report(*cases)["cases"], files) == packages


def test_the_sentence_names_them_and_the_way_out() -> None:
    assert missing_words(["six"]).startswith("The tests need `six`, which the interpreter")
    assert missing_words(["six", "yaml"]).startswith("The tests need `six` and `yaml`, which")
    assert python_with(["six"]) == "PATH"
    assert "--python PATH" in missing_words(["six"]) and ".venv" not in missing_words(["six"]), (
        "no file that is not there"
    )
