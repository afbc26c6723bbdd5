from roman import is_numeral, newest, to_number


def test_what_is_a_numeral():
    assert is_numeral("MCMXCIV")
    assert not is_numeral("MCMXCIZ")
    assert not is_numeral("")


def test_signs_add_up():
    assert to_number("MDCLXVI") == 1666


def test_small_letters():
    assert to_number("xii") == 12


def test_a_smaller_sign_before_a_larger_is_taken_off():
    assert to_number("IX") == 9
    assert to_number("XL") == 40


def test_a_year():
    assert to_number("MCMXCIV") == 1994


def test_newest_year():
    assert newest(["MCMLXIX", "MMXIV", "MMI"]) == "MMXIV"
