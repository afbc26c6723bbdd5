from invoices import invoices


def test_lines_of_a_customer_are_added_up():
    lines = [
        {"customer": "Kim", "item": "pen", "count": 2, "cents": 150},
        {"customer": "Kim", "item": "ink", "count": 1, "cents": 900},
        {"customer": "Lee", "item": "pen", "count": 20, "cents": 150},
    ]
    first, second = invoices(lines)
    assert first == {"customer": "Kim", "items": {"pen": 2, "ink": 1}, "net": 1200, "discount": 0, "total": 1200}
    assert (second["discount"], second["total"]) == (150, 2850)
