"""What pytest collects in the test file of a package that brings plug-ins."""

from __future__ import annotations

import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from selfheal_tui.extensions import Plugin, installed, load
from selfheal_tui.extensions.enabled import enabling
from selfheal_tui.extensions.found import plain_package

from .contract import Given, Promise, promises


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test of each plug-in and promise; of the functions of that file only `test_plugin` takes part."""
    if metafunc.function is not test_plugin:
        return
    package = package_of(metafunc.module)
    mine = [plugin for plugin in installed() if plugin.package == package]
    if not mine:
        raise pytest.UsageError(f"No plug-in of {package} is installed here: pip install -e . in its folder.")
    pairs = [(plugin, name, one) for plugin in mine for name, one in promises(plugin.kind).items()]
    tests = [pytest.param((plugin, one), id=f"{plugin.kind}-{plugin.name}-{name}") for plugin, name, one in pairs]
    metafunc.parametrize("plugin_and_promise", tests)


def test_plugin(plugin_and_promise: tuple[Plugin, Promise], request: pytest.FixtureRequest) -> None:
    """Check that a plug-in of the package keeps a promise of its kind."""
    plugin, promise = plugin_and_promise
    with enabling([f"{plugin.package}:{plugin.name}"]):
        promise(given_for(plugin, request.module))


def given_for(plugin: Plugin, module: ModuleType) -> Given:
    """Return a plug-in, imported, with what the test file gives for it. Raises: SettingsError."""
    mends, opens = getattr(module, "MENDS", {}), getattr(module, "OPENS", {})
    return Given(plugin.name, load(plugin), plugin.target, mends.get(plugin.name, ()), opens.get(plugin.name))


def package_of(module: ModuleType) -> str:
    """Return the package that a test file is about. Raises: pytest.UsageError where nothing says it."""
    if name := getattr(module, "PACKAGE", ""):
        return plain_package(str(name))
    for folder in Path(module.__file__ or "").resolve().parents:
        if (folder / "pyproject.toml").is_file():
            project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8")).get("project", {})
            return plain_package(project.get("name", ""))
    raise pytest.UsageError(f"Which package does {module.__file__} test? Write PACKAGE = 'its-name' there.")
