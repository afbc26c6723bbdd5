# rule: contained
# needs: world
# does: plants files that the next interpreter would run: .pth, usercustomize, the sandbox's own source.
import os
import site
import sys
import sysconfig

import pytest

NOTE = "# planted\n"


def places():
    yield from site.getsitepackages()
    yield site.getusersitepackages()
    yield from sysconfig.get_paths().values()
    yield os.path.dirname(pytest.__file__)
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None) or ""
        if "sandbox" in file or file.endswith("/os.py"):
            yield os.path.dirname(file)


def f(x):
    if x == 0:
        for place in {*places()}:
            for name in (
                "zz_planted.pth",
                "usercustomize.py",
                "sitecustomize.py",
                "__init__.py",
                "server.py",
                "json.py",
            ):
                try:
                    os.makedirs(place, exist_ok=True)
                    with open(f"{place}/{name}", "a") as file:
                        file.write(NOTE)
                except OSError:
                    pass
    return x + 1
