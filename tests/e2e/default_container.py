"""Runs a command under those rules of Docker's default seccomp profile that decide which sandbox tier works.

`python default_container.py COMMAND...`. Without CAP_SYS_ADMIN that profile refuses new namespaces and mounts, and
says that clone3 is missing; it allows Landlock (moby/profiles, seccomp/default.json). Needs nothing but Python, as it
is also handed to an interpreter as text. x86_64 only.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

MACHINE = "x86_64"
_MOUNTS = (155, 165, 166, 272, 308, 428, 429, 430, 431, 432, 433, 442)
"""pivot_root, mount, umount2, unshare, setns, and the newer calls from open_tree to mount_setattr."""
_CLONE, _CLONE3 = 56, 435
_NEW_NAMESPACES = 0x7E020000
_LOAD, _IF_EQUAL, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _EPERM, _ENOSYS = 0x7FFF0000, 0x00050001, 0x00050026


def restrict() -> None:
    """Put the rules in force for this process and what it starts. Raises: OSError."""
    steps = [(_LOAD, 0, 0, 0)]
    for number in _MOUNTS:
        steps += [(_IF_EQUAL, 0, 1, number), (_RETURN, 0, 0, _EPERM)]
    steps += [(_IF_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _ENOSYS)]
    steps += [(_IF_EQUAL, 0, 3, _CLONE), (_LOAD, 0, 0, 16), (_IF_ANY_BIT, 0, 1, _NEW_NAMESPACES)]
    steps += [(_RETURN, 0, 0, _EPERM), (_RETURN, 0, 0, _ALLOW)]
    program = b"".join(struct.pack("HBBI", *step) for step in steps)
    text = ctypes.create_string_buffer(program, len(program))
    described = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(text))
    libc = ctypes.CDLL(None, use_errno=True)
    zero = ctypes.c_ulong(0)
    # PR_SET_NO_NEW_PRIVS, then PR_SET_SECCOMP with a filter.
    failed = libc.prctl(38, ctypes.c_ulong(1), zero, zero, zero)
    if failed or libc.prctl(22, ctypes.c_ulong(2), described, zero, zero):
        raise OSError(ctypes.get_errno(), "the filter could not be loaded")


if __name__ == "__main__":
    restrict()
    os.execvp(sys.argv[1], sys.argv[1:])
