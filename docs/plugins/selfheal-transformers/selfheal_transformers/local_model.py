"""Load a local model by its name: the only importer of torch and transformers, in a process of its own.

Nothing is ever downloaded and no code of a model is run: a name is looked up in the cache of Hugging Face, a path is
read as it is, weights come from safetensors.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfheal_tui.plugins.providers import SettingsError, one_line
from selfheal_tui.plugins.providers.faults import AuthFailed, BadRequest, ModelMissing, ProviderFault, ServerFailed

Tell = Callable[..., None]
"""Takes a part of the answer as keywords: `loading`, `prompt_tokens`, `text`..."""
_PATH_STARTS = ("/", "./", "../", "~")
_NO_MEMORY = re.compile(r"out of memory|can't allocate memory|not enough memory|alloc.*fail", re.IGNORECASE)
_OTHER = "Choose another model."


@dataclass(frozen=True, slots=True)
class Place:
    """Where and how a model is loaded."""

    device: str = "auto"
    """auto, cpu, mps, cuda, xpu or one of several as cuda:1."""
    four_bit: bool = False
    """Squeeze the weights into 4 bits (NF4) while they are loaded: a quarter of the memory, a little worse."""


class LocalModel:
    """A causal language model in memory, with its tokenizer."""

    def __init__(self, name: str, torch: Any, network: Any, tokenizer: Any) -> None:
        self.name = name
        self.torch = torch
        self.network = network
        self.tokenizer = tokenizer
        self.context = _context(network, tokenizer)
        """The longest prompt and reply together, in tokens; None when the model does not say."""


def load_model(name: str, place: Place, tell: Tell) -> LocalModel:
    """Load the model of a Hugging Face id or a folder; tell `loading` before the long part.

    Raises: ProviderFault, SettingsError.
    """
    folder = find_folder(name)
    tell(loading=True)
    try:
        return _load(name, folder, place)
    except (ProviderFault, SettingsError):
        raise
    except Exception as error:  # Loaders raise whatever their formats do; each means that it cannot be loaded.
        fault = _explain(name, error)
    # Raised here, so that no traceback keeps half-loaded weights alive.
    raise fault


def find_folder(name: str) -> Path:
    """Return the folder of a model, without the network. Raises: ModelMissing with what to do, SettingsError."""
    if name.startswith(_PATH_STARTS):
        folder = Path(name).expanduser()
        if not folder.is_dir():
            raise ModelMissing(f"There is no folder {one_line(name)}.", "Give the folder that holds config.json.")
        return folder
    hub = _imported("huggingface_hub")
    try:
        folder = Path(hub.snapshot_download(name, local_files_only=True))
    except Exception as error:  # Its errors come from three trees, some of them only in some versions.
        fault = _explain_hub(name, error)
    else:
        if (folder / "config.json").is_file():
            return folder
        fault = _not_complete(name)
    raise fault


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an exception of torch means that memory ran out, of the machine or of the graphics card."""
    return isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and bool(_NO_MEMORY.search(str(error))))


def no_memory(name: str, why: str = "") -> ServerFailed:
    """Return the fault for too little memory."""
    hint = "Choose a smaller model, free memory, or load it in 4 bits: TRANSFORMERS_4BIT=1."
    return ServerFailed(f"There is too little memory for {name!r}{why}.", hint, retryable=False)


def _load(name: str, folder: Path, place: Place) -> LocalModel:
    torch, transformers = _imported("torch"), _imported("transformers")
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    if not (folder / "config.json").is_file():
        raise ModelMissing(f"The folder {one_line(str(folder))} holds no model: config.json is missing.", _OTHER)
    device = _device(torch, place.device)
    if device == "cpu" and not place.four_bit:
        _check_room(name, folder)
    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **options)
    if place.four_bit:
        compute = torch.bfloat16
        options["quantization_config"] = transformers.BitsAndBytesConfig(
            load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=compute
        )
    network, loading_info = transformers.AutoModelForCausalLM.from_pretrained(
        folder,
        dtype="auto",
        device_map="auto" if device == "auto" else {"": device},
        use_safetensors=True,
        output_loading_info=True,
        **options,
    )
    if missing := loading_info.get("missing_keys"):
        # They would be filled with noise, and so would the replies.
        raise BadRequest(
            f"{name!r} is not a complete language model: {one_line(str(min(missing)), 80)} is missing.", _OTHER
        )
    return LocalModel(name, torch, network.eval(), tokenizer)


