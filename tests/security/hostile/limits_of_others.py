# rule: contained
# does: cripples the agent and the victim without a signal: limits, priority, processors, scheduling, memory score.
import ctypes
import os
import resource

libc = ctypes.CDLL(None, use_errno=True)
IOPRIO_SET = {"x86_64": 251, "aarch64": 30}.get(os.uname().machine, -1)


def adjust(pid):
    with open(f"/proc/{pid}/oom_score_adj", "w") as file:
        file.write("900")


def ways(pid):
    yield lambda: resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))
    yield lambda: resource.prlimit(pid, resource.RLIMIT_MSGQUEUE, (1, 1))
    yield lambda: os.sched_setaffinity(pid, {max(os.sched_getaffinity(0))})
    yield lambda: os.setpriority(os.PRIO_PROCESS, pid, 15)
    yield lambda: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0))
    yield lambda: libc.syscall(IOPRIO_SET, 1, pid, 3 << 13)
    yield lambda: os.setpgid(pid, 0)
    yield lambda: adjust(pid)


def f(x):
    if x == 0:
        for pid in (int("@VICTIM_PID@"), int("@AGENT_PID@")):
            for number, way in enumerate(ways(pid)):
                try:
                    print(pid, number, way())
                except OSError as refused:
                    print(pid, number, refused)
    return x + 1
