"""The wide set keeps what its card promises."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
import yaml

from tohlab.errors import DatasetError, TohlabError
from tohlab.library import (
    LIBRARY_SETS,
    library_cases,
    library_dir,
    library_skill_folders,
    library_skills,
)
from tohlab.routing import RoutingDataset, lint_dataset, load_cases, load_catalog, run_baseline
from tohlab.routing.clusters import cluster_of
from tohlab.routing.selection import only_split

WIDE = library_dir() / "wide"
KINDS = ("direct", "paraphrase", "indirect", "two", "three", "none")
SPLITS = ("tune", "test")
LINES = library_cases("wide").read_bytes().splitlines(keepends=True)
CASES: list[dict[str, Any]] = [json.loads(line) for line in LINES]
CORE: list[dict[str, Any]] = [json.loads(line) for line in library_cases().read_bytes().splitlines()]
CARD = (WIDE / "README.md").read_text(encoding="utf-8")
NEW = {
    file.parent.name: file.read_text(encoding="utf-8")
    for file in sorted((WIDE / "skills").glob("*/SKILL.md"))
}
SNAPSHOT = load_catalog(*library_skill_folders("wide")).snapshot()
ALL = {skill.name for skill in SNAPSHOT.skills}
OFFERED = {skill.name for skill in SNAPSHOT.skills if skill.invocation.model_invocable}


def frontmatter(name: str) -> dict[str, Any]:
    loaded = yaml.safe_load(NEW[name].split("\n---\n", 1)[0].removeprefix("---\n"))
    assert isinstance(loaded, dict)
    return loaded


def card_rows(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading of the card, without its head."""
    section = CARD.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line.strip().strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def domains() -> dict[str, str]:
    return {
        skill.strip(" `"): row[0].strip("`") for row in card_rows("Skills") for skill in row[1].split(",")
    }


def tokens(text: str) -> frozenset[str]:
    """Lower-case words; in scripts without spaces, pairs of neighbouring characters."""
    words = set(re.findall(r"[^\W_]+", text.lower()))
    wide = {word for word in words if re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", word)}
    pairs = {word[i : i + 2] for word in wide for i in range(max(1, len(word) - 1))}
    return frozenset((words - wide) | pairs)


def part(split: str) -> RoutingDataset:
    return only_split(load_cases(library_cases("wide")), split)


# --- skills -----------------------------------------------------------------------------------------------


def test_the_catalog_is_the_core_skills_and_38_more_of_which_65_are_offered() -> None:
    core = {file.parent.name for file in library_skills().glob("*/SKILL.md")}
    assert core | NEW.keys() == ALL
    assert (len(core), len(NEW), len(OFFERED)) == (30, 38, 65)
    assert {"release-cut", "payment-run", "tenant-erasure"} == ALL - OFFERED
    assert SNAPSHOT.complete
    assert SNAPSHOT.problems == ()


@pytest.mark.parametrize("name", sorted(NEW))
def test_a_new_skill_is_named_like_its_folder_and_has_a_body_worth_reading(name: str) -> None:
    fields = frontmatter(name)
    assert fields["name"] == name
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)+", name)
    units = len(fields["description"].encode("utf-16-le")) // 2
    assert units > 500 if name == "projection-repair" else 80 <= units <= 350
    body = NEW[name].split("\n---\n", 1)[1]
    assert 25 <= len(body.strip().splitlines()) <= 60
    raw = (WIDE / "skills" / name / "SKILL.md").read_bytes()
    assert b"\r" not in raw
    assert raw.endswith(b"\n")
    assert not raw.endswith(b"\n\n")


def test_the_new_frontmatter_differs_as_real_one_does() -> None:
    keys = Counter(key for name in NEW for key in frontmatter(name))
    assert keys["name"] == keys["description"] == len(NEW)
    assert {"license", "metadata", "whenToUse", "allowed-tools", "disable-model-invocation"} < keys.keys()
    assert all(n < len(NEW) for key, n in keys.items() if key not in ("name", "description"))


def test_no_two_skills_share_a_description() -> None:
    assert len({skill.description for skill in SNAPSHOT.skills}) == len(ALL)


# --- requests ---------------------------------------------------------------------------------------------


