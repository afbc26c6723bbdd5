# rule: passes, clean-output
# does: prints a few hundred kilobytes with colours in them, which is no crime.
import logging
import sys


def f(x):
    for number in range(300):
        print(f"\x1b[32mstep {number}\x1b[0m of case {x}: " + "." * 60)
        if number % 10 == 0:
            print("a warning", file=sys.stderr)
            logging.warning("number %d", number)
    return x + 1
