"""opencode: what is refused, and how loudly."""

from __future__ import annotations

import pytest

from tests.dialects.opencode.driver import SETTING, load, skill
from tohlab.dialects.harness import Setting, Skipped


def only_skipped(text: str, setting: Setting = SETTING) -> Skipped:
    loaded = load({"x/SKILL.md": text}, setting)
    assert loaded.skills == ()
    [row] = loaded.skipped
    return row


@pytest.mark.parametrize(
    ("text", "code", "line", "silent"),
    [
        ("# Only a body\n", "missing-frontmatter", 1, True),
        ("---\ndescription: d\n---\n", "missing-name", 1, True),
        ("---\nname: 3000\ndescription: d\n---\n", "wrong-type", 2, True),
        ("---\nname: x\ndescription:\n---\n", "wrong-type", 3, True),
        ("---\nname: x\ndescription: true\n---\n", "wrong-type", 3, True),
        ("---\nname: x\ndescription:\n  - one\n---\n", "wrong-type", 3, True),
        ("---\nname: 2026-01-02\ndescription: d\n---\n", "wrong-type", 2, True),
        ("---\nname: x\nname: y\n---\n", "duplicate-key", 3, True),
        ("---\nname: x\ndescription: @home\n---\n", "invalid-yaml", 3, True),
        ("---\nname: x\ndescription: a: b\nextra: @home\n---\n", "invalid-yaml", 3, False),
        ("\ufeff---\nname: x\ndescription: a: b\n---\n", "invalid-yaml", 3, True),
        ("---js\n{name: 'x'}\n---\n", "frontmatter-language", 1, True),
        ("---toml\nname = 'x'\n---\n", "frontmatter-language", 1, True),
    ],
)
def test_a_file_that_gives_no_skill_has_its_reason(
    text: str, code: str, line: int | None, silent: bool
) -> None:
    row = only_skipped(text)
    assert (row.code, row.line, row.silent) == (code, line, silent)
    assert row.reason
    assert row.repair


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff---\nname: x\ndescription: d\n---\nB\n",
        "---\r\nname: x\r\ndescription: d\r\n---\r\nB\r\n",
        "---\nname: x\ndescription: d\n--- trailing words\nB\n",
        "---\nname: x\ndescription: d\n",
        "--- \nname: x\ndescription: d\n---\nB\n",
        '---json\n{"name": "x", "description": "d"}\n---\nB\n',
    ],
)
def test_odd_files_that_load(text: str) -> None:
    assert [(found.name, found.description) for found in load({"any/SKILL.md": text}).skills] == [("x", "d")]


def test_any_name_will_do() -> None:
    for name in ('""', "two words", "grp/leaf", "Upper", '"</name>"', "yes", "naïve"):
        assert len(load({"a/SKILL.md": skill(name)}).skills) == 1
