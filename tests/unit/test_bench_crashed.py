"""A run that a bug ends leaves the reason in its folder; what is told in a sentence leaves nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.bench.running.crashed import FILE_NAME, reason_kept
from selfheal_tui.errors import InputError


def test_a_bug_leaves_its_traceback_and_an_expected_end_does_not(tmp_path: Path) -> None:
    for expected in (InputError("No such suite."), KeyboardInterrupt()):
        with pytest.raises(type(expected)), reason_kept(tmp_path):
            raise expected
    with reason_kept(tmp_path):
        pass
    assert not list(tmp_path.iterdir())
    for why in ("first", "second"):
        with pytest.raises(ZeroDivisionError), reason_kept(tmp_path):
            raise ZeroDivisionError(why)
    text = (tmp_path / FILE_NAME).read_text("utf-8")
    assert "ZeroDivisionError: first" in text and "ZeroDivisionError: second" in text and "Traceback" in text
