"""pi: what the system prompt lists, and which files it takes."""

from __future__ import annotations

import pytest

from tests.dialects.pi.driver import SETTING, TWO, listed, load, pi, skill
from tohlab.dialects.harness import FileTree, Setting

AGENTS = Setting(root="/s", options={"kind": "agents"})


SECTION = """\
<skills>
The following skills provide specialized instructions for specific tasks.
Use the read tool to load a skill's file when the task matches its description.
Resolve relative paths against the skill's directory (parent of SKILL.md). Use absolute paths in tool calls.

<available_skills>
  <skill>
    <name>a</name>
    <description>Does it.</description>
    <location>/s/a/SKILL.md</location>
  </skill>
  <skill>
    <name>b</name>
    <description>Uses &lt;x&gt; &amp; &apos;y&apos;.</description>
    <location>/s/b/SKILL.md</location>
  </skill>
</available_skills>
</skills>"""


def test_the_section_holds_name_description_and_file_of_each_skill() -> None:
    listing = pi().listing(load(TWO), SETTING)
    assert listing.text == SECTION
    assert [(s.label, listing.text[s.start : s.stop].split("\n")[1]) for s in listing.spans] == [
        ('entry "a"', "    <name>a</name>"),
        ('entry "b"', "    <name>b</name>"),
    ]
    assert all(listing.text[s.start : s.stop].endswith("</skill>") for s in listing.spans)


@pytest.mark.parametrize(
    ("tools", "hidden", "line"),
    [
        (("read", "bash"), (), "Use the read tool to load a skill's file"),
        (("bash", "read"), (), "Use the read tool to load a skill's file"),
        (("bash", "edit"), (), "Use bash to load a skill's file"),
        (("read", "edit"), ("read",), "Load a skill's file"),
        (("edit", "write"), (), None),
        ((), (), None),
    ],
)
def test_the_second_line_depends_on_the_tools(
    tools: tuple[str, ...], hidden: tuple[str, ...], line: str | None
) -> None:
    setting = Setting(root="/s", tools=tools, options={"hidden_tools": hidden})
    text = listed(TWO, setting)
    if line is None:
        assert text == ""
    else:
        assert text.split("\n")[2] == f"{line} when the task matches its description."


def test_nothing_is_said_without_a_visible_skill() -> None:
    hidden = {"a/SKILL.md": skill("a", more="disable-model-invocation: true\n")}
    assert listed({}) == listed(hidden) == ""
    assert pi().listing(load({}), SETTING).place == "none"


@pytest.mark.parametrize(
    ("flag", "shown"), [("true", False), ('"true"', True), ("yes", True), ("True", False)]
)
def test_only_a_true_hides_and_the_user_can_start_it_all_the_same(flag: str, shown: bool) -> None:
    texts = {"a/SKILL.md": skill("a", more=f"disable-model-invocation: {flag}\n")}
    assert bool(listed(texts)) is shown
    turn = pi().user("/skill:a", load(texts), FileTree.of(texts), SETTING)
    assert turn.texts[0].startswith('<skill name="a"')


def test_folders_and_files_stand_in_the_order_of_their_bytes() -> None:
    names = ["zeta", "alpha", "Mid", "beta-10", "beta-2", "beta_1", "_lead"]
    texts = {f"{name}/SKILL.md": skill(name) for name in names} | {"flat.md": skill("flat")}
    texts["aaa/SKILL.md"] = skill("zz-name")
    assert [s.name for s in load(texts).skills] == [
        "Mid", "_lead", "zz-name", "alpha", "beta-10", "beta-2", "beta_1", "flat", "zeta",
    ]  # fmt: skip


def test_a_loose_file_counts_at_the_top_of_one_kind_of_root_and_below_it_of_the_other() -> None:
    texts = {"flat.md": skill("flat"), "g/loose.md": skill("loose"), "g/skill.md": skill("low")}
    assert [s.name for s in load(texts).skills] == ["flat"]
    assert [s.name for s in load(texts, AGENTS).skills] == ["loose", "low"]
    assert [(s.path, s.code) for s in load(texts).skipped] == [("g/skill.md", "wrong-case")]
    assert [(s.path, s.code, s.repair) for s in load(texts, AGENTS).skipped] == [
        ("flat.md", "loose-file", "move it to flat/SKILL.md")
    ]


def test_a_loose_file_without_a_description_is_passed_over_in_silence() -> None:
    loaded = load({"README.md": "# Read me\n", "bad.md": "---\na: b: c\n---\n"})
    assert loaded.skills == ()
    assert [(s.path, s.code, s.silent) for s in loaded.skipped] == [
        ("README.md", "missing-description", True),
        ("bad.md", "invalid-yaml", True),
    ]
    assert loaded.notes == ()


def test_a_skill_ends_the_walk_below_it() -> None:
    loaded = load({"o/SKILL.md": skill("o"), "o/i/SKILL.md": skill("i"), "o/x.md": skill("x")}, AGENTS)
    assert [s.name for s in loaded.skills] == ["o"]
    assert [(s.path, s.code, s.silent) for s in loaded.skipped] == [("o/i/SKILL.md", "inside-skill", True)]


@pytest.mark.parametrize(
    ("path", "code"),
    [(".hidden/SKILL.md", "hidden-folder"), ("node_modules/p/SKILL.md", "node-modules")],
)
def test_some_folders_are_never_looked_into(path: str, code: str) -> None:
    assert [(s.path, s.code, s.silent) for s in load({path: skill("a")}).skipped] == [(path, code, True)]


@pytest.mark.parametrize(
    ("where", "patterns", "kept"),
    [
        ("a/.gitignore", "*", ["b"]),
        (".gitignore", "a/", ["b"]),
        (".ignore", "SKILL.md\n!b/SKILL.md", ["b"]),
        (".fdignore", "# a\n\nB", ["a"]),
        (".gitignore", "/skill.MD", []),
        ("a/.gitignore", "/SKILL.md\r\n", ["b"]),
        (".gitignore", "*\n!*/\n!b/*", ["b"]),
        (".gitignore", "*\n!b/", []),
        (".gitignore", "**/a/**\n", ["b"]),
        (".gitignore", "[!b]/\n", ["b"]),
        (".gitignore", "a \n!x", ["b"]),
    ],
)
def test_ignore_files_count_even_inside_a_skill_and_fold_case(
    where: str, patterns: str, kept: list[str]
) -> None:
    loaded = load({"a/SKILL.md": skill("a"), "b/SKILL.md": skill("b"), where: patterns})
    assert [s.name for s in loaded.skills] == kept
    assert {s.code for s in loaded.skipped} == {"ignored"}
    assert all(s.silent for s in loaded.skipped)


def test_a_pattern_below_the_root_counts_in_its_folder_alone() -> None:
    texts = {"a/x/SKILL.md": skill("x"), "a/SKILL.txt": "", "a/.gitignore": "*.md\n"}
    assert [s.name for s in load(texts).skills] == ["x"]
