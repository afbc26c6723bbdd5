# rule: contained
# does: asks which capabilities it has and becomes other users.
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
CAPGET = {"x86_64": 125, "aarch64": 90}


def f(x):
    if x == 0:
        header, sets = (ctypes.c_uint * 2)(0x20080522, 0), (ctypes.c_uint * 6)()
        if libc.syscall(CAPGET.get(os.uname().machine, -1), header, sets) == 0:
            effective, permitted = sets[0] | sets[3] << 32, sets[1] | sets[4] << 32
            if effective or permitted:
                print(f"BREACH: capabilities {effective:#x} {permitted:#x}")
        for change in (lambda: os.setgroups([0, 4, 6]), lambda: os.setresgid(1, 1, 1), lambda: os.setresuid(7, 7, 7)):
            before = os.getresuid(), os.getresgid(), os.getgroups()
            try:
                change()
            except OSError:
                continue
            if before != (os.getresuid(), os.getresgid(), os.getgroups()):
                print("BREACH: another user or group now", os.getresuid(), os.getresgid(), os.getgroups())
    return x + 1
