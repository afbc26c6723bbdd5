"""The few calls to the C library and the kernel that Python's `os` does not have; importable anywhere, for Linux."""

from __future__ import annotations

import ctypes
import os
import struct
import sys

from .syscalls import HARMLESS, JUDGED, SETUP

NEW_MOUNT, NEW_UTS, NEW_IPC = 0x0002_0000, 0x0400_0000, 0x0800_0000
NEW_USER, NEW_PID, NEW_NET = 0x1000_0000, 0x2000_0000, 0x4000_0000
READ_ONLY, NO_SUID, NO_DEV, NO_EXEC, REMOUNT = 1, 2, 4, 8, 32
BIND, RECURSIVE, PRIVATE = 1 << 12, 1 << 14, 1 << 18
DETACH = 2

_DEATH_SIGNAL, _DUMPABLE, _NO_NEW_PRIVS, _SUBREAPER, _KEEP_CAPS = 1, 4, 38, 36, 8
_BOUNDING_DROP, _AMBIENT, _AMBIENT_RAISE = 24, 47, 2
_CAPABILITY_VERSION = 0x2008_0522
_CAPABILITIES = 64
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_SIGCHLD = 17

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long
_HOLDING = ctypes.PyDLL(None, use_errno=True)
"""The same library, called without giving up the interpreter's lock: a fork must keep it."""
_HOLDING.syscall.restype = ctypes.c_long


def syscall(name: str, *args: object) -> int:
    """Make a system call by name. Raises: OSError with the kernel's errno, or ENOSYS where the call has no number."""
    number = SETUP.get(name, HARMLESS.get(name, JUDGED.get(name)))
    if number is None:
        raise OSError(38, f"{name}: not on this machine")
    words = [ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args]
    return checked(LIBC.syscall(ctypes.c_long(number), *words), name)


def checked(result: int, call: str) -> int:
    """Return the result of a C call. Raises: OSError when it is negative."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")
    return result


def prctl(option: int, first: int = 0, second: int = 0) -> int:
    """Raises: OSError."""
    words = [ctypes.c_ulong(word) for word in (first, second, 0, 0)]
    return checked(LIBC.prctl(ctypes.c_int(option), *words), f"prctl {option}")


def die_with_parent() -> None:
    """Be killed when the thread that forked us ends; without effect off Linux."""
    if sys.platform == "linux":
        prctl(_DEATH_SIGNAL, 9)


def become_subreaper() -> None:
    """Inherit every orphan of our children; without effect off Linux."""
    if sys.platform == "linux":
        prctl(_SUBREAPER, 1)


def hide_from_tracers() -> None:
    """Keep processes of our own user out of our memory and /proc entry."""
    prctl(_DUMPABLE, 0)


def forbid_new_privileges() -> None:
    """From here on no program started gains anything from set-user-ID bits or file capabilities."""
    prctl(_NO_NEW_PRIVS, 1)


def unshare(flags: int) -> None:
    """Raises: OSError."""
    checked(LIBC.unshare(ctypes.c_int(flags)), "unshare")


def mount(source: str | None, target: str, kind: str | None = None, flags: int = 0, options: str | None = None) -> None:
    """Raises: OSError that names the target."""
    raw = [None if text is None else os.fsencode(text) for text in (source, target, kind)]
    data = None if options is None else os.fsencode(options)
    checked(LIBC.mount(*raw, ctypes.c_ulong(flags), data), f"mount {target}")


def make_read_only(path: str) -> None:
    """Make a mount and all below it read-only, without devices and set-user-ID bits (kernel 5.12 or newer)."""
    attributes = ctypes.create_string_buffer(struct.pack("QQQQ", READ_ONLY | NO_SUID | NO_DEV, 0, 0, 0))
    syscall("mount_setattr", _AT_FDCWD, os.fsencode(path), _AT_RECURSIVE, attributes, 32)


def pivot_root(new: str, old: str) -> None:
    """Raises: OSError."""
    syscall("pivot_root", os.fsencode(new), os.fsencode(old))


def unmount(path: str) -> None:
    """Take a mount and all below it out of sight."""
    checked(LIBC.umount2(os.fsencode(path), ctypes.c_int(DETACH)), f"unmount {path}")


def keep_capabilities() -> None:
    """Keep the capabilities over a change of user."""
    prctl(_KEEP_CAPS, 1)


def pass_capabilities_on() -> None:
    """Let the next program started keep our capabilities (in the user namespace that is ours)."""
    held = _capabilities()
    _set_capabilities([(effective, permitted, permitted) for effective, permitted, _ in held])
    for number in range(_CAPABILITIES):
        if held[number // 32][1] >> (number % 32) & 1:
            LIBC.prctl(_AMBIENT, ctypes.c_ulong(_AMBIENT_RAISE), ctypes.c_ulong(number), ctypes.c_ulong(0), 0)


def empty_bounding_set() -> None:
    """No program started from here on can hold a capability; those held now stay until they are dropped."""
    for number in range(_CAPABILITIES):
        if LIBC.prctl(_BOUNDING_DROP, ctypes.c_ulong(number), 0, 0, 0) < 0:
            return


def drop_capabilities() -> None:
    """Give up all capabilities for good. Raises: OSError."""
    _set_capabilities([(0, 0, 0), (0, 0, 0)])


def _capabilities() -> list[tuple[int, int, int]]:
    header = ctypes.create_string_buffer(struct.pack("II", _CAPABILITY_VERSION, 0))
    data = ctypes.create_string_buffer(24)
    checked(LIBC.capget(header, data), "capget")
    words = struct.unpack("6I", data.raw)
    return [(words[0], words[1], words[2]), (words[3], words[4], words[5])]


def _set_capabilities(sets: list[tuple[int, int, int]]) -> None:
    header = ctypes.create_string_buffer(struct.pack("II", _CAPABILITY_VERSION, 0))
    data = ctypes.create_string_buffer(struct.pack("6I", *sets[0], *sets[1]))
    syscall("capset", header, data)


def fork_into(flags: int) -> int:
    """Fork straight into new namespaces; 0 in the child. `os.fork` when `flags` is 0.

    One clone call in place of unshare, fork and setns: setns is refused inside bubblewrap. Only for a process with
    one thread. Raises: OSError.
    """
    if not flags:
        return os.fork()
    ctypes.pythonapi.PyOS_BeforeFork()
    number = ctypes.c_long(JUDGED["clone"])
    none = ctypes.c_long(0)
    pid = int(_HOLDING.syscall(number, ctypes.c_long(flags | _SIGCHLD), none, none, none, none))
    if pid == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
        return 0
    error = ctypes.get_errno()
    ctypes.pythonapi.PyOS_AfterFork_Parent()
    if pid < 0:
        raise OSError(error, f"clone: {os.strerror(error)}")
    return pid
