"""`view` shows any result in HTML and in plain text, the same way each time; figures keep their numbers."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest

from tohlab.dialects import get_dialect
from tohlab.dialects.harness import FileTree
from tohlab.errors import TohlabError
from tohlab.notebook import ConfusionDisplay, TokensDisplay, View, view
from tohlab.prefix import compare_prefix
from tohlab.request import TextBlock
from tohlab.routing import RoutingCase, RoutingDataset, run_baseline
from tohlab.session import Session
from tohlab.skills.sources import MemorySource
from tohlab.survival import survey
from tohlab.tokens import get_meter, measure, measure_catalog

SKILLS = MemorySource.of(
    [
        ("pdf-forms", "Fills in <b>forms</b> in PDF files."),
        ("csv-cleaner", "Cleans tables in CSV files."),
        ("chart-design", "Draws charts."),
    ]
)
CASES = RoutingDataset(
    name="three",
    cases=(
        RoutingCase(id="a", query="clean csv", expected=("csv-cleaner",)),
        RoutingCase(id="b", query="design a chart from the csv", expected=()),
        RoutingCase(id="c", query="hello", expected=("pdf-forms",)),
    ),
)


def results() -> dict[str, Any]:
    first, second = Session(SKILLS).user("Hello"), Session(SKILLS).user("Good morning")
    dialect = get_dialect("toh")
    catalog = dialect.catalog_of(SKILLS.snapshot())
    return {
        "catalog": catalog,
        "text": dialect.render_catalog(catalog, "replacement"),
        "tool": dialect.skill_tool(),
        "request": measure(first),
        "catalog cost": measure_catalog(SKILLS),
        "comparison": compare_prefix(first, second),
        "comparisons": [compare_prefix(first, first), compare_prefix(first, second)],
        "run": run_baseline("names", CASES, SKILLS),
        "survey": survey(FileTree.of({"sail/SKILL.md": "nothing", "row/SKILL.md": "no"}), ("toh", "pi")),
        "runs": [run_baseline(name, CASES, SKILLS) for name in ("names", "bm25")],
    }


@pytest.mark.parametrize("name", sorted(results()))
def test_every_view_is_html_and_text_and_the_same_each_time(name: str) -> None:
    made, again = view(results()[name]), view(results()[name])
    assert made == again
    assert type(made.html) is str, "a str that escapes what it is joined with would surprise"
    assert set(made._repr_mimebundle_()) == {"text/plain", "text/html"}
    assert made._repr_html_().startswith('<div class="tohlab"><style>')
    assert repr(made) == made.text
    assert "<script" not in made.html
    assert " id=" not in made.html, "two outputs of one notebook must not share an id"


def test_a_front_end_gets_only_what_it_asks_for() -> None:
    made = view(results()["tool"])
    assert set(made._repr_mimebundle_(include=["text/plain"])) == {"text/plain"}
    assert set(made._repr_mimebundle_(exclude=["text/plain"])) == {"text/html"}


def test_a_catalog_is_shown_as_the_model_reads_it_with_its_tokens() -> None:
    dialect = get_dialect("toh")
    catalog = dialect.catalog_of(SKILLS.snapshot())
    text = dialect.render_catalog(catalog, "initial").text
    made = view(catalog)
    assert made.text.startswith(text)
    assert f"[{get_meter().count(text)} tokens of o200k_base, " in made.text
    assert "&amp;lt;b&amp;gt;forms" in made.html, "the dialect escapes once, the page once more"
    assert len(re.findall("data-tokens=", made.html)) == 3


def test_bars_say_what_each_part_costs_and_its_share() -> None:
    cost = measure_catalog(SKILLS)
    made = view(cost)
    for row in cost.rows:
        assert f"{row.name}" in made.text
    assert f"{cost.total_tokens} tokens of o200k_base in every request" in made.text


def test_a_comparison_is_shown_as_a_strip_and_its_sentence() -> None:
    comparison = results()["comparison"]
    made = view(comparison)
    assert comparison.sentence in made.text
    assert "█" in made.text
    assert "░" in made.text
    assert "<svg" in made.html


def test_a_run_is_shown_with_n_its_interval_and_what_was_confused() -> None:
    made = view(results()["run"])
    assert "n = 3" in made.text
    assert "expected (none), picked chart-design: 1" in made.text
    assert "Confusion picture" in made.html
    assert "Confusion picture" not in view(results()["runs"]).html


def test_a_survey_is_shown_with_counts_and_a_row_for_each_file_in_trouble() -> None:
    made = view(results()["survey"])
    assert made.text.startswith("2 skill files in 2 harnesses")
    assert '<th scope="row">sail</th><td title="toh: skipped, ' in made.html


def test_text_of_others_never_becomes_markup() -> None:
    made = view(TextBlock(text="<img src=x onerror=alert(1)>"))
    assert "<img" not in made.html


def test_a_view_of_a_view_is_itself_and_of_anything_else_an_error() -> None:
    made = View(text="t", html="<div></div>")
    assert view(made) is made
    with pytest.raises(TohlabError, match="no view of int"):
        view(42)


def test_the_confusion_display_keeps_its_numbers_and_draws_them_later() -> None:
    display = ConfusionDisplay.from_report(results()["run"])
    report = results()["run"]
    assert sum(map(sum, display.counts)) == sum(cell.n for cell in report.confusion())
    axes = _axes()
    assert display.plot(axes) is axes
    assert [label.get_text() for label in axes.get_yticklabels()] == list(display.expected)
    assert len(axes.patches) == sum(n > 0 for row in display.counts for n in row)


def test_the_token_display_is_sorted_and_can_be_cut() -> None:
    cost = measure_catalog(SKILLS)
    display = TokensDisplay.from_cost(cost)
    assert list(display.tokens) == sorted(display.tokens, reverse=True)
    assert set(display.names) == {"pdf-forms", "csv-cleaner", "chart-design"}
    axes = display.plot(_axes())
    assert [bar.get_width() for bar in axes.patches] == list(display.tokens)
    assert len(TokensDisplay.from_cost(cost, most=1).names) == 1
    assert TokensDisplay.from_cost(measure(Session(SKILLS).user("Hi"))).unit == "tokens of o200k_base"


def _axes() -> Any:
    from matplotlib.figure import Figure

    return Figure().subplots()


def test_the_room_loads_without_matplotlib_and_widgets() -> None:
    heavy = "{'matplotlib', 'ipywidgets', 'pandas'}"
    code = f"import sys, tohlab.notebook; sys.exit(bool({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
