"""`frame` gives any result as a DataFrame whose columns stay, also where there is nothing in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest

from tohlab.catalog import Catalog
from tohlab.dialects import get_dialect
from tohlab.dialects.harness import FileTree
from tohlab.edits import edit_costs, recorded_scene, what_edits_cost
from tohlab.errors import TohlabError
from tohlab.frames import COLUMNS, Table, frame
from tohlab.prefix import compare_prefix
from tohlab.prefix.explain import explain
from tohlab.prefix.policies import cached_request
from tohlab.prefix.pool import hit_curve
from tohlab.prefix.trace import Trace
from tohlab.renderers import PlainRenderer, append_only
from tohlab.request import Request, ToolSchema, text_message
from tohlab.routing import RoutingCase, RoutingDataset, run_baseline
from tohlab.session import Session
from tohlab.skills.checks import check_tree
from tohlab.skills.sources import MemorySource
from tohlab.survival import survey
from tohlab.tokens import measure, measure_catalog
from tohlab.tokens.rendered import compare_renderers

SKILLS = MemorySource.of(
    [("pdf-forms", "Fills in forms in PDF files."), ("csv-cleaner", "Cleans tables in CSV files.")]
)
CASES = RoutingDataset(
    name="three",
    cases=(
        RoutingCase(id="a", query="clean the csv tables", expected=("csv-cleaner",)),
        RoutingCase(id="b", query="good morning", expected=()),
        RoutingCase(id="c", query="fills the csv", expected=("csv-cleaner", "pdf-forms")),
        RoutingCase(id="d", query="hello", expected=None, not_expected=("pdf-forms",)),
    ),
)


def dtypes(result: Any) -> dict[str, str]:
    return {name: str(dtype) for name, dtype in result.dtypes.items()}


def promised(table: str) -> dict[str, str]:
    return {column.name: column.dtype for column in COLUMNS[table]}


def test_a_request_gives_one_row_a_segment_and_they_add_up() -> None:
    cost = measure(Session(SKILLS).user("Hello"))
    result = frame(cost)
    assert dtypes(result) == promised("segments")
    assert result["tokens"].sum() == cost.total_tokens
    assert result["share"].sum() == pytest.approx(1)
    assert list(result["name"])[-2:] == ['entry "csv-cleaner"', 'entry "pdf-forms"']


def test_an_empty_request_gives_the_columns_and_no_rows() -> None:
    result = frame(measure(Request()))
    assert dtypes(result) == promised("segments")
    assert len(result) == 0


def test_a_catalog_s_cost_gives_one_row_a_skill_beside_tool_and_frame() -> None:
    result = frame(measure_catalog(SKILLS, bodies=True))
    assert dtypes(result) == promised("catalog_cost")
    assert list(result["kind"]) == ["tool", "catalog", "skill", "skill"]
    assert result["loaded_tokens"].isna().tolist() == [True, True, False, False]


def test_a_catalog_gives_its_entries_in_reading_order() -> None:
    catalog = get_dialect("toh").catalog_of(SKILLS.snapshot())
    assert frame(catalog).to_dict("list") == {
        "position": [0, 1],
        "name": ["csv-cleaner", "pdf-forms"],
        "description": ["Cleans tables in CSV files.", "Fills in forms in PDF files."],
        "characters": [27, 28],
    }
    assert dtypes(frame(Catalog())) == promised("catalog")


def test_comparisons_give_one_row_each_and_one_alone_gives_one_row() -> None:
    first = Session(SKILLS).user("Hello")
    second = Session(SKILLS).user("Good morning")
    same, other = compare_prefix(first, first), compare_prefix(first, second)
    result = frame([same, other])
    assert dtypes(result) == promised("prefix")
    assert result["path"].isna().tolist() == [True, False]
    assert result["reused_share"].iloc[0] == 1
    assert len(frame(same)) == 1


def test_edits_give_two_rows_a_change() -> None:
    result = frame(what_edits_cost(SKILLS))
    assert dtypes(result) == promised("edits")
    assert len(result) == 8
    assert (result["new_tokens"] + result["shared_tokens"] == result["after_tokens"]).all()


def test_edits_by_caches_give_a_row_for_each_with_what_is_not_known_left_out() -> None:
    talk = (text_message("user", "Hello there."), text_message("assistant", "Hi."))
    scene = recorded_scene([Request(messages=talk)], "hello.json")
    result = frame(edit_costs(scene, ["vllm", "anthropic-auto"], ["append", "clock"]))
    assert dtypes(result) == promised("edit_uses")
    assert list(result["edit"]) == ["append", "append", "clock", "clock"]
    assert result["cost_usd"].isna().tolist() == [True, False, True, False]
    assert result["dialect"].isna().all()


def test_an_explanation_gives_a_row_for_each_change() -> None:
    before, after = Request(system="One."), Request(system="Two.")
    found = explain(before, after, "vllm")
    result = frame([found])
    assert dtypes(result) == promised("explanations")
    assert list(result["reason"]) == [change.reason for change in found.changes]


def test_a_pool_gives_a_row_for_each_size() -> None:
    texts = "One two three.", "One."
    rows = [(float(i), cached_request(Request(system=text))) for i, text in enumerate(texts)]
    curve = hit_curve(Trace.of_requests(rows, 16), "vllm", capacities_blocks=[4, 8])
    result = frame(curve)
    assert dtypes(result) == promised("pool")
    assert list(result["capacity_blocks"]) == [4, 8]
    assert len(frame(curve.results)) == 2


def test_formats_and_tools_give_a_row_for_each_situation_and_renderer() -> None:
    report = append_only(PlainRenderer())
    result = frame([report])
    assert dtypes(result) == promised("append_only")
    assert list(result["situation"]) == [row.situation for row in report.rows]
    tool = ToolSchema(name="f", description="Do.", parameters={"type": "object"})
    costs = frame(compare_renderers([tool], ["plain", "json"]))
    assert dtypes(costs) == promised("tool_tokens")
    assert list(costs["renderer"]) == ["plain", "json"]


def test_a_routing_run_gives_trials_skills_and_confusion() -> None:
    report = run_baseline("names", CASES, SKILLS)
    trials = frame(report)
    assert dtypes(trials) == promised("trials")
    assert trials["right"].isna().tolist() == [False, False, False, True], (
        "not labelled: neither right nor wrong"
    )
    assert trials["expected"].isna().tolist() == [False, False, False, True]
    assert trials["expected"].iloc[2] == "csv-cleaner pdf-forms"
    skills = frame(report, "skills")
    assert dtypes(skills) == promised("skills")
    assert list(skills["name"]) == ["csv-cleaner", "pdf-forms"]
    assert skills["precision"].isna().tolist() == [score.precision is None for score in report.per_skill]
    confusion = frame(report, "confusion")
    assert dtypes(confusion) == promised("confusion")
    assert confusion["n"].sum() == sum(cell.n for cell in report.confusion())


def test_checked_files_give_one_row_a_file_and_dialect(tmp_path: Path) -> None:
    for name in ("good", "bad"):
        (tmp_path / name).mkdir()
    (tmp_path / "good" / "SKILL.md").write_text("---\nname: good\ndescription: d\n---\nx\n")
    (tmp_path / "bad" / "SKILL.md").write_text("nothing\n")
    result = frame(check_tree(tmp_path))
    assert dtypes(result) == promised("files")
    assert dict(zip(result["path"], result["loads"], strict=True)) == {
        "bad/SKILL.md": False,
        "good/SKILL.md": True,
    }


def test_a_survey_gives_one_row_a_file_and_harness_and_its_findings() -> None:
    table = survey(
        FileTree.of(
            {
                "sail/SKILL.md": "---\nname: sail\ndescription: d </skill> e\n---\nx\n",
                "row/SKILL.md": "nothing \udc80\n",
            }
        ),
        ("toh", "pi", "codex", "opencode"),
    )
    result = frame(table)
    assert dtypes(result) == promised("survival")
    assert list(zip(result["path"], result["harness"], result["outcome"], strict=True)) == [
        (fate.path, fate.harness, fate.outcome) for fate in table.fates
    ]
    skipped = result[result["outcome"] == "skipped"]
    assert set(skipped["harness"]) == {"toh", "pi", "codex", "opencode"}
    assert set(skipped["path"]) == {"row/SKILL.md"}
    assert skipped["name"].isna().all()
    assert result["before_chars"].isna().all()
    findings = frame(table, "findings")
    assert dtypes(findings) == promised("findings")
    assert list(zip(findings["text"], findings["harness"], findings["doors"], strict=True)) == [
        ("</skill>", "codex", "user"),
        ("</skill>", "opencode", "list"),
    ]
    with pytest.raises(TohlabError, match="'survival' and 'findings', not 'files'"):
        frame(table, "files")


@pytest.mark.parametrize("table", get_args(Table))
def test_nothing_gives_the_columns_of_the_table_that_is_named(table: Table) -> None:
    result = frame((), table)
    assert dtypes(result) == promised(table)
    assert len(result) == 0


def test_every_table_and_column_is_documented() -> None:
    assert set(COLUMNS) == set(get_args(Table))
    for columns in COLUMNS.values():
        assert all(column.meaning for column in columns)
        assert len({column.name for column in columns}) == len(columns)


@pytest.mark.parametrize(
    ("result", "table", "words"),
    [
        ((), None, "table="),
        (42, None, "int"),
        ([1, "a"], None, "list"),
        (Catalog(), "prefix", "'catalog', not 'prefix'"),
        (Catalog(), "nonsense", "there are segments"),
    ],
)
def test_what_has_no_table_is_an_error_that_says_what_has(result: Any, table: Any, words: str) -> None:
    with pytest.raises(TohlabError, match=words):
        frame(result, table)


def test_the_module_loads_without_pandas() -> None:
    code = "import sys, tohlab.frames; sys.exit('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
