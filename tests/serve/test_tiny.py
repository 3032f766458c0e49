"""A model with random weights is small, the same each time, and read by the engine as what it says it is."""

from __future__ import annotations

import http.client
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tohlab.errors import MissingExtra, ServeError, WeightsUnavailable
from tohlab.serve import EngineCache, ModelServer, sliding_window, write_tiny_model

TEXTS = (
    "Use the skill when the user asks for a report.",
    "  two  blanks\n\n\tand tabs\r\n",
    "Grüße, 漢字, 🦜, \u200b and \x00 byte",
    "<|im_start|>user",
    "x" * 300,
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelServer]:
    folder = tmp_path_factory.mktemp("tiny")
    model = write_tiny_model(folder / "tiny.gguf")
    log = folder / "server.log"
    with ModelServer(model.path, n_ctx=1024, n_threads=1, timeout_s=600.0, log=log) as running:
        yield running


def post(server: ModelServer, path: str, body: Any) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
    try:
        connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        reply = connection.getresponse()
        text = reply.read()
        assert reply.status == 200, text
        return json.loads(text)
    finally:
        connection.close()


def test_the_file_is_small_and_the_same_each_time(tmp_path: Path) -> None:
    one = write_tiny_model(tmp_path / "one.gguf", seed=4)
    same = write_tiny_model(tmp_path / "same.gguf", seed=4)
    other = write_tiny_model(tmp_path / "other.gguf", seed=5)

    assert one.path.read_bytes() == same.path.read_bytes()
    assert one.path.read_bytes() != other.path.read_bytes()
    assert one.path.stat().st_size < 1_000_000
    assert (one.vocabulary, one.layers, one.bytes_per_token) == (499, 1, 256)


@pytest.mark.parametrize("text", TEXTS)
def test_every_text_comes_back_whole_from_its_tokens(server: ModelServer, text: str) -> None:
    tokens = post(server, "/tokenize", {"content": text, "parse_special": False})["tokens"]

    assert max(tokens) < 499
    assert post(server, "/detokenize", {"tokens": tokens})["content"] == text


def test_words_of_the_domain_are_few_tokens(server: ModelServer) -> None:
    tokens = post(server, "/tokenize", {"content": " the skill of the tool"})["tokens"]

    assert len(tokens) <= 8


def test_the_chat_template_writes_control_tokens(server: ModelServer) -> None:
    messages = [{"role": "user", "content": "hi"}]
    prompt = post(server, "/apply-template", {"messages": messages})["prompt"]
    tokens = post(server, "/tokenize", {"content": prompt, "parse_special": True})["tokens"]

    assert prompt == "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"
    assert [token for token in tokens if token < 3] == [1, 2, 1]


def test_the_window_is_read_from_the_file(tmp_path: Path) -> None:
    assert sliding_window(write_tiny_model(tmp_path / "one.gguf").path) == 0
    assert sliding_window(write_tiny_model(tmp_path / "two.gguf", architecture="gemma3").path) == 128


def test_a_file_that_is_no_model_is_said(tmp_path: Path) -> None:
    (tmp_path / "text.gguf").write_bytes(b"this is no model file at all")

    with pytest.raises(WeightsUnavailable, match=r"text\.gguf cannot be read as a model file"):
        sliding_window(tmp_path / "text.gguf")
    with pytest.raises(WeightsUnavailable, match=r"none\.gguf cannot be read as a model file"):
        sliding_window(tmp_path / "none.gguf")


def test_an_unknown_architecture_is_said(tmp_path: Path) -> None:
    with pytest.raises(WeightsUnavailable, match="'mamba' can be written; known: llama, gemma3"):
        write_tiny_model(tmp_path / "tiny.gguf", architecture="mamba")
    with pytest.raises(WeightsUnavailable, match="layers=0 must be 1 or more"):
        write_tiny_model(tmp_path / "tiny.gguf", layers=0)


def test_without_gguf_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gguf", None)

    with pytest.raises(MissingExtra, match=r"gguf is not installed.*tohlab\[model\]"):
        write_tiny_model(tmp_path / "tiny.gguf")


def test_by_default_the_server_gets_no_option_of_the_cache() -> None:
    assert EngineCache().options == ()


def test_each_setting_of_the_cache_is_an_option() -> None:
    cache = EngineCache(slots=2, ram_mib=64, chunk_tokens=32, similarity=0.5, unified=True, swa_full=True)

    assert " ".join(cache.options) == (
        "--slots 2 --cache-ram 64 --cache-reuse 32 --slot-similarity 0.5 --unified --swa-full"
    )


def test_each_slot_has_the_whole_context(tmp_path: Path) -> None:
    model = write_tiny_model(tmp_path / "tiny.gguf")
    cache = EngineCache(slots=3)
    with ModelServer(model.path, n_ctx=512, n_threads=1, cache=cache, timeout_s=600.0) as running:
        connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=600)
        connection.request("GET", "/slots")
        slots = json.loads(connection.getresponse().read())
        connection.close()

    assert [slot["n_ctx"] for slot in slots] == [512, 512, 512]


@pytest.mark.parametrize(
    "settings", [{"slots": 0}, {"ram_mib": -2}, {"chunk_tokens": -1}, {"similarity": 1.5}]
)
def test_a_setting_that_no_server_takes_is_said(settings: dict[str, Any]) -> None:
    with pytest.raises(ServeError, match="slots must be 1 or more"):
        EngineCache(**settings)
