"""A repository's skills as they would lie in one skills root."""

from __future__ import annotations

from pathlib import Path

from tohlab.dialects.harness import FileTree
from tohlab.dialects.installed import installed

SKILL = "---\nname: {0}\ndescription: About {0}.\n---\nbody\n"


def tree_of(*paths: str) -> FileTree:
    return FileTree.of({path: SKILL.format(path.split("/")[-2] if "/" in path else "x") for path in paths})


def test_a_skills_root_stays_as_it_is() -> None:
    tree = tree_of("a/SKILL.md", "b/SKILL.md", "b/notes.txt", "README.md")

    (only,) = installed(tree)

    assert only.tree is tree
    assert not only.moved


def test_each_deep_skill_lies_directly_below_the_root_with_all_its_files() -> None:
    tree = tree_of("plugins/web/skills/deploy/SKILL.md", "plugins/web/skills/deploy/ref/a.md", "docs/x.md")

    (only,) = installed(tree)

    assert list(only.tree) == ["deploy/SKILL.md", "deploy/ref/a.md"]
    assert only.origin["deploy/ref/a.md"] == "plugins/web/skills/deploy/ref/a.md"
    assert only.tree.text("deploy/SKILL.md") == tree.text("plugins/web/skills/deploy/SKILL.md")
    assert only.tree["deploy/SKILL.md"] == tree["plugins/web/skills/deploy/SKILL.md"]


def test_two_folders_of_one_name_do_not_lie_in_one_root() -> None:
    first, second = installed(tree_of("a/deploy/SKILL.md", "b/deploy/SKILL.md", "c/other/SKILL.md"))

    assert dict(first.origin) == {
        "deploy/SKILL.md": "a/deploy/SKILL.md",
        "other/SKILL.md": "c/other/SKILL.md",
    }
    assert dict(second.origin) == {"deploy/SKILL.md": "b/deploy/SKILL.md"}


def test_a_skill_inside_a_skill_stays_inside_it() -> None:
    (only,) = installed(tree_of("s/outer/SKILL.md", "s/outer/demo/skill/SKILL.md", "s/outer-two/SKILL.md"))

    assert list(only.tree) == [
        "outer/SKILL.md",
        "outer/demo/skill/SKILL.md",
        "outer-two/SKILL.md",
    ]


def test_a_folder_that_is_itself_a_skill_stays_as_it_is() -> None:
    tree = tree_of("SKILL.md", "more/deep/SKILL.md")

    assert installed(tree, "installed")[0].tree is tree


def test_as_is_moves_nothing(tmp_path: Path) -> None:
    (tmp_path / "x" / "deep").mkdir(parents=True)
    (tmp_path / "x" / "deep" / "SKILL.md").write_text(SKILL.format("deep"))
    tree = FileTree.at(tmp_path)

    assert installed(tree, "as-is")[0].tree is tree
    assert installed(tree)[0].tree.text("deep/SKILL.md") == SKILL.format("deep")


def test_markdown_of_the_top_folder_stays_and_other_files_go() -> None:
    (only,) = installed(tree_of("flat.md", "x/deep/SKILL.md", "x/notes.txt"))

    assert list(only.tree) == ["flat.md", "deep/SKILL.md"]
