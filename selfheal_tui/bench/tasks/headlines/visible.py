from headlines import headline, initials


def test_small_words_stay_small():
    assert headline("the lord of the rings") == "The Lord of the Rings"


def test_the_last_word_has_a_capital():
    assert headline("what to look for") == "What to Look For"


def test_names_keep_their_capitals():
    assert headline("a new iPhone for NASA") == "A New iPhone for NASA"


def test_initials():
    assert initials("ada king") == "A. K."
