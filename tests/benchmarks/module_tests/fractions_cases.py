"""What the documentation says of `fractions`."""

import fractions
import math
from decimal import Decimal

import pytest

Fraction = fractions.Fraction


def parts(value):
    return value.numerator, value.denominator


def test_lowest_terms():
    assert parts(Fraction(16, -10)) == (-8, 5)


def test_of_an_integer():
    assert parts(Fraction(123)) == (123, 1)


def test_of_nothing():
    assert parts(Fraction()) == (0, 1)


def test_of_two_negative_numbers():
    assert parts(Fraction(-3, -6)) == (1, 2)


def test_of_fractions():
    assert parts(Fraction(Fraction(1, 2), Fraction(3, 4))) == (2, 3)


def test_of_a_fraction():
    assert parts(Fraction(Fraction(2, 6))) == (1, 3)


def test_of_text():
    assert parts(Fraction("3/7")) == (3, 7)


def test_of_text_with_blanks():
    assert parts(Fraction(" -3/7 \n")) == (-3, 7)


def test_of_decimal_text():
    assert parts(Fraction("1.414213")) == (1414213, 1000000)


def test_of_text_without_whole_part():
    assert parts(Fraction("-.125")) == (-1, 8)


def test_of_text_with_exponent():
    assert parts(Fraction("7e-6")) == (7, 1000000)


def test_of_text_with_positive_exponent():
    assert parts(Fraction("2.5e3")) == (2500, 1)


def test_of_text_with_underscores():
    assert parts(Fraction("1_000/3")) == (1000, 3)


def test_of_float():
    assert parts(Fraction(2.25)) == (9, 4)


def test_of_decimal():
    assert parts(Fraction(Decimal("1.1"))) == (11, 10)


def test_zero_denominator():
    with pytest.raises(ZeroDivisionError, match=r"Fraction\(3, 0\)"):
        Fraction(3, 0)


def test_bad_text():
    with pytest.raises(ValueError, match="Invalid literal for Fraction"):
        Fraction("1/2/3")


def test_bad_types():
    with pytest.raises(TypeError):
        Fraction(1.5, 2)


def test_of_infinity():
    with pytest.raises(OverflowError):
        Fraction(math.inf)


def test_from_float():
    assert parts(Fraction.from_float(0.75)) == (3, 4)
    assert parts(Fraction.from_float(10)) == (10, 1)


def test_from_float_of_text():
    with pytest.raises(TypeError, match="only takes floats"):
        Fraction.from_float("1")


def test_from_decimal():
    assert parts(Fraction.from_decimal(Decimal("0.4"))) == (2, 5)
    assert parts(Fraction.from_decimal(5)) == (5, 1)


def test_from_decimal_of_float():
    with pytest.raises(TypeError, match="only takes Decimals"):
        Fraction.from_decimal(0.5)


def test_as_integer_ratio():
    assert Fraction(-6, 4).as_integer_ratio() == (-3, 2)


def test_limit_denominator_of_pi():
    assert Fraction("3.1415926535897932").limit_denominator(1000) == Fraction(355, 113)


def test_limit_denominator_small():
    assert Fraction("3.1415926535897932").limit_denominator(10) == Fraction(22, 7)


def test_limit_denominator_that_fits():
    assert Fraction(4321, 8765).limit_denominator(10000) == Fraction(4321, 8765)


def test_limit_denominator_of_a_negative():
    assert Fraction(-4, 7).limit_denominator(5) == Fraction(-3, 5)


def test_limit_denominator_of_nothing():
    with pytest.raises(ValueError, match="at least 1"):
        Fraction(1, 3).limit_denominator(0)


def test_limit_denominator_to_one():
    assert Fraction(17, 5).limit_denominator(1) == 3


def test_repr_and_str():
    assert repr(Fraction(1, 3)) == "Fraction(1, 3)"
    assert str(Fraction(-1, 3)) == "-1/3"
    assert str(Fraction(7)) == "7"


def test_add():
    assert Fraction(1, 6) + Fraction(1, 10) == Fraction(4, 15)
    assert Fraction(1, 3) + Fraction(1, 4) == Fraction(7, 12)


def test_add_to_an_integer():
    assert Fraction(1, 3) + 2 == Fraction(7, 3)
    assert 2 + Fraction(1, 3) == Fraction(7, 3)


def test_subtract():
    assert Fraction(1, 6) - Fraction(1, 10) == Fraction(1, 15)
    assert Fraction(1, 2) - Fraction(1, 3) == Fraction(1, 6)


