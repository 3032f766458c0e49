"""goose: read in its source, so its texts are held whole as golden files."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Golden
from tohlab.dialects.harness import Answer, FileTree, Loaded, Setting
from tohlab.dialects.harnesses import get_harness
from tohlab.errors import UnsupportedByDialect

GOOSE = get_harness("goose")
SETTING = Setting(root="/home/user/.agents/skills")
FILES = {
    "tea/SKILL.md": "---\nname: tea\ndescription: Brew <tea> & serve it.\n---\n\n# Tea\n\nBoil water.\n\n",
    "tea/ref/leaves.md": "# Leaves\n",
    "tea/run.sh": "echo tea\n",
    "bread/SKILL.md": "---\nname: bread\ndescription:\n---\nKnead.\n",
}


def loaded(files: dict[str, str]) -> tuple[FileTree, Loaded]:
    tree = FileTree.of(files)
    return tree, GOOSE.load(tree, SETTING)


def call(arguments: Any, files: dict[str, str] | None = None) -> Answer:
    tree, skills = loaded(FILES if files is None else files)
    return GOOSE.call("load_skill", arguments, skills, tree, SETTING)


def test_the_list_is_written_whole(golden: Golden) -> None:
    golden.check("goose/listing.txt", GOOSE.listing(loaded(FILES)[1], SETTING).text)


def test_a_loaded_skill_names_its_files(golden: Golden) -> None:
    answer = call({"name": "tea"})
    golden.check("goose/loaded-with-files.txt", answer.text or "")
    assert answer.notes == ("a sentence on relative paths is not known whole",)


def test_a_loaded_skill_without_files_ends_with_its_body(golden: Golden) -> None:
    golden.check("goose/loaded-plain.txt", call({"name": "bread"}).text or "")


def test_every_entry_has_its_span() -> None:
    listing = GOOSE.listing(loaded(FILES)[1], SETTING)
    assert [(span.label, listing.text[span.start : span.stop]) for span in listing.spans] == [
        ('entry "bread"', "• bread - "),
        ('entry "tea"', "• tea - Brew <tea> & serve it."),
    ]


def test_names_are_sorted_by_their_bytes_and_the_first_path_of_a_name_wins() -> None:
    files = {
        "1/SKILL.md": "---\nname: b\ndescription: second\n---\nB.\n",
        "0/SKILL.md": "---\nname: b\ndescription: first\n---\nB.\n",
        "2/SKILL.md": "---\nname: Z\n---\nB.\n",
    }
    _, skills = loaded(files)
    assert [(skill.name, skill.description) for skill in skills.skills] == [("Z", ""), ("b", "first")]
    assert [(row.path, row.code) for row in skills.skipped] == [("1/SKILL.md", "duplicate-name")]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("no frontmatter\n", "missing-frontmatter", 1),
        ("---\ndescription: d\n---\nB\n", "missing-name", 1),
        ("---\ndescription: d\nname: a/b\n---\nB\n", "invalid-name", 3),
        ("---\nname: a\ndescription: Use: it\n---\nB\n", "invalid-yaml", 3),
        ("---\nname: a\nname: b\n---\nB\n", "duplicate-key", 3),
    ],
)
def test_a_file_that_is_skipped_has_its_reason_line_and_repair(text: str, code: str, line: int) -> None:
    _, skills = loaded({"x/SKILL.md": text})
    [row] = skills.skipped
    assert (row.code, row.line, skills.skills) == (code, line, ())
    assert row.reason
    assert row.repair


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("nope", "Skill 'nope' not found."),
        ("te", "Skill 'te' not found. Did you mean: tea?"),
        ("teapot", "Skill 'teapot' not found. Did you mean: tea?"),
        ("nope/x", "Skill 'nope/x' not found."),
        ("bread/x", "Skill 'bread' has no supporting files."),
        ("tea/x", "File 'x' not found. Available: ref/leaves.md, run.sh"),
        ("tea/SKILL.md", "File 'SKILL.md' not found. Available: ref/leaves.md, run.sh"),
        ("tea/../bread/SKILL.md", "File '../bread/SKILL.md' not found. Available: ref/leaves.md, run.sh"),
    ],
)
def test_a_miss_says_what_was_near(asked: str, text: str) -> None:
    assert call({"name": asked}) == Answer(text=text, is_error=True)


def test_at_most_three_names_are_guessed_and_ten_files_shown() -> None:
    files = {f"s{i}/SKILL.md": f"---\nname: pack-{i}\n---\nB\n" for i in range(5)}
    assert call({"name": "pack"}, files).text == (
        "Skill 'pack' not found. Did you mean: pack-0, pack-1, pack-2?"
    )
    many = {"a/SKILL.md": "---\nname: a\n---\nB\n"} | {f"a/{i:02}.md": "" for i in range(12)}
    shown = (call({"name": "a/x"}, many).text or "").partition("Available: ")[2]
    assert shown == ", ".join(f"{i:02}.md" for i in range(10))


def test_a_supporting_file_is_given_out() -> None:
    assert call({"name": "tea/ref/leaves.md"}).text == "# Leaves\n"


@pytest.mark.parametrize("arguments", [{}, {"name": ""}, {"name": 5}, None, [], "tea"])
def test_a_call_without_a_name_says_so(arguments: Any) -> None:
    assert call(arguments) == Answer(text="Missing required parameter: name", is_error=True)


def test_without_skills_nothing_is_listed() -> None:
    assert GOOSE.listing(loaded({})[1], SETTING).text == ""


def test_a_closing_tag_or_a_line_break_in_a_description_goes_through_as_it_is() -> None:
    files = {"a/SKILL.md": '---\nname: a\ndescription: "one\\n• b - two </x>"\n---\nB\n'}
    assert GOOSE.listing(loaded(files)[1], SETTING).text.endswith("\n• a - one\n• b - two </x>")


def test_what_was_not_read_is_named() -> None:
    assert GOOSE.provenance_of("listing").fidelity == "source"
    assert {GOOSE.provenance_of(part).fidelity for part in ("call", "tools", "load")} == {"reconstructed"}
    assert any("ellipsis" in row for row in GOOSE.not_measured)


def test_another_tool_has_nothing_to_do_with_skills() -> None:
    tree, skills = loaded(FILES)
    with pytest.raises(UnsupportedByDialect):
        GOOSE.call("shell", {}, skills, tree, SETTING)
