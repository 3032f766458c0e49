"""TheOpen Harness as one of sixteen: the same texts as its dialect, its tool and its source give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conformance.test_vectors import read_vectors
from tohlab.dialects import get_dialect
from tohlab.dialects.harness import FileTree, HarnessSkill, Loaded, Setting
from tohlab.dialects.harnesses import get_harness
from tohlab.dialects.toh_harness import HARNESS
from tohlab.errors import CatalogError
from tohlab.skills.sources import FilesystemSource, MemorySource, Root
from tohlab.tools import SkillTool

Row = dict[str, Any]
TOH = get_dialect("toh")
HERE = Setting(root="<root>")


def rows(group: str) -> list[Row]:
    found = [
        r
        for r in read_vectors(Path(__file__).parents[1] / "conformance" / "toh.jsonl")
        if r["group"] == group
    ]
    assert found, group
    return found


def each(group: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in rows(group)])


def listed(*pairs: tuple[str, str], **more: Any) -> Loaded:
    return Loaded(
        skills=tuple(
            HarnessSkill(name=n, description=d, body="", path=f"{n}/SKILL.md", **more) for n, d in pairs
        )
    )


def load(files: dict[str, str], **options: Any) -> Loaded:
    return HARNESS.load(FileTree.of(files), Setting(root="<root>", options=options))


# Held against what the program gave.


@each("frontmatter")
def test_a_file_gives_what_the_program_makes_of_it(row: Row) -> None:
    files = {f"x/{name}": text for name, text in row["input"].items()}
    loaded = load(files)
    want = row["output"]["skill"]
    if want is None:
        assert loaded.skills == ()
        told = [s for s in loaded.skipped if not s.silent]
        logs = [f"skill file <root>/{s.path} ignored: {s.reason}" for s in told]
        head = "invalid YAML frontmatter: "  # what follows is the YAML library's own message
        assert [log.split(head)[0] for log in logs] == [
            log.split(head)[0] for log in row["output"]["warnings"]
        ]
        return
    (skill,) = loaded.skills
    assert (skill.name, skill.description, skill.body) == (want["name"], want["description"], want["content"])
    assert skill.model_loads is skill.listed is want["invocation"]["modelInvocable"]
    assert skill.user_loads is want["invocation"]["userInvocable"]
    assert HERE.path_of(skill.path) == want["path"]
    assert HERE.path_of(skill.directory) == want["resourceBase"]["path"]


@each("catalog_initial")
def test_the_list_is_the_initial_catalog(row: Row) -> None:
    pairs = [(e["name"], e["description"]) for e in row["input"]["entries"]]
    want = row["output"]["content"][0]["text"]
    listing = HARNESS.listing(listed(*pairs), HERE)
    assert listing.text == (want if pairs else "")
    assert [s.label for s in listing.spans] == [f'entry "{name}"' for name, _ in pairs]


@each("catalog_replacement")
def test_a_change_appends_the_whole_catalog(row: Row) -> None:
    pairs = [(e["name"], e["description"]) for e in row["input"]["entries"]]
    assert HARNESS.replacement(listed(*pairs), HERE).text == row["output"]["content"][0]["text"]


@each("gesture_scan")
def test_a_users_text_starts_the_skills_that_it_names(row: Row) -> None:
    names = row["output"]["names"]
    loaded = listed(*((name, "d") for name in names))
    texts = [
        block["text"]
        for message in row["input"]["messages"]
        if message.get("source", {}).get("kind") == "user"
        for block in message["content"]
        if block.get("type") == "text"
    ]
    started = []
    for text in texts:
        turn = HARNESS.user(text, loaded, FileTree.of({}), HERE)
        assert turn.texts[0] == text
        started += [block.split('"')[1] for block in turn.texts[1:]]
    assert list(dict.fromkeys(started)) == names


@each("tool_schema")
def test_the_tool_is_the_dialects(row: Row) -> None:
    (tool,) = HARNESS.tools(Loaded(), HERE)
    assert tool["function"] == TOH.skill_tool().to_dict()
    assert row["id"]


# Held against our own source and tool.

FILES = {
    "pdf/SKILL.md": "---\nname: pdf\ndescription: Read & fill <forms>.\n---\n\nOpen it.\n",
    "flat.md": "---\nname: flat\ndescription: A flat one.\n---\nFlat.\n",
    "hidden/SKILL.md": "---\nname: hidden\ndescription: H\ndisable-model-invocation: yes\n---\nH.\n",
    "quiet/SKILL.md": "---\nname: quiet\ndescription: Q\nuser-invocable: false\n---\nQ.\n",
    "twin-a/SKILL.md": "---\nname: twin\ndescription: First.\n---\n",
    "twin-b/SKILL.md": "---\nname: twin\ndescription: Second.\n---\n",
    "bad/SKILL.md": "---\nname: Bad\ndescription: d\n---\n",
    "README.md": "No skill.\n",
    "deep/er/SKILL.md": "---\nname: deeper\ndescription: d\n---\n",
    "case/skill.md": "---\nname: case\ndescription: d\n---\n",
    ".dot/SKILL.md": "---\nname: dot\ndescription: d\n---\n",
}


def test_a_folder_on_disk_gives_what_the_filesystem_source_gives(tmp_path: Path) -> None:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    setting = Setting(root=str(tmp_path))
    loaded = HARNESS.load(FileTree.at(tmp_path), setting)
    source = FilesystemSource([Root(path=str(tmp_path))])
    snapshot = source.snapshot()
    assert [(s.name, s.description, setting.path_of(s.path)) for s in loaded.skills] == [
        (s.name, s.description, s.path) for s in snapshot.skills
    ]
    told = {(setting.path_of(s.path), s.code, s.reason, s.repair) for s in loaded.skipped if not s.silent}
    assert told == {(p.path, p.code, p.message, p.remedy) for p in snapshot.problems}
    assert HARNESS.listing(loaded, setting).text == TOH.render_catalog(TOH.catalog_of(snapshot)).text
    tool = SkillTool(source)
    for arguments in (
        *({"name": s.name, "more": 1} for s in snapshot.skills),
        {"name": "nope"},
        {"name": "No Name"},
        {"name": 3},
        {},
        None,
        [],
        "pdf",
    ):
        result = tool.call(arguments)
        answer = HARNESS.call("skill", arguments, loaded, FileTree.at(tmp_path), setting)
        assert (answer.text, answer.is_error) == (result.text, result.is_error), arguments


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda v: st.dictionaries(st.sampled_from(["name", "x"]), v),
    )
)
def test_any_arguments_are_answered_as_the_tool_answers(arguments: Any) -> None:
    answer = HARNESS.call("skill", arguments, listed(("pdf", "d")), FileTree.of({}), HERE)
    result = SkillTool(MemorySource.of([("pdf", "d")])).call(arguments)
    assert (answer.text, answer.is_error) == (result.text, result.is_error)


def test_another_tool_is_unknown() -> None:
    assert HARNESS.call("load", None, Loaded(), FileTree.of({}), HERE).text == 'Error: unknown tool "load"'


def test_silent_files_are_told_apart_from_logged_ones() -> None:
    skipped = {s.path: (s.code, s.silent) for s in load(FILES).skipped}
    assert skipped == {
        "README.md": ("missing-frontmatter", False),
        "bad/SKILL.md": ("invalid-name", False),
        "case/skill.md": ("wrong-case", True),
        "deep/er/SKILL.md": ("too-deep", True),
        "twin-b/SKILL.md": ("shadowed", False),
    }


def test_the_roots_of_the_program_are_one_level_deep_unless_any_depth_is_asked_for() -> None:
    assert "deeper" not in {s.name for s in load(FILES).skills}
    assert "deeper" in {s.name for s in load(FILES, any_depth=True).skills}
    assert "dot" not in {s.name for s in load(FILES, skip=(".dot",)).skills}


def test_a_description_is_cut_at_500_code_units_or_at_the_setting() -> None:
    loaded = load({"a/SKILL.md": f"---\nname: a\ndescription: {'d' * 501}\n---\n"})
    listing = HARNESS.listing(loaded, HERE)
    assert f"- `a`: {'d' * 497}...\n" in listing.text
    assert [(c.before_chars, c.after_chars) for c in listing.cut] == [(501, 500)]
    wide = Setting(root="<root>", options={"catalogDescriptionMaxLength": 501})
    assert HARNESS.listing(loaded, wide).cut == ()
    with pytest.raises(CatalogError):
        HARNESS.listing(loaded, Setting(options={"catalogDescriptionMaxLength": 2}))


def test_hidden_skills_are_not_listed_and_users_start_what_is_theirs() -> None:
    tree = FileTree.of(FILES)
    loaded = HARNESS.load(tree, HERE)
    assert HARNESS.listing(loaded, HERE).dropped == ("hidden",)
    turn = HARNESS.user("/hidden and /quiet, /pdf /nope", loaded, tree, HERE)
    assert [block.split('"')[1] for block in turn.texts[1:]] == ["hidden", "pdf"]
    only_hidden = Loaded(skills=tuple(s for s in loaded.skills if s.name == "hidden"))
    assert HARNESS.listing(only_hidden, HERE).text == ""
    assert "No skills are currently available" in HARNESS.replacement(only_hidden, HERE).text


def test_it_stands_among_the_others() -> None:
    assert get_harness("toh") is HARNESS
    assert HARNESS.provenance.fidelity == "executed"
    assert (HARNESS.place, HARNESS.on_change, HARNESS.names_in_tool) == ("user", "append", False)
