# rule: not-passed, bounded
# does: returns lists nested so deeply, the recursion limit out of the way, that showing them breaks the interpreter.
import sys


def f(x):
    if x > 1:
        return None
    sys.setrecursionlimit(1 << 30)
    deep = []
    for _ in range(300_000):
        deep = [deep]
    return deep
