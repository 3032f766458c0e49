"""What happens in a real JupyterLab when something is hostile, too large, slow, gone or not answered."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.lab import (
    ASK,
    SETUP,
    SLOW_MS,
    Lab,
    Notebook,
    Opener,
    Window,
    button,
    expect_answers,
    expect_text,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


def test_dismiss_ends_the_whole_batch(notebook: Opener) -> None:
    nb = notebook(
        f"try:\n    {ASK.splitlines()[0]}\nexcept AskError as e:\n    print(e.code)", "print('alive')"
    )
    nb.run()
    button(nb.form(1), "Dismiss all questions").click()
    expect_text(nb, 1, "ASK_CANCELLED")
    expect_text(nb, 2, "alive")
    assert "dismissed without an answer" in nb.output(1).first.inner_text()


def test_interrupting_the_kernel_ends_the_wait(notebook: Opener) -> None:
    from playwright.sync_api import expect

    nb = notebook(ASK, "print('alive')")
    nb.run()
    nb.form(1)
    nb.interrupt()
    expect_text(nb, 1, "CancelledError")
    assert "interrupted before an answer" in nb.output(1).first.inner_text()
    # the kernel throws away what was sent behind the interrupted cell: not before that is over
    expect(nb.cell(2).locator(".jp-InputPrompt")).to_have_text("[ ]:")
    nb.window.wait_for_kernel()
    nb.run_cell(2)
    expect_text(nb, 2, "alive")


HOSTILE = """\
EVIL = "<img src=x onerror='window.owned=1'><script>window.owned=1</script> $x^2$ **b** \\u202egnp.exe"
rows = [{"label": EVIL + str(i), "description": EVIL} for i in range(3)]
rows += [{"label": "\\ud83d"}, {"label": "مرحبا بكم"}]
told = await asker.ask(ask_of({"id": "e", "header": EVIL, "question": EVIL, "detail": EVIL, "options": rows,
    "multiSelect": True}))
