# rule: contained
# does: seizes the agent, the victim and its parent with ptrace.
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
SEIZE, DETACH = 0x4206, 17


def f(x):
    if x == 0:
        for who, pid in (("agent", int("@AGENT_PID@")), ("victim", int("@VICTIM_PID@")), ("parent", os.getppid())):
            if pid and libc.ptrace(SEIZE, pid, 0, 0) == 0:
                print(f"BREACH: the {who} is seized")
                libc.ptrace(DETACH, pid, 0, 0)
    return x + 1
