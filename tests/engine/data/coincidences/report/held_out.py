from report import parse_rows, ranking, report, totals


def test_one_row():
    assert parse_rows("a,b\n1,2\n") == [{"a": "1", "b": "2"}]


def test_no_rows():
    assert parse_rows("a,b\n") == []


def test_four_amounts():
    rows = [{"region": "x", "amount": str(n)} for n in (4, 6, 1, 9)]
    assert totals([*rows, {"region": "y", "amount": "2"}]) == {"x": 20, "y": 2}


def test_order_of_four():
    assert ranking({"a": 10, "b": -3, "c": 20, "d": 0}) == [("c", 20), ("a", 10), ("d", 0), ("b", -3)]


def test_report_of_three_regions():
    assert report("region,amount\na,1\nb,5\nc,3\na,3\n") == ["b: 5", "a: 4", "c: 3"]
