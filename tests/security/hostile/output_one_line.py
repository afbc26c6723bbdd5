# rule: bounded, clean-output, not-passed
# does: prints a line of 6 MB and fails with a message of 40 MB that has no line break either.
import sys


def f(x):
    if x == 0:
        sys.stdout.write("=" * 6_000_000)
    if x == 1:
        raise AssertionError("long " * 8_000_000)
    return x + 1
