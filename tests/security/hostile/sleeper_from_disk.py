# rule: contained, bounded
# does: starts other programs in the background and does not wait for them.
import os
import subprocess


def f(x):
    if x == 0:
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        for arguments in (["sleep", "600"], ["sh", "-c", "trap '' TERM HUP; sleep 600 & sleep 600"]):
            try:
                subprocess.Popen(arguments, start_new_session=True, **quiet)
            except OSError as refused:
                print(refused)
        try:
            os.posix_spawnp("sleep", ["sleep", "600"], os.environ, setsid=True)
        except OSError as refused:
            print(refused)
    return x + 1
