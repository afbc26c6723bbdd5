"""What a worker says of the work it was given: small values that travel. Pure."""

from __future__ import annotations

import socket
from dataclasses import dataclass

from selfheal_tui.errors import InputError, ProviderError, SandboxError, SelfHealError, SessionError, SettingsError

_KINDS: tuple[type[SelfHealError], ...] = (SettingsError, InputError, ProviderError, SandboxError, SessionError)


@dataclass(frozen=True, slots=True)
class Kept:
    """The session as a file, with all that was paid so far."""

    session: bytes


@dataclass(frozen=True, slots=True)
class Broke:
    """The work could not go on there."""

    error: str
    """Name of an error of errors.py."""
    message: str
    hint: str
    host: str
    of_task: bool
    """Only this work is concerned, so that other work of the run may go on."""

    def as_error(self) -> SelfHealError:
        """Return the error, which says where it happened."""
        kind = next((kind for kind in _KINDS if kind.__name__ == self.error), SelfHealError)
        return kind(f"On the worker {self.host}: {self.message}", self.hint)


def broke(error: SelfHealError | OSError, *, of_task: bool) -> Broke:
    """Return what is said of an error here; one of the system is told as a folder that cannot be written."""
    if isinstance(error, OSError):
        error = SessionError(f"its folder cannot be written ({error.strerror}).")
    kind = next((kind for kind in _KINDS if isinstance(error, kind)), SelfHealError)
    return Broke(kind.__name__, error.message, error.hint, socket.gethostname(), of_task)
