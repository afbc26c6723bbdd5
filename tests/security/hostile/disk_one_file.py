# rule: bounded
# case_s: 2.5
# does: writes one file, and reserves others, as large as it may; stops by itself at 1 GB.
import os
import resource
import tempfile

BLOCK = b"\1" * (4 << 20)


def f(x):
    if x == 0:
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        except (OSError, ValueError):
            pass
        for name in ("big", os.path.join(tempfile.gettempdir(), "big")):
            try:
                with open(name, "wb", buffering=0) as file:
                    for _ in range(128):
                        file.write(BLOCK)
                    os.posix_fallocate(file.fileno(), 0, 1 << 29)
            except OSError as refused:
                print(refused)
    return x + 1
