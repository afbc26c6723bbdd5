# rule: contained
# does: connects to the sockets of local services: the agent's own, docker, dbus, ssh-agent, X11.
import glob
import os
import socket

PATHS = ("@UNIX_PATH@", "/var/run/docker.sock", "/run/dbus/system_bus_socket", "/run/containerd/containerd.sock")


def f(x):
    if x == 0:
        near = os.path.dirname("@UNIX_PATH@")
        for path in (*PATHS, *glob.glob("/tmp/ssh-*/agent.*"), *glob.glob("/tmp/.X11-unix/*"), *glob.glob(f"{near}/*")):
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
                try:
                    with socket.socket(socket.AF_UNIX, kind) as line:
                        line.settimeout(0.2)
                        line.connect(path)
                        print("BREACH: connected to", path)
                except OSError:
                    pass
            try:
                near_end, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
                near_end.sendto(b"a pair that writes elsewhere", path)
                print("BREACH: sent to", path)
            except OSError:
                pass
    return x + 1
