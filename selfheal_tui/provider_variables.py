"""The environment variables of each vendor by kind: addresses, secrets, and others.

One vendor's variables belong together: a secret is meant for the address beside it. All of them are taken from one
source (the user's environment or a folder's `.env`), never a secret from one and an address from the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from selfheal_tui.extensions import load_all


@dataclass(frozen=True, slots=True)
class Variables:
    """The variables of one vendor."""

    addresses: tuple[str, ...] = ()
    """Decide where requests go; a password may stand in one."""
    secrets: tuple[str, ...] = ()
    """Keys and tokens; and headers, which often hold one."""
    others: tuple[str, ...] = ()
    """Neither: they are sent, or change what is done."""

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.addresses, *self.secrets, *self.others)


VENDORS: Mapping[str, Variables] = {
    "anthropic": Variables(
        ("ANTHROPIC_BASE_URL",), ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS")
    ),
    "openai": Variables(
        ("OPENAI_BASE_URL",), ("OPENAI_API_KEY", "OPENAI_CUSTOM_HEADERS"), ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID")
    ),
    "qwen": Variables(("QWEN_BASE_URL",), ("DASHSCOPE_API_KEY",)),
    "ollama": Variables(("OLLAMA_HOST",), ("OLLAMA_API_KEY",), ("OLLAMA_NUM_PARALLEL",)),
    "e2b": Variables(
        ("E2B_DOMAIN", "E2B_API_URL", "E2B_SANDBOX_URL"),
        ("E2B_API_KEY",),
        ("SELFHEAL_E2B_TEMPLATE", "E2B_HTTP_VERSION"),
    ),
}
"""Vendor -> the variables that selfheal reads for it. It uses none of the others that a vendor's SDK would read."""
FOREIGN_SECRETS = (
    "ANTHROPIC_IDENTITY_TOKEN", "ANTHROPIC_WEBHOOK_SIGNING_KEY", "OPENAI_ADMIN_KEY", "OPENAI_WEBHOOK_SECRET",
    "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN", "E2B_ACCESS_TOKEN", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN",
    "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    "MLFLOW_TRACKING_PASSWORD", "MLFLOW_TRACKING_TOKEN",
)  # fmt: skip
"""Secrets that libraries may read and selfheal never does; no text that leaves this machine may hold one."""
FOREIGN_ADDRESSES = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "MLFLOW_TRACKING_URI")
"""Addresses of the user's own servers, for libraries; a folder's `.env` never sets one. A password may stand in one."""


def addresses() -> tuple[str, ...]:
    """Return every variable that decides where requests go."""
    return tuple(name for vendor in VENDORS.values() for name in vendor.addresses)


def secrets() -> tuple[str, ...]:
    """Return every variable whose value no text may hold."""
    own = (name for vendor in VENDORS.values() for name in vendor.secrets)
    return (*own, *FOREIGN_SECRETS, *_plugged_secrets())


def _plugged_secrets() -> tuple[str, ...]:
    """Return the variables that enabled plug-ins say hold keys of their providers."""
    said = load_all("provider", lambda _, loaded: getattr(loaded, "secrets", ()))
    return tuple(name for names in said.values() if isinstance(names, tuple) for name in names if isinstance(name, str))
