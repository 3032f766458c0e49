import os
import tracemalloc
from pathlib import Path

import pytest

from tests.skills.build import skill_text, write, write_skill
from tohlab.errors import ProviderError, SkillError
from tohlab.skills.model import Invocation, LoadedSkill, ResourceBase, SkillSource, Snapshot
from tohlab.skills.sources import FilesystemSource, LayeredSource, MemorySource, Root, project_root


def source_of(folder: Path) -> FilesystemSource:
    return FilesystemSource([Root(path=str(folder))])


def names(snapshot: Snapshot) -> list[str]:
    return [skill.name for skill in snapshot.skills]


def loaded(name: str, description: str = "d", **more: str) -> LoadedSkill:
    return LoadedSkill(name=name, description=description, content="Body.", **more)  # type: ignore[arg-type]  # texts by their names


# One root of the harness


def test_a_root_gives_bundles_and_flat_files_one_level_deep(tmp_path: Path) -> None:
    write_skill(tmp_path / "one", "one")
    write(tmp_path / "two.md", skill_text("two"))
    write_skill(tmp_path / "deep" / "down", "three")
    write(tmp_path / "four.txt", skill_text("four"))
    write(tmp_path / "five" / "skill.md", skill_text("five"))
    snapshot = source_of(tmp_path).snapshot()
    assert names(snapshot) == ["one", "two"]
    assert snapshot.complete
    one, two = snapshot.skills
    assert one.resource_base == ResourceBase(kind="directory", value=str(tmp_path / "one"))
    assert two.resource_base == ResourceBase(kind="directory", value=str(tmp_path))
    assert (one.source, one.provider, one.rank, one.path) == (
        "custom",
        "filesystem",
        300,
        str(tmp_path / "one" / "SKILL.md"),
    )


def test_a_loaded_skill_has_every_field_of_its_file(tmp_path: Path) -> None:
    more = "whenToUse: Often.\nmetadata:\n  a: [1]\nuser-invocable: no\n"
    write_skill(tmp_path / "s", "s", "What it does.", body="\n\nBody.\n", more=more)
    skill = source_of(tmp_path).load("s")
    assert skill == LoadedSkill(
        name="s",
        description="What it does.",
        content="Body.",
        when_to_use="Often.",
        invocation=Invocation(user_invocable=False),
        source="custom",
        provider="filesystem",
        resource_base=ResourceBase(kind="directory", value=str(tmp_path / "s")),
        path=str(tmp_path / "s" / "SKILL.md"),
        metadata={"a": [1]},
    )


def test_names_are_in_the_order_of_utf16_code_units(tmp_path: Path) -> None:
    for name in ("ab", "a", "10", "a-b", "2", "a0", "b"):
        write_skill(tmp_path / name, f"'{name}'")
    assert names(source_of(tmp_path).snapshot()) == ["10", "2", "a", "a-b", "a0", "ab", "b"]


def test_a_bundle_beats_a_flat_file_of_the_same_name_and_the_loser_is_told(tmp_path: Path) -> None:
    write(tmp_path / "x.md", skill_text("x", "flat"))
    write_skill(tmp_path / "x", "x", "bundle")
    snapshot = source_of(tmp_path).snapshot()
    assert [skill.description for skill in snapshot.skills] == ["bundle"]
    [problem] = snapshot.problems
    assert (problem.code, problem.path) == ("shadowed", str(tmp_path / "x.md"))
    assert str(tmp_path / "x" / "SKILL.md") in problem.message
    assert problem.log == 'skill "x" from custom ignored because a higher-priority skill already exists'


def test_a_missing_root_is_empty_and_complete(tmp_path: Path) -> None:
    assert source_of(tmp_path / "none").snapshot() == Snapshot()
    assert source_of(write(tmp_path / "file", "text")).snapshot() == Snapshot()
    assert source_of(tmp_path / "none").load("a") is None


