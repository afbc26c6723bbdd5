# rule: contained
# does: makes new namespaces, where it would be root, by unshare and clone, and enters the agent's by setns.
import ctypes
import os
import signal

libc = ctypes.CDLL(None, use_errno=True)
KINDS = {"user": 0x10000000, "mount": 0x20000, "pid": 0x20000000, "net": 0x40000000, "ipc": 0x8000000, "time": 0x80}
CLONE = {"x86_64": 56, "aarch64": 220}.get(os.uname().machine, -1)


def f(x):
    if x == 0:
        for name in ("user", "mnt", "pid", "net", "ipc"):
            try:
                fd = os.open(f"/proc/@AGENT_PID@/ns/{name}", os.O_RDONLY)
            except OSError:
                continue
            if libc.setns(fd, 0) == 0:
                print(f"BREACH: in the agent's {name} namespace")
            os.close(fd)
    if x == 1:
        for name, flag in KINDS.items():
            pid = libc.syscall(CLONE, flag | signal.SIGCHLD, 0, 0, 0, 0)
            if pid == 0:
                os._exit(0)
            if pid > 0:
                os.waitpid(pid, 0)
                print(f"BREACH: a child has a {name} namespace of its own")
    if x == 2:
        for name in ("mount", "net", "user"):
            if libc.unshare(KINDS[name]) == 0:
                print(f"BREACH: a new {name} namespace")
    return x + 1
