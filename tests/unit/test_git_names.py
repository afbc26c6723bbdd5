"""What a branch of git is called that heals files."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.engine.out.new_branch import free_branch


@pytest.mark.parametrize(
    ("paths", "name"),
    [
        (["src/shop.py"], "heal-shop"),
        (["src/shop.py", "tests/test_shop.py"], "heal-shop"),
        (["src/shop/__init__.py"], "heal-shop"),
        (["src/shop/__main__.py"], "heal-shop"),
        (["src/shop/cart.py", "src/shop/till.py"], "heal-shop"),
        (["src/shop/cart.py", "src/shop/money/coins.py"], "heal-shop"),
        (["__init__.py"], "heal-project"),
        (["cart.py", "till.py"], "heal-project"),
        ([], "heal-project"),
    ],
)
def test_a_branch_is_named_after_the_module_else_the_package_or_folder(
    paths: list[str], name: str, tmp_path: Path
) -> None:
    assert free_branch(tmp_path / "project", paths) == name
