# rule: not-passed
# does: ends the process with status 0 while it is imported, after having said that all is well.
import os

os.write(1, b"10 passed in 0.01s\n")
os._exit(0)


def f(x):
    return None
