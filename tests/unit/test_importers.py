"""Which modules are imported anew with a changed one: all that import it, in whatever form."""

from __future__ import annotations

import pytest

from selfheal_tui.sandbox.inside.sift.imports import importers

PROGRAM = {
    "shop": "from .cart import total",
    "shop.prices": "RATE = 2",
    "shop.cart": "from . import prices\ndef total(): return prices.RATE",
    "shop.report": "import shop.cart\nclass Report(shop.cart.Base): pass",
    "shop.late": "def f():\n    from shop.prices import RATE",
    "shop.other": "import os.path",
    "tool": "import shop.report as r",
}


@pytest.mark.parametrize(
    ("changed", "renewed"),
    [
        ("shop.prices", {"shop.prices", "shop.cart", "shop.report", "shop.late", "shop", "tool"}),
        ("shop.cart", {"shop.cart", "shop.report", "shop", "tool"}),
        ("shop.report", {"shop.report", "tool"}),
        ("shop.other", {"shop.other"}),
    ],
)
def test_all_that_import_it_directly_or_not(changed: str, renewed: set[str]) -> None:
    assert importers({changed}, PROGRAM) >= renewed
    assert "shop.other" not in importers({changed}, PROGRAM) or changed == "shop.other"
