"""The reported faults, each in every harness: what loads, what is skipped, and what mends it."""

from __future__ import annotations

import pytest

from tests.survival.faults import FAULTS
from tohlab.cli.check_table import MARKS
from tohlab.dialects.harness import FileTree
from tohlab.dialects.harnesses import harness_names
from tohlab.survival import Survey, fixes, survey

COLUMNS = "as cc cl co gc go he mv op pi pk qc ro su to vs"
"""Whose marks these are: `.` loads, `~` changed, `h` hidden, `X` skipped."""
EXPECTED: dict[str, dict[str, str]] = {
    "A1 unquoted colon": {
        "sail/SKILL.md": "X . X . . X . X . X . . X . X .",
    },
    "A2 colon beside a semicolon": {
        "arms/SKILL.md": ". . . . . . . . . . . . . . . .",
        "axes/SKILL.md": "X . X . . X . X . X . . X . X .",
    },
    "A3 every file of a set": {
        "plan-1/SKILL.md": "X . X . . X . X . X . . X . X .",
        "plan-2/SKILL.md": "X . X . . X . X . X . . X . X .",
        "plan-3/SKILL.md": "X . X . . X . X . X . . X . X .",
    },
    "A5 continued plain scalar": {
        "host/SKILL.md": "X ~ X X . X ~ X X X ~ ~ X ~ X ~",
    },
    "A6 triggers in a description": {
        "auto/SKILL.md": "X . X . . X ~ X . X . . X . X .",
    },
    "A9 byte order mark": {
        "mark/SKILL.md": "X . . X X . . . . . X . . ~ X .",
    },
    "A10 byte order mark and CRLF": {
        "mark/SKILL.md": "X . . X X . . . . . X . . ~ X .",
    },
    "A11 byte order mark twice": {
        "mark/SKILL.md": "X ~ ~ X X . ~ . X X X X X ~ X X",
    },
    "A12 byte order mark before comments": {
        "mark/SKILL.md": "X . . X X . . . . . X . . ~ X .",
    },
    "A14 CRLF": {
        "wind/SKILL.md": ". . . . . . . . . . . . . . . .",
    },
    "A15 rules in the body": {
        "calm/SKILL.md": ". . . . . . . . . . . . . . . .",
    },
    "A16 list of tools in brackets": {
        "crew/SKILL.md": "X . . . . . . . . . . . . . . .",
    },
    "A17 list and map under metadata": {
        "keel/SKILL.md": ". . . . . . . . . . . . . . . .",
    },
    "A18 nested metadata": {
        "mast/SKILL.md": ". . . . . . . . . . . . . . . .",
    },
    "A20 metadata with brackets": {
        "helm/SKILL.md": "X . . . . . . . . . . . . . . .",
    },
    "A21 metadata as JSON": {
        "bow/SKILL.md": "X . . . . . . . . . . . . . . .",
    },
    "A22 number for a name": {
        "3000/SKILL.md": ". . X . . . . X X . . . X . X X",
    },
    "A22 list for a description": {
        "deck/SKILL.md": "X . X X ~ X ~ X X X X ~ X ~ X X",
    },
    "A22 brackets in a hint": {
        "hint/SKILL.md": "X . . . . . . . . . . . . . . .",
    },
    "B23 description of 1,025 characters": {
        "long/SKILL.md": ". . . ~ . . ~ X . . . . X . ~ ~",
    },
    "D56 nested, wrong case": {
        "a/b/SKILL.md": ". X X . X . . X . . X X X X X X",
        "low/skill.md": ". X X X X X X X X X X X X X X X",
    },
    "D58 ignore file beside a skill": {
        "moor/SKILL.md": ". . . . . . . . . . . . . . . .",
        "tide/SKILL.md": ". . . . . . . . . X . . . . . .",
    },
    "E59 description closes the block": {
        "gull/SKILL.md": ". . . . . . . . . . . . . . . ~",
    },
    "E60 short description closes the block": {
        "crab/SKILL.md": ". . . . . . . . . . . . . . . ~",
    },
    "E61 quote in a name": {
        "eel/SKILL.md": ". ~ . . ~ . . X . . . X X . X X",
    },
}
MENDED = {
    "A1 unquoted colon": {"sail/SKILL.md": 'description: "Use it for this: that and more"'},
    "A2 colon beside a semicolon": {"axes/SKILL.md": 'description: "Scores two axes: Standards and Risk"'},
    "A3 every file of a set": {
        f"plan-{n}/SKILL.md": f'description: "Step {n}: do the work"' for n in (1, 2, 3)
    },
    "A5 continued plain scalar": {
        "host/SKILL.md": 'description: "Runs the built-in\n  skill: grill, when asked"'
    },
    "A6 triggers in a description": {
        "auto/SKILL.md": "description: \"Repeats work. Iterations: N, Triggers: 'x'\""
    },
    "A9 byte order mark": {"mark/SKILL.md": "---\nname: mark\n"},
    "A10 byte order mark and CRLF": {"mark/SKILL.md": "---\r\nname: mark\r\n"},
    "A11 byte order mark twice": {"mark/SKILL.md": "---\nname: mark\n"},
    "A12 byte order mark before comments": {"mark/SKILL.md": "---\n# a comment\nname: mark\n"},
    "A16 list of tools in brackets": {"crew/SKILL.md": "allowed-tools:\n  - Read\n  - Bash\n---\n"},
    "A20 metadata with brackets": {"helm/SKILL.md": "metadata:\n  hermes:\n    tags:\n      - a\n---\n"},
    "A21 metadata as JSON": {"bow/SKILL.md": 'metadata:\n  "a": 1\n---\n'},
    "A22 number for a name": {"3000/SKILL.md": 'name: "3000"\n'},
    "A22 list for a description": {"deck/SKILL.md": 'description: "swab, scrub"\n'},
    "A22 brackets in a hint": {"hint/SKILL.md": 'argument-hint: "[topic: a | b]"\n'},
    "E61 quote in a name": {"eel/SKILL.md": "name: eel\n"},
}


