import pytest
from orders import Order


def test_an_order_is_paid_in_two_parts():
    order = Order(500)
    order.pay(200)
    order.pay(300)
    assert order.history == [("pay", "new"), ("pay", "paid")]


def test_a_shipped_order_is_not_cancelled():
    order = Order(500)
    order.pay(500)
    order.ship()
    with pytest.raises(ValueError):
        order.cancel()


def test_a_payment_that_is_refused_changes_nothing():
    order = Order(500)
    with pytest.raises(ValueError):
        order.pay(0)
    order.pay(500)
    with pytest.raises(ValueError):
        order.pay(100)
    assert order.paid_cents == 500


def test_money_goes_back():
    order = Order(500)
    order.pay(200)
    assert order.cancel() == 200
    assert (order.state, order.paid_cents) == ("cancelled", 0)
