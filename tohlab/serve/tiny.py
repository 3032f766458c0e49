"""A model with random weights, written in a second: enough where only reuse of the prompt is measured.

It answers nonsense. What an engine does with its prompt (how many tokens it makes of a text, how much of a
prompt it takes from its cache) is the engine's own and does not depend on the weights.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tohlab.errors import MissingExtra, WeightsUnavailable

ARCHITECTURES: Final = ("llama", "gemma3")
"""What can be written: `llama` attends to everything, `gemma3` has layers with a sliding window."""

SPECIAL_TOKENS: Final = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
"""The control tokens, whose ids are 0, 1 and 2; the first ends a text, the last ends a turn."""

CHAT_TEMPLATE: Final = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

_MERGES: Final = 240
_CORPUS: Final = """
A skill is a set of instructions that an agent loads when it needs them. Use the skill when the user asks for
a table, a form, a report or a chart. The following skills are available in this session. Read the file, then
write the answer in the same folder. If the task matches the description of a skill, call the tool with the
exact name of that skill before taking any other action. Do not call a tool that is not in the list. When the
command fails, show the error and say what to do next. Always check the result against the request. The model
sees the name and the description of each tool, its parameters and their types. Return only the text that was
asked for, and end the turn with the result of the last call.
"""
_TYPE_NORMAL, _TYPE_CONTROL = 1, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class TinyModel:
    """What was written."""

    path: Path
    architecture: str
    vocabulary: int
    """How many token ids there are; ids are 0 to this number less one."""
    window_tokens: int
    """The sliding window of the layers that have one, in tokens; 0 where every layer sees everything."""
    n_ctx: int
    """The longest context, in tokens."""
    layers: int
    bytes_per_token: int
    """What one token takes in the engine's store of keys and values, in bytes, at two bytes a number."""


def write_tiny_model(
    path: Path | str, *, architecture: str = "llama", seed: int = 0, layers: int = 1, n_ctx: int = 65_536
) -> TinyModel:
    """Write a small GGUF file with random weights and return what it holds.

    The file is well below 1 MB. Its tokenizer is a byte-level BPE of about 500 tokens, made on the spot, so
    nothing is downloaded; every text comes back whole from its tokens. The same arguments give the same file.

    Args:
        path: where the file goes; what is there is overwritten.
        architecture: `llama`, or `gemma3`, whose layers see only the last 128 tokens.
        seed: of the weights.
        layers: how many, at least 1.
        n_ctx: the longest context that the file states, in tokens.

    Raises:
        MissingExtra: the packages `gguf` or `numpy` are not installed.
        WeightsUnavailable: no such architecture, or no layer.
    """
    if architecture not in ARCHITECTURES:
        known = ", ".join(ARCHITECTURES)
        raise WeightsUnavailable(
            f"no tiny model of architecture {architecture!r} can be written; known: {known}"
        )
    if layers < 1:
        raise WeightsUnavailable(f"a model needs a layer; layers={layers} must be 1 or more")
    try:
        import gguf
        import numpy as np
    except ImportError as error:
        raise MissingExtra("gguf", "model") from error

    path = Path(path)
    tokens, merges = _tokenizer()
    width, heads, feed = 64, 2, 96
    head = width // heads
    window = 128 if architecture == "gemma3" else 0

    writer = gguf.GGUFWriter(str(path), architecture)
    writer.add_name(f"tohlab tiny {architecture}, random weights")
    writer.add_context_length(n_ctx)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(feed)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_key_length(head)
    writer.add_value_length(head)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_dimension_count(head)
    writer.add_vocab_size(len(tokens))
    if window:
        writer.add_sliding_window(window)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types(
        [_TYPE_CONTROL] * len(SPECIAL_TOKENS) + [_TYPE_NORMAL] * (len(tokens) - len(SPECIAL_TOKENS))
    )
    writer.add_token_merges(merges)
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(2)
    writer.add_pad_token_id(0)
    writer.add_add_bos_token(False)
    writer.add_chat_template(CHAT_TEMPLATE)

    random = np.random.default_rng(seed)

    def matrix(name: str, rows: int, columns: int) -> None:
        values = random.standard_normal((rows, columns), dtype=np.float32) / np.float32(columns**0.5)
        writer.add_tensor(f"{name}.weight", values.astype(np.float16))

    def norm(name: str, size: int) -> None:
        writer.add_tensor(f"{name}.weight", np.ones(size, dtype=np.float32))

    matrix("token_embd", len(tokens), width)
    matrix("output", len(tokens), width)
    norm("output_norm", width)
    for layer in range(layers):
        block = f"blk.{layer}"
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            matrix(f"{block}.{name}", width, width)
        matrix(f"{block}.ffn_gate", feed, width)
        matrix(f"{block}.ffn_up", feed, width)
        matrix(f"{block}.ffn_down", width, feed)
        norms = [("attn_norm", width), ("ffn_norm", width)]
        if architecture == "gemma3":
            norms += [("post_attention_norm", width), ("post_ffw_norm", width)]
            norms += [("attn_q_norm", head), ("attn_k_norm", head)]
        for name, size in norms:
            norm(f"{block}.{name}", size)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return TinyModel(
        path=path,
        architecture=architecture,
        vocabulary=len(tokens),
        window_tokens=window,
        n_ctx=n_ctx,
        layers=layers,
        bytes_per_token=layers * 2 * width * 2,
    )


