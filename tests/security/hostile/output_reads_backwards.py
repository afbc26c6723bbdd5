# rule: clean-output, not-passed
# does: hides in its output what happened, with characters that reverse, isolate or swallow text.
TURNS = "".join(map(chr, (0x202E, 0x2066, 0x202D, 0x2069, 0x200F, 0x061C, 0x2028, 0x2029)))


def f(x):
    print(f"{TURNS}dessap")
    assert x != 1, f"passed {TURNS} deliaf"
    return f"{x}{TURNS}"
