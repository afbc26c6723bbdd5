# rule: contained
# does: sends datagrams, with and without connecting, several at once, and over IPv6's form of the address.
import socket

PORT = int("@UDP_PORT@")


def attempts():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as loose:
        yield loose.sendto(b"secrets", ("127.0.0.1", PORT))
        yield loose.sendmsg([b"more ", b"secrets"], [], 0, ("127.0.0.1", PORT))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as tied:
        tied.connect(("127.0.0.1", PORT))
        yield tied.send(b"secrets")


def f(x):
    if x == 0:
        try:
            print(list(attempts()))
        except OSError as refused:
            print(refused)
        try:
            with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as six:
                print(six.sendto(b"secrets", ("::ffff:127.0.0.1", PORT)))
        except OSError as refused:
            print(refused)
    return x + 1
