import pytest
from column_names import column_names


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("Total (net)", "total_net"),
        ("  -- Date -- ", "date"),
        ("Straße", "strasse"),
        ("Größe ÜBER", "groesse_ueber"),
        ("2024 Sales", "c2024_sales"),
        ("", "column"),
        ("%%%", "column"),
        ("snake_case", "snake_case"),
        ("a__b", "a_b"),
        ("naïve", "na_ve"),
    ],
)
def test_one_header(header, name):
    assert column_names([header]) == [name]


def test_three_the_same():
    assert column_names(["A", "a", "A!"]) == ["a", "a_2", "a_3"]


def test_a_number_that_is_taken_is_left_out():
    assert column_names(["a", "a 2", "a"]) == ["a", "a_2", "a_3"]


def test_a_later_header_gives_way_to_a_made_name():
    assert column_names(["a", "a", "a_2"]) == ["a", "a_2", "a_2_2"]


def test_empty_headers_are_told_apart():
    assert column_names(["", " ", "x"]) == ["column", "column_2", "x"]


def test_no_headers():
    assert column_names([]) == []