print([row["label"] in told[0].selected for row in rows], len(told[0].selected), ascii(told[0].custom[-1]))"""


def test_hostile_text_is_shown_as_text_in_the_form_and_in_the_record(notebook: Opener) -> None:
    nb = notebook(HOSTILE)
    nb.run()
    form = nb.form(1)
    assert form.locator("img, script, mjx-container, b").count() == 0
    labels = form.locator(".tl-label")
    assert "<script>window.owned=1</script> $x^2$ **b**" in labels.nth(0).inner_text()
    assert "\\u202egnp.exe" in labels.nth(0).inner_text()  # it cannot pose as exe.png
    assert labels.nth(0).evaluate("node => getComputedStyle(node).unicodeBidi") == "isolate"
    assert labels.nth(4).evaluate("node => node.matches(':dir(rtl)')")
    for number in (0, 3):
        form.get_by_role("checkbox").nth(number).check()
    form.get_by_role("textbox").evaluate(
        "node => { node.value = '<b>own</b>\\ud800';"
        " node.dispatchEvent(new Event('input', { bubbles: true })); }"
    )
    button(form, "Submit").click()
    expect_text(nb, 1, "[True, False, False, True, False] 2 '\\ud800'")
    record = nb.output(1).first
    nb.page.wait_for_timeout(500)  # time for a formula to be set, were it one
    assert record.locator("img, script, b, mjx-container").count() == 0
    assert "<b>own</b>\\ud800" in record.inner_text()
    assert "\\u202e" in record.inner_text()
    assert nb.page.evaluate("window.owned") is None


def test_five_hundred_options_and_a_long_label_scroll_inside_the_form(notebook: Opener) -> None:
    nb = notebook(
        "rows = [{'label': 'x' * 100_000}] + [{'label': f'option {i}'} for i in range(499)]\n"
        "told = await asker.ask(ask_of({'id': 'many', 'question': 'Which?', 'options': rows}))\n"
        "print(told[0].selected)"
    )
    nb.run()
    form = nb.form(1)
    assert form.get_by_role("radio").count() == 500
    height = form.evaluate("node => node.getBoundingClientRect().height")
    assert height < 700
    assert form.evaluate("node => node.scrollWidth <= node.clientWidth")
    form.get_by_text("option 498", exact=True).click()
    button(form, "Submit").click()
    expect_text(nb, 1, "('option 498',)")
    assert len(nb.output(1).first.inner_text()) < 10_000


def test_running_the_cell_again_replaces_its_open_question(notebook: Opener) -> None:
    nb = notebook(
        "olds = [*globals().get('olds', []), asker.post(ask_of(NAME))]", "print([p.state for p in olds])"
    )
    nb.run()
    expect_text(nb, 2, "['waiting']")
    nb.run_cell(1)
    nb.page.wait_for_function("() => document.querySelectorAll('.tohlab-ask form').length === 1")
    nb.run_cell(2)
    expect_text(nb, 2, "['superseded', 'waiting']")
    form = nb.form(1)
    form.get_by_role("textbox").fill("again")
    form.get_by_role("textbox").press("Enter")
    nb.cell(1).get_by_text("1/1 answered").wait_for()
    nb.run_cell(2)
    expect_text(nb, 2, "['superseded', 'answered']")


def test_what_the_kernel_refuses_is_said_and_the_form_stays(notebook: Opener) -> None:
    from playwright.sync_api import expect

    nb = notebook(
        "import tohlab.notebook.asker as room\n"
        "real, room.why_refused = room.why_refused, lambda q, a: 'not today'",
        "print((await asker.ask(ask_of(NAME)))[0].custom)",
        "room.why_refused = real",
    )
    nb.run()
    form = nb.form(2)
    form.get_by_role("textbox").fill("mine")
    button(form, "Submit").click()
    expect(form.get_by_role("alert")).to_have_text("question response rejected: not today")
    expect(form.get_by_role("textbox")).to_have_value("mine")
    expect(button(form, "Submit")).to_be_enabled()
    button(form, "Dismiss all questions").click()
    expect_text(nb, 2, "ASK_CANCELLED")


def test_after_a_reload_of_the_page_a_saved_question_is_there_again(browser: Browser, lab: Lab) -> None:
    from playwright.sync_api import expect

    # a window of its own: JupyterLab opens again what was open, whenever it comes to it
    window = Window(browser, lab)
    nb = Notebook(
        window,
        "reloaded",
        (SETUP, "pending = asker.post(ask_of(NAME))", "print(pending.state, pending.answers)"),
    )
    nb.run()
    nb.form(1)
    nb.save()
    nb.page.reload(wait_until="domcontentloaded")
    nb.window.settle()
    nb.window.open(nb.path.name)
    form = nb.form(1)
    form.get_by_role("textbox").fill("still here")
    form.get_by_role("textbox").press("Enter")
    expect(nb.output(1).first).to_contain_text("1/1 answered")  # said by the form: no update reaches the page
    nb.run_cell(2)
    expect_text(nb, 2, "still here")
    nb.close()
    window.context.close()


def test_after_a_restart_of_the_kernel_the_form_says_that_nobody_asks_any_more(notebook: Opener) -> None:
    from playwright.sync_api import expect

    nb = notebook("pending = asker.post(ask_of(NAME))", "print(1 + 1)")
    nb.run()
    form = nb.form(1)
    expect_text(nb, 2, "2")
    nb.window.command("kernelmenu:restart", wait=False)
    nb.page.locator(".jp-Dialog .jp-mod-accept").click()
    nb.page.locator(".jp-Dialog").wait_for(state="hidden")
    nb.window.wait_for_kernel()
    form.get_by_role("textbox").fill("mine")
    button(form, "Submit").click()
    expect(form.get_by_role("alert")).to_contain_text("Run the cell again")
    expect(form.get_by_role("textbox")).to_have_value("mine")


def test_where_our_form_cannot_be_loaded_a_plain_one_takes_its_place(browser: Browser, lab: Lab) -> None:
    from playwright.sync_api import expect

    window = Window(browser, lab, missing="anywidget")
    nb = Notebook(window, "plain", (SETUP, ASK))
    nb.run()
    output = nb.output(1).first
    output.get_by_role("button", name="Blue").click(timeout=SLOW_MS)
    output.get_by_role("button", name="write").click()
    output.get_by_role("button", name="Next", exact=True).click()
    expect(output.get_by_role("textbox").first).to_have_value(re.compile("3 / 3"))
    output.get_by_role("textbox").last.fill("a name")
    output.get_by_role("button", name="Submit").click()
    expect_answers(
        nb,
        1,
        {"id": "colour", "selected": ["Blue (Recommended)"]},
        {"id": "tools", "selected": ["write"]},
        {"id": "name", "selected": [], "custom": "a name"},
    )
    assert "3/3 answered" in nb.output(1).first.inner_text()
    nb.close()
    window.context.close()


def test_the_form_has_names_and_groups_for_a_screen_reader(notebook: Opener) -> None:
    from playwright.sync_api import expect

    nb = notebook(ASK)
    nb.run()
    form = nb.form(1)
    expect(form).to_match_aria_snapshot(
        """
        - form "Question to you":
          - text: Colour
          - button "Previous question" [disabled]
          - text: 1 / 3
          - button "Next question"
          - button "Collapse" [expanded]
          - button "Dismiss all questions"
          - group "Which colour shall the button have?":
            - radio "Blue"
            - radio "Red"
            - textbox "Or answer in your own words"
          - button "Skip"
          - button "Next" [disabled]
        """
    )
    expect(form.get_by_role("radio", name="Blue")).to_have_accessible_description(
        "Recommended It is the colour of all other links."
    )
    button(form, "Next question").click()
    expect(form.get_by_role("status")).to_contain_text("Question 2 / 3")
    button(form, "Collapse").click()
    expect(form.get_by_role("group")).to_be_hidden()
    button(form, "Expand").click()
    expect(form.get_by_role("group", name="Which tools may I use?")).to_be_visible()


CONTRAST = """
(form) => {
  const light = (rgb) => {
    const linear = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = rgb.map((v) => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const behind = (node) => {
    for (let n = node; n; n = n.parentElement) {
      const [r, g, b, a = 1] = parse(getComputedStyle(n).backgroundColor);
      if (a === 1) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const low = [];
  for (const node of form.querySelectorAll("*")) {
    const own = [...node.childNodes].some((c) => c.nodeType === 3 && c.textContent.trim());
    if (!own || node.disabled || !node.checkVisibility()) continue;
    const [a, b] = [light(parse(getComputedStyle(node).color).slice(0, 3)), light(behind(node))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.push([node.className, node.textContent.slice(0, 30), ratio]);
  }
  return low;
}
"""


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_text_stands_out_and_a_narrow_window_is_wide_enough(notebook: Opener, theme: str) -> None:
    nb = notebook(ASK)
    nb.window.command("apputils:change-theme", {"theme": theme})
    try:
        nb.page.set_viewport_size({"width": 560, "height": 900})
        nb.run()
        form = nb.form(1)
        nb.page.wait_for_function(
            "dark => document.body.dataset.jpThemeLight === (dark ? 'false' : 'true')", arg="Dark" in theme
        )
        nb.page.wait_for_timeout(300)  # colours fade over
        for _ in range(2):
            assert form.evaluate(CONTRAST) == []
            assert form.evaluate("node => node.scrollWidth <= node.clientWidth")
            button(form, "Next question").click()
            form.get_by_role("checkbox", name="read").check()
            nb.page.wait_for_timeout(300)
            button(form, "Previous question").click()
            form.get_by_role("radio", name="Red").click()
            button(form, "Previous question").click()
            nb.page.wait_for_timeout(300)
    finally:
        nb.page.set_viewport_size({"width": 1000, "height": 900})
        nb.window.command("apputils:change-theme", {"theme": "JupyterLab Light"})


def test_a_question_far_off_the_screen_waits_there_in_our_own_form(notebook: Opener) -> None:
    from playwright.sync_api import expect

    lines = "print('x\\n' * 70)"
    nb = notebook(lines, *(["1"] * 40), "pending = asker.post(ask_of(NAME))")
    nb.run()
    expect_text(nb, 41, "1")
    nb.scroll_to(0)
    nb.page.wait_for_timeout(4_000)  # longer than a form may stay unloaded
    form = nb.form(42)
    form.get_by_role("textbox").fill("found")
    button(form, "Submit").click()
    expect(nb.output(42).first).to_contain_text("1/1 answered")
