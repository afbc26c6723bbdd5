# rule: not-passed
# does: forks, so that two processes come back from every call, one of them with another answer.
import os


def f(x):
    try:
        twin = os.fork()
    except OSError:
        twin = -1
    return 1 if twin == 0 and x == 0 else None
