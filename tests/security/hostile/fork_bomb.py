# rule: contained, bounded
# does: doubles itself until nothing more is allowed; stops by itself near 300 processes.
import ctypes
import os
import time


def f(x):
    if x == 0:
        depth = 0
        while depth < 8:
            try:
                os.fork()
            except OSError:
                break
            depth += 1
        ctypes.CDLL(None).prctl(15, b"arena-survivor", 0, 0, 0)
        time.sleep(600)
    return x + 1
