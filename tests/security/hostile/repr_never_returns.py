# rule: not-passed, bounded
# does: returns a value, and raises an error, whose text takes for ever to make.
import time


class Slow(Exception):
    def __repr__(self):
        while True:
            try:
                time.sleep(60)
            except BaseException:
                pass

    __str__ = __repr__


def f(x):
    if x == 0:
        return Slow()
    if x == 1:
        raise Slow
    return x
