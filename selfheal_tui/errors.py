"""The exception tree: every expected failure, each with one sentence, a remedy and an exit code.

    SelfHealError
    |- InputError       what the user gave cannot be used (exit 2)
    |  |- FileChanged   a file is another one than the session was given: a merge may help (exit 2)
    |  |- UnnamedModules    the tests need files of the user's that were not named (exit 2)
    |  |- HeldAlready   the last commit holds what was to be committed (exit 2, where another place was meant)
    |  `- SettingsError a setting or a settings file is wrong (exit 2)
    |- ProviderError    a model could not be reached or refused (exit 4)
    |  `- ReplyInvalid  the model answered, but not in the required shape (a failed attempt, not an outage)
    |- SandboxError     the program could not be run safely; never shown as failing code (exit 5)
    `- SessionError     a session is busy, damaged or from an unknown version (exit 6)
       |- SessionBusy   another process drives it: it can still be looked at
       |- SessionDamaged      its file is not whole: what can be read can be looked at, and nothing goes on with it
       `- SessionNotWritable  where it lies nothing can be written: it can still be looked at

Failing tests are a report, not an error. Anything outside this tree is a bug and crashes loudly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar


class SelfHealError(Exception):
    """An expected failure: `message` says what is wrong, `hint` what to do about it (may be empty)."""

    exit_code: ClassVar[int] = 1
    subject: ClassVar[str] = ""
    """What failed, in a word, for a list."""
    shown = False
    """The command printed what it could all the same, so the sentence on stderr is enough."""
    session = ""
    """Id of the session that was being driven, where one was: it can be resumed."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class InputError(SelfHealError):
    """What the user gave cannot be used."""

    exit_code = 2
    subject = "settings"


class UnusableTests(InputError):
    """The tests cannot be run, and no edit of the program helps: the copy in the session stays as it is."""

    subject = "tests"

    def __init__(
        self,
        message: str,
        hint: str = "",
        *,
        none_found: bool = False,
        same_name: str = "",
        allow: str = "",
        refused_options: bool = False,
        bad_configuration: bool = False,
    ) -> None:
        super().__init__(message, hint)
        self.none_found = none_found
        """Whether they ran, and hold no test: others have to be named."""
        self.same_name = same_name
        """A test file that pytest takes for another one of the same name; empty for none."""
        self.refused_options = refused_options
        """Whether pytest refuses an option that was given after `--`."""
        self.bad_configuration = bad_configuration
        """Whether pytest cannot read its configuration: the tests may be sound."""
        self.allow = allow
        """The flags with which the cases could run that the sandbox blocks; empty for none."""


class MissingPackages(InputError):
    """The interpreter that runs the tests lacks packages."""

    def __init__(self, message: str, python: str) -> None:
        super().__init__(message)
        self.python = python
        """The interpreter that has them, `PATH` where it is the user's to name."""


class UnnamedModules(InputError):
    """The tests need files of the user's that were not named."""

    subject = "tests"

    def __init__(self, message: str, program: Sequence[str], tests: Sequence[str]) -> None:
        super().__init__(message)
        self.program = program
        """Paths of the files and packages."""
        self.tests = tests
        """The test files that need them, where they are healed alone; empty where they are named beside the program."""


class FileChanged(InputError):
    """A file of the user is another one than the session was given; a three-way merge may help."""

    subject = "file"

    def __init__(self, message: str, hint: str, path: str) -> None:
        super().__init__(message, hint)
        self.path = path


class HeldAlready(InputError):
    """The last commit holds the program that was to be committed: there is nothing to do."""


class SettingsError(InputError):
    """A setting or a settings file is wrong."""


class ProviderError(SelfHealError):
    """A model could not be reached, refused, or stopped half-way."""

    exit_code = 4
    subject = "model"


class ReplyInvalid(ProviderError):
    """The model answered, but not in the required shape."""


class SandboxError(SelfHealError):
    """The program could not be run with the required isolation."""

    exit_code = 5
    subject = "sandbox"


class SessionError(SelfHealError):
    """A session is busy, damaged, missing or from an unknown version."""

    exit_code = 6
    subject = "file"


class SessionBusy(SessionError):
    """Another process drives the session; the message says which."""


class SessionDamaged(SessionError):
    """The session's file is not whole: nothing goes on with it."""

    def __init__(self, message: str, hint: str = "", *, is_lost: bool = False) -> None:
        super().__init__(message, hint)
        self.is_lost = is_lost
        """Whether nothing at all of it can be read."""


class SessionNotWritable(SessionError):
    """The session lies where nothing can be written; all of it can be read."""
