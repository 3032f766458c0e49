"""Several roots as one tree: whose skill stays, how paths are told, and what trust leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tohlab.dialects.harness import FileTree, Setting, SkillRoot, layered
from tohlab.dialects.harnesses import get_harness, harness_names

LAYERED = [name for name in harness_names() if get_harness(name).layers]


def skill(name: str, description: str) -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n\nBody.\n"


def twins(name: str) -> tuple[FileTree, Setting]:
    trees = {
        root.folder: FileTree.of(
            {"twin/SKILL.md": skill("twin", root.folder), f"only-{n}/SKILL.md": skill(f"only-{n}", "d")}
        )
        for n, root in enumerate(get_harness(name).layers)
    }
    return layered(trees), Setting(root="/r", bundled=False, options={"roots": get_harness(name).layers})


def test_two_harnesses_have_one_root() -> None:
    assert set(harness_names()) - set(LAYERED) == {"agent-skills", "hermes"}


@pytest.mark.parametrize("name", [name for name in LAYERED if name != "codex"])
def test_the_strongest_root_has_the_name_and_every_root_has_its_own_skills(name: str) -> None:
    harness, (tree, setting) = get_harness(name), twins(name)
    # Roo Code's folders of other modes give nothing.
    seen = [root for root in harness.layers if getattr(root, "mode", None) in (None, "code")]
    loaded = harness.load(tree, setting)
    found = {one.name: one.description for one in loaded.skills if one.listed}
    assert found.pop("twin") == seen[0].folder
    assert set(found) == {f"only-{harness.layers.index(root)}" for root in seen}
    losers = {row.path for row in loaded.skipped if row.code in ("duplicate-name", "shadowed")}
    assert {f"{root.folder}/twin/SKILL.md" for root in seen[1:]} <= losers


@pytest.mark.parametrize(
    "name", [name for name in LAYERED if any(root.project for root in get_harness(name).layers)]
)
def test_without_trust_the_roots_of_a_project_are_not_looked_into(name: str) -> None:
    harness, (tree, setting) = get_harness(name), twins(name)
    untrusted = Setting(root="/r", bundled=False, options={**setting.options, "trusted": False})
    paths = [one.path for one in harness.load(tree, untrusted).skills]
    assert paths
    assert all(path.startswith("home/") for path in paths)


@pytest.mark.parametrize("name", LAYERED)
def test_a_path_is_told_by_where_its_folder_lies(name: str) -> None:
    harness, (tree, setting) = get_harness(name), twins(name)
    mounts = {
        "project": "/srv/app",
        "home": "/home/me",
        "etc": "/etc",
        "project/.agents/skills": "/elsewhere",
    }
    there = Setting(root="/r", bundled=False, options=setting.options, mounts=mounts)
    text = harness.listing(harness.load(tree, there), there).text
    assert "/r/" not in text
    for n, root in enumerate(harness.layers):
        path = there.path_of(f"{root.folder}/only-{n}/SKILL.md")
        assert there.inside(path) == f"{root.folder}/only-{n}/SKILL.md"
        assert path.startswith(("/srv/app/", "/home/me/", "/elsewhere/", "/etc/"))
        if name in ("gemini-cli", "mistral-vibe", "opencode", "pi"):
            assert path in text


def test_the_longest_folder_counts_and_other_paths_lead_nowhere() -> None:
    setting = Setting(root="/r", mounts={"a": "/x", "a/b": "/r/deep"})
    paths = ["a/b/c", "a/b", "a/bc", "ab", "", "a"]
    told = [setting.path_of(path) for path in paths]
    assert told == ["/r/deep/c", "/r/deep", "/x/bc", "/r/ab", "/r", "/x"]
    assert [setting.inside(path) for path in told] == paths
    assert [setting.inside(path) for path in ("/y", "/xy", "/rr/a", "")] == [None] * 4


def test_roots_may_be_given_by_their_paths_alone() -> None:
    roots = Setting(options={"roots": ["/a/", SkillRoot(folder="b", project=True)]}).skill_roots(SkillRoot)
    assert [(root.folder, root.project, root.prefix) for root in roots] == [
        ("a", False, "a/"),
        ("b", True, "b/"),
    ]
    assert Setting().skill_roots(SkillRoot) == (SkillRoot(),)
    assert Setting(options={"roots": ()}).skill_roots(SkillRoot) == ()


def test_qwen_code_tells_of_each_skill_whose_it_is() -> None:
    harness, (tree, setting) = get_harness("qwen-code"), twins("qwen-code")
    text = harness.listing(harness.load(tree, setting), setting).text
    assert "\nd (project)\n" in text
    assert "\nd (user)\n" in text
    assert "\nproject/.qwen/skills (project)\n" in text


def test_names_of_two_roots_are_no_race() -> None:
    for name in ("cline", "mistral-vibe", "goose"):
        harness, (tree, setting) = get_harness(name), twins(name)
        assert not any("both named" in note for note in harness.load(tree, setting).notes)


def test_a_layered_tree_reads_each_file_where_it_lies(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "SKILL.md").write_bytes(b"\xff")
    tree = layered(
        {"a/b/": FileTree.at(tmp_path), "": FileTree.of({"top.md": "t", "a/b/s/SKILL.md": "hidden"})}
    )
    assert list(tree) == ["a/b/s/SKILL.md", "top.md"]
    assert (tree["a/b/s/SKILL.md"], tree.text("a/b/s/SKILL.md")) == (b"\xff", "\ufffd")
    assert tree.text("top.md") == "t"
    assert tree.below("a/b") == ("a/b/s/SKILL.md",)
    assert tree.below("a/b/s/SKILL.md") == ()
    assert tree.named("SKILL.md") == ("a/b/s/SKILL.md",)
    with pytest.raises(KeyError):
        tree["s/SKILL.md"]


def test_what_lies_below_a_folder_is_not_what_begins_like_it() -> None:
    tree = FileTree.of(dict.fromkeys(["a/x", "a/y/z", "a-b/x", "a0/x", "a", "a.md", "b"], ""))
    assert tree.below("a") == ("a/x", "a/y/z")
    assert tree.below("") == tuple(sorted(tree))
    assert tree.below("c") == ()
