"""What the documentation says of `statistics`."""

import math
import statistics
from decimal import Decimal
from fractions import Fraction

import pytest


def test_mean():
    assert statistics.mean([1, 2, 3, 4, 4]) == 2.8


def test_mean_of_fractions():
    assert statistics.mean([Fraction(3, 7), Fraction(1, 21), Fraction(5, 3), Fraction(1, 3)]) == Fraction(13, 21)


def test_mean_of_decimals():
    assert statistics.mean([Decimal("0.5"), Decimal("0.75"), Decimal("0.625"), Decimal("0.375")]) == Decimal("0.5625")


def test_mean_of_nothing():
    with pytest.raises(statistics.StatisticsError, match="at least one data point"):
        statistics.mean([])


def test_mean_of_infinity():
    assert statistics.mean([1.0, math.inf]) == math.inf
    assert math.isnan(statistics.mean([math.inf, -math.inf]))


def test_mean_is_exact():
    assert statistics.mean([1e50, 3, -1e50]) == 1


def test_fmean():
    assert statistics.fmean([3.5, 4.0, 5.25]) == 4.25


def test_fmean_with_weights():
    assert statistics.fmean([85, 92, 83, 91], [0.20, 0.20, 0.30, 0.30]) == pytest.approx(87.6)


def test_fmean_of_an_iterator():
    assert statistics.fmean(iter([1, 2, 6])) == 3.0


def test_fmean_with_too_few_weights():
    with pytest.raises(statistics.StatisticsError, match="same length"):
        statistics.fmean([1, 2, 3], [1, 2])


def test_fmean_with_weights_of_nothing():
    with pytest.raises(statistics.StatisticsError, match="non-zero"):
        statistics.fmean([1, 2], [0, 0])


def test_geometric_mean():
    assert round(statistics.geometric_mean([54, 24, 36]), 1) == 36.0


def test_geometric_mean_of_a_negative():
    with pytest.raises(statistics.StatisticsError, match="positive"):
        statistics.geometric_mean([1, -2])


def test_harmonic_mean():
    assert statistics.harmonic_mean([40, 60]) == 48.0


def test_harmonic_mean_with_weights():
    assert statistics.harmonic_mean([40, 60], weights=[5, 30]) == 56.0


def test_harmonic_mean_with_zero():
    assert statistics.harmonic_mean([1, 0, 2]) == 0


def test_harmonic_mean_of_one():
    assert statistics.harmonic_mean([5]) == 5


def test_harmonic_mean_of_a_negative():
    with pytest.raises(statistics.StatisticsError, match="negative values"):
        statistics.harmonic_mean([1, -1])


def test_median_of_an_odd_number():
    assert statistics.median([5, 1, 3]) == 3


def test_median_of_an_even_number():
    assert statistics.median([1, 7, 3, 5]) == 4.0


def test_median_of_nothing():
    with pytest.raises(statistics.StatisticsError, match="no median"):
        statistics.median([])


def test_median_low():
    assert statistics.median_low([1, 3, 5, 7]) == 3
    assert statistics.median_low([1, 3, 5]) == 3


def test_median_high():
    assert statistics.median_high([1, 3, 5, 7]) == 5
    assert statistics.median_high([1, 3, 5]) == 3


def test_median_grouped():
    assert statistics.median_grouped([1, 2, 2, 3, 4, 4, 4, 4, 4, 5]) == 3.7


def test_median_grouped_with_interval():
    assert statistics.median_grouped([1, 3, 3, 5, 7], interval=2) == 3.5
    assert statistics.median_grouped([1, 3, 3, 5, 7], interval=1) == 3.25


def test_median_grouped_of_one():
    assert statistics.median_grouped([4]) == 4


def test_mode():
    assert statistics.mode([1, 1, 2, 3, 3, 3, 3, 4]) == 3


def test_mode_takes_the_first():
    assert statistics.mode(["red", "blue", "blue", "red"]) == "red"


