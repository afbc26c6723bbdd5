import pytest
from phone_numbers import normalise, unique


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("  030 123 456 ", "+4930123456"),
        ("30123456", "+4930123456"),
        ("(030) 12.34.56", "+4930123456"),
        ("+49 30 123456", "+4930123456"),
        ("+49(0)30/123456", "+4930123456"),
        ("0049 (0) 30 123456".replace("(0) ", "(0)"), "+4930123456"),
        ("0044 20 7946 0000", "+442079460000"),
        ("+1 (555) 010-9999", "+15550109999"),
    ],
)
def test_forms_of_a_number(text, number):
    assert normalise(text) == number


def test_another_country():
    assert normalise("01 2345678", "43") == "+4312345678"


@pytest.mark.parametrize("text", ["", "call me", "030 12a456", "+", "0301", "+49 30 1234567890123", "+49+30 123456"])
def test_what_is_no_number(text):
    with pytest.raises(ValueError):
        normalise(text)


def test_many_in_order_without_repeats():
    texts = ["0049 30 123456", "none", "040 765432", "+49 (0)30 123456", "040/765432"]
    assert unique(texts) == ["+4930123456", "+4940765432"]
