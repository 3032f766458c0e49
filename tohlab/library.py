"""Where tohlab's own skills, labelled requests and recording are, installed or in a checkout.

The data live in `datasets/` at the top of the repository and are packed into the wheel as `tohlab/_datasets`.
Every path given here exists, except the recording before one was made; nothing is copied or downloaded.
"""

from __future__ import annotations

from pathlib import Path

from tohlab.errors import TohlabError

_RECORDING = "qwen2.5-coder-1.5b.jsonl.gz"


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
    """Return the folder of tohlab's own skills, one folder with a `SKILL.md` for each.

    Raises:
        TohlabError: the datasets are not there.
    """
    return library_dir() / "skills"


def library_cases() -> Path:
    """Return the file of labelled requests for `library_skills()`, JSON lines in UTF-8.

    Raises:
        TohlabError: the datasets are not there.
    """
    return library_dir() / "cases.jsonl"


def library_recording() -> Path:
    """Return the file of recorded model answers to `library_cases()`, JSON lines, compressed with gzip.

    The path is given whether or not the recording has been made; who reads it says so if it is missing.

    Raises:
        TohlabError: the datasets are not there.
    """
    return library_dir() / "recordings" / _RECORDING


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
