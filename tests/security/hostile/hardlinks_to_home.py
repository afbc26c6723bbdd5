# rule: contained
# does: gives foreign files a second name in its own folder and changes them under that.
import os

TARGETS = ("@HOME@/.bashrc", "@HOME@/.ssh/id_ed25519", "@TMP@/another-run/notes.txt")


def f(x):
    if x == 0:
        for number, target in enumerate(TARGETS):
            mine = f"mine-{number}"
            try:
                os.link(target, mine)
            except OSError:
                try:
                    handle = os.open(target, os.O_PATH)
                    os.link(f"/proc/self/fd/{handle}", mine, follow_symlinks=True)
                except OSError:
                    continue
            os.chmod(mine, 0o666)
            with open(mine, "r+") as file:
                print(file.read())
                file.write("changed under another name")
    return x + 1
