"""The four outcomes, what counts as a skill file, and what is said of folders, names and orders."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.skills.build import skill_text, write, write_skill
from tohlab.dialects.harness import FileTree
from tohlab.dialects.harnesses import harness_names
from tohlab.errors import SkillError, UnknownDialect
from tohlab.survival import Fate, Survey, survey


def of(files: dict[str, str], *dialects: str, **options: str) -> Survey:
    return survey(FileTree.of(files), dialects or None, layout=options.get("layout", "auto"))  # type: ignore[arg-type]  # one of the layouts


def only(text: str, harness: str, path: str = "sail/SKILL.md") -> Fate:
    return of({path: text}, harness).fate(path, harness)


def test_a_plain_skill_loads_everywhere_as_it_is_written() -> None:
    table = of({"sail/SKILL.md": skill_text("sail", "Sets sails.")})
    assert table.files == ("sail/SKILL.md",)
    assert table.harnesses == harness_names()
    assert {(f.outcome, f.name, f.code, f.reason, f.line) for f in table.fates} == {
        ("loads", "sail", "", "", None)
    }
    assert {fate.description for fate in table.fates} == {"Sets sails."}
    assert table.findings == table.troubled() == ()


def test_a_description_over_the_limit_is_changed_and_says_by_how_much() -> None:
    fate = only(skill_text("sail", "s" * 964), "toh")
    assert (fate.outcome, fate.code, fate.line) == ("changed", "description-cut", 3)
    assert (fate.before_chars, fate.after_chars) == (964, 500)
    assert fate.reason.startswith("the description is cut from 964 to 500 characters: ")
    assert fate.description == "s" * 964


def test_a_cut_alone_is_no_trouble_of_the_file() -> None:
    assert of({"sail/SKILL.md": skill_text("sail", "s" * 964)}).troubled() == ()


def test_another_name_is_changed() -> None:
    table = of({"sail/SKILL.md": skill_text("jib:up")})
    claude, gemini, codex = (table.fate("sail/SKILL.md", n) for n in ("claude-code", "gemini-cli", "codex"))
    assert (claude.outcome, claude.code, claude.name, claude.line) == ("changed", "renamed", "sail", 2)
    assert (gemini.outcome, gemini.name) == ("changed", "jib-up")
    assert gemini.reason == "it is called 'jib-up' here and 'jib:up' in the file"
    assert (codex.outcome, codex.name) == ("loads", "jib:up")


def test_a_description_from_elsewhere_is_changed() -> None:
    nested = "---\nname: sail\ndescription: a: b\ndeep:\n  description: of the deep\n---\nB\n"
    fate = only(nested, "gemini-cli")
    assert (fate.outcome, fate.code, fate.description) == ("changed", "description-altered", "of the deep")
    assert "'of the deep' instead of 'a: b'" in fate.reason
    supplied = only("---\nname: sail\n---\nHoist it first.\n\nThen wait.\n", "claude-code")
    assert (supplied.outcome, supplied.code) == ("changed", "description-supplied")
    assert "takes 'Hoist it first.'" in supplied.reason


def test_a_skill_that_only_users_start_is_hidden_and_its_line_named() -> None:
    text = skill_text("sail", more="disable-model-invocation: true\n")
    table = of({"sail/SKILL.md": text})
    toh, pi, codex = (table.fate("sail/SKILL.md", name) for name in ("toh", "pi", "codex"))
    assert (toh.outcome, toh.code, toh.line) == ("hidden", "user-only", 4)
    assert (pi.outcome, pi.code, pi.line) == ("hidden", "unlisted", 4)
    assert pi.repair == "remove disable-model-invocation, if the model should know of it"
    assert codex.outcome == "loads"


def test_a_gated_and_an_undescribed_skill_are_hidden() -> None:
    gated = only(skill_text("sail", more="paths: '**/*.rb'\n"), "pikuri")
    assert (gated.outcome, gated.code, gated.line) == ("hidden", "switched-off", 4)
    bare = only("---\nname: sail\n---\nB\n", "opencode")
    assert (bare.outcome, bare.code) == ("hidden", "undescribed")


def test_a_name_without_its_description_is_hidden_by_a_budget() -> None:
    files = {f"s{n:03}/SKILL.md": skill_text(f"s{n:03}", "About ships. " * 20) for n in range(60)}
    table = of(files, "claude-code")
    first, last = table.fates[0], table.fates[-1]
    assert first.outcome == "loads"
    assert (last.outcome, last.code, last.after_chars) == ("hidden", "names-only", 0)
    assert last.before_chars == 259
    assert table.troubled() == ()


def test_all_that_happened_to_a_file_is_said() -> None:
    files = {f"s{n:03}/SKILL.md": skill_text(f"s{n:03}", "About ships. " * 20) for n in range(60)}
    files["t/SKILL.md"] = skill_text("other", "About ships. " * 20)
    fate = of(files, "claude-code").fate("t/SKILL.md", "claude-code")
    assert (fate.outcome, fate.code, fate.codes) == ("hidden", "names-only", ("names-only", "renamed"))
    assert "; it is called 't' here and 'other' in the file" in fate.reason
    assert of(files, "claude-code").troubled() == ("t/SKILL.md",)


def test_a_skill_that_the_budget_drops_is_hidden() -> None:
    files = {f"s{n:04}-{'x' * 50}/SKILL.md": skill_text(f"s{n:04}-{'x' * 50}") for n in range(300)}
    table = of(files, "codex")
    hidden = [fate for fate in table.fates if fate.outcome == "hidden"]
    assert hidden
    assert {fate.code for fate in hidden} <= {"left-out", "names-only"}
    assert table.counts()["codex"]["hidden"] == len(hidden)


def test_names_alone_by_design_are_a_note_of_the_harness() -> None:
    table = of({"sail/SKILL.md": skill_text("sail")}, "cline", "toh")
    assert table.fate("sail/SKILL.md", "cline").outcome == "loads"
    assert table.notes["cline"] == ("the model is told names alone, without descriptions",)
    assert table.notes["toh"] == ()


def test_every_file_has_a_fate_where_the_harness_does_not_look() -> None:
    files = {
        "low/skill.md": skill_text("low"),
        "loose.md": skill_text("loose"),
        "a/b/c/Skill.md": skill_text("c"),
        "README.md": "# Read me\n",
    }
    table = of(files, layout="as-is")
    assert table.files == ("a/b/c/Skill.md", "loose.md", "low/skill.md")
    goose = {fate.path: fate for fate in table.fates if fate.harness == "goose"}
    assert {fate.code for fate in goose.values()} == {"not-looked-at"}
    assert goose["low/skill.md"].reason == "the file has to be named SKILL.md"
    assert goose["loose.md"].repair == "move it to loose/SKILL.md"
    assert all(fate.silent for fate in goose.values())
    assert table.fate("loose.md", "toh").outcome == table.fate("loose.md", "pi").outcome == "loads"


def test_a_repository_is_looked_at_as_it_is_installed() -> None:
    files = {"plugins/web/skills/sail/SKILL.md": skill_text("jib")}
    table = of(files)
    assert table.moved
    assert table.fate("plugins/web/skills/sail/SKILL.md", "claude-code").name == "sail"
    vscode = table.fate("plugins/web/skills/sail/SKILL.md", "vscode")
    assert (vscode.outcome, vscode.code) == ("skipped", "name-differs-from-directory")
    assert of(files, "toh", layout="as-is").fates[0].code == "too-deep"


def test_folders_of_one_name_are_looked_at_apart_and_told() -> None:
    table = of({"a/x/sail/SKILL.md": skill_text("sail"), "b/y/sail/SKILL.md": skill_text("sail")})
    assert {fate.outcome for fate in table.fates} == {"loads"}
    assert any("b/y/sail/SKILL.md is the first" in note for note in table.notes[""])


@pytest.mark.parametrize(
    ("harness", "loser"), [("pi", "b"), ("goose", "b"), ("toh", "b"), ("gemini-cli", "b"), ("opencode", "a")]
)
def test_who_loses_a_name_is_said_with_the_paths_of_the_folder(harness: str, loser: str) -> None:
    files = {f"k/{n}/SKILL.md": skill_text("sail") for n in "ab"}
    table = of(files, harness)
    (lost,) = (fate for fate in table.fates if fate.outcome == "skipped")
    assert lost.path == f"k/{loser}/SKILL.md"
    assert lost.code in ("duplicate-name", "shadowed")
    words = lost.reason + lost.repair + " ".join(lost.notes)
    assert "of two skills with one name: " in words
    if ".md" in words:
        assert f"k/{'a' if loser == 'b' else 'b'}/SKILL.md" in words


def test_a_race_is_noted_at_both_files() -> None:
    files = {f"{n}/SKILL.md": skill_text("sail") for n in "ab"}
    fates = of(files, "opencode").fates
    assert all(any("may differ from run to run" in note for note in fate.notes) for fate in fates)


def test_two_of_a_name_that_both_load_are_noted() -> None:
    files = {f"{n}/SKILL.md": skill_text("sail") for n in "ab"}
    for harness in ("codex", "hermes"):
        assert all("named 'sail'" in fate.notes[0] for fate in of(files, harness).fates)


def test_what_the_standard_asks_is_a_note_of_the_reference_library() -> None:
    fate = only(skill_text("jib", more="version: 1\n"), "agent-skills")
    assert fate.outcome == "loads"
    assert fate.notes == (
        "Unexpected fields in frontmatter: version. Only ['allowed-tools', 'compatibility', 'description', "
        "'license', 'metadata', 'name'] are allowed.",
        "Directory name 'sail' must match skill name 'jib'",
    )


def test_a_folder_that_is_itself_a_skill_has_its_own_name(tmp_path: Path) -> None:
    write_skill(tmp_path / "sail", "sail")
    table = survey(tmp_path / "sail", ["pi", "codex"])
    assert [(fate.path, fate.outcome, fate.name) for fate in table.fates] == [
        ("SKILL.md", "loads", "sail"),
        ("SKILL.md", "loads", "sail"),
    ]


def test_a_file_that_cannot_be_read_ends_no_look(tmp_path: Path) -> None:
    write_skill(tmp_path / "good", "good")
    (tmp_path / "dead").mkdir()
    (tmp_path / "dead" / "SKILL.md").symlink_to(tmp_path / "nowhere")
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "SKILL.md")
    table = survey(tmp_path)
    assert {fate.outcome for fate in table.of("good/SKILL.md")} == {"loads"}
    for path in ("dead/SKILL.md", "pipe/SKILL.md"):
        assert {fate.code for fate in table.of(path)} == {"unreadable"}


def test_a_linked_folder_is_looked_into(tmp_path: Path) -> None:
    write_skill(tmp_path / "elsewhere" / "sail", "sail")
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "sail").symlink_to(tmp_path / "elsewhere" / "sail")
    assert {fate.outcome for fate in survey(tmp_path / "skills").fates} == {"loads"}


def test_the_rows_are_plain_data() -> None:
    table = of({"sail/SKILL.md": skill_text("sail", "</skill>\u200b")}, "toh", "opencode")
    data = json.loads(json.dumps(table.to_dict()))
    assert [row["harness"] for row in data["rows"]] == ["toh", "opencode"]
    assert data["harnesses"]["toh"]["fidelity"] == "executed"
    assert data["harnesses"]["toh"]["counts"] == {"loads": 1, "changed": 0, "hidden": 0, "skipped": 0}
    assert [finding["kind"] for finding in data["findings"]] == ["closing-tag", "invisible-character"]


def test_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SkillError, match="there is no folder"):
        survey(tmp_path / "none")
    with pytest.raises(UnknownDialect, match="Did you mean 'codex'"):
        survey(tmp_path, ["codx"])
    table = survey(tmp_path)
    assert table.files == ()
    with pytest.raises(KeyError):
        table.of("sail/SKILL.md")


def test_a_harness_named_twice_is_one_column(tmp_path: Path) -> None:
    write(tmp_path / "a" / "SKILL.md", skill_text("a"))
    assert survey(tmp_path, ["pi", "toh", "pi"]).harnesses == ("pi", "toh")


@pytest.mark.parametrize("written", ["yes", "~"])
def test_a_name_that_a_harness_takes_for_no_text_is_to_be_put_in_quotes(written: str) -> None:
    fate = only(f"---\nname: {written}\ndescription: d\n---\nB\n", "hermes")
    assert (fate.outcome, fate.code) == ("changed", "renamed")
    meant = "sail" if written == "~" else written
    assert fate.repair == f"put the value of name in quotes: name: '{meant}'"
    quoted = only(f"---\nname: '{meant}'\ndescription: d\n---\nB\n", "hermes")
    assert (quoted.outcome, quoted.name) == ("loads", meant)


def test_a_number_beyond_all_numbers_is_told_as_the_file_has_it() -> None:
    fate = only(f"---\nname: {'1' * 5001}\ndescription: d\n---\nB\n", "claude-code")
    assert fate.reason.endswith(f"and '{'1' * 59}…' in the file")
    fate = only("---\nname: sail\ndescription: .inf\n---\nB\n", "codex")
    assert (fate.outcome, fate.description) == ("loads", ".inf")
