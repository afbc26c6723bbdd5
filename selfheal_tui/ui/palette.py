"""The command palette: every action of the screen that is shown, the screens, themes and exports.

Enter chooses in the palette, and Enter never approves: what approves is listed there with its key and only told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import SystemCommand
from textual.screen import Screen

from selfheal_tui.extensions import enabled

from .kit.keymap import shown_key
from .run.run import RunScreen

if TYPE_CHECKING:
    from .app import SelfHealApp

_APPROVES = ("review.approve", "review.rule")
_EXPORTS = {
    "md": "a report to read, in Markdown",
    "html": "a report to read, as one HTML page",
    "prompts": "what the models were asked and said, in Markdown",
    "json": "everything, for programs",
    "patch": "the change, for git apply",
    "sarif": "repairs, suspected lines and failing cases, for code scanning",
    "rdjson": "the same, for reviewdog",
    "jsonl": "every decision of all branches, a line each",
    "session": "the whole session, to go on with elsewhere",
}
"""Format -> what it is."""


def commands(app: SelfHealApp, screen: Screen[Any]) -> Iterator[SystemCommand]:
    """Yield what can be done on this screen now, then what can be done anywhere."""
    listed_actions: set[str] = set()
    for active in screen.active_bindings.values():
        binding = active.binding
        if binding.system or not active.enabled or not (binding.tooltip and binding.description):
            continue
        if binding.action in listed_actions or binding.id == "run.escape" or not binding.id:
            continue
        listed_actions.add(binding.action)
        key = shown_key(app.keymap, binding)
        run: Callable[[], Any] = partial(app.run_action, binding.action, active.node)
        if binding.id in _APPROVES:
            run = partial(app.notify, f"Press {key} for that: Enter never approves.", markup=False)
        yield SystemCommand(binding.description, f"{binding.tooltip} ({key})", run)
    if isinstance(screen, RunScreen):
        yield SystemCommand("Copy the report", "The branch that is shown, in Markdown", screen.taking.copy_report)
        own = {
            name: f"what {plugin.origin} makes of the branch" for name, plugin in enabled("exporter", _EXPORTS).items()
        }
        for form, words in {**_EXPORTS, **own}.items():
            run = partial(screen.taking.export, form)
            yield SystemCommand(f"Export {form}", f"Write {words}, into the current folder", run)
    for theme in sorted(app.available_themes):
        run = partial(app.change_setting, "theme", theme)
        yield SystemCommand(f"Theme: {theme}", "These colours until you quit; in the settings for good", run)
    yield SystemCommand("Screenshot", "Keep a picture of the screen, SVG, in the current folder", app.action_picture)
