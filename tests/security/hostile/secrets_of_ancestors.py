# rule: contained
# does: climbs from itself to process 1 along the parent field of /proc/PID/stat and reads each one's environment.
import os
import re
from pathlib import Path


def line_of_descent():
    pid = os.getpid()
    while pid:
        yield pid
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return


def f(x):
    if x == 0:
        print(sorted(value for value in os.environ.values() if "CANARY" in value))
        for pid in {*line_of_descent(), os.getppid(), 1, int("@AGENT_PID@")}:
            for name in ("environ", "cmdline"):
                try:
                    print(pid, re.findall(rb"CANARY[-\w]+", Path(f"/proc/{pid}/{name}").read_bytes()))
                except OSError:
                    pass
    return x + 1
