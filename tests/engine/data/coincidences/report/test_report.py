from report import parse_rows, ranking, report, totals

SALES = """region,amount
north,10
south,25
north,5
"""


def test_every_line_is_a_row():
    assert parse_rows("region,amount\nnorth,10\nsouth,25\n") == [
        {"region": "north", "amount": "10"},
        {"region": "south", "amount": "25"},
    ]


def test_amounts_of_a_region_add_up():
    rows = [{"region": "north", "amount": "10"}, {"region": "north", "amount": "5"}]
    assert totals(rows) == {"north": 15}


def test_regions_are_kept_apart():
    rows = [{"region": "north", "amount": "10"}, {"region": "south", "amount": "7"}]
    assert totals(rows) == {"north": 10, "south": 7}


def test_the_largest_sum_comes_first():
    assert ranking({"a": 1, "b": 3, "c": 2}) == [("b", 3), ("c", 2), ("a", 1)]


def test_report_of_a_month():
    assert report(SALES) == ["south: 25", "north: 15"]
