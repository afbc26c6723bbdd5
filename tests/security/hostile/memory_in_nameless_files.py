# rule: bounded
# case_s: 2.5
# does: writes files that exist only in memory (memfd, O_TMPFILE), which no address space counts; stops at 3 GB.
import os
import tempfile

STEP = b"\1" * (8 << 20)


def files():
    try:
        for _ in range(96):
            yield os.memfd_create("")
    except OSError:
        pass
    for folder in (".", tempfile.gettempdir(), "/dev/shm", "/run"):
        try:
            for _ in range(8):
                yield os.open(folder, os.O_TMPFILE | os.O_RDWR)
        except OSError:
            continue


def f(x):
    if x == 0:
        written = 0
        for fd in files():
            try:
                for _ in range(4):
                    if written < 3 << 30:
                        written += os.write(fd, STEP)
            except OSError as refused:
                print(refused)
        print(written >> 20)
    return x + 1
