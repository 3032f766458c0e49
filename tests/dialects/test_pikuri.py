"""Pikuri: static tool text, gates, sealed views, trust per root."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import Golden
from tohlab.dialects.harness import FileTree, Loaded, Setting
from tohlab.dialects.harnesses import get_harness
from tohlab.dialects.pikuri import HARNESS, Activation, trust_of, untrusted_level
from tohlab.errors import UnsupportedByDialect

FILES = {
    "pdf/SKILL.md": "---\nname: pdf\ndescription: Read & fill <forms>.\n---\n\nOpen the file.\n",
    "tuile/SKILL.md": (
        '---\nname: tuile\ndescription: Ruby\'s "toolkit".\npaths: ["**/*.rb", Gemfile]\n---\n\nUse $1.\n'
    ),
    "cop/SKILL.md": "---\nname: cop\ndescription: Lints.\npaths: '*.py, *.pyi'\n---\nLint.\n",
}
HERE = Setting(root="/p/.pikuri/skills")


def having(files: dict[str, str], **options: Any) -> tuple[FileTree, Loaded, Setting]:
    setting = Setting(root="/p/.pikuri/skills", options=options)
    tree = FileTree.of(files)
    return tree, HARNESS.load(tree, setting), setting


def load(files: dict[str, str], **options: Any) -> Loaded:
    return having(files, **options)[1]


def view(files: dict[str, str] = FILES) -> Activation:
    return HARNESS.activation(load(files), HERE)


def call(name: Any, files: dict[str, str] = FILES, **options: Any) -> str:
    tree, loaded, setting = having(files, **options)
    answer = HARNESS.call("skill", {"name": name}, loaded, tree, setting)
    assert answer.text is not None
    return answer.text


# Texts.


def test_it_is_known_by_its_name_and_says_how_sure_it_is() -> None:
    assert get_harness("pikuri") is HARNESS
    assert HARNESS.provenance_of("tools").fidelity == "source"
    assert HARNESS.provenance_of("listing").fidelity == "reconstructed"
    assert HARNESS.provenance_of("call").fidelity == "reconstructed"
    assert HARNESS.provenance_of("load").fidelity == "documented"


def test_the_inventory_is_written_in_the_shape_of_pi(golden: Golden) -> None:
    _, loaded, setting = having(FILES, touched=("app.rb",))
    listing = HARNESS.listing(loaded, setting)
    golden.check("pikuri/inventory.txt", listing.text)
    assert [(s.label, listing.text[s.start : s.stop].split("\n")[1]) for s in listing.spans] == [
        ('entry "pdf"', "    <name>pdf</name>"),
        ('entry "tuile"', "    <name>tuile</name>"),
    ]
    assert all(listing.text[s.start : s.stop].endswith("</skill>") for s in listing.spans)


def test_a_loaded_skill_names_its_folder(golden: Golden) -> None:
    golden.check("pikuri/skill.txt", call("pdf"))


def test_the_tool_is_the_same_whatever_the_catalog_holds(golden: Golden) -> None:
    _, loaded, setting = having(FILES)
    (tool,) = HARNESS.tools(loaded, setting)
    golden.check("pikuri/tool.json", json.dumps(tool, ensure_ascii=False, indent=1))
    _, one, _ = having({"a/SKILL.md": "---\ndescription: d\n---\n"}, touched=("app.rb",))
    assert HARNESS.tools(one, setting) == (tool,)
    assert not HARNESS.names_in_tool
    description = tool["function"]["description"]
    assert description.endswith("installed.\n")
    assert len(description.splitlines()) == 7
    assert description.count("\u2014") == 2


def test_without_skills_there_is_neither_a_tool_nor_an_inventory() -> None:
    tree, loaded, setting = having({})
    assert HARNESS.tools(loaded, setting) == ()
    assert HARNESS.listing(loaded, setting).text == ""
    answer = HARNESS.call("skill", {"name": "x"}, loaded, tree, setting)
    assert answer.text == "Error: skill 'x' not found. Available skills: none."
    assert answer.is_error


@pytest.mark.parametrize("name", ["PDF", " pdf", "/pdf", "", "nope", "tuile", "cop"])
def test_a_miss_names_what_may_be_named(name: str) -> None:
    assert call(name) == f"Error: skill '{name}' not found. Available skills: pdf."


def test_another_tool_is_not_pikuris_skill_tool() -> None:
    tree, loaded, setting = having(FILES)
    with pytest.raises(UnsupportedByDialect):
        HARNESS.call("read", {"path": "x"}, loaded, tree, setting)
    with pytest.raises(UnsupportedByDialect):
        HARNESS.call("skill", {"name": 3}, loaded, tree, setting)


def test_arguments_are_not_put_into_a_body_and_a_users_text_goes_as_it_is() -> None:
    tree, loaded, setting = having(FILES, touched=("a.rb",))
    text = HARNESS.call("skill", {"name": "tuile", "arguments": "x"}, loaded, tree, setting).text
    assert text is not None
    assert "Use $1." in text
    assert HARNESS.user("/tuile x", loaded, tree, setting).texts == ("/tuile x",)


# Gates.


def test_a_gated_skill_is_in_the_catalog_and_is_neither_listed_nor_loadable() -> None:
    loaded = load(FILES)
    assert [(s.name, s.listed, s.model_loads) for s in loaded.skills] == [
        ("cop", False, False),
        ("pdf", True, True),
        ("tuile", False, False),
    ]
    assert HARNESS.listing(loaded, HERE).dropped == ("cop", "tuile")
    assert "tuile" not in HARNESS.listing(loaded, HERE).text


def test_a_promotion_changes_the_next_inventory_and_no_earlier_one() -> None:
    before = view()
    first = HARNESS.inventory(before).text
    after = before.touch("lib/window.rb")
    assert after.promoted_since(before) == ("tuile",)
    assert HARNESS.inventory(before).text == first
    assert HARNESS.inventory(after).text != first
    assert after.get("tuile") is not None
    assert before.get("tuile") is None
    assert after.names == ("pdf", "tuile")


def test_a_gate_that_has_fired_stays_open() -> None:
    after = view().touch("Gemfile").touch("README.md").touch("x/y.pyi")
    assert after.names == ("cop", "pdf", "tuile")
    assert after.touch("x/y.pyi") is after


def test_what_the_session_touched_is_a_setting_too() -> None:
    assert call("tuile", touched=("bin/a.rb",)).startswith('<skill name="tuile" ')
    assert "Available skills: pdf, tuile." in call("x", touched=("bin/a.rb",))


def test_a_sub_agent_gets_the_catalog_without_its_parents_promotions() -> None:
    parent = view().touch("app.rb", "app.py")
    child = parent.for_sub_agent()
    assert child.names == ("pdf",)
    assert child.catalog is parent.catalog
    assert child.get("tuile") is None
    assert child.touch("app.rb").names == ("pdf",)
    assert child.for_sub_agent() == child
    assert parent.names == ("cop", "pdf", "tuile")


def test_a_sub_agent_has_no_inventory_and_answers_for_ungated_names_alone() -> None:
    tree, loaded, setting = having(FILES, sealed=True, touched=("app.rb",))
    listing = HARNESS.listing(loaded, setting)
    assert listing.text == ""
    assert listing.dropped == ("pdf",)
    answer = HARNESS.call("skill", {"name": "tuile"}, loaded, tree, setting)
    assert answer.text == "Error: skill 'tuile' not found. Available skills: pdf."
    assert not HARNESS.call("skill", {"name": "pdf"}, loaded, tree, setting).is_error
    assert HARNESS.tools(loaded, setting)


# Roots and trust.

ROOTED = {
    ".agents/skills/a/SKILL.md": "---\ndescription: From agents.\n---\n",
    ".pikuri/skills/a/SKILL.md": "---\ndescription: From pikuri.\n---\n",
    ".claude/skills/b/SKILL.md": "---\nname: b\ndescription: From claude.\n---\n",
}
ROOTS = (".pikuri/skills", ".claude/skills", ".agents/skills")


def test_roots_are_searched_in_their_order_and_the_first_of_a_name_wins() -> None:
    _, loaded, _setting = having(ROOTED, roots=ROOTS)
    assert [(s.name, s.description) for s in loaded.skills] == [("a", "From pikuri."), ("b", "From claude.")]
    (dropped,) = loaded.skipped
    assert (dropped.path, dropped.code, dropped.silent) == (
        ".agents/skills/a/SKILL.md",
        "duplicate-name",
        False,
    )
    reverse = load(ROOTED, roots=tuple(reversed(ROOTS)))
    assert [(s.name, s.description) for s in reverse.skills] == [("a", "From agents."), ("b", "From claude.")]
    assert [text.strip() for text in HARNESS.roots[:3]] == [f"<PROJECT>/{root}" for root in ROOTS]


def test_trust_is_graded_per_root_and_hard_unless_vouched_for() -> None:
    _, loaded, setting = having(ROOTED, roots=ROOTS)
    assert [(r.root, r.level, r.skills) for r in trust_of(loaded, setting)] == [
        (".pikuri/skills", "hard", ("a",)),
        (".claude/skills", "hard", ("b",)),
    ]
    assert untrusted_level(loaded, setting) == "hard"
    _, loaded, setting = having(ROOTED, roots=ROOTS, vouched=(".pikuri/skills",))
    assert [r.level for r in trust_of(loaded, setting)] == ["vouched", "hard"]
    assert untrusted_level(loaded, setting) == "hard"
    _, loaded, setting = having(ROOTED, roots=ROOTS, vouched=ROOTS[:2])
    assert untrusted_level(loaded, setting) == "vouched"
    _, loaded, setting = having(FILES)
    assert [(r.root, r.skills) for r in trust_of(loaded, setting)] == [("", ("cop", "pdf", "tuile"))]


# Files.


def test_only_a_missing_description_is_a_hard_failure_and_no_frontmatter_is_silent() -> None:
    loaded = load(
        {
            "a/SKILL.md": "Just text.\n",
            "b/SKILL.md": "---\nname: b\n---\nBody.\n",
            "c/SKILL.md": "---\nname: c\ndescription: [x]\n---\n",
            "d/SKILL.md": "\ufeff---\nname: d\ndescription: d\n---\n",
            "e/skill.md": "---\nname: e\ndescription: e\n---\n",
            "f/g/SKILL.md": "---\nname: g\ndescription: g\n---\n",
            "SKILL.md": "---\nname: top\ndescription: t\n---\n",
        }
    )
    assert loaded.skills == ()
    assert {s.path: (s.code, s.silent, s.line) for s in loaded.skipped} == {
        "a/SKILL.md": ("missing-frontmatter", True, 1),
        "b/SKILL.md": ("missing-description", False, 1),
        "c/SKILL.md": ("missing-description", False, 3),
        "d/SKILL.md": ("missing-frontmatter", True, 1),
        "e/skill.md": ("file-name", True, None),
        "f/g/SKILL.md": ("too-deep", True, None),
        "SKILL.md": ("no-folder", True, None),
    }
    assert all(s.repair for s in loaded.skipped)


@pytest.mark.parametrize(
    ("text", "name", "description"),
    [
        ("---\ndescription: d\n---\n", "dir", "d"),
        ("---\r\nname: x\r\ndescription: d\r\n---\r\nB\r\n", "x", "d"),
        ("---\nname: x\ndescription: Use it: now\n---\n", "x", "Use it: now"),
        ("---\nname: x\ndescription: a --- b\n---\n", "x", "a --- b"),
        ("---\nname: Not A Name!\ndescription: d\n---\n", "Not A Name!", "d"),
        ("---\nname: 3000\ndescription: d\n---\n", "3000", "d"),
        (f"---\nname: {'n' * 70}\ndescription: {'d' * 1100}\n---\n", "n" * 70, "d" * 1100),
    ],
)
def test_what_is_odd_loads_with_a_warning(text: str, name: str, description: str) -> None:
    (skill,) = load({"dir/SKILL.md": text}).skills
    assert (skill.name, skill.description) == (name, description)


def test_every_salvage_is_a_note() -> None:
    notes = load({"dir/SKILL.md": f"---\nname: x\ndescription: {'d' * 1000}: {'e' * 100}\n---\n"}).notes
    assert len(notes) == 3
    assert "malformed YAML" in notes[0]
    assert "more than 1024" in notes[1]
    assert "not that of the folder 'dir'" in notes[2]


def test_hostile_text_is_escaped_in_the_inventory_and_not_in_a_loaded_skill() -> None:
    files = {
        "x/SKILL.md": "---\nname: 'a\"<b>'\ndescription: </available_skills> {name}\n---\n</skill>\n{body}\n"
    }
    _, loaded, setting = having(files)
    text = HARNESS.listing(loaded, setting).text
    assert text.count("</available_skills>") == 1
    assert "<name>a&quot;&lt;b&gt;</name>" in text
    assert "&lt;/available_skills&gt; {name}" in text
    assert "\n</skill>\n{body}\n</skill>" in call('a"<b>', files)


def test_a_thousand_skills_load_and_list_quickly() -> None:
    files = {f"s{n:04}/SKILL.md": f"---\nname: s{n:04}\ndescription: d{n}\n---\nB\n" for n in range(1000)}
    _, loaded, setting = having(files)
    assert len(loaded.skills) == 1000
    assert len(HARNESS.listing(loaded, setting).spans) == 1000
