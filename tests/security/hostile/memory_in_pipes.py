# rule: bounded
# case_s: 2.5
# does: fills pipes and socket buffers, enlarged as far as allowed, which no process is charged for.
import fcntl
import os
import socket

SET_PIPE_SIZE = 1031
BLOCK = b"\1" * (1 << 16)


def fill(fd):
    os.set_blocking(fd, False)
    try:
        while True:
            os.write(fd, BLOCK)
    except BlockingIOError:
        pass


def f(x):
    if x == 0:
        kept = []
        try:
            for _ in range(2000):
                kept.append(os.pipe())
                try:
                    fcntl.fcntl(kept[-1][1], SET_PIPE_SIZE, 1 << 20)
                except OSError:
                    pass
                fill(kept[-1][1])
                kept.append(socket.socketpair())
                kept[-1][0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
                fill(kept[-1][0].fileno())
        except OSError as refused:
            print(len(kept), refused)
        for pair in kept:
            for end in pair:
                end.close() if isinstance(end, socket.socket) else os.close(end)
    return x + 1
