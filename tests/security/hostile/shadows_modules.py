# rule: not-passed
# does: puts files with the names of what a reporter imports late in front of the real ones, on disk and in memory.
import os
import sys
import types

NAMES = (
    "json",
    "traceback",
    "linecache",
    "struct",
    "pytest",
    "difflib",
    "pprint",
    "reprlib",
    "ast",
    "_pytest",
    "textwrap",
)

for name in NAMES:
    with open(f"{name}.py", "w") as file:
        file.write("import os\nos._exit(0)\n")
sys.path[:0] = [os.getcwd()]


def f(x):
    if x == 3:
        for name in NAMES:
            sys.modules[name] = types.ModuleType(name)