def test_a_bad_file_is_a_problem_and_the_rest_still_loads(tmp_path: Path) -> None:
    write_skill(tmp_path / "good", "good")
    bad = write(tmp_path / "bad" / "SKILL.md", "---\nname: bad\ndescription: a: b\n---\n")
    snapshot = source_of(tmp_path).snapshot()
    assert names(snapshot) == ["good"]
    assert snapshot.complete
    [problem] = snapshot.problems
    assert (problem.code, problem.path, problem.line, problem.level) == ("invalid-yaml", str(bad), 3, "error")
    assert problem.remedy
    assert problem.log.startswith(f"skill file {bad} ignored: invalid YAML frontmatter: YAMLParseError: ")


def test_a_file_that_is_not_utf8_loads_with_replacement_characters_and_a_warning(tmp_path: Path) -> None:
    path = write(tmp_path / "s" / "SKILL.md", b"---\nname: s\ndescription: caf\xe9 \xf0\x9f\n---\nna\xefve\n")
    source = source_of(tmp_path)
    snapshot = source.snapshot()
    assert [skill.description for skill in snapshot.skills] == ["caf\ufffd \ufffd"]
    [problem] = snapshot.problems
    assert (problem.code, problem.path, problem.line, problem.level) == ("not-utf8", str(path), 3, "warning")
    assert problem.remedy == "save the file as UTF-8"
    skill = source.load("s")
    assert skill is not None
    assert skill.content == "na\ufffdve"


def test_a_broken_link_and_a_circle_of_links_are_problems_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "broken").symlink_to("nowhere")
    (tmp_path / "circle").symlink_to("circle")
    write_skill(tmp_path / "good", "good")
    snapshot = source_of(tmp_path).snapshot()
    assert names(snapshot) == ["good"]
    assert snapshot.complete
    assert [problem.log for problem in snapshot.problems] == [
        f"skill entry {tmp_path}/broken ignored: failed to follow symbolic link: "
        f"Error: ENOENT: no such file or directory, stat '{tmp_path}/broken'",
        f"skill entry {tmp_path}/circle ignored: failed to follow symbolic link: "
        f"Error: ELOOP: too many symbolic links encountered, stat '{tmp_path}/circle'",
    ]


def test_a_file_that_cannot_be_read_makes_the_whole_source_unknown(tmp_path: Path) -> None:
    write_skill(tmp_path / "good", "good")
    (tmp_path / "odd" / "SKILL.md").mkdir(parents=True)
    snapshot = source_of(tmp_path).snapshot()
    assert snapshot.skills == ()
    assert not snapshot.complete
    [problem] = snapshot.problems
    assert problem.log == (
        'skill provider "filesystem" skipped: Error: EISDIR: illegal operation on a directory, read'
    )


def test_a_root_that_cannot_be_listed_makes_the_source_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_skill(tmp_path / "good", "good")
    forbid(monkeypatch, tmp_path)
    snapshot = source_of(tmp_path).snapshot()
    assert not snapshot.complete
    assert [problem.log for problem in snapshot.problems] == [
        f"skill provider \"filesystem\" skipped: Error: EACCES: permission denied, scandir '{tmp_path}'"
    ]


