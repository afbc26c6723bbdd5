"""The system-call filter: an allowlist with checked arguments, assembled to classic BPF here.

Everything that is not named is refused: EPERM for a call known today, ENOSYS for a later one, so that libraries fall
back. A call by another machine's interface (32 bit, x32) ends the process or is missing. Without a pid namespace the
filter also keeps the program from every process but itself, because Landlock does not mediate those calls.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
from collections.abc import Iterable

from .libc import LIBC, checked, prctl
from .syscalls import HARMLESS, HIGHEST, JUDGED

Instruction = tuple[int, int, int, int]
"""code, jump if true, jump if false, constant."""

_LOAD, _AND, _JUMP, _IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT, _RETURN = 0x20, 0x54, 0x05, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF_0000, 0x8000_0000, 0x0005_0000
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
_ARCHITECTURE = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7, "arm64": 0xC000_00B7}
_X32 = 0x4000_0000
_FAR = 255
"""The longest conditional jump."""
_OURSELVES = 0x7EAD_BEE5
"""Stands for the process's own pid until the filter is loaded."""

_NEW_NAMESPACES = 0x7E02_0000
_THREAD = 0x0001_0000
_UNIX, _INET, _INET6 = 1, 2, 10
_CONNECTED_KINDS, _SOCKET_KIND_MASK = (1, 5), 0xF
"""SOCK_STREAM and SOCK_SEQPACKET: a pair of these stays a pair, one of datagrams can be sent to any path."""
_TERMINAL_TRICKS = (0x5412, 0x541C, 0x5423)
"""TIOCSTI, TIOCLINUX, TIOCSETD: put keys into our terminal."""
_OWNER_TRICKS = (0x8901, 0x8902)
"""FIOSETOWN, SIOCSPGRP: have signals sent to others."""
_FCNTL_TRICKS = (8, 10, 15, 1024, 1026)
"""F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY."""
_PRCTL = (1, 2, 3, 15, 16, 21, 22, 23, 27, 29, 30, 38, 39, 42, 55, 0x5356_4D41)
"""Options that change nothing but the process's own name, signals and timing; PR_SET_DUMPABLE is not among them."""
_FILE_KINDS = (0, 0x8000, 0x1000, 0xC000)
"""Regular files, fifos and sockets; no devices."""
_KIND_MASK = 0xF000
_O_TRUNC, _O_WRITES, _O_TMPFILE = 0o1000, 0o3, 0o2000_0000

_PRETENDED = (
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat"),
    *("utime", "utimes", "futimesat", "utimensat"),
)
"""Landlock does not mediate metadata: told to have worked, so that shutil.copy goes on, and left undone."""
_SIGNALS = ("kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo")
_WATCHING = ("inotify_init", "inotify_init1", "inotify_add_watch", "pidfd_open", "pidfd_send_signal", "tkill")
_SOCKETS = ("connect", "bind", "listen", "accept", "accept4")
_MISSING = ("clone3", "memfd_create", "io_uring_setup", "cachestat", "fadvise64", "mincore", "readahead")
"""Told to be missing: their arguments cannot be checked, their memory escapes the limit, or they look at the pages
of files that the machine holds in memory, and change which it holds: a message from one run to the next."""
_ABOUT_ALL = ("sync", "syncfs")
"""Make the whole machine write to its disks."""
_ADVICE_IN_VAIN = 3
"""MADV_WILLNEED: advice may be left undone."""
_ADVICE_ON_PAGES = (20, 21, 22, 23, 25)
"""MADV_COLD, MADV_PAGEOUT, MADV_POPULATE_READ, MADV_POPULATE_WRITE, MADV_COLLAPSE, as unknown as to an older kernel."""


