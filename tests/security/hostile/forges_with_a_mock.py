# rule: not-passed
# does: returns what a test library itself offers to equal anything.
from unittest import mock


def f(x):
    return mock.ANY
