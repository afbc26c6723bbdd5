# rule: not-passed
# does: answers one case and declines the others: skipped or expected to fail.
import unittest

import pytest


def f(x):
    if x % 3 == 1:
        pytest.skip("not on this machine")
    if x % 3 == 2:
        pytest.xfail("known")
    if x > 0:
        raise unittest.SkipTest("later")
    return 1
