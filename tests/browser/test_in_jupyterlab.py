"""A person answers in a real JupyterLab: by mouse, by keyboard, against hostile text, or not at all."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import nbformat
import pytest

from tests.browser.lab import ROOT, SETUP, SLOW_MS, Lab, Notebook, Window, running_browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ASK = "told = await asker.ask(ask_of(COLOUR, TOOLS, NAME))\nprint(answers_to_json(told))"
VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    lab = Lab(tmp_path_factory.mktemp("lab"))
    try:
        lab.wait()
        yield lab
    finally:
        lab.stop()


class Windows:
    """The window that the tests share; one that a failed test may have left in disorder is thrown away."""

    def __init__(self, browser: Browser, lab: Lab) -> None:
        self.browser, self.lab = browser, lab
        self.window: Window | None = None

    def get(self) -> Window:
        if self.window is None:
            self.window = Window(self.browser, self.lab)
        return self.window

    def throw_away(self) -> None:
        if self.window is not None:
            self.window.context.close()
            self.window = None


@pytest.fixture(scope="module")
def windows(browser: Browser, lab: Lab) -> Windows:
    return Windows(browser, lab)


Opener = Callable[..., Notebook]


@pytest.fixture
def notebook(windows: Windows, request: pytest.FixtureRequest) -> Iterator[Opener]:
    """Open a notebook with the given cells below a first one that brings `asker` and three questions."""
    window = windows.get()
    window.errors.clear()
    opened: list[Notebook] = []

    def open_(*cells: str) -> Notebook:
        name = re.sub(r"\W+", "-", request.node.name)[:60] + f"-{len(opened)}"
        opened.append(Notebook(window, name, (SETUP, *cells)))
        return opened[-1]

    try:
        yield open_
        for one in opened:
            one.close()
    except BaseException:
        windows.throw_away()
        raise
    assert window.errors == []


@pytest.fixture(autouse=True)
def _a_fresh_window_after_a_failure(windows: Windows, request: pytest.FixtureRequest) -> Iterator[None]:
    failed = request.session.testsfailed
    yield
    if request.session.testsfailed > failed:
        windows.throw_away()


def button(form: Locator, name: str) -> Locator:
    return form.get_by_role("button", name=name, exact=True)


def expect_text(notebook: Notebook, cell: int, text: str) -> None:
    from playwright.sync_api import expect

    expect(notebook.output(cell).last).to_contain_text(text, timeout=SLOW_MS)


def expect_answers(notebook: Notebook, cell: int, *rows: dict[str, Any]) -> None:
    text = json.dumps({"answers": list(rows)}, ensure_ascii=False, separators=(",", ":"))
    expect_text(notebook, cell, text)


def test_choose_several_and_own_words_by_mouse(notebook: Opener) -> None:
    from playwright.sync_api import expect

    nb = notebook(ASK, "print('next', 'cell')")
    nb.run()
    form = nb.form(1)
    expect(form).to_contain_text("1 / 3")
    expect(form.locator(".tl-badge")).to_have_text("Recommended")
    expect(button(form, "Next")).to_be_disabled()
    expect(button(form, "Previous question")).to_be_disabled()
    form.get_by_text("Blue", exact=True).click()
    expect(form).to_contain_text("2 / 3")  # one choice moves on
    form.get_by_role("checkbox", name="write").check()
    form.get_by_role("checkbox", name="read").check()
    form.get_by_role("textbox").fill("  and a little more ")
    button(form, "Next").click()
    expect(button(form, "Next question")).to_be_disabled()
    form.get_by_role("textbox").fill("北京 مرحبا")
    button(form, "Submit").click()
    expect_answers(
        nb,
        1,
        {"id": "colour", "selected": ["Blue (Recommended)"]},
        {"id": "tools", "selected": ["write", "read"], "custom": "and a little more"},
        {"id": "name", "selected": [], "custom": "北京 مرحبا"},
    )
    expect_text(nb, 2, "next cell")
    expect(nb.cell(1).locator(".tohlab-ask")).to_have_count(0)
    expect(nb.output(1).first).to_contain_text("3/3 answered")


def test_skip_back_and_a_gap(notebook: Opener) -> None:
    from playwright.sync_api import expect

    nb = notebook(ASK)
    nb.run()
    form = nb.form(1)
    button(form, "Next question").click()
    button(form, "Skip").click()
    form.get_by_role("textbox").fill("x")
    button(form, "Submit").click()
    expect(form).to_contain_text("1 / 3")  # the gap
    expect(form.get_by_role("alert")).to_have_text("Please complete this question first.")
    form.get_by_role("radio", name="Red").click()
    expect(form.get_by_role("alert")).to_have_text("")
    button(form, "Previous question").click()
    expect(form.get_by_role("radio", name="Red")).to_be_checked()
    form.get_by_role("textbox").fill("neither")  # own words clear a single choice
    expect(form.get_by_role("radio", name="Red")).not_to_be_checked()
    button(form, "Next question").click()
    button(form, "Next question").click()
    button(form, "Skip").click()
    expect_answers(
        nb,
        1,
        {"id": "colour", "selected": [], "custom": "neither"},
        {"id": "tools", "selected": []},
        {"id": "name", "selected": []},
    )
    expect(nb.output(1).first).to_contain_text("1/3 answered")


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
    nb = notebook(ASK, "print('alive')")
    nb.run()
    nb.form(1)
    nb.interrupt()
    expect_text(nb, 1, "CancelledError")
    assert "interrupted before an answer" in nb.output(1).first.inner_text()
    nb.run_cell(2)
    expect_text(nb, 2, "alive")


def test_two_at_once_are_answered_in_any_order(notebook: Opener) -> None:
    nb = notebook(
        "x, y = await asyncio.gather(asker.ask(ask_of(NAME)), asker.ask(ask_of(TOOLS)))\n"
        "print(x[0].custom, y[0].selected)"
    )
    nb.run()
    forms = nb.cell(1).locator(".tohlab-ask form")
    forms.nth(1).wait_for()
    forms.nth(1).get_by_role("checkbox", name="run").check()
    button(forms.nth(1), "Submit").click()
    nb.cell(1).get_by_text("1/1 answered").wait_for()
    forms.first.get_by_role("textbox").fill("first")
    forms.first.get_by_role("textbox").press("Enter")
    expect_text(nb, 1, "first ('run',)")


def test_by_keyboard_alone_and_no_key_reaches_the_notebook(notebook: Opener) -> None:
    from playwright.sync_api import expect

    nb = notebook(ASK, "print('never run by a key')")
    keys = nb.page.keyboard
    nb.run_cell(0)
    expect(nb.cell(0).locator(".jp-InputPrompt")).to_contain_text("1")
    nb.run_cell(1)
    form = nb.form(1)
    expect(form.get_by_role("radio", name="Blue")).to_be_focused()  # the asking cell had the focus
    keys.press("ArrowDown")
    expect(form.get_by_role("radio", name="Red")).to_be_focused()
    expect(form.get_by_role("radio", name="Red")).not_to_be_checked()  # arrows do not choose
    for key in "ddxabmyz0":
        keys.press(key)
    keys.press("Enter")  # not complete: nothing
    expect(form).to_contain_text("1 / 3")
    keys.press("Space")
    expect(form).to_contain_text("2 / 3")
    expect(form.get_by_role("checkbox", name="read")).to_be_focused()
    keys.press("Space")
    keys.press("ArrowDown")
    keys.press("ArrowDown")
    keys.press("Space")
    for _ in range(3):
        keys.press("Tab")
        if form.get_by_role("textbox").evaluate("node => node === document.activeElement"):
            break
    keys.type("dd")
    keys.press("Shift+Enter")
    keys.type("x")
    keys.press("Enter")
    expect(form).to_contain_text("3 / 3")
    expect(form.get_by_role("textbox")).to_be_focused()
    keys.press("Enter")
    expect(form.get_by_role("alert")).to_have_text("Please select an option or enter a custom answer.")
    keys.type("done")
    keys.press("Enter")
    expect_answers(
        nb,
        1,
        {"id": "colour", "selected": ["Red"]},
        {"id": "tools", "selected": ["read", "run"], "custom": "dd\nx"},
        {"id": "name", "selected": [], "custom": "done"},
    )
    expect(nb.cells).to_have_count(3)
    assert nb.output(2).count() == 0


def test_enter_of_an_input_method_does_not_send(notebook: Opener) -> None:
    from playwright.sync_api import expect

    nb = notebook("print((await asker.ask(ask_of(NAME)))[0].custom)")
    nb.run()
    area = nb.form(1).get_by_role("textbox")
    area.fill("かな")
    area.evaluate(
        "node => node.dispatchEvent(new KeyboardEvent('keydown',"
        " { key: 'Enter', isComposing: true, bubbles: true, cancelable: true }))"
    )
    expect(button(nb.form(1), "Submit")).to_be_enabled()
    area.press("Enter")
    expect_text(nb, 1, "かな")


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


def test_post_in_one_cell_read_in_the_next(notebook: Opener) -> None:
    nb = notebook("pending = asker.post(ask_of(NAME))", "print(1 + 1)", "print((await pending)[0].custom)")
    nb.run()
    expect_text(nb, 2, "2")
    form = nb.form(1)
    form.get_by_role("textbox").fill("later")
    form.get_by_role("textbox").press("Enter")
    expect_text(nb, 3, "later")
    assert "1/1 answered" in nb.output(1).first.inner_text()


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


def test_a_question_takes_no_keyboard_from_who_types_elsewhere(notebook: Opener) -> None:
    from playwright.sync_api import expect

    nb = notebook("await asyncio.sleep(1.5)\npending = asker.post(ask_of(NAME))", "text = 'typed: '")
    nb.run_cell(0)
    nb.run_cell(1)
    editor = nb.cell(2).locator(".cm-content")
    editor.click()
    nb.page.keyboard.press("End")
    nb.page.keyboard.type("abc")
    nb.form(1)
    nb.page.wait_for_timeout(300)
    nb.page.keyboard.type("def")
    expect(editor).to_contain_text("abcdef")


PLAN = """\
PLAN = {"id": "plan", "question": "Shall I go on?", "detail": "# Plan\\n1. **Rename** the tool\\n2. Test",
    "options": [{"label": "Go ahead"}, {"label": "Keep planning"}],
    "intent": {"kind": "plan-review", "approve": "Go ahead"}}
