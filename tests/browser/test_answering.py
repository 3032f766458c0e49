"""A person answers in a real JupyterLab, by mouse and by keyboard."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import nbformat
import pytest

from tests.browser.conftest import Windows
from tests.browser.lab import (
    ASK,
    ROOT,
    VIEW,
    Notebook,
    Opener,
    button,
    expect_answers,
    expect_text,
)

if TYPE_CHECKING:
    pass

pytestmark = pytest.mark.browser


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


def test_post_in_one_cell_read_in_the_next(notebook: Opener) -> None:
    nb = notebook("pending = asker.post(ask_of(NAME))", "print(1 + 1)", "print((await pending)[0].custom)")
    nb.run()
    expect_text(nb, 2, "2")
    form = nb.form(1)
    form.get_by_role("textbox").fill("later")
    form.get_by_role("textbox").press("Enter")
    expect_text(nb, 3, "later")
    assert "1/1 answered" in nb.output(1).first.inner_text()


def test_after_an_answer_by_keyboard_the_notebook_goes_on_by_keyboard(notebook: Opener) -> None:
    nb = notebook(
        "told = await asker.ask(ask_of(NAME))\nprint(answers_to_json(told))", "print('reached by', 'keys')"
    )
    nb.run_cell(0)
    nb.run_cell(1)
    box = nb.form(1).get_by_role("textbox")
    box.focus()
    nb.page.keyboard.type("kim")
    nb.page.keyboard.press("Enter")
    expect_text(nb, 1, '"custom":"kim"')
    nb.page.keyboard.press("ArrowDown")
    nb.page.keyboard.press("Control+Enter")
    expect_text(nb, 2, "reached by keys")


def test_escape_gives_the_keyboard_back_to_the_cell_and_keeps_the_question(notebook: Opener) -> None:
    nb = notebook("pending = asker.post(ask_of(NAME))", "print('reached by', 'keys', pending.state)")
    nb.run_cell(0)
    nb.run_cell(1)
    box = nb.form(1).get_by_role("textbox")
    box.focus()
    nb.page.keyboard.type("half")
    nb.page.keyboard.press("Escape")
    nb.page.keyboard.press("ArrowDown")
    nb.page.keyboard.press("Control+Enter")
    expect_text(nb, 2, "reached by keys waiting")
    assert box.input_value() == "half"


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
