# rule: bounded
# case_s: 2.5
# does: fills anonymous shared mappings, which belong to no process alone; stops by itself at 3 GB.
import mmap

STEP = 32 << 20


def f(x):
    if x == 0:
        kept = []
        try:
            for _ in range((3 << 30) // STEP):
                block = mmap.mmap(-1, STEP, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
                block[:: mmap.PAGESIZE] = b"\1" * (STEP // mmap.PAGESIZE)
                kept.append(block)
        except (OSError, MemoryError) as refused:
            print(refused)
    return x + 1
