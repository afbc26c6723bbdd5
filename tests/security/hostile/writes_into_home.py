# rule: contained
# does: adds a line to ~/.bashrc, an autostart entry and an authorised key, and rewrites a project's source.
import os
from pathlib import Path

HOME = Path("@HOME@")


def attempts():
    with (HOME / ".bashrc").open("a") as file:
        yield file.write("# was here\n")
    (HOME / ".config" / "autostart").mkdir(parents=True)
    yield (HOME / ".config" / "autostart" / "helper.desktop").write_text("[Desktop Entry]\nExec=true\n")


def f(x):
    if x == 0:
        for path, text in (
            (".ssh/authorized_keys", "ssh-ed25519 AAAA"),
            ("other-project/src/core.py", "answer = 41\n"),
        ):
            try:
                fd = os.open(HOME / path, os.O_RDWR | os.O_CREAT)
                os.write(fd, text.encode())
                os.close(fd)
            except OSError:
                pass
        try:
            print(list(attempts()))
        except OSError as refused:
            print(refused)
    return x + 1
