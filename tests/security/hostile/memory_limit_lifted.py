# rule: bounded
# case_s: 2.5
# does: raises its own limits, locks its memory and allocates; stops by itself at 3 GB.
import ctypes
import resource

libc = ctypes.CDLL(None, use_errno=True)
STEP = 64 << 20


def f(x):
    if x == 0:
        for what in (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_MEMLOCK, resource.RLIMIT_CPU):
            for most in (resource.RLIM_INFINITY, resource.getrlimit(what)[1]):
                try:
                    resource.setrlimit(what, (most, most))
                    break
                except (OSError, ValueError):
                    pass
        libc.mlockall(3)
        kept = []
        try:
            for _ in range((3 << 30) // STEP):
                kept.append(bytearray(b"\1") * STEP)
        except MemoryError:
            pass
    return x + 1
