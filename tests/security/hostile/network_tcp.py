# rule: contained
# does: connects to a port by connect, by a connect that does not wait, and by a first packet that carries data.
import socket
import urllib.request

HERE = ("127.0.0.1", int("@TCP_PORT@"))
FAST_OPEN = 0x20000000


def patient():
    socket.create_connection(HERE, 0.3).sendall(b"GET /secrets HTTP/1.0\r\n\r\n")


def hasty():
    connection = socket.socket()
    connection.setblocking(False)
    connection.connect_ex(HERE)


def early():
    socket.socket().sendto(b"data first", FAST_OPEN, HERE)


def polite():
    urllib.request.urlopen(f"http://{HERE[0]}:{HERE[1]}/?with=secrets", timeout=0.3)


def f(x):
    if x == 0:
        for way in (patient, hasty, early, polite):
            try:
                way()
            except OSError as refused:
                print(way.__name__, refused)
    return x + 1