def _tokenizer() -> tuple[list[str], list[str]]:
    """The token texts in the order of their ids, and the merges in the order of their ranks."""
    letters = _byte_letters()
    words = Counter(
        tuple(letters[byte] for byte in word.encode()) for word in re.findall(r" ?[A-Za-z]+|\s+", _CORPUS)
    )
    merges: list[str] = []
    tokens = [*SPECIAL_TOKENS, *letters]
    while len(merges) < _MERGES:
        pairs: Counter[tuple[str, str]] = Counter()
        for word, count in words.items():
            for pair in itertools.pairwise(word):
                pairs[pair] += count
        if not pairs:
            break
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(" ".join(best))
        tokens.append("".join(best))
        words = Counter({_merged(word, best): count for word, count in words.items()})
    return tokens, merges


def _merged(word: tuple[str, ...], pair: tuple[str, str]) -> tuple[str, ...]:
    out: list[str] = []
    at = 0
    while at < len(word):
        if word[at : at + 2] == pair:
            out.append(pair[0] + pair[1])
            at += 2
        else:
            out.append(word[at])
            at += 1
    return tuple(out)


def _byte_letters() -> list[str]:
    """The letter that stands for each byte in a byte-level vocabulary: itself where it can be seen."""
    seen = {*range(33, 127), *range(161, 173), *range(174, 256)}
    hidden = itertools.count(256)
    return [chr(byte) if byte in seen else chr(next(hidden)) for byte in range(256)]


def sliding_window(gguf_file: Path | str) -> int:
    """Return the sliding window that a model file states, in tokens; 0 where it states none.

    Raises:
        MissingExtra: the package `gguf` is not installed.
        WeightsUnavailable: the file is no model file.
    """
    fields = _fields(gguf_file)
    found = fields.get(f"{fields.get('general.architecture', '')}.attention.sliding_window", 0)
    # some models state a window for each layer
    return max(found) if isinstance(found, list) else int(found or 0)


def _fields(gguf_file: Path | str) -> dict[str, Any]:
    try:
        from gguf import GGUFReader
    except ImportError as error:
        raise MissingExtra("gguf", "model") from error
    try:
        reader = GGUFReader(str(gguf_file))
    except (OSError, ValueError, IndexError) as error:
        raise WeightsUnavailable(f"{gguf_file} cannot be read as a model file (.gguf): {error}") from error
    return {
        name: field.contents()
        for name, field in reader.fields.items()
        if name == "general.architecture" or name.endswith(".attention.sliding_window")
    }
