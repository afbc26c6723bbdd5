# rule: passes
# case_s: 2.5
# does: what ordinary programs do: threads, 150 MB, files and modes, a database, asyncio, sleep, a child if allowed.
import asyncio
import hashlib
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import uuid


def files():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.txt")
        with open(path, "w") as file:
            file.write("some text\n" * 1000)
        os.chmod(path, 0o640)
        shutil.copy2(path, "copy.txt")
        os.rename("copy.txt", "renamed.txt")
        assert os.path.getsize("renamed.txt") == 10_000
        os.unlink("renamed.txt")


def database():
    with sqlite3.connect("numbers.db") as connection:
        connection.execute("create table numbers (n integer)")
        connection.executemany("insert into numbers values (?)", [(n,) for n in range(100)])
        assert connection.execute("select sum(n) from numbers").fetchone() == (4950,)
    connection.close()
    os.unlink("numbers.db")


def memory():
    block = bytearray(150 << 20)
    block[:: 1 << 20] = b"x" * 150
    assert len(hashlib.sha256(block[: 1 << 20]).hexdigest()) == 64


def threads():
    sums = []
    crew = [threading.Thread(target=lambda: sums.append(sum(range(1000)))) for _ in range(8)]
    for thread in crew:
        thread.start()
    for thread in crew:
        thread.join()
    assert sums == [499_500] * 8


async def two_at_once():
    await asyncio.gather(asyncio.sleep(0.01), asyncio.to_thread(time.sleep, 0.01))


def child():
    try:
        done = subprocess.run([sys.executable, "-S", "-c", "print(6 * 7)"], capture_output=True, check=False, timeout=5)
    except OSError:
        return
    assert done.returncode != 0 or done.stdout == b"42\n"


WORK = (
    files,
    database,
    memory,
    threads,
    lambda: asyncio.run(two_at_once()),
    child,
    lambda: random.seed(uuid.uuid4().int),
)


def f(x):
    if x < len(WORK):
        WORK[x]()
    return x + 1