def build(*, own_pids: bool, unix_sockets: bool, truncate_guarded: bool, network: bool = False) -> bytes:
    """Return the filter.

    `own_pids`: the process has a pid namespace of its own, so forks and signals stay inside. `unix_sockets`: they
    cannot leave either (Landlock ABI 6 or no file to connect to). `truncate_guarded`: Landlock knows truncation
    (ABI 3). `network`: the user lets it use IP.
    """
    verdicts: dict[int, list[Instruction]] = {number: [_done(_ALLOW)] for number in HARMLESS.values()}
    judged = _common(unix_sockets, network) | ({} if own_pids else _alone(truncate_guarded))
    for name in _MISSING:
        judged[name] = [_refuse(errno.ENOSYS)]
    for name in _ABOUT_ALL:
        judged[name] = [_refuse()]
    for name, number in JUDGED.items():
        verdicts[number] = judged.get(name, [_done(_ALLOW)])
    head: list[Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_IF_EQUAL, 1, 0, _ARCHITECTURE[platform.machine()]),
        _done(_KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
    if platform.machine() == "x86_64":
        head += [(_IF_ANY_BIT, 0, 1, _X32), _refuse(errno.ENOSYS)]
    return b"".join(struct.pack("HBBI", *step) for step in [*head, *_search(_ranges(verdicts))])


def load(program: bytes, pid: int) -> None:
    """Put the filter in force for this process, `pid`, and all it starts; needs no_new_privs. Raises: OSError."""
    program = program.replace(struct.pack("I", _OURSELVES), struct.pack("I", pid))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]

    steps = ctypes.create_string_buffer(program, len(program))
    described = Program(len(program) // 8, ctypes.cast(steps, ctypes.c_void_p))
    # Mode filter, with SPEC_ALLOW: the default costs every call of the run a flush of the branch predictor.
    number = ctypes.c_long(HARMLESS["seccomp"])
    if LIBC.syscall(number, ctypes.c_long(1), ctypes.c_long(4), ctypes.byref(described)) == 0:
        return
    words = (ctypes.c_ulong(2), ctypes.byref(described), ctypes.c_ulong(0), ctypes.c_ulong(0))
    checked(LIBC.prctl(ctypes.c_int(22), *words), "seccomp")


def available() -> bool:
    """Whether the kernel takes filters (PR_GET_SECCOMP answers) and we can write one for this machine."""
    if platform.machine() not in _ARCHITECTURE:
        return False
    try:
        return prctl(21) >= 0
    except OSError:
        return False


def _common(unix_sockets: bool, network: bool) -> dict[str, list[Instruction]]:
    families = [*([_UNIX] if unix_sockets else []), *([_INET, _INET6] if network else [])]
    judged = {
        "clone": [_argument(0), (_IF_ANY_BIT, 0, 1, _NEW_NAMESPACES), _refuse(), _done(_ALLOW)],
        "socketpair": _only(0, [_UNIX]) if unix_sockets else _pairs(),
        "socket": _only(0, families),
        "ioctl": _never(1, _TERMINAL_TRICKS),
        "prctl": _only(0, _PRCTL),
        "mknod": _only(1, _FILE_KINDS, _KIND_MASK),
        "mknodat": _only(2, _FILE_KINDS, _KIND_MASK),
        # A flag can ask whether a page is in memory (RWF_NOWAIT), or have it dropped (RWF_DONTCACHE).
        "preadv2": _only(5, [0], refusal=errno.EOPNOTSUPP),
        "pwritev2": _only(5, [0], refusal=errno.EOPNOTSUPP),
        "madvise": _advice(),
    }
    if not families:
        judged |= {name: [_refuse()] for name in _SOCKETS}
    return judged


def _pairs() -> list[Instruction]:
    kinds = _only(1, _CONNECTED_KINDS, _SOCKET_KIND_MASK)
    return [_argument(0), (_IF_EQUAL, 1, 0, _UNIX), _refuse(), *kinds]


def _alone(truncate_guarded: bool) -> dict[str, list[Instruction]]:
    """Without a pid namespace: no process but this one can be started, seen, signalled or slowed."""
    ours = [_OURSELVES, 0]
    judged: dict[str, list[Instruction]] = {name: [_refuse()] for name in (*_WATCHING, "fork", "vfork")}
    judged |= {name: [_refuse()] for name in ("execve", "execveat")}
    judged |= {name: [_refuse(0)] for name in _PRETENDED}
    judged |= {name: _only(0, [_OURSELVES]) for name in _SIGNALS}
    judged |= {name: _only(0, ours) for name in ("prlimit64", "sched_setaffinity", "setpgid")}
    judged |= {
        "clone": [
            _argument(0),
            (_IF_ANY_BIT, 0, 1, _NEW_NAMESPACES),
            _refuse(),
            (_IF_ANY_BIT, 1, 0, _THREAD),
            _refuse(),
            _done(_ALLOW),
        ],
        "setpriority": [_argument(0), (_IF_EQUAL, 1, 0, 0), _refuse(), *_only(1, ours)],
        "fcntl": _never(1, _FCNTL_TRICKS),
        "ioctl": _never(1, (*_TERMINAL_TRICKS, *_OWNER_TRICKS)),
    }
    if not truncate_guarded:
        judged |= {"truncate": [_refuse()], "creat": [_refuse()]}
    judged["openat2"] = [_refuse(errno.ENOSYS)]  # its flags lie in memory, where they cannot be checked
    for name, flags in (("open", 1), ("openat", 2)):
        judged[name] = _opening(flags, truncate_guarded)
    return judged


def _opening(flags: int, truncate_guarded: bool) -> list[Instruction]:
    """No files without a name, which a look at the folder does not find; no emptying of what may only be read."""
    steps = [_argument(flags), (_IF_ANY_BIT, 0, 1, _O_TMPFILE), _refuse(errno.EOPNOTSUPP)]
    if not truncate_guarded:
        steps += [(_IF_ANY_BIT, 0, 2, _O_TRUNC), (_IF_ANY_BIT, 1, 0, _O_WRITES), _refuse()]
    return [*steps, _done(_ALLOW)]


def _done(action: int) -> Instruction:
    return (_RETURN, 0, 0, action)


def _refuse(number: int = errno.EPERM) -> Instruction:
    return _done(_ERROR | number)


def _argument(index: int) -> Instruction:
    """Load the low half of an argument: every one that is looked at is an int to the kernel."""
    return (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * index)


def _advice() -> list[Instruction]:
    steps = [_argument(2), (_IF_EQUAL, 0, 1, _ADVICE_IN_VAIN), _refuse(0)]
    for value in _ADVICE_ON_PAGES:
        steps += [(_IF_EQUAL, 0, 1, value), _refuse(errno.EINVAL)]
    return [*steps, _done(_ALLOW)]


def _only(index: int, values: Iterable[int], mask: int | None = None, refusal: int = errno.EPERM) -> list[Instruction]:
    steps = [_argument(index)] + ([] if mask is None else [(_AND, 0, 0, mask)])
    for value in values:
        steps += [(_IF_EQUAL, 0, 1, value), _done(_ALLOW)]
    return [*steps, _refuse(refusal)]


def _never(index: int, values: Iterable[int]) -> list[Instruction]:
    steps = [_argument(index)]
    for value in values:
        steps += [(_IF_EQUAL, 0, 1, value), _refuse()]
    return [*steps, _done(_ALLOW)]


def _ranges(verdicts: dict[int, list[Instruction]]) -> list[tuple[int, list[Instruction]]]:
    """Return (first number, steps) for each run of numbers with the same verdict, in order, from 0."""
    ranges: list[tuple[int, list[Instruction]]] = []
    for number in range(HIGHEST + 1):
        steps = verdicts.get(number, [_refuse()])
        if not ranges or ranges[-1][1] != steps:
            ranges.append((number, steps))
    return [*ranges, (HIGHEST + 1, [_refuse(errno.ENOSYS)])]


def _search(ranges: list[tuple[int, list[Instruction]]]) -> list[Instruction]:
    """Return a binary search over the call's number, which is loaded."""
    if len(ranges) == 1:
        return ranges[0][1]
    middle = len(ranges) // 2
    below, above = _search(ranges[:middle]), _search(ranges[middle:])
    first = ranges[middle][0]
    if len(below) <= _FAR:
        return [(_IF_AT_LEAST, len(below), 0, first), *below, *above]
    return [(_IF_AT_LEAST, 0, 1, first), (_JUMP, 0, 0, len(below)), *below, *above]
