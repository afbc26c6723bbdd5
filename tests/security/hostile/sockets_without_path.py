# rule: contained
# does: connects to abstract sockets, which live in no folder, by their name and by the kernel's list of them.
import socket


def names():
    yield "@ABSTRACT@"
    try:
        with open("/proc/net/unix") as table:
            yield from {line.split(" @", 1)[1].strip() for line in table if " @" in line}
    except OSError:
        pass


def f(x):
    if x == 0:
        for name in names():
            try:
                with socket.socket(socket.AF_UNIX) as line:
                    line.settimeout(0.2)
                    line.connect(f"\0{name}")
                    print("BREACH: connected to", name)
            except OSError as refused:
                print(refused)
    return x + 1
