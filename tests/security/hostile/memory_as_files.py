# rule: bounded, contained
# case_s: 2.5
# needs: world
# does: fills every folder that is really memory with files; stops by itself at 3 GB.
import glob
import os
import tempfile

BLOCK = b"\1" * (16 << 20)


def f(x):
    if x == 0:
        total = 0
        for folder in ("/dev/shm", "/dev", "/run", *glob.glob("/run/user/*"), "/tmp", tempfile.gettempdir(), "/"):
            for number in range(200):
                try:
                    with open(os.path.join(folder, f"arena-fill-{number}"), "wb") as file:
                        total += file.write(BLOCK)
                except OSError:
                    break
                if total >= 3 << 30:
                    return 1
    return x + 1
