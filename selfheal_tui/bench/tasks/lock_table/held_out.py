import pytest
from lock_table import LockTable


def table_of(*pairs):
    table = LockTable()
    for lock, worker in pairs:
        table.acquire(lock, worker)
    return table


def test_an_unknown_lock_is_free():
    table = LockTable()
    assert (table.holder("a"), table.waits_for("w")) == (None, None)


def test_a_lock_is_free_again():
    table = table_of(("a", "w1"))
    assert table.release("a", "w1") is None
    assert table.holder("a") is None
    assert table.acquire("a", "w2") is True


def test_a_lock_held_twice_is_released_twice():
    table = table_of(("a", "w1"), ("a", "w1"), ("a", "w2"))
    assert table.release("a", "w1") is None
    assert table.holder("a") == "w1"
    assert table.release("a", "w1") == "w2"
    assert table.holder("a") == "w2"


def test_an_heir_holds_it_once():
    table = table_of(("a", "w1"), ("a", "w1"), ("a", "w2"))
    table.release("a", "w1")
    table.release("a", "w1")
    table.release("a", "w2")
    assert table.holder("a") is None


def test_the_queue_is_served_in_order():
    table = table_of(("a", "w1"), ("a", "w3"), ("a", "w2"))
    assert [table.release("a", worker) for worker in ("w1", "w3", "w2")] == ["w3", "w2", None]


def test_who_waits_acquires_nothing():
    table = table_of(("a", "w1"), ("a", "w2"))
    for lock in ("a", "b"):
        with pytest.raises(ValueError):
            table.acquire(lock, "w2")
    assert table.holder("b") is None


@pytest.mark.parametrize("worker", ["w2", "w3"])
def test_releasing_what_is_not_held(worker):
    table = table_of(("a", "w1"), ("a", "w2"))
    with pytest.raises(ValueError):
        table.release("a", worker)
    with pytest.raises(ValueError):
        table.release("z", worker)
    assert table.holder("a") == "w1"


def test_a_circle_of_three_is_refused():
    table = table_of(("a", "w1"), ("b", "w2"), ("c", "w3"), ("b", "w1"), ("c", "w2"))
    with pytest.raises(RuntimeError):
        table.acquire("a", "w3")
    assert table.waits_for("w3") is None
    assert table.release("c", "w3") == "w2"


def test_a_chain_is_no_circle():
    table = table_of(("a", "w1"), ("b", "w2"), ("a", "w2"))
    assert table.acquire("b", "w3") is False
    assert table.waits_for("w3") == "b"


def test_two_may_wait_for_the_same_lock():
    table = table_of(("a", "w1"), ("b", "w2"), ("a", "w2"), ("a", "w3"))
    assert [table.waits_for(worker) for worker in ("w1", "w2", "w3")] == [None, "a", "a"]


def test_leaving_hands_all_locks_on():
    table = table_of(("b", "w1"), ("a", "w1"), ("a", "w1"), ("c", "w1"), ("a", "w3"), ("b", "w2"))
    assert table.leave("w1") == ["w3", "w2"]
    assert [table.holder(lock) for lock in "abc"] == ["w3", "w2", None]


def test_leaving_ends_the_waiting():
    table = table_of(("a", "w1"), ("a", "w2"), ("a", "w3"))
    assert table.leave("w2") == []
    assert table.waits_for("w2") is None
    assert table.release("a", "w1") == "w3"


def test_leaving_without_anything():
    assert LockTable().leave("w1") == []
