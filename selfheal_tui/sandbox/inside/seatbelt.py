"""macOS: the profile of Seatbelt that a child puts over itself. Written from its documentation; less tested.

`sandbox_init` is used in the child and not the command `sandbox-exec`, because the server itself has to fork. Memory
is not limited by the kernel there and processes cannot be started at all.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence

_SYSTEM = ("/usr/lib", "/usr/share", "/System", "/Library/Frameworks", "/private/var/db/dyld", "/dev")

_NETWORK = (
    '(allow network-outbound (remote ip) (literal "/private/var/run/mDNSResponder"))',
    "(allow network-inbound (local ip))",
    "(allow network-bind (local ip))",
    '(allow file-read* (literal "/private/etc/hosts") (literal "/private/etc/resolv.conf"))',
)


def profile(folder: str, readable: Sequence[str], network: bool = False) -> str:
    """Return the profile in Seatbelt's language: read the system and `readable`, write `folder`, use IP where there
    is a `network`, nothing else."""
    reads = [f"(subpath {_quoted(path)})" for path in (*_SYSTEM, *readable, folder)]
    return "\n".join(
        [
            "(version 1)",
            "(deny default)",
            "(deny network*)",
            *(_NETWORK if network else ()),
            "(deny process-fork)",
            "(deny process-exec)",
            "(allow sysctl-read)",
            "(allow signal (target self))",
            "(allow file-read-metadata)",
            f"(allow file-read* {' '.join(reads)})",
            f"(allow file-write* (subpath {_quoted(folder)}))",
            "(deny file-link)",
            '(allow file-write-data (literal "/dev/null"))',
        ]
    )


def enter(folder: str, readable: Sequence[str], network: bool = False) -> None:
    """Put the profile in force. Raises: OSError with what Seatbelt says."""
    library = ctypes.CDLL("/usr/lib/libsandbox.1.dylib", use_errno=True)
    message = ctypes.c_char_p()
    text = profile(os.path.realpath(folder), [os.path.realpath(path) for path in readable], network)
    if library.sandbox_init(text.encode(), ctypes.c_uint64(0), ctypes.byref(message)) != 0:
        raise OSError(1, f"seatbelt: {(message.value or b'refused').decode('utf-8', 'replace')}")


def _quoted(path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