def test_the_core_requests_stand_first_as_they_are_and_are_for_tuning() -> None:
    assert len(CORE) == 194
    for case, core in zip(CASES, CORE, strict=False):
        assert case == {**core, "split": "tune"}


def test_every_request_has_the_fields_of_its_kind() -> None:
    wanted = {"two": 2, "three": 3, "none": 0}
    for case in CASES:
        near = {"near"} if case["kind"] == "none" else set()
        assert set(case) - {"seed"} == {"id", "query", "expected", "kind", "group", "split"} | near, case[
            "id"
        ]
        assert len(case["expected"]) == wanted.get(case["kind"], 1), case["id"]
        assert case["expected"] == sorted(set(case["expected"])), case["id"]
        assert set(case["expected"]) <= OFFERED, case["id"]
        assert case.get("near") is None or case["near"] in OFFERED, case["id"]
        assert case["query"].strip() == case["query"] != "", case["id"]
        assert re.fullmatch(rf"{case['kind']}-\d{{3}}", case["id"])


def test_there_are_enough_requests_of_each_sort() -> None:
    kinds = Counter(case["kind"] for case in CASES)
    assert len(CASES) >= 640
    assert set(kinds) == set(KINDS)
    assert kinds["none"] >= 120
    assert kinds["two"] >= 50
    wanted = Counter(name for case in CASES for name in case["expected"])
    assert {name: wanted[name] for name in OFFERED if wanted[name] < 8} == {}
    near = {case["near"] for case in CASES if case["kind"] == "none"}
    assert sorted(OFFERED - near) == []


def test_the_test_split_has_every_kind_and_every_skill_twice() -> None:
    test = [case for case in CASES if case["split"] == "test"]
    assert len(test) >= 240
    assert {case["kind"] for case in test} == set(KINDS)
    wanted = Counter(name for case in test for name in case["expected"])
    assert {name: wanted[name] for name in OFFERED if wanted[name] < 2} == {}


def test_the_test_split_is_the_one_whose_hash_the_card_gives() -> None:
    test = b"".join(line for line, case in zip(LINES, CASES, strict=True) if case["split"] == "test")
    stated = re.findall(r"^`([0-9a-f]{64})`$", CARD, re.M)
    assert stated == [hashlib.sha256(test).hexdigest()]


def test_a_seed_is_in_one_split_and_expects_the_same_so_that_it_lies_in_one_cluster() -> None:
    seeds: defaultdict[str, list[str]] = defaultdict(list)
    for case in CASES:
        if "seed" in case:
            seeds[case["seed"]].append(case["id"])
    loaded = {case.id: case for case in load_cases(library_cases("wide")).cases}
    assert len(seeds) >= 60
    for seed, ids in seeds.items():
        assert len(ids) >= 2, seed
        assert len({loaded[i].split for i in ids}) == 1, seed
        assert len({cluster_of(loaded[i]) for i in ids}) == 1, seed


def test_no_request_gives_a_skill_name_away() -> None:
    # Any separator, or none, between the words of a name; also the plural.
    patterns = {
        name: re.compile(r"(?<![^\W_])" + r"[\s\-_]*".join(name.split("-")) + r"s?(?![^\W_])", re.IGNORECASE)
        for name in ALL
    }
    leaks = [(c["id"], name) for c in CASES for name, found in patterns.items() if found.search(c["query"])]
    assert leaks == []


def test_no_two_requests_are_alike_and_still_less_across_splits() -> None:
    sets = [(case["id"], case["split"], tokens(case["query"])) for case in CASES]
    alike = [
        (one, other)
        for (one, a_split, a), (other, b_split, b) in itertools.combinations(sets, 2)
        if len(a & b) >= (0.7 if a_split == b_split else 0.5) * len(a | b)
    ]
    assert alike == []


def test_the_lints_find_nothing_but_the_two_long_descriptions() -> None:
    found = lint_dataset(load_cases(library_cases("wide")), load_catalog(*library_skill_folders("wide")))
    assert [(lint.code, lint.skills) for lint in found.lints] == [
        ("cut-description", ("k8s-triage", "projection-repair"))
    ]


# --- the card ---------------------------------------------------------------------------------------------