def test_subtract_from_an_integer():
    assert 1 - Fraction(1, 3) == Fraction(2, 3)


def test_multiply():
    assert parts(Fraction(2, 3) * Fraction(9, 4)) == (3, 2)
    assert Fraction(2, 3) * 6 == 4


def test_divide():
    assert Fraction(2, 3) / Fraction(4, 9) == Fraction(3, 2)
    assert parts(Fraction(2, 3) / Fraction(-4, 9)) == (-3, 2)


def test_divide_an_integer():
    assert 3 / Fraction(3, 5) == 5


def test_divide_by_zero():
    with pytest.raises(ZeroDivisionError):
        Fraction(1, 2) / 0


def test_floor_division():
    assert Fraction(7, 2) // 1 == 3
    assert Fraction(-7, 2) // Fraction(2, 3) == -6


def test_remainder():
    assert Fraction(7, 2) % 1 == Fraction(1, 2)
    assert Fraction(-1, 3) % Fraction(1, 2) == Fraction(1, 6)


def test_divmod():
    assert divmod(Fraction(7, 3), Fraction(1, 2)) == (4, Fraction(1, 3))


def test_with_floats():
    assert Fraction(1, 2) + 0.25 == 0.75
    assert isinstance(0.25 * Fraction(1, 2), float)


def test_with_complex():
    assert Fraction(1, 2) + 1j == complex(0.5, 1)


def test_power():
    assert Fraction(2, 3) ** 3 == Fraction(8, 27)
    assert Fraction(2, 3) ** 0 == 1


def test_negative_power():
    assert Fraction(2, 3) ** -2 == Fraction(9, 4)
    assert Fraction(-2, 3) ** -3 == Fraction(-27, 8)


def test_fractional_power():
    assert Fraction(9, 4) ** Fraction(1, 2) == 1.5


def test_power_of_an_integer():
    assert 2 ** Fraction(3) == 8


def test_signs():
    assert -Fraction(1, 2) == Fraction(-1, 2)
    assert +Fraction(-1, 2) == Fraction(-1, 2)
    assert abs(Fraction(-1, 2)) == Fraction(1, 2)


def test_int_and_trunc():
    assert int(Fraction(-7, 2)) == -3
    assert math.trunc(Fraction(7, 2)) == 3


def test_floor_and_ceil():
    assert (math.floor(Fraction(-7, 2)), math.ceil(Fraction(-7, 2))) == (-4, -3)
    assert (math.floor(Fraction(7, 2)), math.ceil(Fraction(7, 2))) == (3, 4)


def test_round_half_to_even():
    assert [round(Fraction(n, 2)) for n in (1, 3, 5, -1, -3)] == [0, 2, 2, 0, -2]


def test_round_to_nearest():
    assert round(Fraction(8, 3)) == 3
    assert round(Fraction(7, 3)) == 2


def test_round_to_digits():
    assert round(Fraction(355, 113), 2) == Fraction(157, 50)
    assert round(Fraction(12345), -2) == 12300


def test_equal():
    assert Fraction(1, 2) == 0.5
    assert Fraction(4, 2) == 2
    assert Fraction(1, 3) != Fraction(1, 4)
    assert Fraction(1, 2) == complex(0.5, 0)


def test_equal_to_something_else():
    assert Fraction(1, 2) != "1/2"


def test_order():
    assert Fraction(1, 3) < Fraction(1, 2) <= Fraction(2, 4)
    assert Fraction(3, 4) > 0.5 >= Fraction(-1, 2)


def test_order_with_infinity():
    assert Fraction(10**6) < math.inf
    assert Fraction(-(10**6)) > -math.inf


def test_order_at_equality():
    assert not Fraction(1, 2) < Fraction(1, 2)
    assert not Fraction(1, 2) > Fraction(1, 2)
    assert Fraction(1, 2) >= Fraction(1, 2)


def test_hash():
    assert hash(Fraction(5)) == hash(5)
    assert hash(Fraction(1, 2)) == hash(0.5)
    assert hash(Fraction(-3, 4)) == hash(-0.75)


def test_truth():
    assert Fraction(1, 9)
    assert not Fraction(0, 5)


def test_float():
    assert float(Fraction(1, 8)) == 0.125


def test_sum_and_sort():
    values = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
    assert sum(values) == 1
    assert sorted(values) == values[::-1]
