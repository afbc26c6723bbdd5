# rule: contained
# needs: world
# does: leaves its root folder: chroot and climb out, and pivot_root.
import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}


def f(x):
    if x == 0:
        # The kernel looks at the folders only after it has agreed to the call: EBUSY or EINVAL are a yes.
        number = PIVOT_ROOT.get(os.uname().machine, -1)
        if libc.syscall(number, b"/", b"/") == 0 or ctypes.get_errno() in (errno.EBUSY, errno.EINVAL):
            print("BREACH: pivot_root is within reach", ctypes.get_errno())
    if x == 1:
        outside = os.open(".", os.O_RDONLY)
        os.makedirs("cell", exist_ok=True)
        try:
            os.chroot("cell")
        except OSError as refused:
            print(refused)
            return 2
        print("BREACH: chroot works")
        os.fchdir(outside)
        for _ in range(64):
            os.chdir("..")
        os.chroot(".")
    return x + 1