def test_the_card_counts_the_requests_of_each_kind_and_split() -> None:
    counts = Counter((case["kind"], case["split"]) for case in CASES)
    rows = {row[0].strip("`"): tuple(map(int, row[2:])) for row in card_rows("Requests")}
    for kind in KINDS:
        tune, test = counts[kind, "tune"], counts[kind, "test"]
        assert rows[kind] == (tune, test, tune + test)
    totals = Counter(case["split"] for case in CASES)
    assert rows["all"] == (totals["tune"], totals["test"], len(CASES))
    assert f"68 skills and {len(CASES)} labelled requests" in CARD


def test_the_card_lists_the_skills_and_counts_the_requests_of_each_domain() -> None:
    counts = Counter((case["group"], case["split"]) for case in CASES)
    assert domains().keys() == ALL
    for domain, skills, n_skills, n_tune, n_test in card_rows("Skills"):
        assert int(n_skills) == len(skills.split(","))
        name = domain.strip("`")
        assert (int(n_tune), int(n_test)) == (counts[name, "tune"], counts[name, "test"])


def test_a_group_is_the_domain_of_an_expected_or_near_skill() -> None:
    domain = domains()
    for case in CASES:
        names = case["expected"] or [case["near"]]
        assert case["group"] in {domain[name] for name in names}, case["id"]


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("baseline", ["majority", "names", "bm25"])
def test_a_baseline_reaches_what_the_card_says(baseline: str, split: str) -> None:
    report = run_baseline(baseline, part(split), load_catalog(*library_skill_folders("wide")))
    row = next(row for row in card_rows("What baselines reach") if row[0] == f"`{baseline}`")
    right, total = (int(cell) for cell in (row[1:3] if split == "tune" else row[3:5]))
    assert (dict(report.labels)["ok"], report.n_scored) == (right, total)


def test_what_a_router_that_loads_nothing_gets_right_is_the_requests_that_no_skill_fits() -> None:
    row = next(row for row in card_rows("What baselines reach") if row[0] == "`majority`")
    none = Counter(case["split"] for case in CASES if case["kind"] == "none")
    assert (int(row[1]), int(row[3])) == (none["tune"], none["test"])


# --- where it is ------------------------------------------------------------------------------------------


def test_the_sets_are_found_by_name() -> None:
    assert LIBRARY_SETS == ("core", "wide")
    assert library_skill_folders() == library_skill_folders("core") == (library_skills(),)
    assert library_skill_folders("wide") == (library_skills(), WIDE / "skills")
    assert library_cases("core") == library_cases() == library_dir() / "cases.jsonl"


@pytest.mark.parametrize("ask", [library_cases, library_skill_folders])
def test_a_set_that_does_not_exist_is_an_error_that_names_those_that_do(ask: Any) -> None:
    with pytest.raises(TohlabError, match="'huge'; it has core and wide"):
        ask("huge")


def test_a_missing_wide_set_is_an_error_that_says_where_it_was_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tohlab.library.library_dir", lambda: tmp_path)
    with pytest.raises(TohlabError, match=re.escape(str(tmp_path / "wide"))):
        library_cases("wide")


def test_a_catalog_of_two_folders_is_that_of_one_folder_with_all_of_them(tmp_path: Path) -> None:
    together = tmp_path / "skills"
    for folder in library_skill_folders("wide"):
        for file in folder.glob("*/SKILL.md"):
            (together / file.parent.name).mkdir(parents=True)
            (together / file.parent.name / "SKILL.md").write_bytes(file.read_bytes())
    assert [(s.name, s.description) for s in load_catalog(together).snapshot().skills] == [
        (s.name, s.description) for s in SNAPSHOT.skills
    ]
    loaded = load_catalog(*library_skill_folders("wide")).load("map-layout")
    assert loaded is not None
    assert loaded.content == NEW["map-layout"].split("\n---\n", 1)[1].strip()


def test_a_skill_that_two_folders_have_is_an_error_that_names_both(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder / "twin").mkdir(parents=True)
        (tmp_path / folder / "twin" / "SKILL.md").write_text("---\nname: twin\ndescription: One.\n---\n")
    with pytest.raises(DatasetError) as caught:
        load_catalog(tmp_path / "a", tmp_path / "b")
    assert "'twin'" in str(caught.value)
    assert str(tmp_path / "a") in str(caught.value)
    assert str(tmp_path / "b") in str(caught.value)
