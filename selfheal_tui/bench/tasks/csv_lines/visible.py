import pytest
from csv_lines import join_line, split_line


def test_plain_fields():
    assert split_line("a,b,,d") == ["a", "b", "", "d"]


def test_a_separator_in_quotes():
    assert split_line('1,"Bonn, Germany",x') == ["1", "Bonn, Germany", "x"]


def test_two_quotes_mean_one():
    assert split_line('"5"" pipe",3') == ['5" pipe', "3"]


def test_a_quote_that_is_not_closed():
    with pytest.raises(ValueError):
        split_line('a,"b')


def test_what_needs_it_is_quoted():
    assert join_line(["a", "b,c"]) == 'a,"b,c"'
