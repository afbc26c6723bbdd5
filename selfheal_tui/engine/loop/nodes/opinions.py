"""A model's opinion on a question, for the nodes that raise one: asked within the budget, and done without at need."""

from __future__ import annotations

from typing import cast

from selfheal_tui.errors import ProviderError, SettingsError
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.steps import call_words
from selfheal_tui.text import one_line, plural

from ...dialogue.reply import InvalidReply, OutOfBudget
from ...dialogue.roles.oracle import ask_oracle
from ...moment.events import Noticed
from ...moment.opinion import build_opinion
from ...moment.state import Question, Spent, add_spent, no_spend
from ...workshop.role_context import RoleContext

_NEEDED = ("debugger", "repairer")
"""Roles for which a call each is left in the budget, where they ask a model."""
_LEAST_LEFT = 1
"""Calls that are left all the same: a budget that is used up pauses a run, also one whose search costs nothing."""


async def with_opinion(context: RoleContext, question: Question) -> tuple[Question, Spent]:
    """Return the question with what the oracle's model says of it, and what that cost; as it is where none is asked.

    The calls go one after the other: the prompt of all but the first comes from the provider's cache. A call that fails
    ends it: then what was said counts only where it is more than half of all that were to be asked.
    """
    calls, model = context.state["policy"].get("oracle_calls", 0), context.model("oracle")
    if not calls or model == SEARCH:
        return question, no_spend()
    needed = sum(context.model(role) != SEARCH for role in _NEEDED)
    if why := context.deps.purse.kept_for_needed(context.state, calls + max(needed, _LEAST_LEFT)):
        context.emit(Noticed(f"The oracle was not asked. {why}"))
        return question, no_spend()
    asked = f"Asking the oracle {plural(calls, 'time')} what {call_words(question['call'])} should give."
    context.emit(Noticed(one_line(asked)))
    replies, spent, is_whole = list[str](), no_spend(), True
    for number in range(calls):
        try:
            reply, cost = await ask_oracle(context, question, number)
        except InvalidReply as error:
            spent = add_spent(spent, error.spent)
            context.emit(Noticed(f"The oracle said nothing: {error.message}"))
            if is_whole := not (error.declined or isinstance(error, OutOfBudget)):
                continue
            break
        except (ProviderError, SettingsError) as error:
            context.emit(Noticed(f"The oracle is left out: {error}"))
            is_whole = False
            break
        replies.append(reply)
        spent = add_spent(spent, cost)
    opinion = build_opinion(question, replies, calls, model)
    if not is_whole and not opinion["text"]:
        return question, spent
    return cast(Question, {**question, "opinion": opinion}), spent
