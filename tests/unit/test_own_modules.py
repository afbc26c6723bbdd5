"""A module that the tests need and that lies beside or above them is the user's: it is to be named, not installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from selfheal_tui.engine.suites.missing_packages import missing_error, missing_words
from selfheal_tui.errors import MissingPackages, UnnamedModules
from selfheal_tui.sandbox.base import CaseResult, SuiteReport


def waiting(test: str, module: str) -> CaseResult:
    message = f"ModuleNotFoundError: No module named '{module}'"
    return cast(CaseResult, dict[str, Any](id=test, outcome="error", message=message))


def report(*cases: CaseResult) -> SuiteReport:
    return cast(SuiteReport, dict[str, Any](cases=list(cases), passed=0))


def touch(*paths: Path) -> None:
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def test_a_module_of_another_project_is_healed_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    touch(tmp_path / "proj" / "shop.py", tmp_path / "proj" / "src" / "tax" / "__init__.py")
    case = waiting("proj/tests/test_shop.py", "shop")
    assert missing_words(["shop"], str(tmp_path), [case]) == (
        "The tests need `shop`: that is proj/shop.py, which was not named; heal it alone, with the tests that need it."
    )
    failure = missing_error(["shop"], report(case), str(tmp_path))
    assert isinstance(failure, UnnamedModules) and failure.subject == "tests"
    assert failure.program == [str(tmp_path / "proj" / "shop.py")]
    assert failure.tests == [str(tmp_path / "proj" / "tests" / "test_shop.py")]
    both = [case, waiting("proj/tests/test_tax.py::test_a", "tax"), waiting("proj/tests/test_tax.py", "six")]
    words = missing_words(["shop", "six", "tax"], str(tmp_path), both)
    assert "`shop` and `tax`: those are proj/shop.py and proj/src/tax, which were not named;" in words
    assert words.endswith(
        "The tests need `six`, which the interpreter that runs them lacks: install it, or name an "
        "interpreter that has it with --python PATH."
    )


def test_a_module_above_the_session_is_named_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    touch(tmp_path / "shop.py", tmp_path / "pyproject.toml", tmp_path / "a" / "fee.py")
    failure = missing_error(["shop"], report(waiting("test_fee.py::test_a", "shop")), str(tmp_path / "a"))
    assert isinstance(failure, UnnamedModules) and not failure.tests
    assert str(failure) == "The tests need `shop`: that is shop.py, which was not named; name it too."


def test_what_lies_elsewhere_or_cannot_be_imported_from_there_is_a_package(tmp_path: Path) -> None:
    touch(tmp_path / "other" / "shop.py", tmp_path / "shop.py", tmp_path / "proj" / "setup.py")
    touch(tmp_path / "proj" / "pkg" / "__init__.py", tmp_path / "proj" / "pkg" / "shop.py")
    case = waiting("proj/pkg/tests/test_shop.py", "shop")
    for root in (str(tmp_path), None):
        failure = missing_error(["shop"], report(case), root)
        assert isinstance(failure, MissingPackages) and failure.python == "PATH" and "install it" in str(failure)
