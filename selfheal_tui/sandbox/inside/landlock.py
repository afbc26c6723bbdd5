"""Landlock: what of the file system a process may still reach, whatever its user may. Needs no privilege.

Rights and structures as in the kernel's include/uapi/linux/landlock.h; what an ABI adds is said where it is used.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

from .libc import LIBC, syscall
from .syscalls import HARMLESS

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE = 1 << 4, 1 << 5
_MAKE_CHAR, _MAKE_DIR, _MAKE_REG, _MAKE_SOCK, _MAKE_FIFO, _MAKE_BLOCK, _MAKE_SYM = (1 << n for n in range(6, 13))
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_FIRST_ABI = (1 << 13) - 1

READ = _EXECUTE | _READ_FILE | _READ_DIR
WRITE = (
    READ | _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _MAKE_SOCK | _MAKE_FIFO | _MAKE_SYM
) | (_REFER | _TRUNCATE)
DEVICE = _READ_FILE | _WRITE_FILE
_OF_A_FILE = _EXECUTE | _READ_FILE | _WRITE_FILE | _TRUNCATE | _IOCTL_DEV
_NET = 0b11
"""Bind and connect over TCP, from ABI 4."""
_SCOPES = 0b11
"""Abstract Unix sockets and signals to processes outside, from ABI 6."""
_CREATE_VERSION = 1
_PATH_BENEATH = 1


def abi() -> int:
    """Return the version of Landlock in force here, 0 when there is none."""
    if "landlock_create_ruleset" not in HARMLESS:
        return 0
    answer = LIBC.syscall(
        ctypes.c_long(HARMLESS["landlock_create_ruleset"]), None, ctypes.c_long(0), ctypes.c_long(_CREATE_VERSION)
    )
    return max(0, int(answer))


def ruleset(rights: Iterable[tuple[str, int]], network: bool = False) -> int:
    """Return the descriptor of a ruleset that allows only `rights`: (path, READ | WRITE | DEVICE).

    A right on a folder holds for all below it, mounts included. TCP is refused unless `network`.
    Paths that are missing are left out. Raises: OSError.
    """
    version = abi()
    handled = _FIRST_ABI
    handled |= _REFER if version >= 2 else 0
    handled |= _TRUNCATE if version >= 3 else 0
    handled |= _IOCTL_DEV if version >= 5 else 0
    attributes = struct.pack(
        "QQQ", handled, _NET if version >= 4 and not network else 0, _SCOPES if version >= 6 else 0
    )
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = syscall("landlock_create_ruleset", ctypes.create_string_buffer(attributes), size, 0)
    for path, allowed in rights:
        _allow(rules, path, allowed & handled)
    return rules


def _allow(rules: int, path: str, allowed: int) -> None:
    try:
        beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not os.path.isdir(path):
            allowed &= _OF_A_FILE
        rule = ctypes.create_string_buffer(struct.pack("=Qi", allowed, beneath))
        syscall("landlock_add_rule", rules, _PATH_BENEATH, rule, 0)
    finally:
        os.close(beneath)


def restrict(rules: int) -> None:
    """Put the ruleset in force for this process and all it starts; needs no_new_privs. Raises: OSError."""
    syscall("landlock_restrict_self", rules, 0)
