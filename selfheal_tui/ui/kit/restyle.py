"""Classes that style a widget and a few others, and not all that is below it."""

from __future__ import annotations

from collections.abc import Mapping

from textual.widget import Widget


def switch_classes(owner: Widget, classes: Mapping[str, bool], *styled: Widget) -> None:
    """Add and remove classes of `owner`, and style `styled` anew: no rule with these classes may concern others.

    Textual's own `set_class` styles everything below the owner anew.
    """
    before = owner.classes
    owner.update_classes(classes, update=False)
    if owner.classes != before and owner.is_attached:
        owner.app.stylesheet.update_nodes(styled, animate=True)
