"""Apply what a repairer answers with: edits of lines, whole functions or whole files. Pure."""

from __future__ import annotations
