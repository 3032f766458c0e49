"""A folder on disk as a tree: what is no file, and what cannot be read, is said and never waited for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tohlab.dialects.harness import FileTree
from tohlab.errors import SkillError


def test_a_named_pipe_is_an_error_and_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    os.mkfifo(tmp_path / "a" / "SKILL.md")
    tree = FileTree.at(tmp_path)

    assert list(tree) == ["a/SKILL.md"]
    with pytest.raises(SkillError, match=r"a/SKILL\.md cannot be read: it is no regular file; make it"):
        tree["a/SKILL.md"]


def test_a_link_that_leads_to_itself_is_an_error_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").symlink_to("SKILL.md")

    with pytest.raises(SkillError, match=r"SKILL\.md cannot be read: Too many levels of symbolic links"):
        FileTree.at(tmp_path).text("SKILL.md")


def test_a_file_in_place_of_a_folder_is_called_a_file(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("x")

    with pytest.raises(SkillError, match=r"x\.md is a file; give the folder"):
        FileTree.at(tmp_path / "x.md")
    with pytest.raises(SkillError, match=r"there is no folder .*nothing"):
        FileTree.at(tmp_path / "nothing")
