import pytest
from csv_lines import join_line, split_line


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("", [""]),
        (",", ["", ""]),
        ("a,", ["a", ""]),
        (" a , b ", [" a ", " b "]),
        ('""', [""]),
        ('"",""', ["", ""]),
        ('""""', ['"']),
        ('"""a"""', ['"a"']),
        ('"a,""b"",c",d', ['a,"b",c', "d"]),
        ('it"s,a "plain" sign', ['it"s', 'a "plain" sign']),
        ('x,"y"', ["x", "y"]),
    ],
)
def test_fields(line, fields):
    assert split_line(line) == fields


def test_another_separator():
    assert split_line('1,5;"a;b";c', ";") == ["1,5", "a;b", "c"]


@pytest.mark.parametrize("line", ['"', '"a', 'x,"a""', '"a"b', '"a" ,b', '"a,b'])
def test_quotes_that_are_wrong(line):
    with pytest.raises(ValueError):
        split_line(line)


@pytest.mark.parametrize("fields", [[""], ["a", "b"], ["a,b", 'c"d', ""], ['"'], ["", ""]])
def test_there_and_back(fields):
    assert split_line(join_line(fields)) == fields


def test_nothing_is_quoted_without_need():
    assert join_line(["a b", "", 'c"d']) == 'a b,,"c""d"'
