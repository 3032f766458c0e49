"""One folder in one harness: what is listed, cut, dropped, hidden and skipped, why, and what it costs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.compare.folder import MIXED, folder, skill
from tohlab.compare import ROOT, HarnessView, view_harness
from tohlab.dialects.harness import FileTree, Setting
from tohlab.dialects.harnesses import get_harness, harness_names
from tohlab.errors import SkillError, UnknownDialect
from tohlab.skills.sources import MemorySource
from tohlab.tokens import get_meter, measure_catalog, share_out

ALL = harness_names()


@pytest.mark.parametrize("name", ALL)
def test_the_entries_and_the_frame_add_up_to_the_list_and_list_and_tools_to_the_total(name: str) -> None:
    view = view_harness(MIXED, name)
    assert sum(entry.tokens for entry in view.entries) + view.frame_tokens == view.listing_tokens
    assert view.listing_tokens == get_meter().count(view.listing.text)
    assert view.total_tokens == view.tools_tokens + view.listing_tokens
    assert view.frame_tokens >= 0
    assert view.entries


@pytest.mark.parametrize("name", ALL)
def test_an_entry_costs_its_share_of_the_list_encoded_as_one_text(name: str) -> None:
    view = view_harness(MIXED, name)
    shares = share_out(view.listing.text, view.listing.spans, get_meter())
    assert tuple(entry.tokens for entry in view.entries) == shares
    assert all(entry.text in view.listing.text for entry in view.entries)


@pytest.mark.parametrize("name", ALL)
def test_every_entry_belongs_to_a_file_unless_the_program_brings_it(name: str) -> None:
    setting = Setting(root=ROOT, window_tokens=200_000, bundled=False)
    assert not any(entry.bundled for entry in view_harness(MIXED, name, setting=setting).entries)


@pytest.mark.parametrize("name", ALL)
def test_every_loaded_skill_is_in_exactly_one_state(name: str) -> None:
    view = view_harness(MIXED, name)
    told = [entry.path for entry in view.entries if not entry.bundled]
    others = [one.path for one in (*view.dropped, *view.hidden)]
    assert sorted([*filter(None, told), *others]) == sorted(skill.path for skill in view.loaded.skills)
    assert all(one.why for one in (*view.dropped, *view.hidden))


@pytest.mark.parametrize("name", ALL)
def test_an_empty_folder_lists_only_what_the_program_brings(name: str) -> None:
    view = view_harness(FileTree.of({}), name)
    assert all(entry.bundled for entry in view.entries)
    assert (view.cut, view.dropped, view.hidden, view.skipped) == ((), (), (), ())
    assert view.bundled_tokens + view.frame_tokens == view.listing_tokens


@pytest.mark.parametrize("name", ALL)
def test_a_view_is_plain_data_that_json_takes(name: str) -> None:
    view = view_harness(MIXED, name)
    data = json.loads(json.dumps(view.to_dict()))
    assert data["harness"] == name
    assert data["listing"] == view.listing.text
    assert {"fidelity", "version", "date", "place", "meter", "window_tokens"} <= set(data)
    states = {row["state"] for row in data["rows"]}
    assert states <= {"listed", "cut", "dropped", "hidden", "skipped"}


def test_the_total_of_a_durable_catalog_is_that_of_its_own_measure() -> None:
    pairs = [("csv", "Clean tables."), ("pdf", "Read PDF files.")]
    tree = FileTree.of({f"{name}/SKILL.md": skill(name, text) for name, text in pairs})
    assert view_harness(tree, "toh").total_tokens == measure_catalog(MemorySource.of(pairs)).total_tokens


# Budgets: what is cut, what disappears, and why.


def states(view: HarnessView) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in view.rows():
        if not row["bundled"]:
            found[row["state"]] = found.get(row["state"], 0) + 1
    return found


def test_codex_shortens_all_descriptions_alike_then_leaves_skills_out() -> None:
    wide = view_harness(folder(100), "codex", window_tokens=1_000_000)
    assert states(wide) == {"listed": 100}
    cut = view_harness(folder(100), "codex", window_tokens=64_000)
    assert states(cut) == {"cut": 100}
    lengths = {entry.after_chars for entry in cut.entries if entry.after_chars is not None}
    assert max(lengths) - min(lengths) <= 4  # a token of the budget is four bytes
    assert {entry.why for entry in cut.entries} == {"the list may cost 1280 tokens"}
    narrow = view_harness(folder(100), "codex", window_tokens=16_000)
    assert states(narrow)["dropped"] + states(narrow)["cut"] == 100
    assert {one.why for one in narrow.dropped} == {
        "the list may cost 320 tokens, and it does not fit even without a description"
    }
    assert "additional skills were not included" in narrow.listing.warnings[0]
    assert narrow.total_tokens < cut.total_tokens < wide.total_tokens


def test_claude_code_keeps_every_name_whatever_the_window() -> None:
    view = view_harness(folder(100), "claude-code", window_tokens=16_000)
    assert len(view.entries) == 100
    assert view.dropped == ()
    assert all(entry.after_chars == 0 for entry in view.cut)
    assert {entry.why for entry in view.cut} == {"the list has a budget of 640 characters"}


def test_hermes_cuts_at_60_characters_and_toh_at_500() -> None:
    tree = folder(2, description="w" * 600)
    hermes, toh = view_harness(tree, "hermes"), view_harness(tree, "toh")
    assert [(e.before_chars, e.after_chars) for e in hermes.cut] == [(600, 60), (600, 60)]
    assert [(e.before_chars, e.after_chars) for e in toh.cut] == [(600, 500), (600, 500)]


def test_skills_ref_names_what_its_validator_refuses_and_lists_it_all_the_same() -> None:
    view = view_harness(folder(1, description="w" * 1025), "agent-skills")
    assert states(view) == {"listed": 1}
    assert any("Description exceeds 1024 character limit" in note for note in view.notes)


def test_a_skill_for_users_only_is_hidden_where_the_harness_knows_the_field_and_listed_elsewhere() -> None:
    assert [one.name for one in view_harness(MIXED, "claude-code").hidden] == ["beta"]
    assert "beta" in {entry.name for entry in view_harness(MIXED, "goose").entries}


def test_hermes_says_which_of_two_equal_names_it_leaves_out() -> None:
    tree = FileTree.of({f"c/{d}/SKILL.md": skill("twin") for d in ("a", "b")})
    view = view_harness(tree, "hermes", layout="as-is")
    assert [(one.path, one.why) for one in view.dropped] == [
        ("c/b/SKILL.md", "its category lists a skill of the same name already")
    ]


def test_what_a_permission_denies_is_dropped_with_that_reason() -> None:
    setting = Setting(root=ROOT, options={"permission": {"skill-000": "deny"}})
    view = view_harness(folder(2), "opencode", setting=setting)
    assert [(one.name, one.why) for one in view.dropped] == [("skill-000", "a permission rule denies it")]


# The folder.


def test_the_skills_of_a_repository_are_laid_side_by_side_and_known_by_their_own_paths() -> None:
    tree = FileTree.of(
        {
            "plugins/a/skills/one/SKILL.md": skill("one"),
            "plugins/b/skills/two/SKILL.md": skill("two"),
            "plugins/b/skills/one/SKILL.md": skill("one", "Another."),
        }
    )
    view = view_harness(tree, "cline")
    assert [entry.name for entry in view.entries] == ["one", "two"]
    assert [(one.path, one.code) for one in view.skipped] == [
        ("plugins/b/skills/one/SKILL.md", "folder-name-taken")
    ]
    assert [row["source"] for row in view.rows()][:2] == [
        "plugins/a/skills/one/SKILL.md",
        "plugins/b/skills/two/SKILL.md",
    ]
    assert view_harness(tree, "cline", layout="as-is").entries == ()


def test_the_printed_root_is_the_same_on_every_machine_and_an_option(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "SKILL.md").write_text(skill("one"))
    view = view_harness(tmp_path, "pi")
    assert f"{ROOT}/one/SKILL.md" in view.listing.text
    assert str(tmp_path) not in view.listing.text
    assert any(ROOT in note for note in view.layout_notes)
    other = view_harness(tmp_path, "pi", root="/s")
    assert "/s/one/SKILL.md" in other.listing.text
    assert other.total_tokens < view.total_tokens
    assert not any("/s" in note for note in view_harness(tmp_path, "cline", root="/s").layout_notes)


def test_a_list_in_a_tools_description_is_counted_once() -> None:
    view = view_harness(folder(3), "cline")
    tool = view.tools[0]["function"]
    assert view.listing.text in tool["description"]
    assert view.total_tokens == get_meter().count(json.dumps(tool, separators=(",", ":"), ensure_ascii=False))


def test_a_tool_that_is_there_without_skills_is_said_to_be() -> None:
    assert any("there without skills too" in note for note in view_harness(folder(1), "pi").notes)


def test_a_harness_may_be_an_instance_and_a_wrong_name_names_the_nearest() -> None:
    assert view_harness(MIXED, get_harness("roo")).harness == "roo"
    with pytest.raises(UnknownDialect, match="codex"):
        view_harness(MIXED, "codx")
    with pytest.raises(SkillError, match="no folder"):
        view_harness("/nowhere/at/all", "roo")
