"""goose: read in its source, so its texts are held whole as golden files."""

from __future__ import annotations

import json
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
    assert answer.notes == ("the files stand in the order in which the disk gives them",)


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
        ("tea/x", "File 'tea/x' not found. Available: ref/leaves.md, run.sh"),
        ("tea/SKILL.md", "File 'tea/SKILL.md' not found. Available: ref/leaves.md, run.sh"),
        ("tea/../bread/x", "File 'tea/../bread/x' not found. Available: ref/leaves.md, run.sh"),
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
    wanted = "# Loaded: tea/ref/leaves.md\n\n# Leaves\n\n\n---\nFile loaded into context."
    assert call({"name": "tea/ref/leaves.md"}).text == wanted
    assert call({"name": "tea/ref\\leaves.md"}).text == wanted.replace("ref/", "ref\\")


def test_a_supporting_file_that_cannot_be_given_says_why() -> None:
    tree = FileTree(
        {"a/SKILL.md": b"---\nname: a\n---\nB\n", "a/x": b"ab\xff\xfe", "a/y": b"\xe2\x82", "a/z": b"z" * 300}
    )
    setting = Setting(root="/s", options={"max_response_chars": 300})
    skills = GOOSE.load(tree, setting)
    told = [GOOSE.call("load_skill", {"name": f"a/{file}"}, skills, tree, setting).text for file in "xyz"]
    assert told == [
        "Failed to read 'a/x': invalid utf-8 sequence of 1 bytes from index 2",
        "Failed to read 'a/y': incomplete utf-8 byte sequence from index 0",
        "Failed to read 'a/z': supporting file exceeds the maximum size of 254 characters",
    ]


def test_the_files_of_a_skill_inside_another_are_not_its_own() -> None:
    files = {
        "a/SKILL.md": "---\nname: a\n---\nB\n",
        "a/b/SKILL.md": "---\nname: b\n---\nB\n",
        "a/b/c/d.md": "d",
        "a/e/f.md": "f",
        "a/.git/config": "g",
        ".hg/x/SKILL.md": "---\nname: x\n---\nB\n",
    }
    assert call({"name": "a/x"}, files).text == "File 'a/x' not found. Available: e/f.md"
    assert call({"name": "b/x"}, files).text == "File 'b/x' not found. Available: c/d.md"
    assert [row.code for row in loaded(files)[1].skipped] == ["hidden-folder"]


@pytest.mark.parametrize(
    ("body", "args", "wanted"),
    [
        ("Review $ARGUMENTS carefully.", "src/foo.rs --strict", "Review src/foo.rs --strict carefully."),
        ("first=$1, $2, [$5] $0", "alpha beta", "first=alpha, beta, [] "),
        (
            "a=$ARGUMENTS[0] b=$ARGUMENTS[1] [$ARGUMENTS[9]] $ARGUMENTS[x]",
            "one two",
            "a=one b=two [] one two[x]",
        ),
        ("$who-else $who[0] $who", "a b", "$who-else a[0] a"),
        ("$my-arg / $missing", "a b", "b / $missing"),
        ("raw=$ARGUMENTS pos=$1", '"hello world" tail', 'raw="hello world" tail pos=hello world'),
        ("$1|$2", "O'Reilly don't", "O'Reilly|don't"),
        ("$1|$2", "'my \"x\"' two", 'my "x"|two'),
        ("$1", '"C:\\path\\"', "C:\\path\\"),
        ("Plain $missing.", "src/foo.rs", "Plain $missing.\n\nARGUMENTS: src/foo.rs"),
        ("Plain.", "", "Plain.\n\nARGUMENTS: "),
        ("Plain.", '"open', 'Plain.\n\nARGUMENTS: "open'),
        ("$ARGUMENTSX", "a", "$ARGUMENTSX\n\nARGUMENTS: a"),
        (f"${'9' * 5000}|", "a", "|"),
    ],
)
def test_arguments_take_the_place_of_placeholders(body: str, args: str, wanted: str) -> None:
    files = {"a/SKILL.md": f"---\nname: a\nmetadata:\n  arguments: [who, my-arg, 5, 'b c']\n---\n{body}\n"}
    text = call({"name": "a", "args": args}, files).text or ""
    assert text.partition("## Content\n\n")[2] == f"{wanted}\n"


@pytest.mark.parametrize("args", ['"open', "'open", 'a "b'])
def test_a_quote_that_is_not_closed_is_an_error_where_there_is_a_placeholder(args: str) -> None:
    files = {"a/SKILL.md": "---\nname: a\n---\n$ARGUMENTS\n"}
    wanted = "Failed to parse skill arguments: Unmatched quote in command"
    assert call({"name": "a", "args": args}, files) == Answer(text=wanted, is_error=True)


def test_the_tool_is_described_whole(golden: Golden) -> None:
    [tool] = GOOSE.tools(loaded(FILES)[1], SETTING)
    golden.check("goose/tool.json", json.dumps(tool, indent=2, ensure_ascii=False) + "\n")


@pytest.mark.parametrize(
    ("text", "name", "body"),
    [
        ("Words above.\n---\nname: a\n---\nB\n", "a", "B"),
        ("\ufeff---\nname: a\n---\nB\n", "a", "B"),
        ("---\r\nname: a\r\n---\r\nB\r\n", "a", "B"),
        ("---\nname: a --- b\n---\nB\n", "a", "b\n---\nB"),
    ],
)
def test_the_block_stands_between_the_first_hyphens_wherever_they_are(
    text: str, name: str, body: str
) -> None:
    [skill] = loaded({"x/SKILL.md": text})[1].skills
    assert (skill.name, skill.body) == (name, body)


def test_a_project_goes_before_the_user_and_hidden_folders_are_looked_into() -> None:
    files = {
        f"{root.folder}/.x/twin/SKILL.md": f"---\nname: twin\ndescription: {root.folder}\n---\nB\n"
        for root in GOOSE.layers
    }
    setting = Setting(root="/r", options={"roots": GOOSE.layers[::-1]})
    [skill] = GOOSE.load(FileTree.of(files), setting).skills
    assert skill.description == "home/.config/agents/skills"
    [skill] = GOOSE.load(FileTree.of(files), Setting(options={"roots": GOOSE.layers})).skills
    assert skill.description == "project/.agents/skills"


@pytest.mark.parametrize("arguments", [{}, {"name": ""}, {"name": 5}, None, [], "tea"])
def test_a_call_without_a_name_says_so(arguments: Any) -> None:
    assert call(arguments) == Answer(text="Missing required parameter: name", is_error=True)


def test_without_skills_nothing_is_listed() -> None:
    assert GOOSE.listing(loaded({})[1], SETTING).text == ""


def test_a_closing_tag_or_a_line_break_in_a_description_goes_through_as_it_is() -> None:
    files = {"a/SKILL.md": '---\nname: a\ndescription: "one\\n• b - two </x>"\n---\nB\n'}
    assert GOOSE.listing(loaded(files)[1], SETTING).text.endswith("\n• a - one\n• b - two </x>")


def test_what_was_not_read_is_named() -> None:
    assert {GOOSE.provenance_of(part).fidelity for part in ("listing", "call", "tools", "load")} == {"source"}
    assert "nothing of it was run" in GOOSE.not_measured


def test_another_tool_has_nothing_to_do_with_skills() -> None:
    tree, skills = loaded(FILES)
    with pytest.raises(UnsupportedByDialect):
        GOOSE.call("shell", {}, skills, tree, SETTING)
