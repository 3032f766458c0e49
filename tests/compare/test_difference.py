"""Where two harnesses differ over one folder, skill by skill and line by line."""

from __future__ import annotations

import json
from itertools import combinations

import pytest

from tests.compare.folder import MIXED, folder
from tohlab.compare import compare_harnesses, difference, view_harness
from tohlab.dialects.harness import FileTree
from tohlab.dialects.harnesses import harness_names

VIEWS = {view.harness: view for view in compare_harnesses(MIXED).views}


@pytest.mark.parametrize("pair", list(combinations(harness_names(), 2)), ids="-".join)
def test_the_sides_joined_are_the_two_lists_and_words_the_stretches(pair: tuple[str, str]) -> None:
    a, b = VIEWS[pair[0]], VIEWS[pair[1]]
    found = difference(a, b)
    assert "".join(line.a or "" for line in found.lines) == a.listing.text
    assert "".join(line.b or "" for line in found.lines) == b.listing.text
    for line in found.lines:
        words = line.words()
        assert "".join(text for kind, text in words if kind != "added") == (line.a or "")
        assert "".join(text for kind, text in words if kind != "removed") == (line.b or "")
        assert (line.kind == "same") == (line.a == line.b)


def test_a_view_against_itself_is_all_the_same() -> None:
    found = difference(VIEWS["codex"], VIEWS["codex"])
    assert found.is_same_text
    assert {line.kind for line in found.lines} == {"same"}
    assert not any(skill.differs for skill in found.skills)


def test_entries_of_one_skill_stand_side_by_side() -> None:
    found = difference(VIEWS["claude-code"], VIEWS["goose"])
    alpha = next(line for line in found.lines if line.name == "alpha")
    assert (alpha.kind, alpha.part) == ("changed", "entry")
    assert alpha.a is not None
    assert alpha.a.startswith("- alpha: ")
    assert alpha.b is not None
    assert alpha.b.startswith("• alpha - ")


def test_a_file_that_only_one_takes_is_named_with_the_reason() -> None:
    found = difference(VIEWS["toh"], VIEWS["goose"])
    by_path = {skill.path: skill for skill in found.skills}
    beta = by_path["beta/SKILL.md"]
    assert (beta.a_state, beta.b_state, beta.differs) == ("hidden", "listed", ("state",))
    assert beta.a_why == "not for models: a user can start it"
    assert by_path["gamma/SKILL.md"].differs == ()
    eps = by_path["eps/SKILL.md"]
    assert (eps.a_name, eps.a_description) == ("other-name", "folded text")
    assert difference(VIEWS["claude-code"], VIEWS["goose"]).skills[0].path == "alpha/SKILL.md"


def test_names_and_descriptions_that_differ_are_told() -> None:
    found = difference(VIEWS["claude-code"], VIEWS["goose"])
    eps = next(skill for skill in found.skills if skill.path == "eps/SKILL.md")
    assert (eps.a_name, eps.b_name) == ("eps", "other-name")
    assert "name" in eps.differs


def test_skills_in_another_order_are_marked_as_moved() -> None:
    tree = FileTree.of(
        {
            "a/SKILL.md": "---\nname: z\ndescription: One.\n---\nDo.\n",
            "b/SKILL.md": "---\nname: y\ndescription: Two.\n---\nDo.\n",
        }
    )
    found = difference(view_harness(tree, "supercode"), view_harness(tree, "goose"))
    moved = [line for line in found.lines if line.moved]
    assert {line.name for line in moved} <= {"y", "z"}
    assert {line.kind for line in moved} == {"removed", "added"}


def test_a_difference_is_plain_data() -> None:
    data = json.loads(json.dumps(difference(VIEWS["pi"], VIEWS["roo"]).to_dict()))
    assert (data["a"]["harness"], data["b"]["harness"]) == ("pi", "roo")
    assert set(data["lines"][0]) == {"kind", "part", "name", "a", "b", "moved"}


def test_a_thousand_skills_are_compared_line_by_line() -> None:
    a, b = compare_harnesses(folder(1000), ["pi", "agent-skills"]).views
    found = difference(a, b)
    assert sum(line.part == "entry" for line in found.lines) == 1000
