from breaker import Breaker


def opened(at=0):
    breaker = Breaker(2, 10)
    breaker.failed(at)
    breaker.failed(at)
    return breaker


def test_two_failures_open_it():
    assert (opened().state(1), opened().allows(1)) == ("open", False)


def test_a_success_starts_the_count_anew():
    breaker = Breaker(2, 10)
    breaker.failed(0)
    breaker.succeeded(1)
    breaker.failed(2)
    assert breaker.state(3) == "closed"


def test_after_the_pause_one_call_is_allowed():
    breaker = opened()
    assert [breaker.allows(9), breaker.allows(10), breaker.allows(11)] == [False, True, False]


def test_after_a_second_pause_one_call_is_allowed_again():
    breaker = opened()
    breaker.allows(12)
    breaker.failed(13)
    assert [breaker.allows(20), breaker.allows(24)] == [False, True]