def test_mode_of_nothing():
    with pytest.raises(statistics.StatisticsError, match="no mode"):
        statistics.mode([])


def test_multimode():
    assert statistics.multimode("aabbbbccddddeeffffgg") == ["b", "d", "f"]
    assert statistics.multimode("") == []


def test_quantiles():
    assert statistics.quantiles([1, 2, 3, 4, 5]) == [1.5, 3.0, 4.5]


def test_quantiles_inclusive():
    assert statistics.quantiles([1, 2, 3, 4, 5], method="inclusive") == [2.0, 3.0, 4.0]


def test_quantiles_of_ten():
    assert statistics.quantiles(range(1, 100), n=10) == [10, 20, 30, 40, 50, 60, 70, 80, 90]


def test_quantiles_of_two_points():
    assert statistics.quantiles([2, 1], n=2) == [1.5]


def test_quantiles_of_bad_number():
    with pytest.raises(statistics.StatisticsError, match="n must be at least 1"):
        statistics.quantiles([1, 2], n=0)


def test_quantiles_of_one_point():
    with pytest.raises(statistics.StatisticsError, match="at least two data points"):
        statistics.quantiles([1])


def test_quantiles_of_another_method():
    with pytest.raises(ValueError, match="Unknown method: 'x'"):
        statistics.quantiles([1, 2], method="x")


def test_pvariance():
    assert statistics.pvariance([0.0, 0.25, 0.25, 1.25, 1.5, 1.75, 2.75, 3.25]) == 1.25


def test_pvariance_with_mean():
    assert statistics.pvariance([1, 2, 3, 6], 3) == 3.5


def test_pvariance_of_fractions():
    assert statistics.pvariance([Fraction(1, 4), Fraction(5, 4), Fraction(1, 2)]) == Fraction(13, 72)


def test_pvariance_of_decimals():
    assert statistics.pvariance([Decimal("27.5"), Decimal("30.25"), Decimal("34.5")]) == Decimal(
        "8.291666666666666666666666667"
    )


def test_variance():
    assert statistics.variance([2.75, 1.75, 1.25, 0.25, 0.5, 1.25, 3.5]) == pytest.approx(1.3720238095238095)


def test_variance_with_mean():
    assert statistics.variance([1, 2, 3, 6], 3) == pytest.approx(14 / 3)


def test_variance_of_one():
    with pytest.raises(statistics.StatisticsError, match="at least two data points"):
        statistics.variance([1])


def test_pstdev():
    assert statistics.pstdev([1.5, 2.5, 2.5, 2.75, 3.25, 4.75]) == pytest.approx(0.986893273527251)


def test_stdev():
    assert statistics.stdev([1.5, 2.5, 2.5, 2.75, 3.25, 4.75]) == pytest.approx(1.0810874155219827)


def test_stdev_of_decimals():
    assert statistics.pstdev([Decimal(2), Decimal(4)]) == Decimal(1)


def test_stdev_is_exact():
    assert statistics.pstdev([0, 0, 6, 6]) == 3.0


def test_covariance():
    assert statistics.covariance([1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 1, 2, 3, 1, 2, 3]) == 0.75


def test_covariance_of_different_lengths():
    with pytest.raises(statistics.StatisticsError, match="same number of data points"):
        statistics.covariance([1, 2], [1])


def test_covariance_of_one():
    with pytest.raises(statistics.StatisticsError, match="at least two"):
        statistics.covariance([1], [2])


def test_correlation():
    assert statistics.correlation([1, 2, 3], [2, 4, 6]) == pytest.approx(1.0)
    assert statistics.correlation([1, 2, 3], [3, 2, 1]) == pytest.approx(-1.0)


