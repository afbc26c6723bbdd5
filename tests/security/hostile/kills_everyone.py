# rule: contained, not-passed
# needs: world
# does: signals all processes it may signal at once: kill(-1), its group, its session.
import os
import signal


def f(x):
    for number in (signal.SIGTERM, signal.SIGKILL):
        for target in (-1, 0, -os.getsid(0)):
            try:
                os.kill(target, number)
            except OSError as refused:
                print(refused)
    return x
