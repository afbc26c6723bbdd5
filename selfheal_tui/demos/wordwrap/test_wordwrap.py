from wordwrap import boxed, wrap


def test_empty_text_has_no_lines():
    assert wrap("", 10) == []


def test_short_text_is_one_line():
    assert wrap("to be", 10) == ["to be"]


def test_a_line_may_fill_the_width():
    assert wrap("to be or", 8) == ["to be or"]


def test_the_next_word_starts_a_line():
    assert wrap("to be or not", 8) == ["to be or", "not"]


def test_several_lines():
    assert wrap("the quick brown fox jumps", 10) == ["the quick", "brown fox", "jumps"]


def test_a_long_word_gets_its_own_line():
    assert wrap("an incomprehensible word", 8) == ["an", "incomprehensible", "word"]


def test_box_of_one_line():
    assert boxed("hello", 7) == "+---------+\n| hello   |\n+---------+"
