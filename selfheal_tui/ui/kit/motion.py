"""Reduced motion: the class that the app bears while nothing is to move by itself."""

from __future__ import annotations

STILL = "-still"
