"""Tests of a plug-in with one import, collected by pytest:

    from selfheal_tui.plugins.testing import *

In a test file of the package this runs every contract that its plug-ins have to keep: `test_plugin`, once for each
plug-in and promise. The package is the one of the nearest pyproject.toml; its installed entry points are what is
tested, so install it first (`pip install -e .`). Names that the file may set, all optional:

    PACKAGE = "my-rules"                        another package
    MENDS = {"swap": [("broken", "mended")]}    an operator -> programs before, and after one of its edits
    OPENS = {"acme": open_stand_in}             a provider -> a function that opens it with a stand-in for the model,
                                                which says something to every question
"""

from .collected import pytest_generate_tests, test_plugin

__all__ = ["pytest_generate_tests", "test_plugin"]
