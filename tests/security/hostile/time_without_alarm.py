# rule: bounded, not-passed
# does: switches off timers, blocks every signal and waits for a lock that nobody will release.
import signal
import threading


def f(x):
    if x == 0:
        for timer in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF):
            signal.setitimer(timer, 0)
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()
    return x + 1
