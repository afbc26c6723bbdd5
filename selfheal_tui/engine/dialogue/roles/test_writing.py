"""Ask for a pytest file, and once more when the reply is not one: what the roles that write tests share."""

from __future__ import annotations

from collections.abc import Mapping

from ...moment.state import Spent, add_spent, no_spend
from ...suites.generated import problem
from ...workshop.prompt_room import Shrinkable
from ...workshop.role_context import GIVES_WAY, RoleContext
from ..describe import feedback_text
from ..reply import InvalidReply, ask_model


async def ask_for_tests(context: RoleContext, role: str, values: Mapping[str, str | Shrinkable]) -> tuple[str, Spent]:
    """Return the text of a test file and what it cost; `values` are joined by the human's reasons as `feedback`.

    Raises: InvalidReply when twice no pytest file came, ProviderError.
    """
    notes, spent, why = list(context.state.get("feedback", [])), no_spend(), ""
    for salt in (context.salt, f"{context.salt}.again"):
        try:
            reply, cost = await ask_model(
                context,
                role,
                {**values, "feedback": feedback_text(notes)},
                salt,
                GIVES_WAY,
            )
        except InvalidReply as error:
            error.spent = add_spent(spent, error.spent)
            raise
        spent, text = add_spent(spent, cost), str(reply["tests"])
        why = problem(text)
        if not why:
            return text, spent
        notes.append(f"The file you sent last {why}. Send one that does.")
    raise InvalidReply(f"The {role}'s test file {why}.", spent)
