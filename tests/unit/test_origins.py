"""Which cases can be dropped, pinned and edited, and why the others cannot."""

from __future__ import annotations

import pytest

from selfheal_tui.engine.moment.origins import MEANINGS, is_changeable, why_not_changeable

WHY_NOT = {
    "yours": "one of your own tests",
    "examples": "an example of the specification",
    "answers": "what you said that a call should give: u takes",
}


@pytest.mark.parametrize("suite", MEANINGS)
def test_only_what_a_model_wrote_is_changed_and_the_rest_says_why_not(suite: str) -> None:
    origins = {} if suite == "yours" else {"test_a.py": suite}
    why = why_not_changeable("test_a.py::test_one", origins)
    assert is_changeable("test_a.py::test_one", origins) is (suite not in WHY_NOT) is (not why)
    assert WHY_NOT.get(suite, "") in why
