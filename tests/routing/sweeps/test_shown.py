"""A sweep as a table, as plain data, as frames and as figures."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import matplotlib
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from tests.routing.service import completion
from tests.routing.sweeps.scripted import Scripted, cases, few, listed, no_call, right
from tohlab import frame
from tohlab.errors import RoutingError, TohlabError
from tohlab.frames import COLUMNS
from tohlab.routing import Price, Sweep, choices, description_limits, dialects, models, orders, sizes, sweep
from tohlab.routing.sweeps.figure import draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@pytest.fixture(autouse=True)
def _no_window() -> Iterator[None]:
    with matplotlib.rc_context({"backend": "agg"}):
        yield


def grid() -> Sweep:
    return sweep(few(), listed(), "bm25", over=[description_limits(500, 10, None), dialects("toh", "pikuri")])


def priced() -> Sweep:
    price = Price(input_usd=1.0, output_usd=2.0)
    return sweep(few(), listed(), Scripted(right(few())), over=orders(3), model="m", price=price)


def axes() -> Axes:
    return Figure(layout="constrained").subplots()  # type: ignore[no-any-return]  # one axes


def test_a_table_has_one_row_a_point_and_says_what_it_compared() -> None:
    text = repr(grid())
    lines = text.splitlines()
    assert lines[0].startswith("baseline:bm25 on few: description-limit (3) by dialect (2)")
    assert [line.split()[:2] for line in lines[2:8]] == [
        [limit, name] for limit in ("500", "10", "none") for name in ("toh", "pikuri")
    ]
    assert "by Holm for 5 looks" in text
    assert "could show" in lines[1]


def test_names_from_services_are_no_html() -> None:
    html = sweep(few(), listed(), Scripted(right(few())), over=models("<b>m</b>", "n"))._repr_html_()
    assert "&lt;b&gt;m&lt;/b&gt;" in html
    assert "<b>m" not in html
    assert html.count("<tr>") == 6  # heads and two points, in all and by kind


def test_plain_data_is_json_and_holds_every_report() -> None:
    data = json.loads(json.dumps(priced().to_dict(trials=True)))
    assert [axis["name"] for axis in data["axes"]] == ["order"]
    assert len(data["points"]) == data["n_points"] == data["n_wanted"] == 3
    assert all(len(point["report"]["trials"]) == 4 for point in data["points"])
    assert data["points"][0]["comparison"] is None
    assert data["order"]["flip"]["value"] == 0


def test_the_frame_has_one_row_a_point_with_its_settings() -> None:
    table = frame(grid())
    assert list(table.columns) == [column.name for column in COLUMNS["sweep"]]
    assert list(table["description_limit"]) == ["500", "500", "10", "10", "none", "none"]
    assert list(table["dialect"]) == ["toh", "pikuri"] * 3
    assert table["model"].isna().all()
    assert table["number"].tolist()[:4] == [500, 500, 10, 10]
    assert table["number"].isna().tolist() == [False] * 4 + [True] * 2
    assert table["p_adjusted"].isna().tolist() == [True] + [False] * 5
    assert table["not_beaten"].any()


def test_the_frame_of_answers_has_the_settings_in_every_row() -> None:
    table = frame(priced(), "trials")
    assert list(table.columns) == [column.name for column in COLUMNS["sweep_trials"]]
    assert len(table) == 12
    assert table.groupby("order")["right"].mean().tolist() == [1.0, 1.0, 1.0]
    assert list(frame(priced(), "sweep_trials").columns) == list(table.columns)
    with pytest.raises(TohlabError, match="'sweep' and 'trials'"):
        frame(priced(), "confusion")


def test_a_point_without_a_score_is_a_row_without_one() -> None:
    answer = right(few())
    client = Scripted(lambda body: "bad_request" if body["tool_choice"] == "required" else answer(body))
    table = frame(sweep(few(), listed(), client, over=choices("tools", "required"), model="m"))
    assert table["exact"].isna().tolist() == [False, True]
    assert "bad_request" in table["missing"][1]
    assert table["verdict"].isna().all()


def test_the_figure_has_a_point_with_its_interval_for_each_run() -> None:
    found = grid()
    ax = found.plot(axes())
    assert [label.get_text() for label in ax.get_xticklabels()] == ["500", "10", "none"]
    low, high = ax.get_ylim()
    assert low <= 0
    assert high >= 1
    bars = [container for container in ax.containers if container.has_yerr]  # type: ignore[attr-defined]  # error bars
    assert len(bars) == 2
    drawn = [float(y) for bar in bars for y in bar.lines[0].get_ydata()]  # type: ignore[attr-defined]  # bars have lines
    assert sorted(drawn) == sorted(point.exact.value for point in found if point.exact)
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["toh", "pikuri"]


def test_no_limit_lies_on_no_line() -> None:
    found = sweep(few(), listed(), "bm25", over=description_limits(500, 10, None))
    joined = [line.get_xdata() for line in found.plot(axes()).lines if line.get_linestyle() == "-"]
    assert [list(map(float, ends)) for ends in joined if len(ends) == 2] == [[0.0, 1.0]]


def test_the_pareto_figure_names_each_point_and_joins_those_not_beaten() -> None:
    found = sweep(few(), listed(), "bm25", over=sizes(3, 4, 6))
    ax = found.plot_pareto(axes())
    named = "\n".join(text.get_text() for text in ax.texts).split("\n")
    assert sorted(named) == ["3", "4", "6"]
    line = next(line for line in ax.lines if line.get_drawstyle() == "steps-post")
    assert [float(x) for x in line.get_xdata()] == [float(p.skills_tokens) for p in found.frontier()]


def test_money_is_drawn_only_where_there_is_a_price() -> None:
    assert "US dollars" in priced().plot_pareto(axes(), against="usd").get_xlabel()
    assert len(draw(priced()).axes) == 3
    assert len(draw(grid()).axes) == 2
    with pytest.raises(RoutingError, match="give price="):
        grid().plot_pareto(axes(), against="usd")


def test_a_mathtext_mark_in_a_name_is_drawn_as_it_is() -> None:
    found = sweep(few(), listed(), Scripted(lambda body: no_call()), over=models("a$b", "c$_{d"))
    figure = draw(found)
    figure.canvas.draw()
    told = [text for ax in figure.axes for text in ax.findobj(Text) if "$" in text.get_text()]
    assert told
    assert not any(text.get_parse_math() for text in told)


def test_a_name_cannot_steer_a_terminal() -> None:
    found = sweep(few(), listed(), Scripted(lambda body: no_call()), over=models("a\x1b[31m", "b"))
    assert "\x1b" not in repr(found)


def by_limit(*limits: int | None) -> Sweep:
    return sweep(few(), listed(), Scripted(only_if_described()), over=description_limits(*limits), model="m")


def only_if_described() -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Loads a skill for everything, and nothing for anything where no description is left."""

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        described = "`pdf-forms`: Fill in" in body["messages"][0]["content"]
        return completion("pdf-forms") if described else no_call()

    return answer