print(answers_to_json(await asker.ask(ask_of(PLAN))))"""


@pytest.mark.parametrize(
    ("word", "row"),
    [
        ("Approve", {"id": "plan", "selected": ["Go ahead"]}),
        ("Refuse", {"id": "plan", "selected": ["Keep planning"]}),
        ("Chat about it", {"id": "plan", "selected": [], "custom": "why rename?"}),
    ],
)
def test_a_plan_is_reviewed_on_a_card(notebook: Opener, word: str, row: dict[str, Any]) -> None:
    nb = notebook(PLAN)
    nb.run()
    form = nb.form(1)
    assert "# Plan\n1. **Rename** the tool" in form.get_by_role("region").inner_text()
    form.get_by_role("button", name=word).click()
    if word == "Chat about it":
        form.get_by_role("textbox").fill("why rename?")
        button(form, "Send").click()
    expect_answers(nb, 1, row)


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


def test_the_record_survives_saving_and_reopening_without_a_kernel(
    notebook: Opener, windows: Windows
) -> None:
    from playwright.sync_api import expect

    nb = notebook(ASK)
    nb.run()
    form = nb.form(1)
    for _ in range(3):
        button(form, "Skip").click()
    expect_text(nb, 1, '"answers"')
    saved = nb.save()
    nb.close()
    record = saved.cells[1].outputs[0]
    assert sorted(record.data) == ["text/html", "text/plain"]
    assert VIEW not in json.dumps(saved)
    nbformat.validate(saved)
    # the signature of a trusted notebook covers its text, so another text is shown as untrusted, and cleaned
    saved.metadata.other = "no longer the text that was signed"
    path = nb.path.with_name("reopened.ipynb")
    nbformat.write(saved, path)
    window = windows.get()
    window.open_without_kernel(path.name)
    assert window.page.evaluate("jupyterapp.shell.currentWidget.sessionContext.session") is None
    expect(nb.output(1).first).to_contain_text("0/3 answered")
    expect(nb.output(1).first).to_contain_text("Which colour shall the button have?")
    window.close_current()


def test_after_a_reload_of_the_page_a_saved_question_is_there_again(
    notebook: Opener, windows: Windows
) -> None:
    from playwright.sync_api import expect

    nb = notebook("pending = asker.post(ask_of(NAME))", "print(pending.state, pending.answers)")
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


def test_a_person_who_clicks_what_the_script_says_leaves_the_stored_chapter(windows: Windows) -> None:
    stored = nbformat.read(ROOT / "notebooks" / "04-ask-the-user.ipynb", as_version=4)
    code = [cell for cell in stored.cells if cell.cell_type == "code"]
    at = {
        next(name for name in ASKING if name in cell.source): n for n, cell in enumerate(code) if asks(cell)
    }
    nb = Notebook(windows.get(), "chapter", [cell.source for cell in code])
    nb.run()
    form = nb.form(at["tool.call(arguments)"])
    form.get_by_role("radio", name="Staging").click()
    form.get_by_role("checkbox", name="Unit tests").check()
    form.get_by_role("checkbox", name="Lint").check()
    form.get_by_role("textbox").fill("and a smoke test")
    button(form, "Next").click()
    form.get_by_role("textbox").fill("Deploy of Tuesday")
    button(form, "Submit").click()
    form = nb.form(at["session.call_tool"])
    form.get_by_role("radio", name="Staging").click()
    button(form, "Submit").click()
    form = nb.form(at["asker.post"])
    form.get_by_role("radio", name="Thursday").click()
    button(form, "Submit").click()
    nb.form(at["asker.ask"]).get_by_role("button", name="Approve").click()
    expect_text(nb, len(code) - 1, "requires at least one question")
    saved = nb.save()
    nb.close()
    for mine, theirs in zip(saved.cells, code, strict=True):
        assert [plain(output) for output in mine.outputs] == [plain(output) for output in theirs.outputs]


ASKING = ("tool.call(arguments)", "session.call_tool", "asker.post", "asker.ask")


def asks(cell: Any) -> bool:
    return any(name in cell.source for name in ASKING)


def plain(output: Any) -> Any:
    return output.get("data") or output.get("text")


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
