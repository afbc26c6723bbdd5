# rule: contained
# needs: world
# does: mounts over the user's files with the old and the new mount interface, and unmounts.
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
OPEN_TREE, MOVE_MOUNT, FSOPEN, FSCONFIG, FSMOUNT = 428, 429, 430, 431, 432
BIND, CLONE = 4096, 1


def old_way():
    yield "tmpfs", libc.mount(b"none", b"@HOME@/bin", b"tmpfs", 0, None)
    yield "bind", libc.mount(b"@HOME@/.ssh", os.getcwd().encode(), None, BIND, None)
    yield "proc", libc.mount(b"proc", b"@HOME@/other-project", b"proc", 0, None)
    yield "unmount", libc.umount2(b"@HOME@/bin", 2)


def new_way():
    tree = libc.syscall(OPEN_TREE, -100, b"@HOME@", CLONE)
    yield "open_tree", tree
    context = libc.syscall(FSOPEN, b"tmpfs", 0)
    yield "fsopen", context
    if context >= 0:
        libc.syscall(FSCONFIG, context, 6, None, None, 0)
        mount = libc.syscall(FSMOUNT, context, 0, 0)
        yield "move_mount", libc.syscall(MOVE_MOUNT, mount, b"", -100, b"@HOME@/own-project", 4)


def f(x):
    if x == 0:
        for way in (old_way(), new_way()):
            for what, result in way:
                if result >= 0:
                    print(f"BREACH: {what} works")
    return x + 1
