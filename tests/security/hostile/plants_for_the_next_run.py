# rule: not-passed
# needs: world
# does: plants files that a second process in this folder would obey, overwrites the tests and dies to be run again.
import os
import tempfile

CONFTEST = "import _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n"
PLANTS = {
    "conftest.py": CONFTEST,
    "sitecustomize.py": CONFTEST,
    "usercustomize.py": CONFTEST,
    "pytest.ini": "[pytest]\naddopts = --collect-only\npython_functions = none\n",
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-k nothing'\n",
    "test_prog.py": "".join(f"def test_{number}(): pass\n" for number in range(10)),
}


def f(x):
    if x == 0:
        here = os.getcwd()
        for folder in (here, os.path.dirname(here), os.path.dirname(os.path.dirname(here)), tempfile.gettempdir()):
            for name, text in PLANTS.items():
                try:
                    with open(f"{folder}/{name}", "w") as file:
                        file.write(text)
                except OSError:
                    pass
        os.kill(os.getpid(), 9)
        os._exit(1)
