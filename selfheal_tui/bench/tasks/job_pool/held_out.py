import pytest
from job_pool import run_jobs

TEN = [(f"j{n}", n % 3 + 1, 0) for n in range(10)]


def test_no_jobs():
    assert run_jobs([], 3) == ([], 0, [])


@pytest.mark.parametrize("limit", [1, 2, 5, 10, 99])
def test_the_peak_is_the_limit_or_all(limit):
    results, peak, finished = run_jobs(TEN, limit)
    assert peak == min(limit, 10)
    assert results == [(name, "done", 1) for name, _, _ in TEN]
    assert sorted(finished) == sorted(name for name, _, _ in TEN)


def test_one_at_a_time_ends_in_order():
    assert run_jobs(TEN, 1)[2] == [name for name, _, _ in TEN]


def test_side_by_side_the_shorter_ends_first():
    assert run_jobs([("a", 30, 0), ("b", 20, 0), ("c", 10, 0)], 3)[2] == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("failures", "attempts", "result"),
    [
        (0, 1, ("x", "done", 1)),
        (1, 1, ("x", "failed", 1)),
        (1, 2, ("x", "done", 2)),
        (2, 2, ("x", "failed", 2)),
        (4, 5, ("x", "done", 5)),
        (5, 5, ("x", "failed", 5)),
    ],
)
def test_attempts(failures, attempts, result):
    assert run_jobs([("x", 1, failures)], 1, attempts)[0] == [result]


def test_failed_jobs_give_their_place_to_others():
    jobs = [("b1", 1, 9), ("b2", 1, 9), ("g1", 1, 0), ("g2", 1, 0), ("g3", 1, 0)]
    results, peak, finished = run_jobs(jobs, 2, 3)
    assert [state for _, state, _ in results] == ["failed", "failed", "done", "done", "done"]
    assert (peak, finished) == (2, ["g1", "g2", "g3"])


def test_all_may_fail():
    assert run_jobs([("a", 0, 1), ("b", 0, 1)], 2) == ([("a", "failed", 1), ("b", "failed", 1)], 1, [])


def test_each_run_counts_for_itself():
    run_jobs(TEN, 5)
    assert run_jobs([("a", 1, 0)], 5)[1:] == (1, ["a"])


@pytest.mark.parametrize(("limit", "attempts"), [(0, 1), (-1, 1), (1, 0)])
def test_numbers_that_cannot_be(limit, attempts):
    with pytest.raises(ValueError):
        run_jobs([("a", 1, 0)], limit, attempts)
