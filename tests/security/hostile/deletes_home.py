# rule: contained
# does: removes and renames the user's files, one by one and as trees.
import os
import shutil


def f(x):
    if x == 0:
        for how, target in (
            (os.unlink, "@HOME@/thesis.txt"),
            (shutil.rmtree, "@HOME@/other-project"),
            (lambda path: os.rename(path, path + ".locked"), "@HOME@/.ssh"),
            (lambda path: os.replace(path, "mine"), "@HOME@/.bashrc"),
            (shutil.rmtree, "@TMP@/another-run"),
        ):
            try:
                how(target)
            except OSError:
                pass
    return x + 1
