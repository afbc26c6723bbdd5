"""Real torch and transformers with tiny random models that the tests make; skipped where they are not installed."""

from __future__ import annotations

import importlib.util
import json
import shutil
import time
import warnings
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_asyncio
from rig import SCHEMA, Rig, request
from selfheal_transformers.generation import prompt_text, room
from selfheal_transformers.local_model import Place
from selfheal_transformers.provider import PACKAGES, TransformersProvider

from selfheal_tui.plugins.providers import Completion, Request, SettingsError, TextDelta, TimeLimits, Usage
from selfheal_tui.plugins.providers.faults import BadRequest, ContextTooLong, ModelMissing, ProviderFault

MISSING = [package for package in PACKAGES if importlib.util.find_spec(package) is None]
pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)} (the extra `transformers`)"),
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.xdist_group("transformers"),
]
SLOW = TimeLimits(first_s=300.0, piece_s=120.0, total_s=600.0)
"""A busy machine takes a minute to import torch."""
CONTEXT = 1024
CHAT = (
    "{% for message in messages %}[{{ message.role }}]{{ message.content }}{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)
NO_SYSTEM = "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}" + CHAT


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a Llama of two layers, random weights and a byte-level tokenizer without a template."""
    path = tmp_path_factory.mktemp("models") / "tiny"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _make_model(path)
    return path


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def opened(folder: Path) -> AsyncIterator[Rig]:
    """Open that model; one process for all tests, since importing torch takes seconds."""
    provider = TransformersProvider(Place("cpu"), SLOW)
    yield Rig(provider)
    await provider.aclose()


def ask(folder: Path, prompt: str = "Find the cause.", **values: Any) -> Request:
    """Return a question to the model in a folder."""
    return request(prompt, **{"model": str(folder), "schema": {}, "max_tokens": 60, **values})


async def test_reply_streams_and_is_counted(opened: Rig, folder: Path) -> None:
    done = await opened.ask(ask(folder, "naïve ✓ \ud800", salt="0.2"))
    assert len(opened.pieces) > 5 and all(opened.pieces)
    assert "".join(opened.pieces) == done.text
    text = f"{request().system}\n\nnaïve ✓ ?\n\n### Answer\n"
    assert done.usage == Usage(len(text.encode()), 60) and not done.usage.estimated


async def test_cut_at_max_tokens_is_length(opened: Rig, folder: Path) -> None:
    done = await opened.ask(ask(folder, max_tokens=7))
    assert (done.stop_reason, done.usage.output_tokens) == ("length", 7)


async def test_same_question_same_reply_until_it_is_asked_again(opened: Rig, folder: Path) -> None:
    replies = {salt: (await opened.ask(ask(folder, salt=salt))).text for salt in ("", "3.0", "0.1", "0.2")}
    assert replies[""] == replies["3.0"]
    assert len(set(replies.values())) == 3
    assert (await opened.ask(ask(folder, salt="0.1"))).text == replies["0.1"]


async def test_end_is_told_by_any_token_that_ends(opened: Rig, folder: Path, tmp_path: Path) -> None:
    brief = shutil.copytree(folder, tmp_path / "brief")
    config = json.loads((brief / "generation_config.json").read_text())
    (brief / "generation_config.json").write_text(json.dumps(config | {"eos_token_id": list(range(1, 300))}))
    done = await _fresh(ask(brief, salt="0.2"))
    assert (done.stop_reason, done.usage.output_tokens) == ("end", 1)


async def test_closing_stops_at_once_and_keeps_the_model(opened: Rig, folder: Path) -> None:
    provider: Any = opened.provider
    await opened.ask(ask(folder, max_tokens=1))
    process = provider._worker._process
    async with aclosing(provider.stream(ask(folder, max_tokens=900))) as parts:
        assert isinstance(await anext(parts), TextDelta)
        closing = time.monotonic()
    assert time.monotonic() - closing < 2.0
    asking = time.monotonic()
    assert (await opened.ask(ask(folder, max_tokens=2))).usage.output_tokens == 2
    assert provider._worker._process is process and time.monotonic() - asking < 2.0


async def test_prompt_longer_than_the_context(opened: Rig, folder: Path) -> None:
    with pytest.raises(ContextTooLong, match="does not fit into the context of 1,024 tokens") as caught:
        await opened.ask(ask(folder, "x" * CONTEXT))
    assert (caught.value.limit_tokens, caught.value.retryable) == (CONTEXT, False)


async def test_reply_gets_what_the_prompt_leaves(folder: Path) -> None:
    model: Any = SimpleNamespace(context=4096, name="tiny")
    assert room(model, ask(folder, max_tokens=8192), 3000) == 1096
    assert room(model, ask(folder, max_tokens=50), 4000) == 50
    with pytest.raises(ContextTooLong):
        room(model, ask(folder, max_tokens=8192), 3100)
    model.context = None
    assert room(model, ask(folder, max_tokens=8192), 90_000) == 8192


async def test_schema_is_told_in_words(folder: Path) -> None:
    text, is_chat = prompt_text(_tokenizer(folder), ask(folder, schema=SCHEMA, shared="First. "))
    assert not is_chat and text.endswith("First. Find the cause.\n\n### Answer\n")
    assert text.startswith("You are the debugger") and '"maxItems": 8' in text


async def test_chat_template_is_used(folder: Path) -> None:
    tokenizer = _tokenizer(folder)
    tokenizer.chat_template = CHAT
    system = request().system
    assert prompt_text(tokenizer, ask(folder)) == (f"[system]{system}[user]Find the cause.[assistant]", True)
    tokenizer.chat_template = NO_SYSTEM
    assert prompt_text(tokenizer, ask(folder)) == (f"[user]{system}\n\nFind the cause.[assistant]", True)
    tokenizer.chat_template = "{{ raise_exception('never') }}"
    with pytest.raises(BadRequest, match=r"chat template of .* does not work: never"):
        prompt_text(tokenizer, ask(folder))


async def test_model_with_a_template_answers(folder: Path, tmp_path: Path) -> None:
    chat = shutil.copytree(folder, tmp_path / "chat")
    (chat / "chat_template.jinja").write_text(CHAT)
    done = await _fresh(ask(chat, max_tokens=3))
    assert done.usage.input_tokens == len(f"[system]{request().system}[user]Find the cause.[assistant]")


async def test_thought_that_the_template_opens_is_no_part_of_the_reply(folder: Path, tmp_path: Path) -> None:
    chat = shutil.copytree(folder, tmp_path / "thinker")
    (chat / "chat_template.jinja").write_text(CHAT + "<think>")
    done = await _fresh(ask(chat))
    assert (done.text, done.stop_reason) == ("", "length")


async def test_cached_model_is_found_by_its_name(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    cached = tmp_path / "hub" / "models--me--tiny"
    shutil.copytree(folder, cached / "snapshots" / "abc")
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text("abc")
    done = await _fresh(request(model="me/tiny", schema={}, max_tokens=3))
    assert done.usage.output_tokens == 3


async def test_missing_model_is_one_sentence(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.chdir(folder.parent)
    provider = TransformersProvider(Place("cpu"), SLOW)
    for model, message, hint in [
        ("me/none", "The model 'me/none' is not on this machine.", "Get it: hf download me/none."),
        ("tiny", "The model 'tiny' is not on this machine.", "a folder is written ./tiny."),
        ("a/b/c", "'a/b/c' is no name of a model.", "Give OWNER/NAME"),
        ("./none", "There is no folder ./none.", "Give the folder that holds config.json."),
        ("../", "The folder .. holds no model: config.json is missing.", ""),
    ]:
        with pytest.raises(ModelMissing) as caught:
            await Rig(provider).ask(request(model=model))
        assert caught.value.message.startswith(message.rstrip(".")) and hint in caught.value.hint
        assert not caught.value.retryable
    await provider.aclose()


async def test_what_cannot_be_loaded_is_one_sentence(folder: Path, tmp_path: Path) -> None:
    broken = {name: shutil.copytree(folder, tmp_path / name) for name in ("cut", "empty", "partial", "coded")}
    (broken["cut"] / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes()[:5000])
    (broken["empty"] / "model.safetensors").unlink()
    _drop_a_weight(broken["partial"] / "model.safetensors")
    config = json.loads((broken["coded"] / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "c.C", "AutoModelForCausalLM": "m.M"}}
    (broken["coded"] / "config.json").write_text(json.dumps(config))
    (broken["coded"] / "c.py").write_text("raise SystemExit('the code of a model was run')\n")
    provider = TransformersProvider(Place("cpu"), SLOW)
    said = {}
    for name, path in broken.items():
        with pytest.raises(ProviderFault) as caught:
            await Rig(provider).ask(ask(path))
        said[name] = caught.value.message.replace(str(tmp_path), "")
    await provider.aclose()
    assert said["cut"].startswith("The model '/cut' cannot be loaded: ") and said["cut"].endswith(".")
    assert said["empty"] == "'/empty' has no .safetensors weights, and no others are read."
    assert said["partial"] == "'/partial' is not a complete language model: lm_head.weight is missing."
    assert said["coded"] == "'/coded' brings code of its own, which is not run."


async def test_device_that_is_not_there_is_named(folder: Path) -> None:
    provider = TransformersProvider(Place("cuda:99"), SLOW)
    with pytest.raises(SettingsError, match="TRANSFORMERS_DEVICE is cuda:99, which torch does not find here"):
        await Rig(provider).ask(ask(folder))
    await provider.aclose()


async def _fresh(asked: Request) -> Completion:
    """Ask a model in a process of its own."""
    provider = TransformersProvider(Place("cpu"), SLOW)
    try:
        return await Rig(provider).ask(asked)
    finally:
        await provider.aclose()


def _tokenizer(folder: Path) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder, local_files_only=True)


def _make_model(folder: Path) -> None:
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    letters = ["<|end|>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    bytes_only = Tokenizer(models.BPE({letter: number for number, letter in enumerate(letters)}, []))
    bytes_only.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_only.decoder = decoders.ByteLevel()
    bytes_only.add_special_tokens(["<|end|>"])
    PreTrainedTokenizerFast(tokenizer_object=bytes_only, eos_token="<|end|>").save_pretrained(folder)
    torch.manual_seed(3)
    config = LlamaConfig(
        vocab_size=len(letters),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=CONTEXT,
        bos_token_id=None,
        eos_token_id=0,
    )
    network = LlamaForCausalLM(config)
    # The token that ends a reply is never the likeliest.
    network.lm_head.weight.data[0] = 0.0
    network.save_pretrained(folder)


def _drop_a_weight(path: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(path)
    del weights["lm_head.weight"]
    save_file(weights, path, metadata={"format": "pt"})
