from column_names import column_names


def test_words_are_joined():
    assert column_names(["First Name", "E-Mail"]) == ["first_name", "e_mail"]


def test_no_name_comes_twice():
    assert column_names(["Price", "price"]) == ["price", "price_2"]
