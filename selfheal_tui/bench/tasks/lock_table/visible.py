import pytest
from lock_table import LockTable


def test_the_second_one_waits():
    table = LockTable()
    assert (table.acquire("door", "ann"), table.acquire("door", "bob")) == (True, False)
    assert (table.holder("door"), table.waits_for("bob")) == ("ann", "door")
    assert table.release("door", "ann") == "bob"
    assert (table.holder("door"), table.waits_for("bob")) == ("bob", None)


def test_a_circle_is_refused():
    table = LockTable()
    table.acquire("a", "ann")
    table.acquire("b", "bob")
    table.acquire("b", "ann")
    with pytest.raises(RuntimeError):
        table.acquire("a", "bob")
    assert table.waits_for("bob") is None
