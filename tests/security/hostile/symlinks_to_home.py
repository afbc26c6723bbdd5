# rule: contained
# does: fills its folder with links to the user's files, writes through them and leaves them to whoever tidies up.
import os
import tempfile

HOME = "@HOME@"


def f(x):
    if x == 0:
        for number, target in enumerate((HOME, f"{HOME}/other-project", f"{HOME}/thesis.txt", "/", f"{HOME}/.ssh")):
            for folder in (".", tempfile.gettempdir(), os.path.dirname(tempfile.gettempdir())):
                try:
                    os.symlink(target, f"{folder}/link-{number}")
                except OSError:
                    pass
        for path in ("link-2", "link-1/plan.md", "link-4/id_ed25519", f"link-3{HOME}/.bashrc"):
            for mode in ("r", "a"):
                try:
                    with open(path, mode) as file:
                        print(file.read() if mode == "r" else file.write("# through a link\n"))
                except OSError:
                    pass
        for name in ("test_prog.py", "__pycache__", ".pytest_cache"):
            try:
                os.path.lexists(name) and os.rename(name, f"was-{name}")
                os.symlink(f"{HOME}/other-project", name)
            except OSError:
                pass
    return x + 1
