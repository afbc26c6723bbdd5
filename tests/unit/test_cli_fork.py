"""What `sessions fork --set` makes of its words."""

from __future__ import annotations

import pytest

from selfheal_tui.cli.fork import parse_changes, split_assignment
from selfheal_tui.errors import SettingsError


def test_afresh_is_a_yes_or_a_no() -> None:
    assert parse_changes([split_assignment("afresh=yes")], ["a.py"]) == {"afresh": True}
    assert parse_changes([split_assignment("afresh=no")], ["a.py"]) == {"afresh": False}
    with pytest.raises(SettingsError, match="afresh"):
        parse_changes([split_assignment("afresh=perhaps")], ["a.py"])
