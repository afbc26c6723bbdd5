# rule: bounded, not-passed
# does: matches a pattern that takes longer than the universe exists, inside C code that looks at no signal.
import re


def f(x):
    if x == 0:
        re.match(r"(?:a|a|aa|aaa)*b", "a" * 64 + "c")
    return x + 1
