"""What speaks for a coincidence: a repair may pass the cases that there are, and still not be what was meant."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mark:
    """One reason to look at a repair twice."""

    kind: str
    """`data`, `start`, `counts`, `early`, `silences`, `special`, `copies`, `constant`, `fixed_call`, `number`,
    `deletes`, `idle`, `crashes`, `same_answer`, `raises`, `borrowed`, `single`, `other_type`, `swapped`, `unused`,
    `turned`, `joined`, `untold`, `breaks`, `fitted`, `acts`, `mutates`, `replaces`,
    `loses`, `equality`, `overwrites`, `floats`, `whole`, `half`, `unsaid`, `lets_in`,
    `skips`, `by_text`, `refused`, `left_over`."""
    why: str
    """One plain sentence for the user."""
