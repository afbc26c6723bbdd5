import pytest
from calculator import calculate


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        (" 1.5 ", 1.5),
        ("1-2+3", 2),
        ("1-(2+3)", -4),
        ("8/4/2", 1),
        ("8/(4/2)", 4),
        ("2*3-4*5", -14),
        ("2^3^2", 512),
        ("(2^3)^2", 64),
        ("-3", -3),
        ("--3", 3),
        ("-(2+3)", -5),
        ("2*-3", -6),
        ("2^-1", 0.5),
        ("-2^2*3", -12),
        ("4--2", 6),
        ("0.5*4", 2.0),
        ("((((1))))", 1),
        ("20-2^2-1", 15),
    ],
)
def test_formulas(text, value):
    assert calculate(text) == value


@pytest.mark.parametrize("text", ["", "(", "()", "1 2", "1+", "*2", "(1", "1)", "2x", "1..2", "1.", "3^", "+3"])
def test_what_is_no_formula(text):
    with pytest.raises(ValueError):
        calculate(text)


def test_dividing_by_zero():
    with pytest.raises(ZeroDivisionError):
        calculate("1/(2-2)")
