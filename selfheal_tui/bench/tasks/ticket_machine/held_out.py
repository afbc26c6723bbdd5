import pytest
from ticket_machine import TicketMachine

PRICES = {"short": 80, "city": 150, "zoo": 320}


def machine_with(ticket, *coins, held=()):
    machine = TicketMachine(PRICES, dict(held))
    machine.choose(ticket)
    return machine, [machine.insert(coin) for coin in coins]


def test_the_exact_price():
    machine, told = machine_with("city", 100, 50)
    assert (told, machine.takings()) == ([50, ("city", [])], 150)


def test_what_is_missing():
    _, told = machine_with("zoo", 10, 20, 50, 100)
    assert told == [310, 290, 240, 140]


def test_inserted_coins_can_be_change():
    _, told = machine_with("zoo", 200, 50, 20, 100)
    assert told == [120, 70, 50, ("zoo", [50])]


def test_coins_that_are_too_large_to_be_change():
    _, told = machine_with("short", 10, 10, 10, 100)
    assert told == [70, 60, 50, (None, [10, 10, 10, 100])]


def test_coins_of_earlier_customers_are_change():
    machine, _ = machine_with("city", 50, 50, 50)
    machine.choose("city")
    assert machine.insert(200) == ("city", [50])
    assert machine.takings() == 300


def test_change_is_greedy():
    _, told = machine_with("short", 200, held={100: 1, 50: 2, 20: 5, 10: 1})
    assert told == [("short", [100, 20])]


def test_greedy_change_that_does_not_come_out_is_no_sale():
    _, told = machine_with("short", 20, 20, 100, held={50: 1, 20: 1})
    assert told == [60, 40, (None, [20, 20, 100])]


def test_a_failed_sale_keeps_nothing():
    machine, told = machine_with("city", 200, held={20: 1})
    assert told == [(None, [200])]
    with pytest.raises(ValueError):
        machine.insert(10)
    machine.choose("city")
    assert [machine.insert(coin) for coin in (100, 20, 50)] == [50, 30, ("city", [20])]


def test_cancelling_gives_the_coins_back():
    machine, _ = machine_with("zoo", 20, 100, 10)
    assert machine.cancel() == [20, 100, 10]
    assert machine.cancel() == []
    with pytest.raises(ValueError):
        machine.insert(10)


def test_another_choice_before_money():
    machine = TicketMachine(PRICES, {})
    machine.choose("zoo")
    machine.choose("short")
    assert machine.insert(50) == 30


def test_another_choice_with_money_is_refused():
    machine, _ = machine_with("zoo", 100)
    with pytest.raises(ValueError):
        machine.choose("city")
    machine.choose("zoo")
    assert machine.insert(100) == 120


@pytest.mark.parametrize("ticket", ["moon", None, ""])
def test_an_unknown_ticket(ticket):
    machine, _ = machine_with("city")
    with pytest.raises(ValueError):
        machine.choose(ticket)
    assert machine.insert(100) == 50


@pytest.mark.parametrize("coin", [0, 5, 25, 500, -10])
def test_an_unknown_coin(coin):
    machine, _ = machine_with("city", 100)
    with pytest.raises(ValueError):
        machine.insert(coin)
    assert machine.cancel() == [100]


def test_what_was_given_is_not_changed():
    prices, coins = {"a": 10}, {10: 1}
    machine = TicketMachine(prices, coins)
    machine.choose("a")
    assert machine.insert(20) == ("a", [10])
    assert (prices, coins) == ({"a": 10}, {10: 1})
