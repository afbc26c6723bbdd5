"""The connection to a Ray cluster, and what is said when there is none. Ray is imported on use."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from selfheal_tui.errors import InputError, SessionError, SettingsError
from selfheal_tui.text import one_line

INSTALL = "pip install 'selfheal-tui[ray]'"
_CONNECT_S, _ANSWER_S = 10.0, 30.0
_HEAD = "Is its head running, and is this the port of `ray start --head --port` (6379)?"
_VERSIONS = "It must run the same versions of Ray and Python as this machine."


def check_installed() -> None:
    """Raises: SettingsError without the package."""
    if importlib.util.find_spec("ray") is None:
        raise _not_installed()


def _not_installed() -> SettingsError:
    return SettingsError("Ray is not installed.", f"Run: {INSTALL}")


@contextmanager
def open_cluster(place: str) -> Iterator[Any]:
    """Connect to a cluster (`ray://HOST:PORT`), or for `ray` to the one that runs here, or else start one here.

    Yields the package `ray`. Raises: SettingsError without the package, InputError for a cluster that does not answer.
    """
    # To be set before the import: Ray would report its use, and tell of it on the terminal.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        with _quiet():
            ray = importlib.import_module("ray")
    except ImportError as error:
        raise _not_installed() from error
    address = place.partition("://")[2] or os.environ.get("RAY_ADDRESS", "")
    if address not in ("", "auto", "local"):
        address = address.removeprefix("ray://")
        _check_answers(address)
    on_end = signal.getsignal(signal.SIGTERM)
    here = os.getcwd()
    try:
        # Ray puts the current folder before all others where workers look for modules, and it may be anybody's.
        with tempfile.TemporaryDirectory(prefix="selfheal-ray-") as empty, _quiet():
            os.chdir(empty)
            try:
                ray.init(
                    address=address or None,
                    log_to_driver=False,
                    configure_logging=False,
                    logging_level=logging.CRITICAL,
                )
            finally:
                os.chdir(here)
    except Exception as error:  # Ray raises it bare, as where a node is slow to start
        at = f"The Ray cluster at {one_line(address, 80)} cannot be used" if address else "Ray cannot start here"
        raise InputError(f"{at}: {one_line(str(error), 300).rstrip('.')}.", _VERSIONS if address else "") from error
    finally:
        signal.signal(signal.SIGTERM, on_end)
    try:
        # A thread of Ray prints what happens to its nodes, whatever its settings; stdout is for the results.
        with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
            yield ray
            ray.shutdown()
    except ray.exceptions.RayError as error:
        raise SessionError(f"The Ray cluster went away: {one_line(str(error), 200).rstrip('.')}.") from error
    finally:
        ray.shutdown()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what Ray prints by itself off the terminal; its errors are raised."""
    with (
        open(os.devnull, "w", encoding="utf-8") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


def cluster_cpus(ray: Any) -> int:
    """Return how many tasks a cluster can run at a time now; at least 1."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def _check_answers(address: str) -> None:
    """Look whether a head is there. Raises: InputError."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise InputError(f"{one_line(address, 80)} is no address of a Ray cluster.", "Write ray://HOST:PORT.")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_S):
            pass
    except OSError as error:
        raise InputError(
            f"The Ray cluster at {one_line(address, 80)} cannot be reached ({error.strerror or error}).",
            _HEAD,
        ) from error
    # What Ray itself does where another program listens takes minutes and fills the terminal.
    command = [sys.executable, "-P", "-m", "ray.scripts.scripts", "health-check", "--address", address]
    try:
        asked = subprocess.run(command, capture_output=True, text=True, timeout=_ANSWER_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise InputError(f"At {one_line(address, 80)} no head of a Ray cluster answers.", _HEAD) from error
    if asked.returncode:
        last = (asked.stderr.strip() or asked.stdout.strip() or "no reason given").splitlines()[-1]
        raise InputError(
            f"The Ray cluster at {one_line(address, 80)} cannot be used: {one_line(last, 200).rstrip('.')}.", _VERSIONS
        )


def of_code(error: Any) -> Exception:
    """Return what a worker's failure really is."""
    cause = error.cause if isinstance(getattr(error, "cause", None), Exception) else error
    if isinstance(cause, ImportError):
        return InputError(
            f"A Ray worker cannot import selfheal ({one_line(str(cause), 200)}).", "Install the same selfheal there."
        )
    return cause if isinstance(cause, Exception) else error
