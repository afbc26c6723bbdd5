# rule: bounded
# case_s: 2.5
# does: keeps allocating small and large objects, and starts again when it is refused; stops by itself at 3 GB.
STEP = 24 << 20


def f(x):
    if x == 0:
        kept = []
        for _ in range((3 << 30) // STEP):
            try:
                kept.append(b"\1" * STEP)
                kept.append([number * 1.5 for number in range(1000)])
            except MemoryError:
                continue
    return x + 1
