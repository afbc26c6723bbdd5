"""A plug-in of selfheal: models on this machine through Hugging Face's transformers, without a server or a network.

It imports only `selfheal_tui.plugins`, and neither torch nor transformers: those are for the process of
`local_worker.py`.
"""

from selfheal_tui.plugins.providers import ProviderPlugin

from .provider import INSTALL, PACKAGES, open_provider

PROVIDER = ProviderPlugin(
    open_provider,
    on_this_machine=True,
    whole_functions=True,
    needs=PACKAGES,
    install=INSTALL,
)
