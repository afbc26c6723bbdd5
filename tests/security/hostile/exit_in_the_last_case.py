# rule: not-passed
# does: answers nine cases and leaves with status 0 in the tenth, from another thread.
import os
import threading
import time


def f(x):
    if x == 9:
        threading.Thread(target=os._exit, args=(0,)).start()
        time.sleep(1)
    return x + 1
