"""The explorer in a real JupyterLab: by keyboard, by mouse, saved and opened again without a kernel."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.browser.lab import SLOW_MS, Notebook, Opener
from tests.browser.test_trouble import CONTRAST

if TYPE_CHECKING:
    from playwright.sync_api import Locator

pytestmark = pytest.mark.browser

SHOW = """\
from tohlab.dialects.harness import FileTree
from tohlab.notebook import Explorer
def skill(name, description, *more):
    return "\\n".join(["---", f"name: {name}", f"description: {description}", *more, "---", f"# {name}", ""])
tree = FileTree.of({
    "chart/SKILL.md": skill("chart", "Draws charts. " * 50 + "End."),
    "evil/SKILL.md": skill("evil", "<img src=x onerror='window.owned=1'> $x^2$ \\u202egnp.exe"),
    "broken/SKILL.md": skill("broken", "Use when: it breaks."),
    **{f"more-{n}/SKILL.md": skill(f"more-{n}", f"Does {n}.") for n in range(12)},
})
Explorer(tree)"""


@pytest.fixture
def opened(notebook: Opener) -> Callable[..., tuple[Notebook, Locator]]:
    """Run a cell that shows an explorer; gives the notebook and the explorer's frame."""

    def open_(code: str = SHOW) -> tuple[Notebook, Locator]:
        nb = notebook(code, "print('never run by a key')")
        nb.run_cell(1)
        frame = nb.cell(1).get_by_role("region", name="What a model sees of the skills", exact=True)
        frame.wait_for(timeout=SLOW_MS)
        return nb, frame

    return open_


Opened = Callable[..., tuple[Notebook, "Locator"]]


def select(frame: Locator, name: str) -> Locator:
    return frame.get_by_role("combobox", name=name, exact=True)


def tab(frame: Locator, name: str) -> Locator:
    return frame.get_by_role("tab", name=re.compile(f"^{name}"))


def test_by_keyboard_alone_and_no_key_reaches_the_notebook(opened: Opened) -> None:
    from playwright.sync_api import expect

    nb, frame = opened()
    keys = nb.page.keyboard
    status = frame.get_by_role("status")
    expect(status).to_contain_text("TheOpen Harness tells the model of 14 of 14 skills")
    select(frame, "Harness").focus()
    keys.type("Cod")  # letters find an option, and none of them is the notebook's
    expect(select(frame, "Harness")).to_have_value("codex")
    expect(status).to_contain_text("Codex tells the model of 15 of 15 skills")
    expect(frame.get_by_role("region", name="The list of Codex")).to_contain_text("(file: r0/chart/SKILL.md)")
    keys.press("ArrowDown")
    expect(select(frame, "Harness")).not_to_have_value("codex")
    keys.press("ArrowUp")
    expect(status).to_contain_text("Codex tells")
    keys.press("Tab")
    expect(select(frame, "Context window")).to_be_focused()
    keys.press("Tab")
    size = frame.get_by_role("spinbutton", name="Context window in tokens")
    expect(size).to_be_focused()
    keys.press("Control+a")
    keys.type("3000")
    keys.press("Enter")
    expect(status).to_contain_text(" cut")
    expect(select(frame, "Context window")).to_have_value("")  # another size
    for _ in range(3):
        keys.press("Tab")
    expect(tab(frame, "What the model reads")).to_be_focused()
    keys.press("ArrowRight")
    expect(tab(frame, "Tokens")).to_be_focused()
    expect(tab(frame, "Tokens")).to_have_attribute("aria-selected", "true")
    expect(frame.get_by_role("table", name="What each part costs")).to_contain_text("frame of the list")
    keys.press("End")
    expect(tab(frame, "Where from")).to_be_focused()
    expect(frame.get_by_role("table", name="Where the texts come from")).to_contain_text("executed")
    keys.press("Home")
    keys.press("ArrowLeft")
    expect(tab(frame, "Where from")).to_be_focused()
    keys.press("Tab")
    expect(frame.get_by_role("region", name="Where the texts come from")).to_be_focused()
    for key in "ddxabmyz0":
        keys.press(key)
    keys.press("Shift+Enter")
    assert nb.cells.count() == 3
    expect(nb.cell(2).locator(".jp-OutputArea-output")).to_have_count(0)
    keys.press("Escape")  # back to the notebook
    assert nb.page.evaluate("() => document.activeElement.closest('.tohlab-explorer') === null")


def test_the_chosen_skill_is_marked_in_sight_and_a_click_on_an_entry_chooses_it(opened: Opened) -> None:
    from playwright.sync_api import expect

    _, frame = opened()
    select(frame, "Skill").select_option("more-9")
    mark = frame.locator("mark")
    expect(mark).to_have_text("- `more-9`: Does 9.")
    box, text = mark.bounding_box(), frame.locator("pre").bounding_box()
    assert box is not None
    assert text is not None
    assert text["y"] <= box["y"]
    assert box["y"] + box["height"] <= text["y"] + text["height"]
    assert mark.evaluate("node => getComputedStyle(node).boxShadow") != "none"  # not by colour alone
    frame.get_by_text("- `more-3`: Does 3.").click()
    expect(select(frame, "Skill")).to_have_value("more-3")
    expect(mark).to_have_text("- `more-3`: Does 3.")
    tab(frame, "Loaded skill").click()
    expect(frame.get_by_role("region", name="What the model reads of more-3")).to_contain_text("# more-3")


