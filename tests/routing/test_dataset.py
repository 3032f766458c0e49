"""Labelled requests and catalogs are read, or refused with file, line and remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.routing.shapes import write_lines
from tohlab.errors import DatasetError
from tohlab.routing import ListedSkills, RoutingCase, RoutingDataset, load_cases, load_catalog

GOOD = {"id": "a", "query": "fill it in", "expected": ["pdf-forms"]}


def test_a_case_has_what_its_line_says_and_other_keys_are_ignored(tmp_path: Path) -> None:
    row = {**GOOD, "expected": ["b", "a"], "not_expected": ["c"], "group": "g", "source_label": "x", "n": 3}
    path = write_lines(tmp_path / "pdf.jsonl", [row])
    dataset = load_cases(path)
    assert dataset.name == "pdf"
    assert dataset.cases == (
        RoutingCase(id="a", query="fill it in", expected=("a", "b"), not_expected=("c",), group="g"),
    )
    assert dataset.cases[0].line == 1


def test_a_file_called_cases_is_named_by_its_folder(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    assert load_cases(write_lines(tmp_path / "mine" / "cases.jsonl", [GOOD])).name == "mine"


def test_no_skill_is_an_empty_list_and_no_label_is_null(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "query": "q", "expected": []},
        {"id": "b", "query": "q", "expected": None, "not_expected": ["x"]},
        {"id": "c", "query": "q", "not_expected": ["x"]},
    ]
    cases = load_cases(write_lines(tmp_path / "c.jsonl", rows)).cases
    assert [c.expected for c in cases] == [(), None, None]
    assert [c.labelled for c in cases] == [True, False, False]


def test_blank_lines_a_byte_order_mark_and_windows_ends_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(
        b'\xef\xbb\xbf{"id":"a","query":"q","expected":[]}\r\n\r\n{"id":"b","query":"q","expected":[]}'
    )
    assert [(c.id, c.line) for c in load_cases(path).cases] == [("a", 1), ("b", 3)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{broken", "not JSON"),
        (b"[1]", "must be a JSON object"),
        (b'{"id": "\xff"}', "not UTF-8"),
        (b'{"query": "q", "expected": []}', '"id" must be'),
        (b'{"id": 3, "query": "q", "expected": []}', '"id" must be'),
        (b'{"id": "b", "query": " ", "expected": []}', '"query" must be'),
        (b'{"id": "b", "query": "q"}', "write \\[\\] where no skill fits"),
        (b'{"id": "b", "query": "q", "expected": "pdf"}', '"expected" must be a list'),
        (b'{"id": "b", "query": "q", "expected": ["a", "a"]}', "names a skill twice"),
        (b'{"id": "b", "query": "q", "expected": ["a"], "not_expected": ["a"]}', "both expected and not"),
        (b'{"id": "b", "query": "q", "expected": [], "group": 1}', '"group" must be'),
        (b'{"id": "b", "query": "q", "expected": [], "aliases": ["a"]}', '"aliases" must be'),
        (b'{"id": "b", "query": "q", "expected": [], "aliases": {"a": "b", "b": "c"}}', "itself an alias"),
        (b'{"id": "b", "query": "q", "expected": [], "split": []}', '"split" must be'),
        (b'{"id": "b", "query": "q", "expected": ["a"], "optional": ["a"]}', "is optional, so it cannot"),
        (b'{"id": "a", "query": "q", "expected": []}', "already used in line 1"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: bytes, message: str) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(b'{"id": "a", "query": "q", "expected": []}\n' + line + b"\n")
    with pytest.raises(DatasetError, match=message) as caught:
        load_cases(path)
    assert caught.value.line == 2
    assert str(caught.value).startswith(f"{path}:2: ")


def test_a_file_that_is_not_there_or_empty_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="no such file"):
        load_cases(tmp_path / "c.jsonl")
    (tmp_path / "c.jsonl").write_text("\n")
    with pytest.raises(DatasetError, match="there are no cases"):
        load_cases(tmp_path / "c.jsonl")
    with pytest.raises(DatasetError, match="cannot be read"):
        load_cases(tmp_path)


def test_an_expected_skill_that_is_not_in_the_catalog_is_named_with_its_line(tmp_path: Path) -> None:
    rows = [GOOD, {"id": "b", "query": "q", "expected": ["pdf-form"]}]
    path = write_lines(tmp_path / "c.jsonl", rows)
    with pytest.raises(DatasetError, match=r"'pdf-form'.*Did you mean 'pdf-forms'") as caught:
        load_cases(path).check_scorable(["pdf-forms"])
    assert str(caught.value).startswith(f"{path}:2: ")


def test_a_set_without_any_label_cannot_be_scored() -> None:
    case = RoutingCase(id="a", query="q", expected=None, not_expected=("pdf-forms",))
    with pytest.raises(DatasetError, match="nothing can be scored"):
        RoutingDataset(cases=(case,)).check_scorable(["pdf-forms"])


def test_a_sample_is_the_seed_s_and_keeps_the_order() -> None:
    cases = tuple(RoutingCase(id=f"{i}", query="q", expected=()) for i in range(50))
    dataset = RoutingDataset(
        cases=(*cases, RoutingCase(id="x", query="q", expected=None, not_expected=("a",)))
    )
    one, same, other = dataset.sample(10, 1), dataset.sample(10, 1), dataset.sample(10, 2)
    assert one == same
    assert one.cases != other.cases
    assert [int(c.id) for c in one.cases] == sorted(int(c.id) for c in one.cases)
    assert (len(one), one.sample_of, one.sample_seed) == (10, 51, 1)
    assert dataset.sample(50) is dataset


def test_a_catalog_file_gives_its_skills_sorted_whatever_their_names(tmp_path: Path) -> None:
    rows = [{"name": "b_x", "description": "B"}, {"name": "a", "description": "A", "more": 1}]
    source = load_catalog(write_lines(tmp_path / "catalog.jsonl", rows))
    assert isinstance(source, ListedSkills)
    assert [(s.name, s.description) for s in source.snapshot().skills] == [("a", "A"), ("b_x", "B")]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"name": "a"}], ':1: an entry needs "name"'),
        ([{"name": "", "description": "d"}], ':1: an entry needs "name"'),
        (
            [{"name": "a", "description": "d"}, {"name": "a", "description": "e"}],
            ":2: .*already listed in line 1",
        ),
        ([], "there are no skills"),
    ],
)
def test_a_broken_catalog_file_is_refused(tmp_path: Path, rows: list[object], message: str) -> None:
    with pytest.raises(DatasetError, match=message):
        load_catalog(write_lines(tmp_path / "catalog.jsonl", rows))


def test_a_folder_gives_the_skills_below_it(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="no skill was found"):
        load_catalog(tmp_path)
    (tmp_path / "x" / "pdf-forms").mkdir(parents=True)
    text = "---\nname: pdf-forms\ndescription: Fill in.\n---\nBody.\n"
    (tmp_path / "x" / "pdf-forms" / "SKILL.md").write_text(text, "utf-8")
    assert [s.name for s in load_catalog(tmp_path).snapshot().skills] == ["pdf-forms"]


def test_a_case_may_have_optional_skills_and_a_split(tmp_path: Path) -> None:
    row = {**GOOD, "optional": ["b", "a"], "split": "report", "aliases": {"twin": "pdf-forms"}}
    path = write_lines(tmp_path / "c.jsonl", [row])
    (case,) = load_cases(path).cases
    assert (case.optional, case.split) == (("a", "b"), "report")
    assert case.aliases == (("twin", "pdf-forms"),)
    with pytest.raises(DatasetError, match="names the skill 'a'"):
        load_cases(path).check_scorable(["pdf-forms", "b"])
