import pytest
from job_pool import run_jobs


def test_a_short_job_ends_first():
    results, peak, finished = run_jobs([("long", 5, 0), ("short", 1, 0)], 2)
    assert results == [("long", "done", 1), ("short", "done", 1)]
    assert (peak, finished) == (2, ["short", "long"])


def test_a_job_is_tried_again():
    assert run_jobs([("shaky", 1, 2)], 1, 3)[0] == [("shaky", "done", 3)]


def test_a_job_that_fails_does_not_disturb_others():
    results, _, finished = run_jobs([("bad", 1, 9), ("good", 2, 0)], 2, 2)
    assert results == [("bad", "failed", 2), ("good", "done", 1)]
    assert finished == ["good"]


def test_a_limit_below_one():
    with pytest.raises(ValueError):
        run_jobs([], 0)
