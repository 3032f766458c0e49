"""The house itself: no silenced check without a reason, no long file, no file without a word on it."""

from __future__ import annotations

import ast
import json
import re
import tokenize
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "tohlab"
MOST_LINES = 400
LONG: dict[str, str] = {}
"""Files of the package that may be longer for now, and why; a name goes away when the file is short again."""

_SILENCED = re.compile(
    r"#\s*(?:type:\s*ignore(?:\[[^\]]*\])?|(?:ruff:\s*)?noqa(?::\s*[A-Z]+\d+(?:,\s*[A-Z]+\d+)*)?)"
)
_WORDS = re.compile(r"[A-Za-z`'é]{2,}")


def lacks_a_reason(comment: str) -> bool:
    """Return whether a comment silences a check and has fewer than two words behind it."""
    rest = _SILENCED.split(comment)
    return len(rest) > 1 and len(_WORDS.findall(rest[-1])) < 2


def unreasoned(source: str) -> Iterator[int]:
    """Give the line of each comment that silences a check and does not say why."""
    if _SILENCED.search(source) is None:
        return
    for token in tokenize.generate_tokens(StringIO(source).readline):
        if token.type == tokenize.COMMENT and lacks_a_reason(token.string):
            yield token.start[0]


def python_files() -> list[Path]:
    folders = ("tohlab", "tests", "benchmarks", "notebooks")
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def test_there_are_files_to_look_at() -> None:
    assert len(python_files()) > 500


@pytest.mark.parametrize(
    ("comment", "is_told"),
    [
        ("# type: ignore[arg-type]", False),
        ("# type: ignore", False),
        ("# noqa", False),
        ("# noqa: E501, PTH123", False),
        ("# type: ignore[arg-type]  # noqa: E501", False),
        ("# noqa: E731  # x", False),
        ("# type: ignore[arg-type]  # a wrong kind is the point", True),
        ("# noqa: PTH123 - paths are text", True),
        ("# ruff: noqa: E501  the texts stand whole", True),
        ("# a type that mypy would ignore", True),
    ],
)
def test_a_reason_is_two_words_behind_what_is_silenced(comment: str, is_told: bool) -> None:
    assert (list(unreasoned(f"x = 1  {comment}\n")) == []) is is_told


def test_a_text_is_no_comment() -> None:
    assert list(unreasoned('x = "# type: ignore"\n')) == []


def test_every_silenced_check_says_why() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in python_files()
        for line in unreasoned(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_every_silenced_check_in_a_notebook_says_why() -> None:
    notebooks = sorted((ROOT / "notebooks").rglob("*.ipynb"))
    assert notebooks
    found: list[str] = []
    for path in notebooks:
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            lines = "".join(cell["source"]).split("\n") if cell["cell_type"] == "code" else []
            found += [f"{path.name}: {line}" for line in lines if lacks_a_reason(line)]
    assert found == []


def test_no_file_of_the_package_is_longer_than_four_hundred_lines() -> None:
    long = {
        str(path.relative_to(ROOT))
        for path in PACKAGE.rglob("*.py")
        if len(path.read_text(encoding="utf-8").splitlines()) > MOST_LINES
    }
    assert long == set(LONG), "split what is long, and take out of LONG what is not"


def test_every_file_of_the_package_says_what_it_is() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in PACKAGE.rglob("*.py")
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert silent == []
