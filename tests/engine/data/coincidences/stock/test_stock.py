import pytest
from stock import OutOfStock, Stock


def make():
    s = Stock()
    s.deliver("bolt", 10)
    s.deliver("nut", 3)
    return s


def test_free():
    s = make()
    s.reserve("bolt", 4)
    assert s.free("bolt") == 6


def test_reserve_all():
    s = make()
    s.reserve("nut", 3)
    assert s.free("nut") == 0


def test_too_many():
    s = make()
    with pytest.raises(OutOfStock):
        s.reserve("nut", 4)


def test_ship():
    s = make()
    s.reserve("bolt", 4)
    s.ship("bolt", 4)
    assert s.count["bolt"] == 6
    assert s.free("bolt") == 6


def test_order():
    s = make()
    assert s.to_order() == ["nut"]
    s.reserve("bolt", 5)
    assert s.to_order() == ["nut"]
    s.reserve("bolt", 1)
    assert s.to_order() == ["bolt", "nut"]


def test_bad():
    with pytest.raises(ValueError):
        make().deliver("x", 0)
