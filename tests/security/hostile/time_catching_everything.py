# rule: bounded, not-passed
# does: loops for ever and catches whatever is thrown at it.
def f(x):
    while x == 0:
        try:
            while True:
                pass
        except BaseException:
            continue
    return x + 1
