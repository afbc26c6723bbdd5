# rule: contained
# does: kills the agent, the victim and its own parent, by every call that sends a signal.
import ctypes
import os
import signal
import struct

libc = ctypes.CDLL(None, use_errno=True)
X86 = os.uname().machine == "x86_64"
TGKILL, QUEUE, PIDFD_OPEN, PIDFD_SEND = 234 if X86 else 131, 129 if X86 else 138, 434, 424
INFO = struct.pack("iii", signal.SIGKILL, 0, -1).ljust(128, b"\0")


def ways(pid):
    yield "pidfd", lambda: libc.syscall(PIDFD_SEND, libc.syscall(PIDFD_OPEN, pid, 0), signal.SIGKILL, None, 0)
    yield "queue", lambda: libc.syscall(QUEUE, pid, signal.SIGKILL, INFO)
    yield "tgkill", lambda: libc.syscall(TGKILL, pid, pid, signal.SIGKILL)
    yield "kill", lambda: libc.kill(pid, signal.SIGKILL)


def f(x):
    if x == 0:
        for pid in (int("@VICTIM_PID@"), int("@AGENT_PID@"), os.getppid()):
            for name, way in ways(pid) if pid > 1 else ():
                print(pid, name, way())
    return x + 1
