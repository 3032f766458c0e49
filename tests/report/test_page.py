"""The page is drawn from a report alone: exact, safe, deterministic and made of one file."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.report import samples
from tohlab.errors import TohlabError
from tohlab.report import page, write_html
from tohlab.report.figures import MOST_LABELS, confusion_figure, mistakes
from tohlab.report.html import MOST_ROWS, heat_scale
from tohlab.report.markup import number, share, visible
from tohlab.report.model import Confusion, Routing


class _Reader(HTMLParser):
    """Collects what a reader of the page sees: tags with their attributes, texts by place."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.pres: list[str] = []
        self._in_pre = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "pre":
            self._in_pre = True
            self.pres.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "pre":
            self._in_pre = False

    def handle_data(self, data: str) -> None:
        if self._in_pre:
            self.pres[-1] += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def test_the_catalog_stands_on_the_page_character_for_character() -> None:
    report = samples.report(description="Uses <b>&amp; quotes \"'`</pre> and emoji 🦊.")
    catalog = _Reader(page(report)).pres[0]
    assert catalog == "\n" + "".join(piece.text for piece in report.catalog)


def test_a_catalog_that_begins_with_a_line_end_keeps_it() -> None:
    report = samples.report()
    first = dataclasses.replace(report.catalog[0], text="\n" + report.catalog[0].text)
    report = dataclasses.replace(report, catalog=(first, *report.catalog[1:]))
    assert _Reader(page(report)).pres[0].startswith("\n\n<system-reminder>")


def test_the_same_report_gives_the_same_bytes() -> None:
    assert page(samples.report()) == page(samples.report())


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "</pre></div><style>body{display:none}</style>",
        "{{ 7 * 7 }} {% raw %}",
        "&lt;b&gt; stays as it was written",
    ],
)
def test_nothing_from_a_skill_becomes_markup(text: str) -> None:
    hostile = samples.report(names=(text, "pdf"), description=text, title=text)
    plain = samples.report(names=("aa", "pdf"), description="aa", title="aa")
    hostile_tags = [name for name, _ in _Reader(page(hostile)).tags]
    plain_tags = [name for name, _ in _Reader(page(plain)).tags]
    # a name that stands in an entry is set off by one <b>, however it is written
    assert hostile_tags == plain_tags
    assert "49" not in re.sub(r"\d{3,}", "", page(hostile).split("<main", 1)[1].split("</section>", 1)[0])


