# rule: bounded, not-passed
# does: multiplies numbers so large that a single operation never ends.
def f(x):
    if x == 0:
        small = 7 ** (1 << 22)
        return (small ** small.bit_length()) % 10
    return x + 1