def test_correlation_in_part():
    assert statistics.correlation([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(0.8)


def test_correlation_of_a_constant():
    with pytest.raises(statistics.StatisticsError, match="constant"):
        statistics.correlation([1, 1, 1], [1, 2, 3])


def test_linear_regression():
    line = statistics.linear_regression([1, 2, 3], [3, 5, 7])
    assert (line.slope, line.intercept) == (pytest.approx(2.0), pytest.approx(1.0))


def test_linear_regression_through_the_origin():
    line = statistics.linear_regression([1, 2], [2, 5], proportional=True)
    assert (line.slope, line.intercept) == (pytest.approx(2.4), 0.0)


def test_linear_regression_of_a_constant():
    with pytest.raises(statistics.StatisticsError, match="x is constant"):
        statistics.linear_regression([2, 2], [1, 3])


def test_normal_of_samples():
    normal = statistics.NormalDist.from_samples([1, 2, 3, 4, 5])
    assert (normal.mean, normal.stdev) == (3.0, pytest.approx(1.5811388300841898))


def test_normal_properties():
    normal = statistics.NormalDist(10, 2)
    assert (normal.mean, normal.median, normal.mode, normal.stdev, normal.variance) == (10, 10, 10, 2, 4)


def test_normal_of_negative_sigma():
    with pytest.raises(statistics.StatisticsError, match="non-negative"):
        statistics.NormalDist(0, -1)


def test_normal_pdf():
    assert statistics.NormalDist(1, 2).pdf(2) == pytest.approx(0.17603266338)
    assert statistics.NormalDist().pdf(0) == pytest.approx(0.3989422804)


def test_normal_cdf():
    assert statistics.NormalDist(100, 15).cdf(115) == pytest.approx(0.8413447461)
    assert statistics.NormalDist().cdf(0) == 0.5


def test_normal_inv_cdf():
    assert statistics.NormalDist(100, 15).inv_cdf(0.975) == pytest.approx(129.3994597)
    assert statistics.NormalDist().inv_cdf(0.5) == 0.0


def test_normal_inv_cdf_of_a_bad_probability():
    with pytest.raises(statistics.StatisticsError, match="p must be in the range"):
        statistics.NormalDist().inv_cdf(1.0)


def test_normal_quantiles():
    quarters = statistics.NormalDist(0, 1).quantiles(4)
    assert quarters == [pytest.approx(-0.6744897502), 0.0, pytest.approx(0.6744897502)]


def test_normal_overlap():
    assert statistics.NormalDist(2.4, 1.6).overlap(statistics.NormalDist(3.2, 2.0)) == pytest.approx(0.8035050657)
    assert statistics.NormalDist(0, 1).overlap(statistics.NormalDist(2, 1)) == pytest.approx(0.3173105079)


def test_normal_zscore():
    assert statistics.NormalDist(100, 15).zscore(130) == 2.0


def test_normal_sums():
    one, other = statistics.NormalDist(1, 3), statistics.NormalDist(2, 4)
    assert one + other == statistics.NormalDist(3, 5)
    assert one - other == statistics.NormalDist(-1, 5)


def test_normal_with_numbers():
    normal = statistics.NormalDist(5, 2)
    assert normal + 1 == statistics.NormalDist(6, 2)
    assert 1 - normal == statistics.NormalDist(-4, 2)
    assert normal * -3 == statistics.NormalDist(-15, 6)
    assert normal / 2 == statistics.NormalDist(2.5, 1)


def test_normal_signs():
    assert -statistics.NormalDist(5, 2) == statistics.NormalDist(-5, 2)
    assert +statistics.NormalDist(5, 2) == statistics.NormalDist(5, 2)


def test_normal_equality():
    assert statistics.NormalDist(1, 2) != statistics.NormalDist(1, 3)
    assert hash(statistics.NormalDist(1, 2)) == hash(statistics.NormalDist(1.0, 2.0))


def test_normal_repr():
    assert repr(statistics.NormalDist(1, 2)) == "NormalDist(mu=1.0, sigma=2.0)"


def test_normal_samples():
    normal = statistics.NormalDist(10, 2)
    assert normal.samples(3, seed=7) == normal.samples(3, seed=7)
    assert len(normal.samples(5)) == 5
