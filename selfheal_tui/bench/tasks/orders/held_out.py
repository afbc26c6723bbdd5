import pytest
from orders import Order

STEPS = {"paid": [], "shipped": ["ship"], "delivered": ["ship", "deliver"]}


def order_that_is(state):
    order = Order(100)
    if state == "cancelled":
        order.cancel()
    elif state == "returned":
        order.pay(100)
        order.ship()
        order.deliver()
        order.give_back()
    elif state != "new":
        order.pay(100)
        for step in STEPS[state]:
            getattr(order, step)()
    return order


def test_a_new_order():
    order = Order(100)
    assert (order.state, order.history, order.paid_cents) == ("new", [], 0)


def test_a_whole_life():
    order = order_that_is("returned")
    assert [event for event, _ in order.history] == ["pay", "ship", "deliver", "give_back"]
    assert [state for _, state in order.history] == ["paid", "shipped", "delivered", "returned"]
    assert order.paid_cents == 0


@pytest.mark.parametrize("cents", [100, 150])
def test_enough_money(cents):
    order = Order(100)
    order.pay(cents)
    assert (order.state, order.paid_cents) == ("paid", cents)


def test_too_little_money():
    order = Order(100)
    order.pay(99)
    assert (order.state, order.history) == ("new", [("pay", "new")])


@pytest.mark.parametrize(
    ("state", "event"),
    [
        ("new", "ship"),
        ("new", "deliver"),
        ("new", "give_back"),
        ("paid", "deliver"),
        ("shipped", "ship"),
        ("shipped", "cancel"),
        ("shipped", "give_back"),
        ("delivered", "cancel"),
        ("cancelled", "cancel"),
        ("returned", "give_back"),
    ],
)
def test_what_is_not_allowed_changes_nothing(state, event):
    order = order_that_is(state)
    before = (order.state, list(order.history), order.paid_cents)
    with pytest.raises(ValueError):
        getattr(order, event)()
    assert (order.state, order.history, order.paid_cents) == before


@pytest.mark.parametrize("state", ["paid", "shipped", "delivered", "cancelled", "returned"])
def test_a_late_payment_is_refused(state):
    order = order_that_is(state)
    cents = order.paid_cents
    with pytest.raises(ValueError):
        order.pay(5)
    assert order.paid_cents == cents


@pytest.mark.parametrize("cents", [0, -5])
def test_a_payment_of_nothing(cents):
    order = Order(100)
    with pytest.raises(ValueError):
        order.pay(cents)
    assert (order.paid_cents, order.history) == (0, [])


def test_all_payments_go_back():
    order = Order(100)
    order.pay(60)
    order.pay(70)
    assert (order.cancel(), order.paid_cents, order.state) == (130, 0, "cancelled")


def test_a_returned_order_pays_back_once():
    order = order_that_is("delivered")
    assert (order.give_back(), order.paid_cents) == (100, 0)
