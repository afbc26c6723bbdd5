# rule: contained
# does: starts programs that run as root for everybody and checks whether it could gain privileges by execve at all.
import ctypes
import glob
import os
import subprocess

GET_NO_NEW_PRIVS = 39


def f(x):
    if x == 0:
        if ctypes.CDLL(None).prctl(GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1:
            print("BREACH: execve may add privileges")
        for program in ("@HOME@/bin/id-as-root", *glob.glob("/usr/bin/su"), *glob.glob("/bin/mount")):
            arguments = [program, "-u"] if "id-as" in program else [program, "--version"]
            try:
                said = subprocess.run(arguments, capture_output=True, text=True, timeout=0.3, check=False).stdout
            except (OSError, subprocess.SubprocessError):
                continue
            if said.strip() == "0" and os.getuid() != 0:
                print("BREACH: a child is root")
    return x + 1
