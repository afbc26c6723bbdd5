# rule: bounded, clean-output
# does: writes to both outputs as fast as it can and never stops.
import os


def f(x):
    if x == 0:
        text = b"all work and no play makes a dull log\n" * 2000
        while True:
            os.write(1, text)
            os.write(2, text)
    return x + 1
