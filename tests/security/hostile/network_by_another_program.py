# rule: contained
# does: has a shell connect instead of itself.
import os
import subprocess


def f(x):
    if x == 0:
        for shell in ("/bin/bash", "/usr/bin/bash"):
            try:
                script = "exec 9<>/dev/tcp/127.0.0.1/@TCP_PORT@ && echo secrets >&9"
                print(subprocess.run([shell, "-c", script], timeout=0.3, check=False, stderr=subprocess.STDOUT))
            except (OSError, subprocess.SubprocessError) as refused:
                print(refused)
    if x == 1 and os.path.exists("/bin/bash"):
        try:
            os.waitpid(os.posix_spawn("/bin/bash", ["bash", "-c", ": > /dev/udp/127.0.0.1/@UDP_PORT@"], {}), 0)
        except OSError as refused:
            print(refused)
    return x + 1