def _device(torch: Any, wanted: str) -> str:
    """Return the device for the weights. Raises: SettingsError when this machine does not have it."""
    kind, _, number = wanted.partition(":")
    there = {"cpu": 1, "cuda": torch.cuda.device_count(), "mps": int(torch.backends.mps.is_available())}
    there["xpu"] = torch.xpu.device_count() if hasattr(torch, "xpu") else 0
    if kind == "auto":
        # Several cards share the layers; Apple's chip and the processor are one device.
        return "auto" if there["cuda"] or there["xpu"] else "mps" if there["mps"] else "cpu"
    if int(number or 0) >= there[kind]:
        raise SettingsError(
            f"TRANSFORMERS_DEVICE is {wanted}, which torch does not find here.",
            "Unset it to take what is there, or install a torch for that device.",
        )
    return wanted


def _check_room(name: str, folder: Path) -> None:
    """Refuse weights that cannot fit: Linux would kill the whole program instead of saying no. Raises: ServerFailed."""
    try:
        available = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text("ascii"))
        needed = sum(path.stat().st_size for path in folder.glob("*.safetensors"))
    except OSError:
        return
    free = int(available[1]) * 1024 if available else needed
    if needed > free:
        raise no_memory(name, f" ({needed / 1e9:.1f} GB of weights, {free / 1e9:.1f} GB free)")


def _context(network: Any, tokenizer: Any) -> int | None:
    config = network.config.get_text_config()
    for limit in (getattr(config, "max_position_embeddings", None), tokenizer.model_max_length):
        # A tokenizer that does not know gives 1e30.
        if isinstance(limit, int) and 0 < limit < 10**9:
            return limit
    return None


def _imported(package: str) -> Any:
    """Import a package. Raises: SettingsError when it is broken (a missing library of the system, half an update)."""
    try:
        return importlib.import_module(package)
    except (ImportError, OSError) as error:
        reason = one_line(str(error), 100)
    raise SettingsError(f"The {package} package cannot be loaded: {reason}.", "Reinstall it.")


def _explain_hub(name: str, error: Exception) -> ProviderFault:
    """Return the fault behind an exception of huggingface_hub, by the names in its family."""
    names = {kind.__name__ for kind in type(error).__mro__}
    if "HFValidationError" in names:
        return ModelMissing(f"{one_line(name)!r} is no name of a model.", "Give OWNER/NAME, or a folder as ./NAME.")
    if "GatedRepoError" in names:
        return AuthFailed(f"Hugging Face asks for a sign-in for {name!r}.", "Sign in: hf auth login.")
    if "IncompleteSnapshotError" in names:
        return _not_complete(name)
    if isinstance(error, PermissionError):
        return BadRequest(f"The files of {name!r} cannot be read ({error.strerror}).", "Check HF_HOME.")
    folder = f"; a folder is written ./{name}" if Path(name).is_dir() else ""
    return ModelMissing(f"The model {name!r} is not on this machine.", f"Get it: hf download {name}{folder}.")


def _not_complete(name: str) -> ModelMissing:
    return ModelMissing(f"The model {name!r} is only partly on this machine.", f"Get the rest: hf download {name}.")


def _explain(name: str, error: Exception) -> ProviderFault:
    """Return the fault behind an exception of a loader."""
    message = str(error)
    if is_out_of_memory(error):
        return no_memory(name)
    if "trust_remote_code" in message or "custom code" in message:
        return BadRequest(f"{name!r} brings code of its own, which is not run.", _OTHER)
    if "safetensors" in message and isinstance(error, OSError):
        return ModelMissing(f"{name!r} has no .safetensors weights, and no others are read.", _OTHER)
    reason = one_line(message.partition(". ")[0], 160).rstrip(".:") or type(error).__name__
    return BadRequest(f"The model {name!r} cannot be loaded: {reason}.", _OTHER)
