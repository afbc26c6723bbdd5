import pytest
from text_table import text_table


def lines(headers, rows):
    return text_table(headers, rows).split("\n")


def test_no_rows():
    assert lines(["a", "bcd"], []) == ["a  bcd", "-  ---"]


def test_one_column():
    assert lines(["n"], [[1], [200]]) == ["  n", "---", "  1", "200"]


def test_texts_stand_left():
    assert lines(["ab", "c"], [["x", "yy"], ["long", "z"]]) == ["ab    c", "----  --", "x     yy", "long  z"]


def test_no_line_ends_with_a_blank():
    assert lines(["a", "b"], [["x", "yyy"], ["x", ""], ["x", None]])[2:] == ["x  yyy", "x", "x"]


def test_a_column_of_texts_and_numbers_has_its_header_left():
    assert lines(["v", "w"], [["abc", 1], [22, 2]]) == ["v    w", "---  -", "abc  1", " 22  2"]


def test_truth_values_are_texts():
    assert lines(["ok", "n"], [[True, 1], [False, 2]]) == ["ok     n", "-----  -", "True   1", "False  2"]


def test_a_column_of_nothing_has_its_header_left():
    assert lines(["a", "b"], [[None, "xx"], [None, "y"]]) == ["a  b", "-  --", "   xx", "   y"]


def test_decimal_numbers():
    assert lines(["price"], [[1.5], [None], [10.25]]) == ["price", "-----", "  1.5", "", "10.25"]


def test_a_number_column_with_gaps_has_its_header_right():
    assert lines(["x", "n"], [["a", None], ["b", 300]]) == ["x    n", "-  ---", "a", "b  300"]


@pytest.mark.parametrize("row", [[], [1], [1, 2, 3]])
def test_a_row_of_another_length(row):
    with pytest.raises(ValueError):
        text_table(["a", "b"], [row])
