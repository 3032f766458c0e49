from pathlib import Path

import pytest

from tests.skills.build import skill_text, write, write_skill
from tohlab.errors import SkillError
from tohlab.skills.checks import FileReport, check_tree


def only(folder: Path) -> FileReport:
    [report] = check_tree(folder)
    return report


def codes(report: FileReport) -> list[tuple[str, str, int | None]]:
    return [(problem.code, problem.level, problem.line) for problem in report.problems]


def test_a_good_skill_has_a_row_without_problems(tmp_path: Path) -> None:
    write_skill(tmp_path / "a" / "pdf", "pdf", more="license: MIT\nanything: else\n")
    report = only(tmp_path)
    assert (report.path, report.name, dict(report.loads), report.problems) == (
        "a/pdf/SKILL.md",
        "pdf",
        {"toh": True},
        (),
    )


def test_every_file_has_one_row_in_the_order_of_the_paths(tmp_path: Path) -> None:
    write_skill(tmp_path / "b", "b")
    write(tmp_path / "a" / "SKILL.md", "no frontmatter")
    write(tmp_path / "c" / "skill.md", skill_text("c"))
    write(tmp_path / "README.md", "# Read me\n")
    write_skill(tmp_path / "d", "b")
    rows = [(report.path, report.name, report.loads["toh"]) for report in check_tree(tmp_path)]
    assert rows == [
        ("a/SKILL.md", None, False),
        ("b/SKILL.md", "b", True),
        ("c/skill.md", None, False),
        ("d/SKILL.md", "b", False),
        ("README.md", None, False),
    ]


def test_a_readme_is_not_a_skill_file(tmp_path: Path) -> None:
    write(tmp_path / "README.md", "# Read me\n")
    assert not only(tmp_path).is_skill_file


@pytest.mark.parametrize(
    ("name", "description", "found"),
    [
        ("other", "d", [("name-differs-from-directory", "warning", 2)]),
        ("x" * 65, "d", [("name-too-long", "warning", 2)]),
        ("x" * 64, "d", []),
        ("s", "d" * 500, []),
        ("s", "d" * 501, [("description-cut", "warning", 3)]),
        ("s", "\U0001f600" * 251, [("description-cut", "warning", 3)]),
        ("s", "d" * 1025, [("description-too-long", "warning", 3), ("description-cut", "warning", 3)]),
        ("s", "' '", [("blank-description", "warning", 3)]),
    ],
)
def test_what_the_standard_asks_and_the_harness_cuts_is_a_warning(
    tmp_path: Path, name: str, description: str, found: list[tuple[str, str, int | None]]
) -> None:
    write_skill(tmp_path / ("s" if name == "other" else name), name, description)
    report = only(tmp_path)
    assert codes(report) == found
    assert report.loads["toh"]
    assert all(problem.remedy for problem in report.problems)


def test_white_space_that_is_not_shown_does_not_count_towards_the_cut(tmp_path: Path) -> None:
    write_skill(tmp_path / "s", "s", "'" + "d " + " " * 600 + "d'")
    assert codes(only(tmp_path)) == []


@pytest.mark.parametrize("lines", [1, 300_000])
def test_bytes_that_are_not_utf8_are_found_in_the_body_too(tmp_path: Path, lines: int) -> None:
    head = skill_text("s", body="").encode()
    write(tmp_path / "s" / "SKILL.md", head + "größe\n".encode() * lines + b"gr\xf6\xdfe\n")
    report = only(tmp_path)
    assert codes(report) == [("not-utf8", "warning", 6 + lines)]
    assert report.loads["toh"]


def test_bytes_that_are_not_utf8_are_told_once(tmp_path: Path) -> None:
    write(tmp_path / "s" / "SKILL.md", b"---\nname: s\ndescription: \xff\n---\n\xff\n")
    assert codes(only(tmp_path)) == [("not-utf8", "warning", 3)]


def test_an_error_stands_before_the_warnings(tmp_path: Path) -> None:
    write_skill(tmp_path / "a", "same")
    write_skill(tmp_path / "b", "same")
    first, second = check_tree(tmp_path)
    assert codes(first) == [("name-differs-from-directory", "warning", 2)]
    assert [code for code, _, _ in codes(second)] == ["shadowed", "name-differs-from-directory"]


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SkillError, match="does not exist"):
        check_tree(tmp_path / "none")
    assert check_tree(tmp_path) == ()
