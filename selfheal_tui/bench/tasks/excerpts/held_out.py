import pytest
from excerpts import excerpt

TEXT = "One two three, four (five) six seven. Eight nine ten"


@pytest.mark.parametrize(
    ("word", "width", "result"),
    [
        ("five", 14, "... (five) ..."),
        ("five", 18, "... (five) six ..."),
        ("five", 19, "... four (five) ..."),
        ("five", 23, "... four (five) six ..."),
        ("FIVE", 23, "... four (five) six ..."),
        ("seven", 15, "... seven. ..."),
        ("ten", 12, "... nine ten"),
        ("ten", 11, "... ten"),
        ("one", 11, "One two ..."),
        ("two", 11, "One two ..."),
        ("missing", 11, "One two ..."),
        ("thre", 8, "One ..."),
        ("eight", 3, "... Eight ..."),
    ],
)
def test_excerpts(word, width, result):
    assert excerpt(TEXT, word, width) == result


def test_a_text_that_just_fits():
    assert excerpt(TEXT, "five", len(TEXT)) == TEXT
    assert excerpt(TEXT, "five", len(TEXT) - 1) != TEXT


def test_white_space_is_one_blank():
    assert excerpt("a\n\n  b\tc", "b", 5) == "a b c"


def test_the_first_of_several_places():
    assert excerpt("xx aa yy aa zz aa", "aa", 9) == "xx aa ..."


def test_a_side_that_does_not_fit_is_not_tried_again():
    assert excerpt("b enormously c d e f g h i j k", "c", 17) == "... c d e f g ..."


def test_an_empty_text():
    assert excerpt("", "x", 5) == ""


def test_a_width_below_one():
    with pytest.raises(ValueError):
        excerpt("a", "a", 0)
