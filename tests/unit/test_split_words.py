"""What the split judge says of a method that has the name of one of plain data."""

from __future__ import annotations

from typing import Any, cast

from selfheal_tui.sandbox.inside.split.judge.notes import Asks, Notes, with_article
from selfheal_tui.sandbox.inside.split.judge.remote import RemoteMethod, mind_name


class Split:
    def __init__(self) -> None:
        self.notes = Notes()


def test_a_method_with_the_name_of_one_of_data_says_when_nothing_is_wrong() -> None:
    split = Split()
    method: Any = object.__new__(RemoteMethod)
    for name in ("count", "total"):
        mind_name(cast(Asks, split), f"{with_article('Inventory')} object", name, method)
    assert split.notes.doubts == [
        "count() of an Inventory object is a method of the program, and Python's own data has one of that name; "
        "nothing is wrong if the test means the program's"
    ]
    assert (with_article("Stock"), with_article("")) == ("a Stock", "a ")
