import pytest
from ticket_machine import TicketMachine

PRICES = {"city": 150, "zoo": 320}


def test_a_ticket_with_change():
    machine = TicketMachine(PRICES, {20: 5, 10: 5})
    machine.choose("city")
    assert machine.insert(100) == 50
    assert machine.insert(100) == ("city", [20, 20, 10])
    assert machine.takings() == 150


def test_no_change_no_sale():
    machine = TicketMachine(PRICES, {})
    machine.choose("city")
    assert machine.insert(200) == (None, [200])
    assert machine.takings() == 0


def test_a_coin_needs_a_choice():
    with pytest.raises(ValueError):
        TicketMachine(PRICES, {}).insert(100)
