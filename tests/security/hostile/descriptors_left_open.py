# rule: contained
# does: looks through its own descriptors for folders, sockets and files that were forgotten open.
import os
import stat


def f(x):
    if x == 0:
        for fd in range(1024):
            try:
                mode = os.fstat(fd).st_mode
            except OSError:
                continue
            if stat.S_ISDIR(mode):
                print(f"BREACH: descriptor {fd} is a folder of", os.listdir(fd)[:20])
            elif stat.S_ISSOCK(mode):
                print(f"BREACH: descriptor {fd} is a socket")
            elif stat.S_ISREG(mode):
                print(fd, os.pread(fd, 4000, 0)[:200])
    return x + 1
