"""Comments on lines of the Diff tab: written, shown below their lines, and sent with the answer."""

from __future__ import annotations

from functools import partial

from selfheal_tui.engine.moment.comments import comment_words
from selfheal_tui.engine.moment.review import COMMENT_LIMIT, Answer, Comment
from selfheal_tui.text import one_line, plural

from ..kit.commented_diff import CommentedDiff, Place
from .asking import Asking
from .cards.repair import RepairCard
from .port import RunPort
from .unsent import LeftUnsent


class Commenting:
    """Keeps what the user wrote at the lines of each question, also on disk until it is sent."""

    def __init__(self, port: RunPort, asking: Asking) -> None:
        self._port, self._asking = port, asking
        self._disk = LeftUnsent[Comment](port, lambda session: session.comments)
        self._comments: dict[str, list[Comment]] = {}
        """Checkpoint of a question -> the comments on it, once they were loaded."""

    @property
    def _diff(self) -> CommentedDiff:
        return self._port.evidence.query_one(CommentedDiff)

    @property
    def can_write(self) -> bool:
        """Whether a line of what is asked about is in front of the user."""
        is_asked = self._port.model.question is not None
        card = self._port.side.card
        if isinstance(card, RepairCard) and card.joined is not None:
            return False  # A line of several candidates together is no line of one of them.
        return is_asked and self._port.evidence.tabs.active == "diff" and self._diff.place is not None

    def follow_card(self) -> None:
        """Show the comments on the question that is shown, below their lines and in number on its card."""
        question, card = self._port.model.question, self._port.side.card
        if question is None or card is None:
            self._diff.comment(None)
            return
        # Where the session is only read there is none to load from: they are loaded once it is driven here.
        if question.checkpoint_id not in self._comments and self._port.driver.session is not None:
            self._comments[question.checkpoint_id] = []
            self._port.start_work("drafts", partial(self._load, question.checkpoint_id), exclusive=False)
        comments = self._comments.get(question.checkpoint_id, [])
        label = self._port.side.pick
        self._diff.comment({_place(one): one["text"] for one in comments if one.get("pick", "") == label})
        card.attach([comment_words(comment) for comment in comments], of="comment")

    async def _load(self, checkpoint_id: str) -> None:
        self._comments[checkpoint_id] = await self._disk.load(checkpoint_id)
        self.follow_card()

    def open(self) -> None:
        """Ask for the comment on the line under the cursor, or edit the one that is there."""
        self._diff.reach_cursor()
        question, place = self._port.model.question, self._diff.place
        if question is None or place is None:
            return
        label, checkpoint_id = self._port.side.pick, question.checkpoint_id
        there = (one for one in self._comments.get(checkpoint_id, ()) if _is_at(one, place, label))
        before = next(there, None)
        removed = " (removed)" if place.removed else ""
        quoted = one_line(self._diff.text_at(place), 60)

        async def take(text: str) -> None:
            await self._set(checkpoint_id, place, label, text)

        self._asking.ask_here(
            f"Comment on {one_line(place.path, 60)} line {place.line}{removed}: {quoted}",
            f"enter saves it, empty deletes it · esc cancels · {COMMENT_LIMIT} characters at most",
            take,
            text=before["text"] if before else "",
            draft_key=f"comment {place} {label}",
            limit=COMMENT_LIMIT,
        )

    async def _set(self, checkpoint_id: str, place: Place, label: str, text: str) -> None:
        session = self._port.driver.session
        if session is None:
            return
        others = [one for one in self._comments.get(checkpoint_id, ()) if not _is_at(one, place, label)]
        comment: Comment = {"path": place.path, "line": place.line, "text": one_line(text, COMMENT_LIMIT)}
        comment["quoted"] = one_line(self._diff.text_at(place))
        if place.removed:
            comment["removed"] = True
        if label:
            comment["pick"] = label
        comments = sorted([*others, *([comment] if text else [])], key=lambda one: (one["path"], one["line"]))
        await session.comments.save(checkpoint_id, comments)
        self._comments[checkpoint_id] = comments
        self.follow_card()

    def with_comments(self, checkpoint_id: str, answer: Answer) -> Answer:
        """Put the comments on a question into its answer; until that is taken they stay on disk."""
        comments = self._comments.pop(checkpoint_id, [])
        return {**answer, "comments": comments} if comments else answer

    @property
    def words(self) -> str:
        """How many comments go with the answer: `2 comments go with it.`; empty for none."""
        question = self._port.model.question
        count = len(self._comments.get(question.checkpoint_id, ())) if question is not None else 0
        return f"{plural(count, 'comment')} {'goes' if count == 1 else 'go'} with it." if count else ""


def _place(comment: Comment) -> Place:
    return Place(comment["path"], comment["line"], bool(comment.get("removed")))


def _is_at(comment: Comment, place: Place, label: str) -> bool:
    return _place(comment) == place and comment.get("pick", "") == label
