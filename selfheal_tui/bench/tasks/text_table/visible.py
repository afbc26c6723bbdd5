from text_table import text_table


def test_numbers_stand_right():
    assert text_table(["item", "n"], [["pen", 5], ["pencil", 12]]) == "\n".join(
        ["item     n", "------  --", "pen      5", "pencil  12"]
    )


def test_a_long_header_makes_its_column_wide():
    assert text_table(["name of item", "x"], [["pen", "y"]]) == "\n".join(
        ["name of item  x", "------------  -", "pen           y"]
    )


def test_a_missing_number_is_an_empty_cell():
    assert text_table(["a", "sum"], [["x", 1000], ["y", None]]) == "\n".join(["a   sum", "-  ----", "x  1000", "y"])
