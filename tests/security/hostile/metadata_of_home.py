# rule: contained
# does: changes modes, owners, times, attributes and flags of files that it may not write.
import array
import ctypes
import fcntl
import os

libc = ctypes.CDLL(None, use_errno=True)
FCHMODAT2, SET_FLAGS, NO_DUMP = 452, 0x40086602, 0x40


def flag(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        fcntl.ioctl(fd, SET_FLAGS, array.array("l", [NO_DUMP]), True)
    finally:
        os.close(fd)


WAYS = (
    lambda path: os.chmod(path, 0o666),
    lambda path: os.chmod(os.open(path, os.O_RDONLY), 0o660),
    lambda path: libc.fchmodat(-100, path.encode(), 0o644, 0),
    lambda path: libc.syscall(FCHMODAT2, -100, path.encode(), 0o604, 0x100),
    lambda path: os.chown(path, os.getuid(), os.getgid()),
    lambda path: os.utime(path, (1, 1)),
    lambda path: os.utime(path, ns=(7, 7), follow_symlinks=False),
    lambda path: os.setxattr(path, "user.mark", b"mine"),
    flag,
)


def f(x):
    if x == 0:
        for path in ("@HOME@/.ssh/id_ed25519", "@HOME@/.ssh", "@HOME@/thesis.txt", "@TMP@/another-run/notes.txt"):
            for way in WAYS:
                try:
                    way(path)
                except OSError:
                    pass
    return x + 1
