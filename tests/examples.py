"""How many examples Hypothesis tries: all where everything is run, few and always the same in a quick run."""

from __future__ import annotations

from hypothesis import settings

QUICK = 20
settings.register_profile("deep", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=QUICK, derandomize=True, database=None)


def examples(deep: int, quick: int = QUICK) -> int:
    """Return what a test passes as `max_examples`: `deep` where everything is run, at most `quick` elsewhere."""
    return min(deep, quick) if settings.get_current_profile_name() == "quick" else deep
