from pivot import best_region, pivot, region_totals


def sale(region, month, amount):
    return {"region": region, "month": month, "amount": amount}


ONE_EACH = [sale("north", "jan", 10), sale("south", "jan", 7), sale("north", "feb", 5)]
REPEATED = [*ONE_EACH, sale("south", "jan", 4), sale("south", "jan", 9)]


def test_no_sales():
    assert pivot([]) == {}
    assert best_region([]) is None


def test_one_sale_for_each_cell():
    assert pivot(ONE_EACH) == {"north": {"jan": 10, "feb": 5}, "south": {"jan": 7}}


def test_sales_of_one_cell_add_up():
    assert pivot(REPEATED)["south"] == {"jan": 20}


def test_totals_of_single_sales():
    assert region_totals(ONE_EACH) == {"north": 15, "south": 7}


def test_totals_of_repeated_sales():
    assert region_totals(REPEATED) == {"north": 15, "south": 20}


def test_best_region():
    assert best_region(ONE_EACH) == "north"
    assert best_region(REPEATED) == "south"
