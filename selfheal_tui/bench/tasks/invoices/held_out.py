import pytest
from invoices import invoices


def line(customer="Kim", item="pen", count=1, cents=100):
    return {"customer": customer, "item": item, "count": count, "cents": cents}


def test_no_lines():
    assert invoices([]) == []


def test_a_second_call_starts_anew():
    assert invoices([line()])[0]["net"] == 100
    assert invoices([line()])[0]["net"] == 100
    assert [invoice["customer"] for invoice in invoices([line("Lee")])] == ["Lee"]


def test_customers_are_sorted():
    assert [row["customer"] for row in invoices([line("b"), line("a"), line("c")])] == ["a", "b", "c"]


def test_an_item_that_comes_twice():
    assert invoices([line(count=2), line(count=3, cents=90)])[0] == {
        "customer": "Kim",
        "items": {"pen": 5},
        "net": 470,
        "discount": 0,
        "total": 470,
    }


@pytest.mark.parametrize(
    ("count", "discount"), [(9, 0), (10, 50), (11, 55), (49, 245), (50, 500), (51, 510)]
)
def test_discounts_by_pieces(count, discount):
    assert invoices([line(count=count)])[0]["discount"] == discount


def test_pieces_of_all_items_count_together():
    found = invoices([line(item="pen", count=6), line(item="ink", count=4)])[0]
    assert (found["discount"], found["total"]) == (50, 950)


def test_a_discount_is_rounded_down():
    found = invoices([line(count=10, cents=99)])[0]
    assert (found["net"], found["discount"], found["total"]) == (990, 49, 941)


def test_items_are_in_order_of_appearance():
    assert list(invoices([line(item="z"), line(item="a"), line(item="z")])[0]["items"]) == ["z", "a"]


def test_the_lines_stay_as_they_are():
    lines = [line(count=2)]
    invoices(lines)
    assert lines == [line(count=2)]