def table(fault: str) -> Survey:
    return survey(FileTree.of(FAULTS[fault]), layout="as-is")


def test_the_columns_are_all_harnesses() -> None:
    assert len(COLUMNS.split()) == len(harness_names()) == 16


@pytest.mark.parametrize("fault", FAULTS)
def test_every_harness_fares_as_its_program_does(fault: str) -> None:
    found = {path: " ".join(MARKS[fate.outcome] for fate in fates) for path, fates in table(fault).by_file()}
    assert found == EXPECTED[fault]


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_not_well_has_a_reason_and_a_remedy(fault: str) -> None:
    for fate in table(fault).fates:
        assert bool(fate.code and fate.reason and fate.repair) is (fate.outcome != "loads")


@pytest.mark.parametrize("fault", FAULTS)
def test_what_a_machine_can_mend_is_mended_and_nothing_else(fault: str) -> None:
    found = {fix.path: fix for fix in fixes(FileTree.of(FAULTS[fault]), layout="as-is")}
    assert found.keys() == MENDED.get(fault, {}).keys()
    for path, text in MENDED.get(fault, {}).items():
        before, after = (f"\n{text}" in f"\n{whole}" for whole in (found[path].before, found[path].after))
        assert (before, after) == (False, True)


@pytest.mark.parametrize("fault", MENDED)
def test_a_mended_file_loads_wherever_its_repair_says(fault: str) -> None:
    before, files = table(fault), dict(FAULTS[fault])
    found = fixes(FileTree.of(files), layout="as-is")
    files |= {fix.path: fix.after for fix in found}
    after = survey(FileTree.of(files), layout="as-is")
    for fix in found:
        assert fix.gains
        for harness in fix.gains:
            assert before.fate(fix.path, harness).outcome == "skipped"
            assert after.fate(fix.path, harness).outcome != "skipped"


@pytest.mark.parametrize(
    ("fault", "path", "harness", "code", "line", "silent"),
    [
        ("A1 unquoted colon", "sail/SKILL.md", "cline", "invalid-yaml", 3, True),
        ("A1 unquoted colon", "sail/SKILL.md", "agent-skills", "unquoted-colon", 3, False),
        ("A5 continued plain scalar", "host/SKILL.md", "pi", "invalid-yaml", 4, False),
        ("A9 byte order mark", "mark/SKILL.md", "gemini-cli", "missing-frontmatter", 1, True),
        ("A16 list of tools in brackets", "crew/SKILL.md", "agent-skills", "flow-collection", 4, False),
        ("A22 number for a name", "3000/SKILL.md", "opencode", "wrong-type", 2, True),
        ("B23 description of 1,025 characters", "long/SKILL.md", "codex", "description-cut", 3, True),
        ("B23 description of 1,025 characters", "long/SKILL.md", "roo", "description-length", 3, False),
        ("D56 nested, wrong case", "a/b/SKILL.md", "gemini-cli", "too-deep", None, True),
        ("D58 ignore file beside a skill", "tide/SKILL.md", "pi", "ignored", None, True),
    ],
)
def test_the_rule_and_the_line_are_named(
    fault: str, path: str, harness: str, code: str, line: int | None, silent: bool
) -> None:
    fate = table(fault).fate(path, harness)
    assert (fate.code, fate.line, fate.silent) == (code, line, silent)


def test_a_value_that_goes_on_is_mended_at_its_key() -> None:
    for harness in ("pi", "codex", "cline", "toh"):
        repair = table("A5 continued plain scalar").fate("host/SKILL.md", harness).repair
        assert repair.startswith("put the value of description in quotes")


def test_the_colon_that_is_repaired_once_is_noted() -> None:
    fate = table("A1 unquoted colon").fate("sail/SKILL.md", "opencode")
    assert (fate.outcome, fate.description) == ("loads", "Use it for this: that and more")
    assert "loses the skill in silence" in fate.notes[0]


@pytest.mark.parametrize(
    ("fault", "kind", "text", "harnesses"),
    [
        (
            "E59 description closes the block",
            "closing-tag",
            "</available_skills>",
            ("gemini-cli", "hermes", "opencode"),
        ),
        ("E59 description closes the block", "closing-tag", "</description>", ("gemini-cli", "opencode")),
        (
            "E60 short description closes the block",
            "closing-tag",
            "</available_skills>",
            ("gemini-cli", "hermes", "opencode"),
        ),
        ("E61 quote in a name", "quote-in-name", 'eel" x="1', ("opencode", "pikuri", "supercode")),
    ],
)
def test_what_gets_out_of_its_block_is_found_where_it_does(
    fault: str, kind: str, text: str, harnesses: tuple[str, ...]
) -> None:
    found = {(one.kind, one.text): one.harnesses for one in table(fault).findings}
    assert found[kind, text] == harnesses