def forbid(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let the system refuse one folder; file modes would not stop a test that runs as root."""
    scandir = os.scandir

    def refusing(path: str) -> object:
        if str(path) == str(folder):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)


def test_a_named_pipe_does_not_hold_up_a_scan(tmp_path: Path) -> None:
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "SKILL.md")
    [problem] = source_of(tmp_path).snapshot().problems
    assert problem.code == "missing-frontmatter"


def test_a_body_of_ten_megabytes_is_not_read_by_a_snapshot(tmp_path: Path) -> None:
    write_skill(tmp_path / "big", "big", body="x" * 10_000_000)
    source = source_of(tmp_path)
    tracemalloc.start()
    try:
        assert names(source.snapshot()) == ["big"]
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak_bytes < 200_000
    skill = source.load("big")
    assert skill is not None
    assert len(skill.content) == 10_000_000


@pytest.mark.parametrize("padding", [*range(8130, 8180), 100_000])
def test_frontmatter_of_any_length_is_read_to_its_closing_line(tmp_path: Path, padding: int) -> None:
    write_skill(tmp_path / "s", "s", "d" * padding)
    [skill] = source_of(tmp_path).snapshot().skills
    assert len(skill.description) == padding


def test_frontmatter_that_ends_with_the_file_is_complete(tmp_path: Path) -> None:
    write(tmp_path / "a.md", "---\nname: a\ndescription: " + "d" * 9000 + "\n---")
    write(tmp_path / "b.md", "---\r\nname: b\r\ndescription: " + "d" * 9000 + "\r\n---\r")
    write(tmp_path / "c.md", "---\nname: c\ndescription: " + "d" * 9000 + "\n--- ")
    snapshot = source_of(tmp_path).snapshot()
    assert names(snapshot) == ["a", "b"]
    assert [problem.line for problem in snapshot.problems] == [4]


def test_a_body_is_read_afresh_and_a_file_that_is_gone_gives_none(tmp_path: Path) -> None:
    path = write_skill(tmp_path / "s", "s", body="Old.")
    source = source_of(tmp_path)
    source.snapshot()
    write_skill(tmp_path / "s", "s", body="New.")
    skill = source.load("s")
    assert skill is not None
    assert skill.content == "New."
    path.unlink()
    assert source.load("s") is None
    assert source.load("No name") is None


def test_a_file_that_took_another_name_no_longer_gives_the_old_one(tmp_path: Path) -> None:
    write_skill(tmp_path / "s", "old")
    source = source_of(tmp_path)
    source.snapshot()
    write_skill(tmp_path / "s", "new")
    assert source.load("old") is None
    assert source.load("new") is not None


def test_a_file_that_became_unreadable_raises_the_harness_s_error(tmp_path: Path) -> None:
    path = write_skill(tmp_path / "s", "s")
    source = source_of(tmp_path)
    source.snapshot()
    path.unlink()
    path.mkdir()
    with pytest.raises(ProviderError, match="EISDIR: illegal operation on a directory, read"):
        source.load("s")


# The roots of the harness


def test_the_roots_follow_the_workspace_the_environment_and_the_home(tmp_path: Path) -> None:
    (tmp_path / "p" / ".git").mkdir(parents=True)
    source = FilesystemSource.toh(
        tmp_path / "p" / "a" / "b",
        custom_dirs=[tmp_path / "c1", tmp_path / "c2"],
        environ={"TOH_HOME": str(tmp_path / "t"), "TOH_BUNDLED_SKILL_DIR": str(tmp_path / "bundled")},
        home=tmp_path / "h",
    )
    assert [(root.rank, root.source, root.path, root.skip) for root in source.roots] == [
        (100, "project-toh", str(tmp_path / "p" / ".toh" / "skills"), ()),
        (200, "project-agents", str(tmp_path / "p" / ".agents" / "skills"), ()),
        (300, "custom", str(tmp_path / "c1"), ()),
        (300, "custom", str(tmp_path / "c2"), ()),
        (400, "user-toh", str(tmp_path / "t" / "skills"), (".system",)),
        (500, "user-agents", str(tmp_path / "h" / ".agents" / "skills"), ()),
        (600, "bundled", str(tmp_path / "bundled"), ()),
    ]


def test_without_a_workspace_there_are_no_project_roots(tmp_path: Path) -> None:
    source = FilesystemSource.toh(environ={}, home=tmp_path)
    assert [root.source for root in source.roots] == ["user-toh", "user-agents"]


def test_system_skills_are_skipped_for_the_user_and_nowhere_else(tmp_path: Path) -> None:
    write_skill(tmp_path / ".toh" / "skills" / ".system", "user-system")
    write_skill(tmp_path / ".agents" / "skills" / ".system", "agents-system")
    assert names(FilesystemSource.toh(environ={}, home=tmp_path).snapshot()) == ["agents-system"]


def test_a_project_is_the_nearest_folder_with_a_git_entry(tmp_path: Path) -> None:
    write(tmp_path / "p" / ".git", "gitdir: elsewhere\n")
    (tmp_path / "p" / "a").mkdir()
    assert project_root(tmp_path / "p" / "a") == str(tmp_path / "p")


# Memory and layers


def test_pairs_of_name_and_description_are_a_source() -> None:
    source = MemorySource.of([("b", "second"), ("a", "first"), ("b", "again")])
    snapshot = source.snapshot()
    assert [(s.name, s.description) for s in snapshot.skills] == [("a", "first"), ("b", "second")]
    assert [problem.code for problem in snapshot.problems] == ["shadowed"]
    assert source.load("a") == LoadedSkill(name="a", description="first", content="")
    assert source.load("c") is None


@pytest.mark.parametrize("pair", [("Bad", "d"), ("ok", "")])
def test_a_skill_that_no_registry_would_take_is_refused(pair: tuple[str, str]) -> None:
    with pytest.raises(SkillError):
        MemorySource.of([pair])


def test_inside_a_layer_rank_decides_and_then_the_order_of_registration() -> None:
    low = MemorySource([loaded("a", "low"), loaded("b", "low")], rank=500)
    first = MemorySource([loaded("a", "first")], rank=100)
    second = MemorySource([loaded("a", "second"), loaded("b", "second")], rank=100)
    source = LayeredSource([[low, first, second]])
    assert [(s.name, s.description) for s in source.snapshot().skills] == [("a", "first"), ("b", "second")]
    found = [source.load(name) for name in ("a", "b")]
    assert [skill and skill.description for skill in found] == ["first", "second"]


def test_the_nearest_layer_wins_whatever_the_rank() -> None:
    far = MemorySource([loaded("a", "far"), loaded("b", "far")], rank=1)
    near = MemorySource([loaded("a", "near")], rank=900)
    source = LayeredSource([[far], [near]])
    assert [(s.name, s.description) for s in source.snapshot().skills] == [("a", "near"), ("b", "far")]
    skill = source.load("a")
    assert skill is not None
    assert skill.description == "near"
    assert source.load("none") is None


class Broken:
    provider = "remote"

    def snapshot(self) -> Snapshot:
        raise ProviderError("boom", "TypeError")

    def load(self, name: str) -> LoadedSkill | None:
        raise AssertionError("never asked")


def test_a_source_that_fails_makes_the_view_incomplete_and_leaves_the_others() -> None:
    source = LayeredSource([[Broken(), MemorySource.of([("a", "d")])]])
    snapshot = source.snapshot()
    assert names(snapshot) == ["a"]
    assert not snapshot.complete
    [problem] = snapshot.problems
    assert (problem.level, problem.log) == ("warning", 'skill provider "remote" skipped: TypeError: boom')
    assert source.load("a") is not None


def test_an_unreadable_root_in_a_layer_makes_the_view_incomplete(tmp_path: Path) -> None:
    (tmp_path / "odd" / "SKILL.md").mkdir(parents=True)
    snapshot = LayeredSource([[source_of(tmp_path), MemorySource.of([("a", "d")])]]).snapshot()
    assert names(snapshot) == ["a"]
    assert not snapshot.complete


def test_every_source_keeps_the_one_contract(tmp_path: Path) -> None:
    write_skill(tmp_path / "a", "a")
    memory = MemorySource.of([("a", "d")])
    for source in (source_of(tmp_path), FilesystemSource.tree(tmp_path), memory, LayeredSource([[memory]])):
        assert isinstance(source, SkillSource)
        assert names(source.snapshot()) == ["a"]
        skill = source.load("a")
        assert skill is not None
        assert skill.name == "a"
        assert source.load("b") is None
        assert source.load("") is None
