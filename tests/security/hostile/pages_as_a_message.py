# rule: contained, passes
# does: reads and changes which pages of a library the machine holds in memory, a message for the next run to find.
import ctypes
import mmap
import os

libc = ctypes.CDLL(None, use_errno=True)
X86 = os.uname().machine == "x86_64"
number = (lambda x86, other: x86) if X86 else (lambda x86, other: other)
LIBRARY = os.open(os.__file__, os.O_RDONLY)
PAGES = mmap.mmap(LIBRARY, 0, prot=mmap.PROT_READ)
OWN = mmap.mmap(-1, 1 << 16)
AT = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(OWN)))
ROOM = ctypes.create_string_buffer(256)
VECTOR = (ctypes.c_size_t * 2)(ctypes.addressof(ROOM), 64)
FILE, LONG = ctypes.c_int(LIBRARY), ctypes.c_long


def vectored(number, flags):
    return libc.syscall(LONG(number), FILE, VECTOR, LONG(1), LONG(0), LONG(0), LONG(flags))


def advised(advice):
    try:
        PAGES.madvise(advice)
    except OSError:
        return -1
    return 0


DOORS = {
    "mincore": lambda: libc.syscall(LONG(number(27, 232)), AT, LONG(4096), ROOM),
    "cachestat": lambda: libc.syscall(LONG(451), FILE, (LONG * 2)(0, 4096), ROOM, LONG(0)),
    "fadvise64": lambda: libc.syscall(LONG(number(221, 223)), FILE, LONG(0), LONG(0), LONG(4)),
    "readahead": lambda: libc.syscall(LONG(number(187, 213)), FILE, LONG(0), LONG(4096)),
    "syncfs": lambda: libc.syncfs(FILE),
    "preadv2 without waiting": lambda: vectored(number(327, 286), 8),
    "preadv2 without keeping": lambda: vectored(number(327, 286), 0x80),
    "cold": lambda: advised(20),
    "page out": lambda: advised(21),
    "populate": lambda: advised(22),
    "io_setup": lambda: libc.syscall(LONG(number(206, 0)), LONG(4), ctypes.byref(ctypes.c_ulong())),
    "process_madvise": lambda: libc.syscall(LONG(440), LONG(0), VECTOR, LONG(1), LONG(21), LONG(0)),
}


def f(x):
    if x == 0:
        for name, knock in DOORS.items():
            if knock() >= 0:
                print(f"BREACH: {name} works")
        if vectored(number(327, 286), 0) != 64:
            print("BREACH: a plain preadv2 fails, so that the others tell nothing")
    return x + 1
