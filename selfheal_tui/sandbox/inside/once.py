"""One run in a container of its own: the order on standard input, results on standard output, output on error.

Called with the folder to write and the folder that holds pytest; the container is the sandbox, this adds only the
limits of a process. Imports nothing of ours but its neighbours.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType


def main() -> None:
    """Run one order and never return; its results say how it ended, the exit status does not."""
    folder, site = Path(sys.argv[1]), sys.argv[2]
    package = ModuleType("_sandbox")
    package.__path__ = [str(Path(__file__).parent)]
    sys.modules["_sandbox"] = package
    sys.path.append(site)
    child, long_way = import_module("_sandbox.child"), import_module("_sandbox.long_way")
    sys.path.remove(site)
    for name in ("work", "tmp"):
        (folder / name).mkdir()
    os.chdir(folder / "work")
    order, result, output = os.dup(0), os.dup(1), os.dup(2)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    child.Main("container", long_way)([order, output, result], folder)


if __name__ == "__main__":
    main()
