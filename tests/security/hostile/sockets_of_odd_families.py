# rule: contained
# does: opens sockets that are no Internet sockets and reach as far: netlink, packet, vsock, crypto, raw, Bluetooth.
import socket

SEQPACKET, RAW, DATAGRAM, STREAM = 5, 3, 2, 1
FAMILIES = {
    "netlink": (16, RAW, 0),
    "netlink audit": (16, RAW, 9),
    "packet": (17, RAW, 0x300),
    "key": (15, RAW, 2),
    "crypto": (38, SEQPACKET, 0),
    "vsock": (40, STREAM, 0),
    "xdp": (44, RAW, 0),
    "bluetooth": (31, RAW, 1),
    "can": (29, RAW, 1),
    "tipc": (30, STREAM, 0),
    "kcm": (41, DATAGRAM, 0),
    "smc": (43, STREAM, 0),
    "mptcp": (2, STREAM, 262),
    "icmp": (2, DATAGRAM, 1),
    "raw": (2, RAW, 255),
}


def f(x):
    if x == 0:
        for name, (family, kind, protocol) in FAMILIES.items():
            try:
                socket.socket(family, kind, protocol).close()
                print(f"BREACH: a {name} socket")
            except OSError:
                pass
    return x + 1
