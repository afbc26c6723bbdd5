# rule: contained, bounded
# does: leaves a grandchild with a session of its own, deaf to signals and without open files, that means to stay.
import ctypes
import os
import signal
import time

SET_NAME, SET_DEATH_SIGNAL = 15, 1


def stay():
    os.closerange(0, 1024)
    for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    libc = ctypes.CDLL(None)
    libc.prctl(SET_DEATH_SIGNAL, 0, 0, 0, 0)
    libc.prctl(SET_NAME, b"arena-survivor", 0, 0, 0)
    time.sleep(600)


def f(x):
    if x == 0:
        try:
            child = os.fork()
        except OSError:
            return 1
        if child:
            os.waitpid(child, 0)
            return 1
        try:
            os.setsid()
            if os.fork() == 0:
                stay()
        finally:
            os._exit(0)
    return x + 1
