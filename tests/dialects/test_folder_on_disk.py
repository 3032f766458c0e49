"""A folder on disk as a tree: what is no file, and what cannot be read, is said and never waited for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tohlab.dialects.file_tree import ReadableTree
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


def test_a_readable_tree_goes_on_without_what_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "SKILL.md").symlink_to("SKILL.md")
    (tmp_path / "b.md").write_text("b")
    tree = ReadableTree.at(tmp_path)

    assert (tree.text("a/SKILL.md"), tree.text("b.md")) == ("", "b")
    assert tree.unreadable == {"a/SKILL.md": "Too many levels of symbolic links"}
    assert tree.below("a") == ("a/SKILL.md",)
    tree.without(frozenset(tree.unreadable))
    assert (list(tree), tree.below("a")) == (["b.md"], ())
