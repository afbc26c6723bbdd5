# rule: bounded, contained
# case_s: 2.5
# does: fills System V shared memory and detaches it, so that it stays after the last process; stops by itself at 3 GB.
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
SIZE, CREATE = 96 << 20, 0o1600


def f(x):
    if x == 0:
        for _ in range((3 << 30) // SIZE):
            segment = libc.shmget(0, ctypes.c_size_t(SIZE), CREATE)
            address = libc.shmat(segment, None, 0) if segment >= 0 else None
            if address is None or address == ctypes.c_void_p(-1).value:
                break
            ctypes.memset(address, 1, SIZE)
            libc.shmdt(ctypes.c_void_p(address))
    return x + 1
