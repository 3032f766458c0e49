"""Repairs: the smallest change, tried in every harness, written whole or not at all."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

import pytest

from tests.skills.build import skill_text, write, write_skill
from tohlab.dialects.harness import FileTree
from tohlab.dialects.harnesses import harness_names
from tohlab.errors import SkillError
from tohlab.survival import Fix, fixes, survey, write_fixes


def of(text: str, *dialects: str, path: str = "sail/SKILL.md") -> Fix | None:
    found = fixes(FileTree.of({path: text}), dialects or None)
    assert len(found) < 2
    return found[0] if found else None


def mended(*lines: str, dialects: tuple[str, ...] = ()) -> list[str]:
    text = "\n".join(["---", *lines, "---", "B", ""])
    fix = of(text, *dialects)
    assert fix is not None
    before, after = text.split("\n"), fix.after.split("\n")
    return [row for row in after if row not in before]


@pytest.mark.parametrize(
    ("lines", "changed"),
    [
        (("name: sail", 'description: Say "go": now'), ["description: 'Say \"go\": now'"]),
        (("name: sail", "description: It's: so"), ['description: "It\'s: so"']),
        (("name: sail", "description: '\"a\": it''s'", "license: a: b"), ['license: "a: b"']),
        (("name: sail", "description: d", "metadata:", "  note: a: b"), ['  note: "a: b"']),
        (("name: sail", "description: [draft] sets sails"), ['description: "[draft] sets sails"']),
        (("name: sail", "description: @all sets sails"), ['description: "@all sets sails"']),
        (("name: sail", 'description: "Sets" sails'), ["description: '\"Sets\" sails'"]),
    ],
)
def test_prose_is_put_in_quotes(lines: tuple[str, ...], changed: list[str]) -> None:
    assert mended(*lines) == changed


def test_the_second_of_two_keys_goes_with_all_its_lines() -> None:
    fix = of("---\nname: sail\ndescription: d\nos:\n  - a\nos:\n  - b\n  - c\nlicense: MIT\n---\nB\n")
    assert fix is not None
    assert fix.rules == ("duplicate-key",)
    assert fix.after == "---\nname: sail\ndescription: d\nos:\n  - a\nlicense: MIT\n---\nB\n"


def test_the_second_key_inside_a_mapping_goes_too() -> None:
    fix = of("---\nname: sail\ndescription: d\nmetadata:\n  a: 1\n  a: 2\n---\nB\n")
    assert fix is not None
    assert fix.after == "---\nname: sail\ndescription: d\nmetadata:\n  a: 1\n---\nB\n"


def test_brackets_become_indented_lines_however_deep() -> None:
    block = "metadata:\n  a: [x, {b: 1, c: [y]}]\n  d: []\ntags:\n- [m, n]\n"
    fix = of(f"---\nname: sail\ndescription: d\n{block}---\nB\n", "agent-skills")
    assert fix is not None
    after = (
        "metadata:\n  a:\n    - x\n    -\n      b: 1\n      c:\n        - y\n  d:\ntags:\n-\n  - m\n  - n\n"
    )
    assert fix.after == f"---\nname: sail\ndescription: d\n{after}---\nB\n"


def test_a_missing_name_and_another_name_become_the_folder_s() -> None:
    fix = of("---\ndescription: d\n---\nB\n")
    assert fix is not None
    assert fix.after == "---\nname: sail\ndescription: d\n---\nB\n"
    assert mended("name: jib", "description: d", dialects=("roo",)) == ["name: sail"]


def test_a_name_is_not_changed_to_one_that_another_harness_refuses() -> None:
    assert of(skill_text("sail-up"), path="sail_up/SKILL.md") is None


def test_two_faults_are_mended_together() -> None:
    fix = of("\ufeff---\nname: sail\ndescription: a: b\ntools: [x]\n---\nB\n")
    assert fix is not None
    assert fix.rules == ("bom", "colon", "flow")
    unmoved = {"claude-code", "hermes", "qwen-code", "supercode", "vscode"}  # these take such a file as it is
    assert set(fix.gains) == set(harness_names()) - unmoved
    table = survey(FileTree.of({"sail/SKILL.md": fix.after}))
    assert {fate.outcome for fate in table.fates} == {"loads"}


def test_only_what_is_needed_for_those_asked_for_is_changed() -> None:
    text = "---\nname: sail\ndescription: a: b\ntools: [x]\n---\nB\n"
    fix = of(text, "pi")
    assert fix is not None
    assert (fix.rules, fix.gains) == (("colon",), ("pi",))


def test_line_ends_and_the_rest_of_the_file_stay() -> None:
    text = "---\r\nname: sail\r\ndescription: a: b\r\n---\r\nB \t\r\n\r\n"
    fix = of(text)
    assert fix is not None
    assert fix.after == text.replace("a: b", '"a: b"')


@pytest.mark.parametrize(
    "text",
    [
        "---\r\nname: sail\r\ndescription: d\r\n---\r\nB\r\n",
        skill_text("sail", "x" * 1500),
        "# No frontmatter\n",
        "---\nname: sail\n---\nB\n",
        "",
        "---\n",
        "---\nname: sail\ndescription:\n---\nB\n",
    ],
)
def test_what_only_an_author_can_mend_is_left_alone(text: str) -> None:
    assert of(text) is None


def test_tabs_fences_and_control_characters_are_mended() -> None:
    for text in (
        "---\nname: sail\ndescription:\td\n---\nB\n",
        "\n---\nname: sail\ndescription: d\n---\nB\n",
        "--- \nname: sail\ndescription: d\n--- \nB\n",
        "---\nname: sail\ndescription: d\x80\n---\nB\n",
    ):
        fix = of(text)
        assert fix is not None
        assert fix.gains


@pytest.mark.parametrize(
    "files",
    [
        {"x/SKILL.md": "---\ndescription: d\n---\nB\n", "y/SKILL.md": skill_text("x")},
        {"x/SKILL.md": skill_text("y"), "y/SKILL.md": skill_text("x")},
        {"x/SKILL.md": skill_text("x"), "y/SKILL.md": "---\nname: x\ndescription: a: b\n---\nB\n"},
    ],
)
def test_no_repair_takes_a_name_from_another_file_not_even_by_itself(files: dict[str, str]) -> None:
    before = survey(FileTree.of(files))
    for fix in fixes(FileTree.of(files)):
        after = survey(FileTree.of({**files, fix.path: fix.after}))
        for old, new in zip(before.fates, after.fates, strict=True):
            assert new.outcome != "skipped" or old.outcome == "skipped"


def test_a_repair_that_would_take_a_name_is_not_proposed() -> None:
    files = {"x/SKILL.md": "---\ndescription: d\n---\nB\n", "y/SKILL.md": skill_text("x")}
    assert [(fix.path, fix.rules) for fix in fixes(FileTree.of(files))] == [("y/SKILL.md", ("name",))]


def test_the_diff_fits(tmp_path: Path) -> None:
    write(tmp_path / "sail" / "SKILL.md", "---\nname: sail\ndescription: a: b\u2028c\n---\nno end")
    (fix,) = fixes(tmp_path)
    assert fix.diff().startswith("--- a/sail/SKILL.md\n+++ b/sail/SKILL.md\n")
    subprocess.run(
        ["git", "apply", "-"], input=fix.diff().encode(), cwd=tmp_path, check=True, capture_output=True
    )
    assert (tmp_path / "sail" / "SKILL.md").read_bytes().decode() == fix.after


def test_writing_keeps_the_mode_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = write(tmp_path / "sail" / "SKILL.md", "---\nname: sail\ndescription: a: b\n---\nB\n")
    path.chmod(0o640)
    found = fixes(tmp_path)
    assert write_fixes(found, tmp_path) == (path.resolve(),)
    assert path.read_text(encoding="utf-8") == '---\nname: sail\ndescription: "a: b"\n---\nB\n'
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(path.parent.iterdir()) == [path]
    assert fixes(tmp_path) == ()


def test_bytes_that_are_no_text_stay_as_they_are(tmp_path: Path) -> None:
    path = write(tmp_path / "sail" / "SKILL.md", b"---\nname: sail\ndescription: a: b\n---\nB\xff\xfe\n")
    write_fixes(fixes(tmp_path), tmp_path)
    assert path.read_bytes() == b'---\nname: sail\ndescription: "a: b"\n---\nB\xff\xfe\n'


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real = write(tmp_path / "shared.md", "---\nname: sail\ndescription: a: b\n---\nB\n")
    (tmp_path / "skills" / "sail").mkdir(parents=True)
    link = tmp_path / "skills" / "sail" / "SKILL.md"
    link.symlink_to(real)
    write_fixes(fixes(tmp_path / "skills"), tmp_path / "skills")
    assert link.is_symlink()
    assert '"a: b"' in real.read_text(encoding="utf-8")


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = write(tmp_path / "sail" / "SKILL.md", "---\nname: sail\ndescription: a: b\n---\nB\n")
    found = fixes(tmp_path)
    write_skill(tmp_path / "sail", "sail", "Written by hand.")
    with pytest.raises(SkillError, match="has changed since it was looked at; run the check again"):
        write_fixes(found, tmp_path)
    assert "Written by hand." in path.read_text(encoding="utf-8")


def test_a_read_only_file_is_not_written(tmp_path: Path) -> None:
    write(tmp_path / "sail" / "SKILL.md", "---\nname: sail\ndescription: a: b\n---\nB\n")
    path = tmp_path / "sail" / "SKILL.md"
    before = path.read_bytes()
    path.chmod(0o444)

    with pytest.raises(SkillError, match="cannot be written: it is read-only; make it writable"):
        write_fixes(fixes(tmp_path), tmp_path)
    assert path.read_bytes() == before
