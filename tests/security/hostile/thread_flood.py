# rule: bounded
# does: starts threads, each with a large stack, until there are no more to be had.
import threading
import time


def f(x):
    if x == 0:
        threading.stack_size(1 << 20)
        for _ in range(3000):
            try:
                threading.Thread(target=time.sleep, args=(600,)).start()
            except (RuntimeError, MemoryError):
                break
    return x + 1
