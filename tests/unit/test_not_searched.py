"""Files that failing cases run and that no search edits, as they came along as support."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

from selfheal_tui.engine.dialogue.not_searched import run_by_failing, with_not_searched
from selfheal_tui.engine.moment.workspace import Workspace
from selfheal_tui.engine.workshop.support import support_files
from selfheal_tui.sandbox.base import Limits, Suite, SuiteFinished

TAX, LOG = "shop/tax.py", "shop/log.py"
FILES = dict.fromkeys(("shop/cart.py", TAX, LOG, "rates.csv", "conftest.py", "tests/help.py", "tests/test_cart.py"), "")
TESTS = ("tests/test_cart.py",)
WORKSPACE = Workspace(FILES, ("shop/cart.py",), TESTS, TESTS, {})


class Recorded:
    """A sandbox whose runs record these lines."""

    async def run(self, suite: Suite) -> AsyncIterator[Any]:
        assert suite.coverage and suite.program == ("shop/cart.py", TAX, LOG)
        one = frozenset({1})
        report: Any = {"cases": []}
        yield SuiteFinished(report, {"t::red": {TAX: one, "shop/cart.py": one}, "t::green": {LOG: one, TAX: one}})


async def test_only_support_that_a_failing_case_runs_is_named() -> None:
    assert support_files(WORKSPACE) == (TAX, LOG)
    deps = SimpleNamespace(suite_limits=Limits(), sandbox=Recorded())
    context: Any = SimpleNamespace(workspace=WORKSPACE, deps=deps)
    report: Any = {"cases": [{"id": "t::red", "outcome": "failed"}, {"id": "t::green", "outcome": "passed"}]}
    assert await run_by_failing(context, report) == [TAX]
    diagnosis: Any = {"cause": "No edit helps."}
    assert with_not_searched(diagnosis, []) is diagnosis
    told = with_not_searched(diagnosis, [TAX])
    assert told["not_searched"] == [TAX]
    assert told["cause"] == f"No edit helps. {TAX} was not searched, and the failing cases run it."
