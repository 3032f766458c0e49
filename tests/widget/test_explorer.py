"""The explorer without a front end: what is shown for a choice, what goes over the wire, what is saved."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tohlab.dialects.harness import FileTree
from tohlab.dialects.harnesses import get_harness, harness_names
from tohlab.errors import MissingExtra, SkillError, TohlabError, UnknownDialect
from tohlab.library import library_skills
from tohlab.notebook.explorer import Choice, Explored, Explorer, panels, sides
from tohlab.notebook.explorer.state import TABS, choice_of
from tohlab.notebook.explorer.widget import explorer_module, explorer_style
from tohlab.tokens import get_meter


def skill(name: str, description: str, *more: str) -> str:
    return "\n".join(["---", f"name: {name}", f"description: {description}", *more, "---", f"# {name}", ""])


LONG = "Draws charts. " * 60
EVIL = "</pre><img src=x onerror=alert(1)> \u202egnp.exe"
TREE = FileTree.of(
    {
        "chart/SKILL.md": skill("chart", LONG.strip()),
        "evil/SKILL.md": skill("evil", EVIL),
        "broken/SKILL.md": skill("broken", "Use when: it breaks."),
        "private/SKILL.md": skill("private", "For people.", "disable-model-invocation: true"),
    }
)
WISH: dict[str, Any] = {
    "harness": "toh",
    "window_tokens": 200_000,
    "skill": "evil",
    "other": "codex",
    "tab": "list",
}


@pytest.fixture(scope="module")
def explored() -> Explored:
    return Explored(TREE)


def panel(explored: Explored, **parts: Any) -> dict[str, Any]:
    return panels.panel(explored, choice_of(WISH | parts))


def words_of(given: dict[str, Any]) -> str:
    return "".join(text for block in given["blocks"] for text, _ in block["pieces"])


def table(given: dict[str, Any], title: str) -> list[list[Any]]:
    return next(list(one["rows"]) for one in given["tables"] if one["title"] == title)


# what is shown


@pytest.mark.parametrize("harness", harness_names())
def test_the_list_is_the_harness_s_text_and_each_entry_is_a_piece_of_its_own(harness: str) -> None:
    explored = Explored(library_skills())
    view = explored.view(harness, 200_000)
    given = panel(explored, harness=harness)
    assert words_of(given) == view.listing.text
    named = [(name, text) for block in given["blocks"] for text, name in block["pieces"] if name is not None]
    assert named == [(entry.name, entry.text) for entry in view.entries]


@pytest.mark.parametrize("harness", harness_names())
def test_tokens_of_all_parts_add_up_to_what_is_said_above(harness: str, explored: Explored) -> None:
    choice = explored.settle(choice_of(WISH | {"harness": harness, "tab": "tokens"}))
    around = dict(panels.shown(explored, choice)["numbers"])
    parts = sum(row[2] for row in table(panels.panel(explored, choice), "What each part costs"))
    assert f"{parts:,}" == around["tokens in all"]
    assert f"{explored.view(harness, 200_000).total_tokens:,}" == around["tokens in all"]


def test_what_was_cut_left_out_and_skipped_stands_with_reason_line_and_repair(explored: Explored) -> None:
    given = panel(explored, tab="lost")
    assert table(given, "Cut") == [["chart", 839, 500, "a description has at most 500 UTF-16 code units"]]
    assert table(given, "Left out")[0][:2] == ["private", "not for the model"]
    ((path, line, reason, repair, told),) = table(given, "Skipped")
    assert (path, line, told) == ("broken/SKILL.md", 3, "the user")
    assert "mapping values are not allowed" in reason
    assert repair.startswith("put the value of description in quotes")
    assert panels.shown(explored, choice_of(WISH))["counts"] == {"lost": 3}


def test_where_nothing_is_lost_it_says_so() -> None:
    given = panel(Explored(FileTree.of({"a/SKILL.md": skill("a", "A.")})), tab="lost")
    assert given["tables"] == []
    assert given["notes"] == ["Every file gives a skill, and the model is told of each one, whole."]


@pytest.mark.parametrize("harness", harness_names())
def test_a_loaded_skill_reads_as_the_call_gives_it(harness: str, explored: Explored) -> None:
    view = explored.view(harness, 200_000)
    given = panel(explored, harness=harness, skill="chart", tab="loaded")
    (block,) = given["blocks"]
    assert "# chart" in words_of(given)
    if get_harness(harness).load_tool is None:
        assert block["title"] == "The file"
        assert words_of(given) == next(one.text for one in view.loaded.skills if one.name == "chart")
    else:
        assert block["title"].startswith(f"{get_harness(harness).load_tool}(")
    assert block["about"].startswith(f"{get_meter().count(words_of(given)):,} tokens")


def test_a_skill_that_the_program_brings_has_no_text_to_show(explored: Explored) -> None:
    view = explored.view("qwen-code", 200_000)
    bundled = next(entry.name for entry in view.entries if entry.bundled)
    given = panel(explored, harness="qwen-code", skill=bundled, tab="loaded")
    assert given["blocks"] == []
    assert "its text is not part of tohlab" in given["notes"][0]


@pytest.mark.parametrize("other", harness_names())
def test_two_lists_side_by_side_lose_no_character(other: str) -> None:
    explored = Explored(FileTree.of({f"{n}/SKILL.md": skill(n, f"Does {n}.") for n in ("one", "two")}))
    given = panel(explored, other=other, tab="sides")
    for side, harness in (("left", "toh"), ("right", other)):
        text = "".join(words for _, pieces in given[side]["stretches"] for words, _ in pieces)
        assert text == explored.view(harness, 200_000).listing.text


def test_words_that_only_one_list_has_are_marked_and_shared_ones_are_not(explored: Explored) -> None:
    given = panel(explored, other="codex", tab="sides")
    left = dict(given["left"]["stretches"])["evil"]
    right = dict(given["right"]["stretches"])["evil"]
    assert [words for words, own in left if own] == ["`", "`", "&lt;", "&gt;&lt;", "&gt;"]
    assert [words for words, own in right if own] == ["<", "><", ">", " (file: r0/evil/SKILL.md)"]
    shared = [words for words, own in left if not own]
    assert shared == [words for words, own in right if not own]
    assert "chart/SKILL.md (cut, listed)" in given["notes"][0]


def test_long_lists_are_set_side_by_side_around_the_chosen_skill_and_it_says_so() -> None:
    tree = FileTree.of({f"s{n:03}/SKILL.md": skill(f"s{n:03}", f"Does {n}.") for n in range(300)})
    given = panel(Explored(tree), skill="s250", other="claude-code", tab="sides")
    names = [name for name, _ in given["left"]["stretches"] if name]
    assert "s250" in names
    assert len(names) <= sides.MOST_COMPARED
    assert any(note.startswith("Stretches ") for note in given["notes"])


def test_every_text_says_how_sure_it_is(explored: Explored) -> None:
    rows = table(panel(explored, tab="about"), "Where the texts come from")
    assert len(rows) == 5
    assert {row[1] for row in rows} <= {"executed", "source", "documented", "reconstructed"}
    assert all(row[3] and row[4] for row in rows)


@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize("harness", harness_names())
def test_every_panel_of_every_harness_is_plain_data(harness: str, tab: str, explored: Explored) -> None:
    given = panel(explored, harness=harness, tab=tab)
    assert given["kind"] in ("texts", "tables", "sides")
    json.dumps(given)


@pytest.mark.parametrize("harness", harness_names())
def test_a_folder_without_skills_is_shown_too(harness: str) -> None:
    explored = Explored(FileTree.of({}))
    for tab in TABS:
        choice = explored.settle(choice_of(WISH | {"harness": harness, "tab": tab}))
        panels.panel(explored, choice)
        assert "of 0 of 0 skills" in panels.shown(explored, choice)["summary"]


def test_a_view_is_made_once_and_only_for_what_is_looked_at(explored: Explored) -> None:
    again = Explored(TREE)
    assert again.view("toh", 8_000) is again.view("toh", 8_000)
    assert again.view("toh", 8_000) is not again.view("toh", 32_000)


# what may be chosen


@pytest.mark.parametrize(
    ("part", "error"),
    [
        ({"harness": "kodex"}, "codex"),
        ({"harness": 7}, "by its name"),
        ({"other": None}, "by its name"),
        ({"window_tokens": 0}, "whole number"),
        ({"window_tokens": None}, "whole number"),
        ({"window_tokens": 1.5}, "whole number"),
        ({"window_tokens": True}, "whole number"),
        ({"window_tokens": 10**12}, "1,000,000,000"),
        ({"skill": 3}, "by its name"),
        ({"tab": "all"}, "there are list, tokens"),
    ],
)
def test_what_cannot_be_chosen_is_refused_with_what_can(part: dict[str, Any], error: str) -> None:
    with pytest.raises(TohlabError, match=error):
        choice_of(WISH | part)


def test_a_skill_that_the_harness_lacks_gives_way_to_its_first(explored: Explored) -> None:
    assert explored.settle(choice_of(WISH | {"skill": "broken", "harness": "codex"})).skill == "broken"
    assert explored.settle(choice_of(WISH | {"skill": "broken"})).skill == "chart"
    empty = Explored(FileTree.of({}))
    assert empty.settle(choice_of(WISH)).skill is None


# over the wire


class Page:
    """A front end: it sends wishes and reads what the widget holds."""

    def __init__(self, explorer: Explorer) -> None:
        self.explorer = explorer
        self.number = 0

    def wish(self, **parts: Any) -> None:
        self.send(json.dumps(self.shown["choice"] | parts))

    def send(self, body: Any, kind: str = "look") -> None:
        self.number += 1
        message = {"type": kind, "view": "one", "number": self.number, "body": body}
        self.explorer.widget._handle_custom_msg(message, [])

    @property
    def shown(self) -> dict[str, Any]:
        return dict(json.loads(self.explorer.widget.shown))


@pytest.fixture
def page() -> Page:
    return Page(Explorer(TREE))


def test_a_wish_is_answered_with_its_number_and_what_is_shown_then(page: Page) -> None:
    page.wish(harness="codex", tab="loaded", skill="evil")
    assert (page.shown["view"], page.shown["number"], page.shown["problem"]) == ("one", 1, "")
    assert page.shown["summary"].startswith("Codex tells the model of 4 of 4 skills")
    assert page.explorer.choice == Choice(
        harness="codex", window_tokens=200_000, skill="evil", other="codex", tab="loaded"
    )
    assert json.loads(page.explorer.widget.panel)["kind"] == "texts"


def test_another_window_gives_another_list(page: Page) -> None:
    page.wish(harness="codex")
    wide = json.loads(page.explorer.widget.panel)
    page.wish(window_tokens=2_000)
    assert json.loads(page.explorer.widget.panel) != wide
    assert "cut" in page.shown["summary"]


def test_only_what_has_changed_is_sent(page: Page) -> None:
    sent: list[set[str]] = []
    page.explorer.widget.send_state = lambda key=None: sent.append(
        {key} if isinstance(key, str) else set(key or ())
    )
    page.wish(skill="evil")
    assert sent == [{"shown"}]
    page.wish(tab="tokens")
    assert sent[1:] == [{"shown", "panel"}]


def test_a_wish_that_cannot_be_is_answered_with_the_reason_and_changes_nothing(page: Page) -> None:
    before = page.explorer.choice
    page.wish(window_tokens=None)
    assert "whole number of tokens" in page.shown["problem"]
    page.send("no JSON")
    assert "cannot be read" in page.shown["problem"]
    page.send(None)
    assert page.shown["number"] == 3
    page.send(json.dumps({}), kind="something else")
    page.explorer.widget._handle_custom_msg("no message", [])
    assert page.shown["number"] == 3
    assert page.explorer.choice == before
    page.wish(tab="about")
    assert page.shown["problem"] == ""


def test_what_is_sent_is_ascii_whatever_the_files_hold() -> None:
    tree = FileTree.of({"a/SKILL.md": skill("a", '"\\ud83d lone"'), "b/SKILL.md": skill("b", "北京 \u2028.")})
    explorer = Explorer(tree)
    for harness in harness_names():
        for tab in TABS:
            explorer.choose(harness=harness, tab=tab)
            (explorer.widget.panel + explorer.widget.shown + explorer.widget.skills).encode("ascii")


def test_a_thousand_skills_send_only_the_open_panel() -> None:
    tree = FileTree.of({f"s{n:04}/SKILL.md": skill(f"s{n:04}", f"Does {n}. " * 20) for n in range(1_000)})
    explorer = Explorer(tree, harness="agent-skills")
    assert len(explorer.widget.panel) > 200_000
    assert len(json.loads(explorer.widget.skills)) == 1_000
    for tab in ("loaded", "tools", "sides", "about", "lost"):
        explorer.choose(tab=tab, skill="s0500")
        assert len(explorer.widget.panel) < 60_000


def test_it_can_be_chosen_by_code_too(page: Page) -> None:
    assert page.explorer.choose(harness="pi", tab="tools").harness == "pi"
    assert page.shown["choice"]["tab"] == "tools"
    with pytest.raises(UnknownDialect):
        page.explorer.choose(harness="kodex")


def test_a_missing_folder_and_an_unknown_harness_are_errors_at_once(tmp_path: Any) -> None:
    with pytest.raises(SkillError, match="no folder"):
        Explorer(tmp_path / "none")
    with pytest.raises(UnknownDialect, match="codex"):
        Explorer(TREE, harness="kodex")


def test_without_anywidget_the_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['anywidget'] = None\n"
        "from tohlab.notebook import Explorer\n"
        "from tohlab.errors import MissingExtra\n"
        "try: Explorer('.')\n"
        "except MissingExtra as error: print(error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "anywidget is not installed" in run.stdout
    assert "pip install 'tohlab[notebook]'" in run.stdout
    assert issubclass(MissingExtra, TohlabError)


# what is saved


def test_the_record_has_the_sentence_the_text_and_what_was_lost() -> None:
    record = repr(Explorer(TREE))
    assert record.startswith("TheOpen Harness tells the model of 2 of 3 skills in ")
    assert "- `chart`: Draws charts." in record
    assert "chart · 839 · 500" in record
    assert "broken/SKILL.md · 3 · " in record


def test_the_record_is_html_without_script_id_or_markup_of_others() -> None:
    page = Explorer(TREE, harness="codex")._repr_html_()
    assert "<script" not in page
    assert "<img" not in page
    assert " id=" not in page
    assert "\u202e" not in page
    assert "\\u202egnp.exe" in page
    assert page == Explorer(TREE, harness="codex")._repr_html_()
    assert page.count("<mark ") == 1


def test_the_record_stands_above_the_live_explorer(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    explorer = Explorer(TREE)
    explorer._ipython_display_()
    assert [repr(one) for one in shown] == [repr(explorer), "the live explorer, which needs its kernel"]
    assert shown[1] is explorer.widget


def test_the_record_of_many_losses_is_short_and_says_so() -> None:
    tree = FileTree.of({f"s{n}/SKILL.md": skill(f"s{n}", LONG.strip()) for n in range(40)})
    record = repr(Explorer(tree))
    assert "and 28 more" in record


def test_the_wheel_carries_the_page() -> None:
    assert "export default { render }" in explorer_module()
    assert "innerHTML" not in explorer_module()
    assert ".tohlab-explorer" in explorer_style()