def test_the_policy_refuses_everything_but_the_page_s_own_style_and_script() -> None:
    text = page(samples.report())
    policy = next(a["content"] for a in _Reader(text).all("meta") if a.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    for kind in ("style", "script"):
        blocks = re.findall(rf"<{kind}>(.*?)</{kind}>", text, flags=re.DOTALL)
        assert len(blocks) == 1
        digest = base64.b64encode(hashlib.sha256(blocks[0].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_the_page_names_no_other_file_and_no_other_place() -> None:
    reader = _Reader(page(samples.report()))
    for name, attributes in reader.tags:
        assert name not in {"link", "img", "iframe", "object", "embed", "form", "base"}
        assert "src" not in attributes
        assert "style" not in attributes, "the policy would refuse it"
        assert not any(key.startswith("on") for key in attributes)
        if (href := attributes.get("href")) is not None:
            assert href.startswith("#")


def test_every_link_leads_to_a_place_on_the_page() -> None:
    reader = _Reader(page(samples.report()))
    ids = [a["id"] for _, a in reader.tags if "id" in a]
    assert len(ids) == len(set(ids))
    for a in reader.all("a"):
        assert (a["href"] or "").removeprefix("#") in ids


def test_characters_that_cannot_be_seen_are_named() -> None:
    text = page(samples.report(description="safe\u202eevil\ufeff\ud83d\x07 end"))
    for code in ("U+202E", "U+FEFF", "U+D83D", "U+0007"):
        assert f'data-c="{code}"' in text
    text.encode("utf-8")
    assert str(visible("plain & simple")) == "plain &amp; simple"


def test_the_page_has_landmarks_captions_and_scopes() -> None:
    reader = _Reader(page(samples.report()))
    names = [name for name, _ in reader.tags]
    assert names.count("main") == names.count("nav") == names.count("h1") == 1
    assert names.count("caption") == names.count("table")
    assert all(a.get("scope") in {"row", "col"} for a in reader.all("th"))
    assert reader.all("html")[0]["lang"] == "en"
    for scroller in reader.all("div"):
        if scroller.get("tabindex") == "0":
            assert scroller["role"] == "region"
            assert scroller["aria-label"]


def test_a_folder_without_a_skill_for_the_model_says_so() -> None:
    empty = dataclasses.replace(
        samples.report(),
        catalog=(),
        skills=(),
        changes=(),
        changes_note="There is nothing to change.",
        routing=Routing(note="Write cases.\n\n    tohlab report DIR --cases cases.jsonl"),
    )
    text = page(empty)
    assert "No skill of this folder reaches a model" in text
    assert "There is nothing to change." in text
    assert "\ntohlab report DIR --cases cases.jsonl</pre>" in text
    assert "broken/SKILL.md" in text


def test_a_thousand_skills_show_the_dearest_and_keep_the_rest_closed() -> None:
    names = tuple(f"skill-{i:04}" for i in range(1000))
    start = time.perf_counter()
    text = page(samples.report(names=names, routing=Routing(note="none")))
    took_s = time.perf_counter() - start
    costs = text[text.index('id="costs"') : text.index('id="breaks"')]
    shown, closed = costs.split("<details>")
    assert shown.count('<th scope="row">') == MOST_ROWS
    assert closed.count('<th scope="row">') == 1000
    assert took_s < 20


def test_every_problem_stands_with_its_file_its_line_and_what_to_do() -> None:
    text = page(samples.report())
    problems = text[text.index("<caption>Every problem found") :]
    for word in (
        "broken/SKILL.md",
        "missing-frontmatter",
        ">1<",
        "Begin the file with a line of three hyphens.",
    ):
        assert word in problems
    assert "7 skill files were found: 5 loaded, 1 shadowed, 1 not loaded; 2 problems." in text


def test_a_report_says_the_same_as_json() -> None:
    report = samples.report(description="half \ud83d")
    data = json.loads(json.dumps(report.to_dict()))
    assert data["catalog"] == "".join(piece.text for piece in report.catalog)
    assert data["total_tokens"] == report.catalog_tokens + report.tool_tokens
    assert data["changes"][0]["strip"]["reused_share"] == pytest.approx(1210 / 1630)
    cell = {"expected": "(none)", "picked": "invoice-reader", "cases": 3}
    assert cell in data["routing"]["runs"][0]["confusion"]
    assert data["provenance"]["date"] is None


def test_a_page_that_cannot_be_written_says_where_and_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(TohlabError, match=r"cannot be written to .*--out"):
        write_html(samples.report(), tmp_path / "missing" / "page.html")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 %"),
        (1, "100 %"),
        (0.5, "50 %"),
        (0.004, "0.4 %"),
        (0.0004, "<0.1 %"),
        (0.996, "99.6 %"),
        (0.9999, ">99.9 %"),
    ],
)
def test_a_share_is_never_rounded_to_nothing_or_to_all(value: float, text: str) -> None:
    assert share(value) == text.replace(" ", "\u00a0")


def test_numbers_have_commas_and_means_one_decimal() -> None:
    assert [number(1234567), number(12.0), number(12.5)] == ["1,234,567", "12", "12.5"]


def test_the_confusion_picture_draws_only_pairs_that_occur() -> None:
    confusion = samples.run().confusion
    assert confusion is not None
    figure = confusion_figure(confusion)
    assert len(figure.cells) == len(confusion.counts)
    assert figure.n_wrong == 5
    assert mistakes(confusion) == (
        ("(none)", "invoice-reader", 3),
        ("changelog-writer", "csv-cleaner", 2),
    )
    at = {(cell.expected, cell.picked): cell for cell in figure.cells}
    assert at["csv-cleaner", "csv-cleaner"].x == figure.left + figure.cell
    assert at["csv-cleaner", "csv-cleaner"].y == figure.top + figure.cell


def test_a_picture_of_too_many_labels_keeps_those_with_mistakes_and_says_so() -> None:
    names = tuple(f"s{i:03}" for i in range(200))
    counts = {(name, name): 1 for name in names} | {("s150", "s199"): 2}
    figure = confusion_figure(Confusion(expected=names, picked=names, counts=counts))
    assert len(figure.rows) == MOST_LABELS
    assert {"s150", "s199"} <= {row.text for row in figure.rows}
    assert figure.left_out == 140


def test_the_edge_of_an_entry_tells_its_rank_so_that_one_long_entry_hides_nothing() -> None:
    step = heat_scale([10, 11, 12, 13, 900])
    assert [step(value) for value in (10, 11, 12, 13, 900)] == [0, 1, 2, 3, 4]
    assert [heat_scale([7, 7])(7), heat_scale([7])(7), step(None)] == [0, 0, 0]
