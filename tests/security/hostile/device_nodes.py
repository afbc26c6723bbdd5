# rule: contained
# does: makes device files of its own for the machine's memory and disks and opens them for reading.
import os
import stat


def devices():
    yield stat.S_IFCHR, 1, 1, "memory"
    yield stat.S_IFCHR, 10, 237, "loop control"
    yield stat.S_IFCHR, 1, 11, "kernel log"
    try:
        with open("/proc/partitions") as file:
            for line in file.read().splitlines()[2:6]:
                major, minor, _, name = line.split()
                yield stat.S_IFBLK, int(major), int(minor), name
    except OSError:
        yield stat.S_IFBLK, 254, 0, "vda"


def f(x):
    if x == 0:
        for kind, major, minor, name in devices():
            try:
                os.mknod(f"node-{major}-{minor}", kind | 0o600, os.makedev(major, minor))
                os.close(os.open(f"node-{major}-{minor}", os.O_RDONLY | os.O_NONBLOCK))
                print(f"BREACH: {name} opens")
            except OSError as refused:
                print(name, refused)
    return x + 1
