"""Hermes Agent: JSON answers of its two tools."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dialects.hermes.driver import FULL, HERMES, ROOT, block, call, load, setting, skill, tree_of
from tohlab.errors import UnsupportedByDialect


def test_the_list_tool_cuts_at_1024_and_falls_back_on_the_body() -> None:
    files: dict[str, str | bytes] = {
        "c/long/SKILL.md": skill("long", description="x" * 1025),
        "c/none/SKILL.md": "---\nname: none\n---\n# Title\n\n  First words.\n",
        "top/SKILL.md": skill("top"),
    }
    given = call(files, tool="skills_list")
    assert [(e["name"], len(e["description"]), e["category"]) for e in given["skills"]] == [
        ("top", 1, None),
        ("long", 1024, "c"),
        ("none", 12, "c"),
    ]
    assert (given["categories"], given["count"]) == (["c"], 3)
    assert [e["name"] for e in call(files, tool="skills_list", category="c")["skills"]] == ["long", "none"]
    assert call(files, tool="skills_list", category="nope")["count"] == 0


def test_the_list_tool_reads_4000_characters_of_a_file() -> None:
    files: dict[str, str | bytes] = {"x/SKILL.md": skill("a", f"note: {'y' * 4000}")}
    assert call(files, tool="skills_list")["skills"] == [
        {"name": "x", "description": "---", "category": None}
    ]
    assert "- a: d" in block(files)


def test_the_list_tool_leaves_out_what_it_trips_over() -> None:
    files: dict[str, str | bytes] = {
        "a/SKILL.md": skill("a", description="5"),
        "b/SKILL.md": skill("[b]"),
        "c/SKILL.md": skill("c"),
    }
    assert [e["name"] for e in call(files, tool="skills_list")["skills"]] == ["c"]


def test_without_skills_the_list_tool_says_so() -> None:
    assert call({}, tool="skills_list")["message"] == "No skills found in skills/ directory."


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ("net", "ml/net/SKILL.md"),
        ("deep-net", "ml/net/SKILL.md"),
        ("ml/net", "ml/net/SKILL.md"),
        ("ml:net", "ml/net/SKILL.md"),
        ("./ml/net/", "ml/net/SKILL.md"),
        ("flat", "ml/flat.md"),
        ("ml/flat", "ml/flat.md"),
        ("fl?t", "ml/flat.md"),
    ],
)
def test_a_skill_is_found_by_folder_name_path_and_flat_file(asked: str, path: str) -> None:
    files: dict[str, str | bytes] = {"ml/net/SKILL.md": skill("deep-net"), "ml/flat.md": skill("other")}
    found = call(files, name=asked)
    assert found["path"] == path
    assert found["skill_dir"] == (None if path.endswith("flat.md") else f"{ROOT}/ml/net")


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ("/etc/passwd", "Skill name must be a relative path within the skills directory."),
        ("C:\\x", "Skill name must be a relative path within the skills directory."),
        ("../a", "Skill name cannot contain '..' path traversal components."),
        ("grp:../b", "Skill name cannot contain '..' path traversal components."),
        ("a b:c", "Invalid namespace 'a b' in 'a b:c'. Namespaces must match [a-zA-Z0-9_-]+."),
        ("A", "Skill 'A' not found."),
        ("", "Skill '' not found."),
        (5, "Skill name must be a string."),
    ],
)
def test_a_name_that_is_not_taken_says_why(asked: Any, error: str) -> None:
    given = call({"a/SKILL.md": skill("a")}, name=asked)
    assert (given["success"], given["error"]) == (False, error)


def test_a_miss_shows_twenty_names_at_most() -> None:
    files: dict[str, str | bytes] = {f"s{i:02}/SKILL.md": skill(f"s{i:02}") for i in range(30)}
    assert call(files, name="x")["available_skills"] == [f"s{i:02}" for i in range(20)]


def test_a_name_of_two_is_refused_with_their_paths() -> None:
    files: dict[str, str | bytes] = {"x/SKILL.md": skill("n"), "n/SKILL.md": skill("other")}
    assert call(files, name="n")["matches"] == [f"{ROOT}/n/SKILL.md", f"{ROOT}/x/SKILL.md"]


def test_linked_files_are_named_by_folder_and_ending() -> None:
    assert call(FULL, name="a")["linked_files"] == {
        "references": ["references/r.md"],
        "assets": ["assets/x/y.bin"],
        "scripts": ["scripts/run.sh"],
    }


def test_two_placeholders_are_filled_and_no_command_is_run() -> None:
    assert f"In {ROOT}/a as ${{HERMES_SESSION_ID}}: !`date` $1" in call(FULL, name="a")["content"]
    assert f"In {ROOT}/a as s1: !" in call(FULL, setting(session_id="s1"), name="a")["content"]


def test_a_value_is_not_scanned_again() -> None:
    files: dict[str, str | bytes] = {"a/SKILL.md": skill("a", body="${HERMES_SESSION_ID}")}
    text = call(files, setting(session_id="${HERMES_SKILL_DIR}"), name="a")["content"]
    assert text.endswith("\n${HERMES_SKILL_DIR}\n")


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("references/r.md", {"success": True, "content": "# R\n", "file_type": ".md"}),
        ("./notes.md", {"success": True, "content": "n\n", "file": "./notes.md"}),
        (f"{ROOT}/a/data.csv", {"success": True, "content": "1\n"}),
        (
            "assets/x/y.bin",
            {"success": True, "content": "[Binary file: y.bin, size: 2 bytes]", "is_binary": True},
        ),
        ("../b", {"success": False, "error": "Path traversal ('..') is not allowed."}),
        ("a/../notes.md", {"success": False, "error": "Path traversal ('..') is not allowed."}),
        (
            "/etc/passwd",
            {
                "success": False,
                "error": f"Path escapes allowed directory: '/etc/passwd' is not in the subpath of '{ROOT}/a'",
            },
        ),
        ("scripts", {"success": False, "error": f"[Errno 21] Is a directory: '{ROOT}/a/scripts'"}),
        (
            "nope",
            {
                "success": False,
                "error": "File 'nope' not found in skill 'a'.",
                "available_files": {
                    "references": ["references/deep/r.md", "references/r.md"],
                    "assets": ["assets/x/y.bin"],
                    "scripts": ["scripts/run.sh"],
                    "other": ["notes.md"],
                },
            },
        ),
    ],
)
def test_a_file_of_a_skill_is_given_out_and_nothing_beside_it(file: str, expected: dict[str, Any]) -> None:
    given = call(FULL, name="a", file_path=file)
    assert {key: given[key] for key in expected} == expected


def test_a_date_in_the_metadata_makes_the_skill_unloadable() -> None:
    files: dict[str, str | bytes] = {"a/SKILL.md": skill("a", "metadata:", "  made: 2026-01-02")}
    assert call(files, name="a") == {
        "error": "Object of type date is not JSON serializable",
        "success": False,
    }
    assert "- a: d" in block(files)


def test_what_a_skill_needs_is_asked_for_once_and_missed_by_name() -> None:
    more = (
        "required_environment_variables:",
        "  - name: KEY_A",
        "    help: See the docs",
        "  - KEY_B",
        "  - {name: KEY_C, optional: true}",
        "prerequisites: {env_vars: [KEY_A, not-a-name, KEY_D]}",
        "required_credential_files: [tok.json]",
    )
    files: dict[str, str | bytes] = {"a/SKILL.md": skill("a", *more)}
    found = call(files, setting(variables=["KEY_B"]), name="a")
    assert [entry["name"] for entry in found["required_environment_variables"]] == [
        "KEY_A",
        "KEY_B",
        "KEY_C",
        "KEY_D",
    ]
    assert found["missing_required_environment_variables"] == ["KEY_A", "KEY_D"]
    assert found["setup_note"] == (
        "Setup needed before using this skill: missing env $KEY_A, env $KEY_D, file tok.json. See the docs"
    )
    ready = setting(variables=["KEY_A", "KEY_B", "KEY_D"], credential_files=["tok.json"])
    assert call(files, ready, name="a")["readiness_status"] == "available"


def test_the_tools_never_change() -> None:
    assert HERMES.tools(load({}), setting()) == HERMES.tools(load(FULL), setting(("x",)))
    assert not HERMES.names_in_tool


def test_another_tool_has_nothing_to_do_with_skills() -> None:
    with pytest.raises(UnsupportedByDialect):
        HERMES.call("terminal", {}, load({}), tree_of({}), setting())
