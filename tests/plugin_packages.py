"""A package with plug-ins as its installer leaves it: a module and metadata in a folder on `sys.path`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from selfheal_tui.extensions import GROUPS, loading

MODULE = '''
from pathlib import Path
from selfheal_tui.plugins.exporters import InputError
from selfheal_tui.plugins.operators import edit_operator, replace
from selfheal_tui.plugins.providers import Completion, ProviderPlugin, TextDelta, Usage
from selfheal_tui.plugins.suites import NamedSuite
import ast

@edit_operator("tax_rate", cost=2.0, reason="a tax rate of last year is used")
def tax_rate(source, node):
    """Edit `0.19` into `0.2137`."""
    if isinstance(node, ast.Constant) and node.value == 0.19:
        yield replace(source, node, "0.2137")

class Echo:
    name = "echo"
    async def stream(self, request):
        yield TextDelta("echo ")
        yield TextDelta("of it")
        yield Completion("echo of it", Usage(3, 2))
    async def aclose(self): pass

ECHO = ProviderPlugin(lambda model, limits: Echo(), on_this_machine=True, needs=("wave",), secrets=("ECHO_API_KEY",))
TASKS = NamedSuite("It comes with acme-rules.", bundled=lambda: Path(__file__).with_name("acme_tasks.jsonl"))

def csv(story):
    cases = (story["report"] or {"cases": []})["cases"]
    return "case,outcome\\n" + "".join(f"{case['id']},{case['outcome']}\\n" for case in cases)

def open_marks(program):
    return f"{sum(text.count('FIXME') for text in program.values())} marks"

def lines(result, program):
    return sum(len(text.splitlines()) for text in program.values())
'''
"""Keeps every contract."""
TASK = (
    '{"id": "tax/1", "prompt": "gross(net)", "entry_point": "gross", '
    '"buggy_code": "def gross(net):\\n    return net * (1 + 0.19)\\n", '
    '"visible_tests": "assert abs(gross(100) - 121.37) < 0.001", '
    '"hidden_tests": "assert abs(gross(200) - 242.74) < 0.001"}\n'
)
POINTS: Mapping[str, Mapping[str, str]] = {
    "operator": {"tax_rate": "tax_rate"},
    "provider": {"echo": "ECHO"},
    "suite": {"taxes": "TASKS"},
    "exporter": {"csv": "csv"},
    "advisor": {"open_marks": "open_marks"},
    "metric": {"lines": "lines"},
}


def install(
    folder: Path,
    patch: pytest.MonkeyPatch,
    package: str = "acme-rules",
    points: Mapping[str, Mapping[str, str]] = POINTS,
    module: str = MODULE,
    version: str = "1.2",
) -> None:
    """Put a package into a folder that is on `sys.path` until the patch is undone."""
    name = package.replace("-", "_")
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(module)
    (folder / "acme_tasks.jsonl").write_text(TASK)
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
    groups = (
        f"[{GROUPS[kind]}]\n" + "".join(f"{entry} = {name}:{target}\n" for entry, target in of_kind.items())
        for kind, of_kind in points.items()
    )
    (info / "entry_points.txt").write_text("\n".join(groups))
    patch.syspath_prepend(str(folder))
    patch.delitem(sys.modules, name, raising=False)
    patch.setattr(loading, "_loaded", {})
