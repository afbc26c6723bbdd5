# rule: contained
# needs: world
# does: opens for writing what steers the kernel in /proc/sys and /sys, and renames the machine.
import ctypes
import glob
import os
import socket

libc = ctypes.CDLL(None, use_errno=True)
KNOBS = (
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/modprobe",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sys/fs/binfmt_misc/register",
    "/proc/sys/net/ipv4/ip_forward",
    "/proc/sysrq-trigger",
    "/proc/irq/default_smp_affinity",
    "/sys/kernel/uevent_helper",
    "/sys/kernel/mm/ksm/run",
    "/sys/power/state",
    "/sys/fs/cgroup/cgroup.procs",
)


def f(x):
    if x == 0:
        for path in (*KNOBS, *glob.glob("/sys/kernel/mm/*/enabled"), *glob.glob("/sys/block/*/queue/read_ahead_kb")):
            try:
                os.close(os.open(path, os.O_WRONLY))
                print(f"BREACH: {path} opens for writing")
            except OSError:
                pass
        name = socket.gethostname().encode()
        if libc.sethostname(name, len(name)) == 0:
            print("BREACH: the machine takes a name")
    return x + 1
