from breaker import Breaker


def opened(limit=3, pause=5, at=0):
    breaker = Breaker(limit, pause)
    for _ in range(limit):
        breaker.failed(at)
    return breaker


def test_a_new_breaker_is_closed():
    breaker = Breaker(3, 5)
    assert (breaker.state(0), breaker.allows(0), breaker.allows(0)) == ("closed", True, True)


def test_failures_below_the_limit_do_not_open_it():
    breaker = Breaker(3, 5)
    breaker.failed(0)
    breaker.failed(1)
    assert breaker.allows(2)


def test_the_limit_opens_it():
    assert [opened(limit).state(1) for limit in (1, 2, 3)] == ["open"] * 3


def test_the_pause_ends_to_the_second():
    breaker = opened()
    assert [breaker.state(now) for now in (0, 4.9, 5, 100)] == ["open", "open", "half open", "half open"]


def test_half_open_allows_one_call():
    breaker = opened()
    assert [breaker.allows(5), breaker.allows(5), breaker.allows(50)] == [True, False, False]


def test_a_success_closes_it():
    breaker = opened()
    breaker.allows(6)
    breaker.succeeded(7)
    assert (breaker.state(7), breaker.allows(7), breaker.allows(7)) == ("closed", True, True)


def test_once_closed_it_counts_from_nothing():
    breaker = opened()
    breaker.allows(6)
    breaker.succeeded(7)
    breaker.failed(8)
    breaker.failed(9)
    assert breaker.state(9) == "closed"
    breaker.failed(10)
    assert breaker.state(10) == "open"


def test_one_failure_when_half_open_opens_it_again():
    breaker = opened()
    breaker.allows(6)
    breaker.failed(7)
    assert [breaker.state(7), breaker.state(11), breaker.state(12)] == ["open", "open", "half open"]


def test_the_next_half_open_time_allows_a_call_again():
    breaker = opened()
    breaker.allows(6)
    breaker.failed(7)
    assert [breaker.allows(11), breaker.allows(12), breaker.allows(12)] == [False, True, False]


def test_results_while_it_is_open_are_ignored():
    breaker = opened()
    breaker.succeeded(1)
    assert breaker.state(2) == "open"
    breaker.failed(3)
    assert breaker.state(5) == "half open"


def test_successes_between_failures():
    breaker = Breaker(2, 5)
    for now in range(6):
        breaker.failed(now)
        breaker.succeeded(now)
    assert breaker.state(6) == "closed"
