"""The pages in docs/ say only what runs: their Python is run, in order, in one namespace a page."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

DOCS = sorted((Path(__file__).parent.parent / "docs").glob("*.md"))


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.stem)
def test_the_python_of_a_page_runs_and_prints_what_it_says(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", text, re.MULTILINE | re.DOTALL)
    assert blocks
    namespace: dict[str, object] = {}
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, path.name, "exec"), namespace)  # the page's own code is what is tested
        assert printed.getvalue() == expected


def test_there_are_pages() -> None:
    assert [path.name for path in DOCS] == ["past-one-process.md", "prompt-cache.md", "routing.md"]