def test_what_is_lost_stands_with_reason_line_and_repair(opened: Opened) -> None:
    from playwright.sync_api import expect

    _, frame = opened()
    tab(frame, "Cut and left out").click()
    expect(tab(frame, "Cut and left out")).to_have_text("Cut and left out (2)")
    cut = frame.get_by_role("table", name="Cut", exact=True)
    expect(cut.get_by_role("row", name="chart")).to_contain_text("500")
    row = frame.get_by_role("table", name="Skipped", exact=True).get_by_role("row", name="broken/SKILL.md")
    expect(row.get_by_role("cell").nth(0)).to_have_text("3")
    expect(row).to_contain_text("mapping values are not allowed")
    expect(row).to_contain_text("in quotes")


def test_two_harnesses_side_by_side_with_words_struck_out_and_underlined(opened: Opened) -> None:
    from playwright.sync_api import expect

    _, frame = opened()
    select(frame, "Set beside").select_option("claude-code")
    expect(tab(frame, "Side by side")).to_have_attribute("aria-selected", "true")
    expect(frame.get_by_role("status")).to_contain_text("Beside it: Claude Code tells")
    left = frame.get_by_role("region", name="TheOpen Harness", exact=True)
    right = frame.get_by_role("region", name="Claude Code", exact=True)
    expect(left.get_by_role("deletion").first).to_contain_text("A skill is a reusable set of task-specific")
    expect(right.get_by_role("insertion").first).to_be_visible()
    assert left.locator("ins").count() == right.locator("del").count() == 0
    struck = left.locator("del").first.evaluate("node => getComputedStyle(node).textDecorationLine")
    assert struck == "line-through"
    under = right.locator("ins").first.evaluate("node => getComputedStyle(node).textDecorationLine")
    assert under == "underline"


def test_texts_of_others_stay_text(opened: Opened) -> None:
    from playwright.sync_api import expect

    nb, frame = opened()
    select(frame, "Harness").select_option("codex")
    select(frame, "Skill").select_option("evil")
    expect(frame.locator("mark")).to_contain_text("<img src=x onerror='window.owned=1'> $x^2$ \\u202egnp.exe")
    for name in ("Tokens", "Loaded skill", "Side by side", "Where from"):
        tab(frame, name).click()
        expect(frame).not_to_have_attribute("aria-busy", "true")
        assert frame.locator("img, script, mjx-container").count() == 0
    nb.page.wait_for_timeout(300)
    assert nb.page.evaluate("window.owned") is None


def test_a_window_that_cannot_be_is_refused_aloud_and_the_rest_goes_on(opened: Opened) -> None:
    from playwright.sync_api import expect

    _, frame = opened()
    size = frame.get_by_role("spinbutton", name="Context window in tokens")
    size.fill("0")
    size.press("Enter")
    expect(frame.get_by_role("alert")).to_contain_text("whole number of tokens")
    expect(size).to_have_value("200000")
    select(frame, "Harness").select_option("pi")
    expect(frame.get_by_role("alert")).to_have_text("")
    expect(frame.get_by_role("status")).to_contain_text("pi tells")


def test_the_page_has_names_and_roles_for_a_screen_reader(opened: Opened) -> None:
    from playwright.sync_api import expect

    _, frame = opened()
    expect(frame).to_match_aria_snapshot(
        """
        - region "What a model sees of the skills":
          - group "What to look at":
            - combobox "Harness"
            - combobox "Context window"
            - spinbutton "Context window in tokens"
            - combobox "Skill"
            - combobox "Set beside"
          - status: /TheOpen Harness tells/
          - alert
          - term: tokens in the list
          - definition: /\\d/
          - tablist "Views":
            - tab "What the model reads" [selected]
            - tab "Tokens"
            - tab "Cut and left out (2)"
            - tab "Loaded skill"
            - tab "Tools"
            - tab "Side by side"
            - tab "Where from"
          - tabpanel "What the model reads":
            - region "The list of TheOpen Harness"
        """
    )
    assert frame.locator("[role=tab][tabindex='0']").count() == 1
    panel = frame.get_by_role("tabpanel")
    assert frame.locator(f"[role=tab][aria-controls='{panel.get_attribute('id')}']").count() == 7
    select(frame, "Harness").focus()
    ring = select(frame, "Harness").evaluate("node => getComputedStyle(node).outlineStyle")
    assert ring == "solid"


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_text_stands_out_and_a_narrow_window_is_wide_enough(opened: Opened, theme: str) -> None:
    from playwright.sync_api import expect

    nb, frame = opened()
    nb.window.command("apputils:change-theme", {"theme": theme})
    try:
        nb.page.set_viewport_size({"width": 560, "height": 900})
        nb.page.wait_for_function(
            "dark => document.body.dataset.jpThemeLight === (dark ? 'false' : 'true')", arg="Dark" in theme
        )
        for name in ("What the model reads", "Tokens", "Cut and left out", "Side by side", "Where from"):
            tab(frame, name).click()
            expect(frame).not_to_have_attribute("aria-busy", "true")
            nb.page.wait_for_timeout(200)
            assert frame.evaluate(CONTRAST) == []
            assert frame.evaluate("node => node.scrollWidth <= node.clientWidth")
    finally:
        nb.page.set_viewport_size({"width": 1000, "height": 900})
        nb.window.command("apputils:change-theme", {"theme": "JupyterLab Light"})


