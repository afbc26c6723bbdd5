import pytest
from shares import settle, share


def test_no_cent_is_lost():
    assert share(100, [1, 1, 1]) == [34, 33, 33]


def test_the_largest_fraction_gets_the_cent():
    assert share(10, [1, 2, 3]) == [2, 3, 5]
    assert share(100, [7, 3, 1]) == [64, 27, 9]


def test_a_refund_is_shared_like_a_price():
    assert share(-100, [1, 1, 1]) == [-34, -33, -33]


def test_what_everybody_gets_back():
    assert settle({"bob": 0, "ann": 30}) == {"ann": 15, "bob": -15}


def test_weights_of_nothing():
    with pytest.raises(ValueError):
        share(10, [0, 0])
