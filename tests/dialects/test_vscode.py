"""VS Code Copilot: what its attached instructions say of skills, and which files give one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Golden
from tohlab.dialects.harness import FileTree, Loaded, Setting
from tohlab.dialects.harnesses import get_harness
from tohlab.dialects.vscode import HARNESS
from tohlab.errors import UnsupportedByDialect

FILES = {
    "pdf/SKILL.md": "---\nname: pdf\ndescription: Read & fill forms.\n---\n\nOpen the file.\n",
    "sql/SKILL.md": (
        "---\nname: sql\ndescription: |\n  Two\n  lines.\ndisable-model-invocation: true\n---\nB\n"
    ),
}


def having(files: dict[str, str] = FILES, **options: Any) -> tuple[FileTree, Loaded, Setting]:
    setting = Setting(root="/w/.github/skills", options=options)
    tree = FileTree.of(files)
    return tree, HARNESS.load(tree, setting), setting


def one(text: str) -> Loaded:
    return having({"dir/SKILL.md": text})[1]


def test_it_is_known_by_its_name_and_was_read_in_source() -> None:
    assert get_harness("vscode") is HARNESS
    assert {HARNESS.provenance_of(part).fidelity for part in ("listing", "load", "tools")} == {"source"}


def test_the_section_lists_name_description_and_file(golden: Golden) -> None:
    _, loaded, setting = having()
    listing = HARNESS.listing(loaded, setting)
    golden.check("vscode/skills.txt", listing.text)
    assert listing.text.endswith("</skill>\n</skills>\n\n")
    assert [(s.label, listing.text[s.start : s.stop][:7]) for s in listing.spans] == [
        ('entry "pdf"', "<skill>"),
        ('entry "sql"', "<skill>"),
    ]
    assert all(listing.text[s.start : s.stop].endswith("</skill>") for s in listing.spans)
    assert listing.cut == ()


def test_a_setting_asks_for_more_adherence(golden: Golden) -> None:
    _, loaded, setting = having(use_skill_adherence_prompt=True)
    golden.check("vscode/skills-adherence.txt", HARNESS.listing(loaded, setting).text)


def test_a_reminder_stands_in_the_users_message_where_there_are_skills(golden: Golden) -> None:
    _, loaded, setting = having()
    golden.check("vscode/reminder.txt", HARNESS.reminder(loaded, setting))
    assert HARNESS.reminder(Loaded(), setting) == ""


def test_without_skills_or_without_a_way_to_read_them_nothing_is_said() -> None:
    _, loaded, _ = having()
    assert HARNESS.listing(Loaded(), Setting()).text == ""
    unread = HARNESS.listing(loaded, Setting(tools=("run_in_terminal",)))
    assert (unread.text, unread.dropped) == ("", ("pdf", "sql"))
    assert HARNESS.listing(loaded, Setting(tools=("read_file",))).text


def test_there_is_no_skill_tool_and_no_gesture() -> None:
    tree, loaded, setting = having()
    assert HARNESS.tools(loaded, setting) == ()
    assert HARNESS.load_tool is None
    with pytest.raises(UnsupportedByDialect, match="read_file"):
        HARNESS.call("skill", {"name": "pdf"}, loaded, tree, setting)
    assert HARNESS.user("/pdf x", loaded, tree, setting).texts == ("/pdf x",)


def test_tags_are_taken_out_and_long_texts_are_cut_without_a_mark() -> None:
    long = "n" * 70
    files = {
        f"{'n' * 64}/SKILL.md": f"---\nname: {long}\ndescription: {'d' * 1025}\n---\n",
        "x/SKILL.md": '---\nname: "<b>x</b>"\ndescription: "A </skills> b < c <system>now</system>"\n---\n',
    }
    _, loaded, setting = having(files)
    assert [(s.name, s.description) for s in loaded.skills] == [
        ("n" * 64, "d" * 1024),
        ("x", "A  b now"),
    ]
    listing = HARNESS.listing(loaded, setting)
    assert [(c.name, c.before_chars, c.after_chars, c.why[:6]) for c in listing.cut] == [
        ("n" * 64, 1025, 1024, "a desc"),
        ("x", 38, 8, "what l"),
    ]
    assert listing.text.count("</skills>") == 1


def test_text_that_is_no_tag_gets_out_of_its_element() -> None:
    _, loaded, setting = having({"x/SKILL.md": '---\nname: x\ndescription: "a & b > c \\n- {name}"\n---\n'})
    assert "<description>a & b > c \n- {name}</description>" in HARNESS.listing(loaded, setting).text


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("No header.\n", "missing-frontmatter", 1),
        ("---\ndescription: d\n---\n", "missing-name", 1),
        ("---\nname: 3000\ndescription: d\n---\n", "missing-name", 2),
        ("---\nname: other\ndescription: d\n---\n", "name-differs-from-directory", 2),
        ("---\nname: Dir\ndescription: d\n---\n", "name-differs-from-directory", 2),
        ("---\nname: dir\n---\n", "missing-description", 1),
        ("---\nname: dir\ndescription: [a]\n---\n", "missing-description", 3),
        ("---\nname: dir\ndescription: ''\n---\n", "missing-description", 3),
        ("", "missing-frontmatter", 1),
    ],
)
def test_what_gives_no_skill_is_logged(text: str, code: str, line: int) -> None:
    loaded = one(text)
    assert loaded.skills == ()
    (skipped,) = loaded.skipped
    assert (skipped.code, skipped.line, skipped.silent) == (code, line, False)
    assert skipped.repair


@pytest.mark.parametrize(
    ("text", "description"),
    [
        ("\ufeff---\nname: dir\ndescription: d\n---\n", "d"),
        ("---\r\nname: dir\r\ndescription: d\r\n---\r\nB", "d"),
        ("---\nname: dir\ndescription: d", "d"),
        ("--- \nname: dir\ndescription: a --- b\n---\t\nB", "a --- b"),
        ("---\nname: 'dir'\ndescription: Use it: now\n---\n", "Use it: now"),
    ],
)
def test_what_gives_a_skill_all_the_same(text: str, description: str) -> None:
    (skill,) = one(text).skills
    assert (skill.name, skill.description) == ("dir", description)


def test_a_model_reads_the_whole_file() -> None:
    (skill,) = one("---\nname: dir\ndescription: d\n---\nB\n").skills
    assert skill.body == "---\nname: dir\ndescription: d\n---\nB\n"


def test_the_workspace_goes_before_the_user() -> None:
    files = {
        "home/a/SKILL.md": "---\nname: a\ndescription: Home.\n---\n",
        "work/a/SKILL.md": "---\nname: a\ndescription: Work.\n---\n",
        "work/z/SKILL.md": "---\nname: z\ndescription: Z.\n---\n",
        "home/b/SKILL.md": "---\nname: b\ndescription: B.\n---\n",
    }
    _, loaded, _ = having(files, roots=("work", "home"))
    assert [(s.name, s.description) for s in loaded.skills] == [("a", "Work."), ("z", "Z."), ("b", "B.")]
    assert [(s.path, s.code, s.silent) for s in loaded.skipped] == [
        ("home/a/SKILL.md", "duplicate-name", False)
    ]
