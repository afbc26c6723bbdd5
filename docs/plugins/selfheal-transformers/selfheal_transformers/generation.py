"""Generate a local model's reply in pieces; runs in the process of `local_worker.py`."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from typing import Any

from selfheal_tui.plugins.providers import Request, ThoughtFilter, schema_note
from selfheal_tui.plugins.providers.faults import BadRequest, ContextTooLong

from .local_model import LocalModel, Tell, is_out_of_memory, no_memory

_LEAST_ROOM = 1024
"""With fewer tokens than this left for the reply, the prompt is too long rather than the reply."""
_TEMPERATURE, _TOP_P = 0.8, 0.95
"""For another sample of the same prompt: close enough to the likeliest reply to be code, far enough to differ."""
_MOST_HELD = 16
"""Tokens that wait for the rest of a character; after more the text is sent as it is."""
_CHUNK = 256


class Stopped(Exception):
    """The reply is no longer wanted."""


def generate(model: LocalModel, request: Request, tell: Tell, stop: threading.Event) -> None:
    """Generate the reply; tell the prompt's size, each piece of text with the tokens so far, and how the reply ended.

    It is the likeliest reply, always the same (greedy decoding); with a salt that asks again it is a sample, the same
    for the same salt. Ends within a layer of the network after `stop` is set. Raises: Stopped, ProviderFault.
    """
    text, is_chat = prompt_text(model.tokenizer, request)
    ids = model.tokenizer(text, add_special_tokens=not is_chat, return_tensors="pt")["input_ids"]
    prompt_tokens = int(ids.shape[1])
    most = room(model, request, prompt_tokens)
    tell(prompt_tokens=prompt_tokens)
    streamer = _Streamer(model.tokenizer, tell, ThoughtFilter(prompt=text))
    hooks = _stop_hooks(model.network, stop)
    try:
        _run(model, ids, streamer, most, seed_of(request.salt))
        streamer.finish()
        tell(end="end" if streamer.last in _ends(model) else "length", tokens=streamer.tokens)
        return
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
    finally:
        for hook in hooks:
            hook.remove()
    # Here no traceback keeps the tensors alive that took the memory.
    if model.torch.cuda.is_available():
        model.torch.cuda.empty_cache()
    raise no_memory(model.name, f" and a prompt of {prompt_tokens:,} tokens")


def prompt_text(tokenizer: Any, request: Request) -> tuple[str, bool]:
    """Return the prompt as the model reads it, and whether its chat template made it. Raises: BadRequest."""
    system = (request.system + schema_note(request.schema)).strip()
    if not getattr(tokenizer, "chat_template", None):
        # A model without a template completes texts: the heading is where its part begins.
        return f"{system}\n\n{request.user}\n\n### Answer\n".lstrip(), False
    user = {"role": "user", "content": request.user}
    # Some templates know no system message and say so.
    merged = {"role": "user", "content": f"{system}\n\n{request.user}".lstrip()}
    tries = [[{"role": "system", "content": system}, user], [merged]] if system else [[user]]
    reason = ""
    for messages in tries:
        try:
            # Thinking of a small model takes minutes here and seldom ends without sampling; others ignore the switch.
            text = tokenizer.apply_chat_template(
                messages, tokenize=False, add_generation_prompt=True, enable_thinking=False
            )
            return str(text), True
        except Exception as error:  # A template is a program of the model's makers and may raise anything.
            reason = str(error)
    raise BadRequest(f"The chat template of {request.model!r} does not work: {reason[:160]}.")


def seed_of(salt: str) -> int | None:
    """Return the seed of another sample; None for the first attempt (0)."""
    if salt.rpartition(".")[2] in ("", "0"):
        return None
    return int.from_bytes(hashlib.sha256(salt.encode()).digest()[:4], "big")


def room(model: LocalModel, request: Request, prompt_tokens: int) -> int:
    """Return how many tokens the reply may have. Raises: ContextTooLong."""
    if model.context is None:
        return request.max_tokens
    free_tokens = model.context - prompt_tokens
    if free_tokens < min(request.max_tokens, _LEAST_ROOM):
        message = f"The prompt does not fit into the context of {model.context:,} tokens of {model.name!r}."
        raise ContextTooLong(message, limit_tokens=model.context)
    return min(request.max_tokens, free_tokens)


def _run(model: LocalModel, ids: Any, streamer: _Streamer, most: int, seed: int | None) -> None:
    torch, ends = model.torch, sorted(_ends(model))
    options: dict[str, Any] = {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}
    if seed is not None:
        torch.manual_seed(seed)
        options = {"do_sample": True, "temperature": _TEMPERATURE, "top_p": _TOP_P, "top_k": 0}
    ids = ids.to(model.network.device)
    model.network.generate(
        input_ids=ids,
        attention_mask=torch.ones_like(ids),
        max_new_tokens=most,
        num_beams=1,
        # Hooks are asked between these parts: one layer takes a minute for a long prompt on a processor.
        prefill_chunk_size=_CHUNK if ids.device.type == "cpu" else None,
        eos_token_id=ends or None,
        pad_token_id=ends[0] if ends else None,
        streamer=streamer,
        **options,
    )


def _ends(model: LocalModel) -> set[int]:
    """Return the tokens that end a reply: the model's and the tokenizer's, which differ for some chat models."""
    end_tokens = model.network.generation_config.eos_token_id
    ends = set(end_tokens if isinstance(end_tokens, list) else [end_tokens]) | {model.tokenizer.eos_token_id}
    return {token for token in ends if isinstance(token, int)}


def _stop_hooks(network: Any, stop: threading.Event) -> list[Any]:
    """Make each layer check `stop` before it runs: without a graphics card a long prompt takes minutes to read."""

    def check(*_: Any) -> None:
        if stop.is_set():
            raise Stopped

    layers = [layer for part in network.modules() if type(part).__name__ == "ModuleList" for layer in part]
    return [part.register_forward_pre_hook(check) for part in (network, *layers)]


class _Streamer:
    """Takes the tokens of `generate` and tells the reply's text in whole characters, without the reasoning."""

    def __init__(self, tokenizer: Any, tell: Tell, thoughts: ThoughtFilter) -> None:
        self.thoughts = thoughts
        self.last: int | None = None
        self.tokens = 0
        self._tokenizer = tokenizer
        self._tell = tell
        self._is_prompt = True
        self._ids: list[int] = []
        self._done = 0
        """How many of `_ids` have been told; earlier tokens are dropped."""

    def put(self, value: Any) -> None:
        """Take the prompt, then one token at a time (`generate` calls this)."""
        if self._is_prompt:
            self._is_prompt = False
            return
        token = int(value.reshape(-1)[-1])
        self.tokens += 1
        self.last = token
        self._ids.append(token)
        self._flush(final=False)

    def end(self) -> None:
        """Take the end of the tokens (`generate` calls this)."""
        self._flush(final=True)

    def finish(self) -> None:
        """Tell what the thought filter held back."""
        self._say(self.thoughts.finish())

    def _flush(self, final: bool) -> None:
        # A token's text depends on its neighbours (spaces, halves of characters): decode with those told last.
        earlier_text, text = self._decode(self._ids[: self._done]), self._decode(self._ids)
        if not final and text.endswith("\ufffd") and len(self._ids) - self._done < _MOST_HELD:
            return
        self._say(self.thoughts.feed(text[len(earlier_text) :]))
        self._ids, self._done = self._ids[self._done :], len(self._ids) - self._done

    def _decode(self, ids: Sequence[int]) -> str:
        return str(self._tokenizer.decode(ids, skip_special_tokens=True)) if ids else ""

    def _say(self, text: str) -> None:
        if text:
            self._tell(text=text, tokens=self.tokens)
