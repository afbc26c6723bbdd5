"""Our own theme: black and white with colours that stay apart for every kind of colour vision.

The hues are those of Okabe and Ito (2008), lightened where black needs it: blue for good, vermilion for bad, yellow for
what waits. No state is told by colour alone: each has a sign and a word as well (`ui/view/words.py`).
"""

from __future__ import annotations

from textual.theme import Theme

CONTRAST = Theme(
    name="selfheal-contrast",
    primary="#56b4e9",
    secondary="#cc79a7",
    accent="#f0e442",
    success="#56b4e9",
    warning="#f0e442",
    error="#ff8c42",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#1c1c1c",
    boost="#262626",
    dark=True,
    text_alpha=1.0,
    variables={
        "text": "#ffffff",
        "text-muted": "#d8d8d8",
        "text-disabled": "#b0b0b0",
        "text-primary": "#8ccfff",
        "text-accent": "#f0e442",
        "text-success": "#8ccfff",
        "text-warning": "#f0e442",
        "text-error": "#ffa366",
        "block-cursor-background": "#f0e442",
        "block-cursor-foreground": "#000000",
        "block-cursor-text-style": "bold",
        "input-selection-background": "#56b4e9 50%",
        "scrollbar": "#b0b0b0",
        "scrollbar-background": "#262626",
        "footer-key-foreground": "#f0e442",
        "footer-description-foreground": "#ffffff",
    },
)
