from pathlib import Path

import pytest

from tests.skills.build import skill_text, write, write_skill
from tests.skills.test_sources import forbid, names
from tohlab.errors import SkillError
from tohlab.skills.model import Problem
from tohlab.skills.sources import FilesystemSource


def problems(folder: Path) -> list[Problem]:
    return list(FilesystemSource.tree(folder).snapshot().problems)


def test_a_tree_gives_skill_files_at_any_depth_and_flat_files_of_its_top(tmp_path: Path) -> None:
    write_skill(tmp_path, "top")
    write_skill(tmp_path / "a", "one")
    write_skill(tmp_path / "a" / "b" / "c", "deep")
    write_skill(tmp_path / ".claude" / "skills" / "h", "hidden")
    write(tmp_path / "flat.md", skill_text("flat"))
    write(tmp_path / "a" / "notes.md", skill_text("not-flat"))
    write_skill(tmp_path / ".git" / "x", "in-git")
    snapshot = FilesystemSource.tree(tmp_path).snapshot()
    assert names(snapshot) == ["deep", "flat", "hidden", "one", "top"]
    assert snapshot.problems == ()
    assert snapshot.complete


def test_a_readme_beside_the_skills_is_no_error(tmp_path: Path) -> None:
    write_skill(tmp_path / "a", "a")
    write(tmp_path / "README.md", "# Skills\n")
    [problem] = problems(tmp_path)
    assert (problem.code, problem.level) == ("missing-frontmatter", "warning")


def test_a_flat_file_with_bad_frontmatter_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "a.md", "---\nname: A\ndescription: d\n---\n")
    [problem] = problems(tmp_path)
    assert (problem.code, problem.level, problem.line) == ("invalid-name", "error", 2)


def test_the_first_by_path_wins_a_name_and_the_other_names_the_winner(tmp_path: Path) -> None:
    write_skill(tmp_path / "b", "same", "second")
    write_skill(tmp_path / "a" / "z", "same", "first")
    snapshot = FilesystemSource.tree(tmp_path).snapshot()
    assert [skill.description for skill in snapshot.skills] == ["first"]
    [problem] = snapshot.problems
    assert (problem.code, problem.path) == ("shadowed", str(tmp_path / "b" / "SKILL.md"))
    assert str(tmp_path / "a" / "z" / "SKILL.md") in problem.message


def test_circles_of_links_end_and_a_folder_is_told_by_its_real_path(tmp_path: Path) -> None:
    write_skill(tmp_path / "real" / "s", "s")
    (tmp_path / "real" / "s" / "up").symlink_to(tmp_path)
    (tmp_path / "alias").symlink_to(tmp_path / "real")
    (tmp_path / "self").symlink_to("self")
    snapshot = FilesystemSource.tree(tmp_path).snapshot()
    assert [skill.path for skill in snapshot.skills] == [str(tmp_path / "real" / "s" / "SKILL.md")]
    assert [problem.code for problem in snapshot.problems] == ["broken-symlink"]


def test_a_folder_outside_is_followed_through_a_link_once(tmp_path: Path) -> None:
    write_skill(tmp_path / "outside" / "s", "s")
    write_skill(tmp_path / "outside" / "t", "t")
    top = tmp_path / "top"
    top.mkdir()
    (top / "one").symlink_to(tmp_path / "outside")
    (top / "two").symlink_to(tmp_path / "outside")
    (top / "file.md").symlink_to(tmp_path / "outside" / "t" / "SKILL.md")
    snapshot = FilesystemSource.tree(top).snapshot()
    assert [skill.path for skill in snapshot.skills] == [
        str(top / "one" / "s" / "SKILL.md"),
        str(top / "file.md"),
    ]
    assert [problem.code for problem in snapshot.problems] == ["shadowed"]


@pytest.mark.parametrize("name", ["skill.md", "Skill.md", "SKILL.MD"])
def test_a_skill_file_with_the_wrong_case_is_an_error(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "a" / name, skill_text("a"))
    [problem] = problems(tmp_path)
    assert (problem.code, problem.level, problem.path) == ("wrong-case", "error", str(path))
    assert problem.remedy == "rename it to SKILL.md"


def test_at_the_top_a_skill_file_with_the_wrong_case_loads_as_a_flat_file(tmp_path: Path) -> None:
    write(tmp_path / "skill.md", skill_text("a"))
    snapshot = FilesystemSource.tree(tmp_path).snapshot()
    assert names(snapshot) == ["a"]
    assert [(p.code, p.level) for p in snapshot.problems] == [("wrong-case", "warning")]


def test_a_folder_called_like_a_skill_file_and_a_broken_link_are_errors(tmp_path: Path) -> None:
    (tmp_path / "a" / "SKILL.md").mkdir(parents=True)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "SKILL.md").symlink_to("gone")
    assert [p.code for p in problems(tmp_path)] == ["not-a-file", "broken-symlink"]


def test_a_folder_that_cannot_be_read_makes_the_view_incomplete_and_leaves_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_skill(tmp_path / "good", "good")
    write_skill(tmp_path / "locked" / "s", "s")
    forbid(monkeypatch, tmp_path / "locked")
    snapshot = FilesystemSource.tree(tmp_path).snapshot()
    assert names(snapshot) == ["good"]
    assert not snapshot.complete
    [problem] = snapshot.problems
    assert (problem.code, problem.level, problem.path) == ("unreadable", "error", str(tmp_path / "locked"))


def test_a_tree_of_a_thousand_files_gives_a_thousand_skills_in_order(tmp_path: Path) -> None:
    for n in range(1000):
        write_skill(tmp_path / f"g{n % 7}" / f"s{n}", f"s{n}")
    source = FilesystemSource.tree(tmp_path)
    assert len(source.snapshot().skills) == 1000
    groups = [skill.path for skill in source.candidates().skills]
    assert groups == sorted(groups, key=str)


@pytest.mark.parametrize("name", ["none", "file"])
def test_what_is_no_folder_is_an_error_that_says_what_to_give(tmp_path: Path, name: str) -> None:
    write(tmp_path / "file", "text")
    with pytest.raises(SkillError, match="give a folder that holds skills"):
        FilesystemSource.tree(tmp_path / name)


def test_an_empty_folder_is_an_empty_view(tmp_path: Path) -> None:
    snapshot = FilesystemSource.tree(tmp_path).snapshot()
    assert (snapshot.skills, snapshot.complete, snapshot.problems) == ((), True, ())
