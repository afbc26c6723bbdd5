# rule: passes, bounded
# does: answers right but leaves a thread behind that is no daemon and never ends.
import threading
import time


def breathe():
    while True:
        time.sleep(0.01)


threading.Thread(target=breathe).start()


def f(x):
    return x + 1
