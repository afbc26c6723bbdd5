# rule: not-passed
# does: crashes in different ways: abort, bad address, illegal stack, signals that mean success to nobody.
import ctypes
import os
import resource
import signal
import sys
import threading


def drown():
    sys.setrecursionlimit(1 << 30)
    nest = ()
    for _ in range(1 << 20):
        nest = (nest,)
    return hash(nest)


def f(x):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if x == 0:
        os.abort()
    if x == 1:
        ctypes.string_at(8)
    if x == 2:
        signal.signal(signal.SIGUSR1, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGUSR1)
    if x == 3:
        threading.stack_size(1 << 20)
        thread = threading.Thread(target=drown)
        thread.start()
        thread.join()
    if x == 4:
        os.kill(os.getpid(), signal.SIGKILL)