def test_the_rates_by_kind_stand_below_the_table() -> None:
    found = by_limit(None, 3)
    text = repr(found).splitlines()
    at = text.index("By kind")
    assert [line.split() for line in text[at + 1 : at + 4]] == [
        ["description-limit", "one", "skill", "no", "skill"],
        ["none", "33.3%", "of", "3", "0.0%", "of", "1"],
        ["3", "0.0%", "of", "3", "100.0%", "of", "1"],
    ]
    assert "<p>By kind</p><table>" in found._repr_html_()
    assert found._repr_html_().count("<tr>") == 6


def test_a_point_that_gains_only_where_nothing_is_needed_is_told_in_words() -> None:
    text = repr(by_limit(None, 3))
    assert (
        "3: no point with as few tokens is right more often, but what falls from none is one skill from "
        "33.3% to 0.0%; what rises is no skill from 0.0% to 100.0%."
    ) in text
    assert "what falls" not in repr(by_limit(None, 500))


def test_cases_of_one_kind_have_no_table_by_kind() -> None:
    alike = cases(("fill in this pdf form", ("pdf-forms",)), ("review my migration", ("sql-review",)))
    found = sweep(alike, listed(), "bm25", over=description_limits(500, None))
    assert "By kind" not in repr(found)
    assert "By kind" not in found._repr_html_()


def first_of_list(body: dict[str, Any]) -> dict[str, Any]:
    return completion(re.findall(r"^- `([^`]+)`", body["messages"][0]["content"], re.MULTILINE)[0])


def test_places_are_told_with_their_cases_where_the_order_decides() -> None:
    few_orders = repr(sweep(few(), listed(), Scripted(first_of_list), over=orders(2), model="m"))
    assert re.search(r"first third \d+% of \d, second third \d+% of \d, last third \d+% of \d;", few_orders)
    assert "With 2 orders of 6 skills the thirds need not hold the same skills equally often" in few_orders
    whole = repr(sweep(few(), listed(), Scripted(first_of_list), over=orders(6), model="m"))
    assert "first third 50% of 6, second third 0% of 6, last third 0% of 6;" in whole
    assert "equally often" not in whole


def test_places_are_not_told_where_few_orders_changed_nothing() -> None:
    assert "where the expected skill stands" not in repr(sweep(few(), listed(), "bm25", over=orders(2)))
    assert "where the expected skill stands" in repr(sweep(few(), listed(), "bm25", over=orders(6)))
