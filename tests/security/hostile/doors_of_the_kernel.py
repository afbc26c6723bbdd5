# rule: contained
# does: knocks at rarely used system calls, where kernels have their holes: bpf, perf, keys, userfaultfd, aio, IPC.
import ctypes
import os
import struct

libc = ctypes.CDLL(None, use_errno=True)
X86 = os.uname().machine == "x86_64"


def room(*values, size=128):
    packed = b"".join(struct.pack("I", value) for value in values)
    return ctypes.create_string_buffer(packed.ljust(size, b"\0"), size)


DOORS = {
    "add_key": lambda: libc.syscall(248 if X86 else 217, b"user", b"a name", b"a value", 7, -2),
    "keyctl": lambda: libc.syscall(250 if X86 else 219, 0, -3, 1),
    "bpf": lambda: libc.syscall(321 if X86 else 280, 0, room(2, 4, 8, 1), 72),
    "perf_event_open": lambda: libc.syscall(298 if X86 else 241, room(1, 112), 0, -1, -1, 0),
    "userfaultfd": lambda: libc.syscall(323 if X86 else 282, 1 | os.O_CLOEXEC),
    "io_setup": lambda: libc.syscall(206 if X86 else 0, 4, ctypes.byref(ctypes.c_ulong())),
    "kcmp": lambda: libc.syscall(312 if X86 else 272, os.getpid(), os.getpid(), 1, 0, 0),
    "personality": lambda: libc.personality(0x0040000),
    "memfd_secret": lambda: libc.syscall(447, 0),
    "fanotify_init": lambda: libc.fanotify_init(0x200, os.O_RDONLY),
    "pidfd_open": lambda: libc.syscall(434, int("@VICTIM_PID@"), 0),
    "semget": lambda: libc.semget(0, 1, 0o1600),
    "msgget": lambda: libc.msgget(0, 0o1600),
    "mq_open": lambda: libc.mq_open(b"/an-arena-queue", os.O_CREAT | os.O_RDWR, 0o600, None),
    "klogctl": lambda: libc.klogctl(3, room(), 100),
    "quotactl": lambda: libc.syscall(179 if X86 else 60, 0x80000100, None, 0, None),
    "swapon": lambda: libc.syscall(167 if X86 else 224, b"/nowhere", 0) if os.getuid() else -1,
    "modify_ldt": lambda: libc.syscall(154, 0, room(), 16) if X86 else -1,
    "iopl": lambda: libc.syscall(172, 3) if X86 else -1,
}


def f(x):
    if x == 0:
        for name, knock in DOORS.items():
            if knock() >= 0:
                print(f"BREACH: {name} opens")
        libc.mq_unlink(b"/an-arena-queue")
    return x + 1
