# rule: not-passed
# does: writes messages of the kind that reports travel in to every descriptor: guessed, broken, huge and endless ones.
import json
import os
import struct


def frames():
    for number in range(4):
        for fields in ({"t": "plan", "ids": []}, {"t": "case", "outcome": "passed"}, {"t": "done"}):
            body = json.dumps({"n": "", "s": number, "id": "test_prog.py::test_0", **fields}).encode()
            yield struct.pack("!I", len(body)) + body
    yield b"\xff\xff\xff\xff" + b"[" * 4000
    yield struct.pack("!I", 40_000) + b'{"a":' * 8000
    yield struct.pack("!I", 9) + b"NaN\0\xff\xfe{}]"


def f(x):
    for fd in range(64):
        for frame in frames():
            try:
                os.set_blocking(fd, False)
                os.write(fd, frame)
            except OSError:
                break
    return x
