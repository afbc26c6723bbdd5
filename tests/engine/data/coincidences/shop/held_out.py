from cart import shipping, subtotal
from receipt import receipt, total


def test_subtotals():
    assert [subtotal({"pen": n}) for n in (0, 1, 9, 10, 11, 12)] == [0, 120, 1080, 1080, 1200, 1320]
    assert subtotal({"pen": 10, "cup": 10, "book": 1}) == 1080 + 7650 + 1500


def test_shipping():
    assert [shipping(amount) for amount in (0, 4999, 5000, 5001)] == [490, 490, 0, 0]


def test_totals():
    assert total({"cup": 10}) == 7650
    assert receipt({"bag": 2}) == ["2 x bag", "total 85.00"]
