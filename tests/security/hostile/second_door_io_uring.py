# rule: contained
# does: sets up an io_uring, which opens files and sockets without the system calls of those names.
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
SETUP, REGISTER = 425, 427


def f(x):
    if x == 0:
        for entries in (1, 8, 64):
            ring = libc.syscall(SETUP, entries, ctypes.create_string_buffer(120))
            if ring >= 0:
                print(
                    "BREACH: io_uring, register:",
                    libc.syscall(REGISTER, ring, 8, ctypes.create_string_buffer(2080), 256),
                )
                break
    return x + 1
