from excerpts import excerpt

TEXT = "The quick brown fox jumps over the lazy dog."


def test_a_short_text_is_shown_whole():
    assert excerpt(TEXT, "fox", 80) == TEXT


def test_words_around_the_found_one():
    assert excerpt(TEXT, "fox", 24) == "... brown fox jumps ..."


def test_the_start_has_no_dots():
    assert excerpt(TEXT, "quick", 19) == "The quick brown ..."