def test_a_thousand_skills_are_there_to_choose(opened: Opened) -> None:
    from playwright.sync_api import expect

    _, frame = opened(
        "from tohlab.dialects.harness import FileTree\nfrom tohlab.notebook import Explorer\n"
        "more = 'And more. ' * 20\n"
        "text = '---\\nname: s{0:04}\\ndescription: Does {0}. ' + more + '\\n---\\nBody {0}.\\n'\n"
        "Explorer(FileTree.of({f's{n:04}/SKILL.md': text.format(n) for n in range(1000)}))"
    )
    assert select(frame, "Skill").locator("option").count() == 1_000
    select(frame, "Harness").select_option("opencode")
    select(frame, "Skill").select_option("s0777")
    expect(frame.locator("mark")).to_contain_text("<name>s0777</name>")
    tab(frame, "Loaded skill").click()
    expect(frame.get_by_role("region", name="What the model reads of s0777")).to_contain_text("Body 777.")


def test_the_first_view_stands_in_a_notebook_that_is_opened_without_a_kernel(opened: Opened) -> None:
    from playwright.sync_api import expect

    nb, frame = opened()
    record = nb.cell(1).locator(".tohlab-explorer-record")
    expect(record).to_have_count(1)
    expect(record).to_be_hidden()  # the live one stands there
    select(frame, "Harness").select_option("codex")
    expect(frame.get_by_role("status")).to_contain_text("Codex tells")
    nb.save()
    name = nb.path.name
    nb.close()
    nb.window.open_without_kernel(name)
    try:
        record = nb.page.get_by_role("group", name="What a model sees of the skills")
        expect(record).to_be_visible(timeout=SLOW_MS)
        expect(record).to_contain_text("TheOpen Harness tells the model of 14 of 14 skills")
        expect(record).to_contain_text("run the cell again for the live explorer")
        nb.page.wait_for_timeout(2_500)  # the front end gives a missing model up after two seconds
        expect(nb.page.get_by_text("Error displaying widget: model not found")).to_be_hidden()
        expect(record).to_be_visible()
    finally:
        nb.window.close_current()


def test_when_the_kernel_does_not_answer_it_says_so(opened: Opened) -> None:
    from playwright.sync_api import expect

    nb, frame = opened()
    nb.window.command("kernelmenu:restart", wait=False)
    nb.page.locator(".jp-Dialog .jp-mod-accept").click()
    nb.page.locator(".jp-Dialog").wait_for(state="hidden")
    nb.window.wait_for_kernel()
    select(frame, "Harness").select_option("pi")
    expect(frame.get_by_role("alert")).to_contain_text(
        "run the cell again", timeout=SLOW_MS, ignore_case=True
    )


HELD = SHOW.replace(
    "Explorer(tree)",
    """\
import time
from pathlib import Path
from tohlab.tokens import get_meter
class Held:
    def __getattr__(self, name):
        return getattr(get_meter(), name)
    def count(self, text):
        while Path("hold").exists():
            time.sleep(0.02)
        return get_meter().count(text)
Explorer(tree, meter=Held())""",
)


def test_a_number_that_is_being_typed_is_not_drawn_over_by_a_late_answer(opened: Opened) -> None:
    from playwright.sync_api import expect

    nb, frame = opened(HELD)
    hold = nb.path.with_name("hold")
    keys = nb.page.keyboard
    status = frame.get_by_role("status")
    size = frame.get_by_role("spinbutton", name="Context window in tokens")
    hold.touch()
    try:
        select(frame, "Harness").select_option("hermes")
        expect(frame).to_have_attribute("aria-busy", "true")
        size.focus()
        keys.press("Control+a")
        keys.type("3000")
    finally:
        hold.unlink()
    expect(status).to_contain_text("Hermes Agent tells", timeout=SLOW_MS)
    expect(size).to_have_value("3000")
    keys.press("Enter")
    expect(select(frame, "Context window")).to_have_value("", timeout=SLOW_MS)
    expect(size).to_have_value("3000")
