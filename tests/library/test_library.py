"""Our own skills and labelled requests keep what their card promises."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from tohlab.errors import TohlabError
from tohlab.library import (
    LIBRARY_SETS,
    _locate,
    library_cases,
    library_dir,
    library_recording,
    library_skill_folders,
    library_skills,
)
from tohlab.report import replay
from tohlab.routing import load_cases, load_catalog
from tohlab.routing.selection import only_split
from tohlab.skills.sources import FilesystemSource

KINDS = ("direct", "paraphrase", "indirect", "two", "none")
FILES = sorted(library_skills().glob("*/SKILL.md"))
TEXTS = {file.parent.name: file.read_text(encoding="utf-8") for file in FILES}


def frontmatter(name: str) -> dict[str, Any]:
    head = TEXTS[name].split("\n---\n", 1)[0].removeprefix("---\n")
    loaded = yaml.safe_load(head)
    assert isinstance(loaded, dict)
    return loaded


def body(name: str) -> str:
    return TEXTS[name].split("\n---\n", 1)[1]


SKILLS = {name: frontmatter(name) for name in TEXTS}
INVOCABLE = {name for name, fields in SKILLS.items() if not fields.get("disable-model-invocation", False)}
CASES: list[dict[str, Any]] = [
    json.loads(line) for line in library_cases().read_text(encoding="utf-8").splitlines()
]
CARD = (library_dir() / "README.md").read_text(encoding="utf-8")


def card_rows(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading of the card, without its head."""
    section = CARD.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line.strip().strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def tokens(text: str) -> set[str]:
    """Lower-case words; in scripts without spaces, pairs of neighbouring characters."""
    words = set(re.findall(r"[^\W_]+", text.lower()))
    wide = {word for word in words if re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", word)}
    pairs = {word[i : i + 2] for word in wide for i in range(max(1, len(word) - 1))}
    return (words - wide) | pairs


# --- skills -----------------------------------------------------------------------------------------------


def test_there_are_at_least_26_skills_in_six_domains() -> None:
    assert len(SKILLS) >= 26
    assert len(card_rows("Skills")) == 6


@pytest.mark.parametrize("name", sorted(SKILLS))
def test_a_skill_is_named_like_its_folder(name: str) -> None:
    assert SKILLS[name]["name"] == name
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", name)


@pytest.mark.parametrize("name", sorted(SKILLS))
def test_a_description_says_what_and_when_in_80_to_350_characters_but_for_the_long_one(name: str) -> None:
    description = SKILLS[name]["description"]
    if name == "k8s-triage":
        assert len(description.encode("utf-16-le")) // 2 > 500
    else:
        assert 80 <= len(description) <= 350


@pytest.mark.parametrize("name", sorted(SKILLS))
def test_a_body_has_15_to_50_lines_that_are_not_empty(name: str) -> None:
    assert 15 <= sum(1 for line in body(name).splitlines() if line.strip()) <= 50


@pytest.mark.parametrize("name", sorted(SKILLS))
def test_a_skill_file_is_utf8_with_unix_line_ends_and_one_newline_at_its_end(name: str) -> None:
    raw = (library_skills() / name / "SKILL.md").read_bytes()
    assert b"\r" not in raw
    assert not raw.startswith(b"\xef\xbb\xbf")
    assert raw.endswith(b"\n")
    assert not raw.endswith(b"\n\n")


def test_the_skills_differ_in_the_ways_real_ones_do() -> None:
    heads = {name: text.split("\n---\n", 1)[0] for name, text in TEXTS.items()}
    assert SKILLS.keys() - INVOCABLE == {"release-cut"}
    assert any("whenToUse" in fields for fields in SKILLS.values())
    assert any("metadata" in fields for fields in SKILLS.values())
    assert any("license" in fields for fields in SKILLS.values())
    assert any(re.search(r"^description: >", head, re.M) for head in heads.values())
    assert any(re.search(r'^description: ".*: ', head, re.M) for head in heads.values())
    assert any(not fields["description"].isascii() for fields in SKILLS.values())


def test_every_skill_loads_in_toh_as_it_is_written() -> None:
    source = FilesystemSource.tree(library_skills())
    snapshot = source.snapshot()
    assert snapshot.complete
    assert snapshot.problems == ()
    assert {skill.name: skill.description for skill in snapshot.skills} == {
        name: fields["description"] for name, fields in SKILLS.items()
    }
    assert {skill.name for skill in snapshot.skills if skill.invocation.model_invocable} == INVOCABLE
    for name in SKILLS:
        loaded = source.load(name)
        assert loaded is not None
        assert loaded.content == body(name).strip()


def test_no_two_skills_share_a_description_or_a_body() -> None:
    assert len({fields["description"] for fields in SKILLS.values()}) == len(SKILLS)
    assert len({body(name) for name in SKILLS}) == len(SKILLS)


# --- requests ---------------------------------------------------------------------------------------------


def test_there_are_at_least_170_requests_of_which_45_fit_no_skill_and_15_need_two() -> None:
    kinds = Counter(case["kind"] for case in CASES)
    assert len(CASES) >= 170
    assert kinds["none"] >= 45
    assert kinds["two"] >= 15
    assert set(kinds) == set(KINDS)


def test_every_request_has_the_fields_of_its_kind() -> None:
    wanted = {"two": 2, "none": 0}
    for case in CASES:
        assert set(case) == {"id", "query", "expected", "kind", "group"} | (
            {"near"} if case["kind"] == "none" else set()
        ), case["id"]
        assert len(case["expected"]) == wanted.get(case["kind"], 1), case["id"]
        assert case["expected"] == sorted(set(case["expected"])), case["id"]
        assert case["query"].strip() == case["query"] != "", case["id"]


def test_ids_are_unique_and_say_the_kind_only() -> None:
    assert len({case["id"] for case in CASES}) == len(CASES)
    for case in CASES:
        assert re.fullmatch(rf"{case['kind']}-\d{{3}}", case["id"])


def test_expected_and_near_skills_exist_and_a_model_may_load_them() -> None:
    for case in CASES:
        assert set(case["expected"]) <= INVOCABLE, case["id"]
        assert case.get("near") is None or case["near"] in INVOCABLE, case["id"]


def test_each_skill_that_a_model_may_load_is_wanted_by_at_least_four_requests_and_near_to_one() -> None:
    wanted = Counter(name for case in CASES for name in case["expected"])
    assert {name: wanted[name] for name in INVOCABLE if wanted[name] < 4} == {}
    near = {case["near"] for case in CASES if case["kind"] == "none"}
    assert sorted(INVOCABLE - near) == []


def test_a_group_is_the_domain_of_an_expected_or_near_skill() -> None:
    domain = {
        skill.strip(" `"): row[0].strip("`") for row in card_rows("Skills") for skill in row[1].split(",")
    }
    assert domain.keys() == SKILLS.keys()
    for case in CASES:
        names = case["expected"] or [case["near"]]
        assert case["group"] in {domain[name] for name in names}, case["id"]


def test_no_request_gives_a_skill_name_away() -> None:
    # Any separator, or none, between the words of a name; also the plural.
    patterns = {
        name: re.compile(r"(?<![^\W_])" + r"[\s\-_]*".join(name.split("-")) + r"s?(?![^\W_])", re.IGNORECASE)
        for name in SKILLS
    }
    leaks = [
        (case["id"], name)
        for case in CASES
        for name, found in patterns.items()
        if found.search(case["query"])
    ]
    assert leaks == []


def test_no_two_requests_are_alike() -> None:
    assert len({" ".join(case["query"].lower().split()) for case in CASES}) == len(CASES)
    sets = [(case["id"], tokens(case["query"])) for case in CASES]
    alike = [
        (one, other)
        for (one, a), (other, b) in itertools.combinations(sets, 2)
        if len(a & b) / len(a | b) >= 0.7
    ]
    assert alike == []


def test_requests_come_in_several_languages_and_lengths() -> None:
    queries = [case["query"] for case in CASES]
    assert sum(bool(re.search(r"[\u3040-\u30ff]", query)) for query in queries) >= 4
    assert sum(bool(re.search(r"[äöüß¿éèñ]", query)) for query in queries) >= 15
    assert min(len(query) for query in queries) < 40
    assert sum(len(query) > 300 for query in queries) >= 5


# --- the card ---------------------------------------------------------------------------------------------


def test_the_card_counts_the_requests_of_each_kind() -> None:
    kinds = Counter(case["kind"] for case in CASES)
    rows = {row[0].strip("`"): int(row[2]) for row in card_rows("Requests")}
    assert rows == {**{kind: kinds[kind] for kind in KINDS}, "all": len(CASES)}


def test_the_card_lists_the_skills_and_counts_the_requests_of_each_domain() -> None:
    groups = Counter(case["group"] for case in CASES)
    listed = [skill.strip(" `") for row in card_rows("Skills") for skill in row[1].split(",")]
    assert sorted(listed) == sorted(SKILLS)
    for domain, skills, n_skills, n_cases in card_rows("Skills"):
        assert int(n_skills) == len(skills.split(","))
        assert int(n_cases) == groups[domain.strip("`")]


# --- where it is ------------------------------------------------------------------------------------------


def lay_out(folder: Path) -> Path:
    (folder / "skills").mkdir(parents=True)
    (folder / "cases.jsonl").write_bytes(b"")
    return folder


def test_the_paths_lead_into_one_folder() -> None:
    assert library_skills().parent == library_cases().parent == library_dir()
    assert library_recording() == library_dir() / "recordings" / "qwen2.5-coder-1.5b.jsonl.gz"
    assert all(library_recording(name).is_file() for name in LIBRARY_SETS)


def test_the_recording_of_the_wide_set_has_three_answers_to_each_request_of_its_test_split() -> None:
    cases = only_split(load_cases(library_cases("wide")), "test")
    (report,) = replay(cases, load_catalog(*library_skill_folders("wide")), library_recording("wide"))
    assert (report.choice, report.replicates, report.n_scored) == ("json", 3, 3 * 291)
    assert str(report.exact) == "27.1% [22.4%, 32.5%] (n=291)"  # as the documentation has it


def test_a_checkout_has_its_datasets_beside_the_package(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "datasets")
    assert _locate(tmp_path / "tohlab") == folder


def test_an_installed_package_uses_its_own_datasets_and_not_a_neighbour_of_that_name(tmp_path: Path) -> None:
    lay_out(tmp_path / "datasets")
    folder = lay_out(tmp_path / "tohlab" / "_datasets")
    assert _locate(tmp_path / "tohlab") == folder


def test_missing_datasets_are_an_error_that_names_both_places(tmp_path: Path) -> None:
    (tmp_path / "datasets").mkdir()
    with pytest.raises(TohlabError) as caught:
        _locate(tmp_path / "tohlab")
    assert str(tmp_path / "tohlab" / "_datasets") in str(caught.value)
    assert str(tmp_path / "datasets") in str(caught.value)
