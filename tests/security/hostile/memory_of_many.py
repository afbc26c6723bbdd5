# rule: bounded, contained
# case_s: 2.5
# does: has twelve children hold a quarter of a gigabyte each, so that none of them is over its own limit.
import ctypes
import os
import time

SHARE = 250 << 20


def f(x):
    if x == 0:
        for _ in range(12):
            try:
                child = os.fork()
            except OSError:
                break
            if child == 0:
                ctypes.CDLL(None).prctl(15, b"arena-survivor", 0, 0, 0)
                held = bytearray(b"\1") * SHARE
                time.sleep(600)
                os._exit(len(held) & 1)
        time.sleep(600)
    return x + 1
