"""What a file given with `--value` is taken for."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.cli.decide import load_value
from selfheal_tui.errors import InputError


def test_a_file_that_is_called_like_a_test_is_no_edit_of_the_program(tmp_path: Path) -> None:
    slip = tmp_path / "test_shop.py"
    slip.write_text("def test_x():\n    pass\n", "utf-8")
    with pytest.raises(InputError, match="is called like a test of this session, and the edit is of"):
        load_value(slip, ("shop.py",), ["tests/test_shop.py"])
    assert load_value(slip, ("tests/test_shop.py",), [])["changes"].keys() == {"tests/test_shop.py"}
    mine = tmp_path / "mine.py"
    mine.write_text("x = 1\n", "utf-8")
    assert load_value(mine, ("shop.py",), ["test_shop.py"]) == {"changes": {"shop.py": "x = 1\n"}}
