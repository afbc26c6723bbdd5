from cart import shipping, subtotal
from prices import price_of
from receipt import money, receipt, total


def test_price_of_a_pen():
    assert price_of("pen") == 120


def test_two_books():
    assert subtotal({"book": 2}) == 3000


def test_ten_pens_for_nine():
    assert subtotal({"pen": 10}) == 1080


def test_eleven_cups():
    assert subtotal({"cup": 11}) == 8500


def test_shipping_of_a_small_order():
    assert shipping(1000) == 490


def test_no_shipping_from_fifty_on():
    assert shipping(5000) == 0


def test_total_of_a_bag():
    assert total({"bag": 1}) == 4740


def test_money():
    assert money(1205) == "12.05"


def test_receipt_of_ten_pens():
    assert receipt({"pen": 10}) == ["10 x pen", "total 15.70"]
