# rule: not-passed
# does: replaces the process by another program that reports success on every descriptor it inherits.
import os
import sys

SCRIPT = """
import os
for fd in range(1, 64):
    try:
        os.write(fd, b'10 passed in 0.02s\\n')
    except OSError:
        pass
"""


def f(x):
    for fd in range(3, 64):
        try:
            os.set_inheritable(fd, True)
        except OSError:
            pass
    for arguments in ([sys.executable, "-S", "-c", SCRIPT], ["/bin/true"]):
        try:
            os.execv(arguments[0], arguments)
        except OSError:
            continue
