# rule: clean-output, not-passed
# does: prints bytes that are no UTF-8, NULs and lone surrogates, and fails with them.
import os
import sys


def f(x):
    os.write(1, bytes(range(256)) + b"\xf0\x9f\n\xc0\x80\xed\xa0\x80\0\0")
    print("half a pair \ud83d and \udcff, nothing \0 here", file=sys.stdout)
    if x % 2:
        raise ValueError("\udc80\ud800\0\x00")
    return "\ud800\0\x85"
