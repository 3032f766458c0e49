"""Where tohlab's own skills, labelled requests and recording are, installed or in a checkout.

The data live in `datasets/` at the top of the repository and are packed into the wheel as `tohlab/_datasets`.
Every path given here exists; nothing is copied or downloaded.

There are two sets of labelled requests, each with a recording. `core` has 30 skills. `wide` is labelled
against the skills of `core` and 38 more, holds the requests of `core` again, and has a split `test` that is
never tuned on; its recording is of that split.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, get_args

from tohlab.errors import TohlabError

LibrarySet = Literal["core", "wide"]
LIBRARY_SETS: Final[tuple[LibrarySet, ...]] = get_args(LibrarySet)
"""The names of tohlab's own sets of skills and labelled requests."""
_RECORDINGS: Final[dict[LibrarySet, str]] = {
    "core": "qwen2.5-coder-1.5b.jsonl.gz",
    "wide": "qwen2.5-coder-1.5b-wide-test.jsonl.gz",
}
RECORDED: Final[Mapping[str, Mapping[str, str | float]]] = MappingProxyType(
    {
        "core": MappingProxyType({}),
        "wide": MappingProxyType({"split": "test", "choice": "json", "temperature": 0.7, "replicates": 3}),
    }
)
"""Which options of `tohlab route` ask as a set's recording was asked, where they are not the usual ones."""


def library_dir() -> Path:
    """Return the folder with tohlab's own datasets: `skills/`, `cases.jsonl`, `recordings/` and their card.

    In an installed package this is `tohlab/_datasets`; in a checkout (also an editable install) it is
    `datasets` beside the package. The installed one comes first, so that a folder that happens to be called
    `datasets` in site-packages is never taken for ours.

    Raises:
        TohlabError: neither is there; the message names both places.
    """
    return _locate(Path(__file__).resolve().parent)


def library_skills() -> Path:
    """Return the folder of the skills of `core`, one folder with a `SKILL.md` for each.

    Raises:
        TohlabError: the datasets are not there.
    """
    return library_dir() / "skills"


def library_skill_folders(name: str = "core") -> tuple[Path, ...]:
    """Return the folders that together are the catalog of one of tohlab's own sets.

    `load_catalog(*library_skill_folders("wide"))` is that catalog as a source of skills. No two folders have
    a skill of the same name.

    Args:
        name: `core` or `wide`.

    Raises:
        TohlabError: there is no set of this name, or the datasets are not there.
    """
    return (library_skills(),) if _known(name) == "core" else (library_skills(), _wide() / "skills")


def library_cases(name: str = "core") -> Path:
    """Return the file of labelled requests for `library_skill_folders(name)`, JSON lines in UTF-8.

    Args:
        name: `core` or `wide`.

    Raises:
        TohlabError: there is no set of this name, or the datasets are not there.
    """
    return (library_dir() if _known(name) == "core" else _wide()) / "cases.jsonl"


def library_recording(name: str = "core") -> Path:
    """Return the file of recorded answers of a model to one of tohlab's own sets, JSON lines with gzip.

    That of `core` was asked once, as the harness asks; that of `wide` three times with the choice `json` at
    temperature 0.7, the requests of the split `test` only (`RECORDED`).

    Args:
        name: `core` or `wide`.

    Raises:
        TohlabError: there is no set of this name, or the datasets are not there.
    """
    return library_dir() / "recordings" / _RECORDINGS[_known(name)]


def _known(name: str) -> LibrarySet:
    for known in LIBRARY_SETS:
        if name == known:
            return known
    raise TohlabError(
        f"tohlab has no set of skills and requests called {name!r}; it has {' and '.join(LIBRARY_SETS)}"
    )


def _wide() -> Path:
    folder = library_dir() / "wide"
    if not ((folder / "skills").is_dir() and (folder / "cases.jsonl").is_file()):
        raise TohlabError(
            f"the wide set is not there (looked for skills/ and cases.jsonl in {folder}); "
            "install tohlab from its wheel or run it in a whole checkout"
        )
    return folder


def _locate(package: Path) -> Path:
    candidates = (package / "_datasets", package.parent / "datasets")
    for candidate in candidates:
        if (candidate / "skills").is_dir() and (candidate / "cases.jsonl").is_file():
            return candidate
    looked = " and ".join(str(candidate) for candidate in candidates)
    raise TohlabError(
        f"tohlab's own skills and requests are not there (looked for skills/ and cases.jsonl in {looked}); "
        "install tohlab from its wheel or run it in a whole checkout"
    )
