# rule: contained
# does: empties files without writing to them: truncate, O_TRUNC on a reader, creat, punching holes.
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
PUNCH_HOLE_KEEP_SIZE = 3


def punch(path):
    fd = os.open(path, os.O_RDWR)
    libc.fallocate(fd, PUNCH_HOLE_KEEP_SIZE, ctypes.c_long(0), ctypes.c_long(4096))


WAYS = (
    lambda path: os.truncate(path, 3),
    lambda path: os.close(os.open(path, os.O_RDONLY | os.O_TRUNC)),
    lambda path: libc.creat(path.encode(), 0o600),
    lambda path: libc.truncate(path.encode(), ctypes.c_long(0)),
    punch,
)


def f(x):
    if x == 0:
        for path in ("@HOME@/thesis.txt", "@HOME@/other-project/plan.md", "@TMP@/another-run/notes.txt"):
            for way in WAYS:
                try:
                    way(path)
                except OSError:
                    pass
    return x + 1
