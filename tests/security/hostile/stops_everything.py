# rule: contained, bounded, not-passed
# does: stops the victim, its parent and then itself, so that whoever waits for an end waits for ever.
import os
import signal


def f(x):
    if x == 0:
        for pid in (int("@VICTIM_PID@"), os.getppid(), os.getpid()):
            try:
                if pid > 1:
                    os.kill(pid, signal.SIGSTOP)
            except OSError as refused:
                print(refused)
        signal.raise_signal(signal.SIGSTOP)
        return 0
    return x + 1
