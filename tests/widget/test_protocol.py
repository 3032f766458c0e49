"""The widget over the Jupyter protocol, in a real kernel and without a browser."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.widget.front import SETUP, VIEW, Front, pick

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module", params=["main", "subshell"])
def kernel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """One kernel for the file; `subshell` as JupyterLab sends clicks, `main` as other front ends do."""
    folder = tmp_path_factory.mktemp("kernel")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "TOHLAB_"))}
    environment |= {
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), environment.get("PYTHONPATH")])),
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
    }
    front = Front(subshell=request.param == "subshell", environment=environment)
    try:
        assert front.run(SETUP).error is None
        yield front
    finally:
        front.close()


@pytest.fixture
def front(kernel: Front) -> Iterator[Front]:
    kernel.forget()
    yield kernel
    kernel.settle()


ASK = "told(await asker.ask(ask_of(COLOUR)))"


def test_an_answer_reaches_the_waiting_cell_and_its_record_takes_the_place_of_the_form(front: Front) -> None:
    cell = front.start(ASK)
    form = front.form()
    assert [o["label"] for o in form.questions[0]["options"]] == ["Red", "Blue"]
    form.loaded()
    form.submit(pick(1))
    run = front.finish(cell)
    assert run.text == "c:Blue:None\n"
    assert front.updates[-1]["text/plain"].startswith("ask_user_question: 1/1 answered")
    assert VIEW not in front.updates[-1]
    front.until(lambda: form.receipts != [])
    assert form.receipts == [{"type": "receipt", "number": 1, "accepted": True}]
    assert form.closed == front.updates[-1]["text/plain"]


def test_several_keep_the_order_in_which_they_were_chosen(front: Front) -> None:
    cell = front.start("told(await asker.ask(ask_of(TOOLS, COLOUR)))")
    front.form().submit(pick(1, 0, custom="and more"), pick())
    assert front.finish(cell).text == "t:b,a:and more|c::None\n"


def test_a_dismissal_ends_the_wait(front: Front) -> None:
    cell = front.start("try: await asker.ask(ask_of(COLOUR))\nexcept AskError as e: print(e.code, e)")
    front.form().dismiss()
    assert front.finish(cell).text == "ASK_CANCELLED the user cancelled ask_user_question\n"
    assert "dismissed" in front.updates[-1]["text/plain"]


def test_what_a_host_would_not_take_is_refused_and_the_form_stays_open(front: Front) -> None:
    cell = front.start(ASK)
    form = front.form()
    for rows in (
        [pick(0), pick(0)],
        [pick(2)],
        [pick(-1)],
        [pick(True)],
        [{"selected": "Red"}],
        [pick(custom=7)],
    ):
        assert form.judged({"answers": rows})["reason"] == "bad-response"
    assert form.judged("no JSON")["reason"] == "bad-response"
    assert form.judged({"other": 1})["reason"] == "bad-response"
    for row, reason in (
        (pick(0, custom="both"), "one label or own words"),
        (pick(0, 0), "twice"),
        (pick(custom=" \n "), "blank"),
    ):
        receipt = form.judged({"answers": [row]})
        assert not receipt["accepted"]
        assert reason in receipt["reason"]
    form.submit(pick(0))
    assert front.finish(cell).text == "c:Red:None\n"


def test_the_first_answer_counts_and_a_later_one_is_told_so(front: Front) -> None:
    front.run("pending = asker.post(ask_of(COLOUR))")
    form = front.form()
    assert form.judged({"answers": [pick(0)]})["accepted"]
    assert form.judged({"answers": [pick(1)]})["reason"] == "not-pending"
    assert front.run("told(pending.answers)").text == "c:Red:None\n"


def test_of_two_answers_at_the_same_moment_one_is_accepted(front: Front) -> None:
    front.run("pending = asker.post(ask_of(COLOUR))")
    form = front.form()
    form.submit(pick(0))
    form.submit(pick(1))
    front.until(lambda: len(form.receipts) == 2)
    (accepted,) = [r["number"] for r in form.receipts if r["accepted"]]
    (refused,) = [r for r in form.receipts if not r["accepted"]]
    assert refused["reason"] == "not-pending"
    assert front.run("told(pending.answers)").text == f"c:{['Red', 'Blue'][accepted - 1]}:None\n"


def test_post_in_one_cell_and_read_in_a_later_one(front: Front) -> None:
    assert front.run("pending = asker.post(ask_of(COLOUR)); print(pending.answers, pending)").text == (
        "None <1 question(s) ('c'), waiting>\n"
    )
    cell = front.start("told(await pending); told(await pending); print(pending.state)")
    front.form().submit(pick(1))
    assert front.finish(cell).text == "c:Blue:None\nc:Blue:None\nanswered\n"


def test_an_answer_between_the_two_cells_is_kept(front: Front) -> None:
    front.run("pending = asker.post(ask_of(COLOUR))")
    front.form().submit(pick(1))
    front.until(lambda: front.updates != [])
    assert front.run("told(pending.answers); told(await pending)").text == "c:Blue:None\nc:Blue:None\n"


def test_an_interrupt_ends_the_wait_says_so_and_leaves_the_kernel_alive(front: Front) -> None:
    cell = front.start(ASK)
    form = front.form()
    front.manager.interrupt_kernel()
    run = front.finish(cell)
    assert run.error is not None
    assert run.error.split(":")[0] in ("CancelledError", "KeyboardInterrupt")
    assert "interrupted" in front.updates[-1]["text/plain"]
    front.until(lambda: form.closed is not None)
    assert front.run("print(1 + 1)").text == "2\n"


def test_a_signal_takes_the_question_back(front: Front) -> None:
    cell = front.start(
        "signal = AbortSignal(); asyncio.get_running_loop().call_later(0.3, signal.abort)\n"
        "try: await asker.ask(ask_of(COLOUR), signal)\nexcept AskError as e: print(e.code)"
    )
    assert front.finish(cell).text == "ASK_ABORTED\n"
    assert "interrupted" in front.updates[-1]["text/plain"]
    assert front.run(
        "try: await asker.ask(ask_of(COLOUR), signal)\nexcept AskError as e: print(e.code)"
    ).text == ("ASK_ABORTED\n")


def test_two_at_once_are_answered_in_any_order(front: Front) -> None:
    cell = front.start(
        "x, y = await asyncio.gather(asker.ask(ask_of(COLOUR)), asker.ask(ask_of(TOOLS)))\ntold(x); told(y)"
    )
    front.form(count=2)
    front.forms[1].submit(pick(0))
    front.forms[0].submit(pick(1))
    assert front.finish(cell).text == "c:Blue:None\nt:a:None\n"
    assert len(front.updates) == 2


@pytest.mark.parametrize("cell_id", ["cell-7", None])
def test_running_the_cell_again_closes_the_question_of_its_earlier_run(
    front: Front, cell_id: str | None
) -> None:
    code = "olds = [*globals().get('olds', []), asker.post(ask_of(COLOUR))]"
    front.run("olds = []")
    front.run(code, cell=cell_id)
    front.run(code, cell=cell_id)
    front.until(lambda: front.forms[0].closed is not None)
    assert "run again" in str(front.forms[0].closed)
    assert front.run("print([p.state for p in olds])").text == "['superseded', 'waiting']\n"
    run = front.run("try: await olds[0]\nexcept AskError as e: print(e.code)")
    assert run.text == "ASK_ABORTED\n"
    front.forms[1].submit(pick(0))
    front.until(lambda: len(front.updates) == 2)
    assert front.run("told(olds[1].answers)").text == "c:Red:None\n"


def test_another_cell_leaves_an_open_question_alone(front: Front) -> None:
    front.run("first = asker.post(ask_of(COLOUR))", cell="one")
    front.run("second = asker.post(ask_of(COLOUR))", cell="two")
    assert (
        front.run("print(first.state, second.state); first.close(); second.close()").text
        == "waiting waiting\n"
    )


def test_cells_that_were_sent_meanwhile_keep_their_order(front: Front) -> None:
    cells = [front.start(ASK), front.start("print('after', 1)"), front.start("print('after', 2)")]
    front.form().submit(pick(0))
    assert [front.finish(cell).text for cell in cells] == ["c:Red:None\n", "after 1\n", "after 2\n"]


def test_lone_surrogates_and_other_hostile_text_make_the_round_trip(front: Front) -> None:
    cell = front.start(
        "LABELS = ['\\ud83d', '<b>x</b>', '\\u202eabc', '\\u0000']\n"
        "answers = await asker.ask(ask_of({'id': 'h', 'question': 'q\\udc00?', 'multiSelect': True,"
        " 'options': [{'label': label} for label in LABELS]}))\n"
        "print(list(answers[0].selected) == LABELS, ascii(answers[0].custom))"
    )
    form = front.form()
    assert form.questions[0]["options"][0]["label"] == "\\ud83d"
    form.submit(pick(0, 1, 2, 3, custom="own \udfff words"))
    run = front.finish(cell)
    assert run.error is None
    assert run.text == "True 'own \\udfff words'\n"
    assert "\\ud83d" in front.updates[-1]["text/plain"]
    assert "<b>" not in front.updates[-1]["text/html"].replace("<bdi>", "")


def test_a_form_that_no_front_end_loads_is_replaced_by_a_plain_one(front: Front) -> None:
    cell = front.start("told(await WidgetAsker(fall_back_after_s=0.2).ask(ask_of(COLOUR)))")
    form = front.form()
    front.until(lambda: front.updates != [])
    assert VIEW in front.updates[0]
    assert front.updates[0][VIEW]["model_id"] != form.model_id
    # it is loaded after all: nobody has begun on the plain one, so ours comes back
    form.loaded()
    front.until(lambda: len(front.updates) == 2)
    assert front.updates[1][VIEW]["model_id"] == form.model_id
    form.submit(pick(1))
    assert front.finish(cell).text == "c:Blue:None\n"


def test_without_a_person_and_without_a_script_it_is_an_error_at_once(front: Front) -> None:
    for code in (ASK, "asker.post(ask_of(COLOUR))", "await asker_here().ask(ask_of(COLOUR))"):
        run = front.run(code, allow_stdin=False)
        assert run.error is not None
        assert run.error.startswith("AskerUnavailable: question 'c' ('Which colour?') was asked, but nobody")
        assert "asker_here(script={'c': ...})" in run.error
        assert run.outputs == []


@pytest.mark.parametrize("verb", ["ask", "post"])
def test_a_script_leaves_the_bytes_that_a_person_leaves(front: Front, verb: str) -> None:
    code = f"await auto.{verb}(ask_of(COLOUR, TOOLS))"
    front.run("auto = asker_here(script={'c': 'own', 't': ['b']})")
    scripted = front.run(f"told({code})", allow_stdin=False)
    assert scripted.error is None
    cell = front.start(f"told({code})")
    front.form().submit(pick(custom="own"), pick(1))
    person = front.finish(cell)
    assert person.text == scripted.text
    front.until(lambda: front.updates != [])
    assert scripted.outputs == [front.updates[-1]]


def test_a_figure_plotted_before_the_question_is_not_lost(front: Front) -> None:
    code = "import matplotlib.pyplot as plt; _ = plt.plot([1, 2])\n"
    front.run("%matplotlib inline")
    cell = front.start(code + ASK)
    front.form().submit(pick(0))
    run = front.finish(cell)
    assert ["image/png" in data for data in run.outputs] == [True, False]


def test_the_environment_says_who_answers(front: Front) -> None:
    front.run("import os; os.environ['TOHLAB_ASKER'] = 'off'")
    try:
        assert "TOHLAB_ASKER is 'off'" in str(front.run("await asker_here().ask(ask_of(COLOUR))").error)
        front.run("os.environ['TOHLAB_ASKER'] = 'nonsense'")
        assert "console, off, scripted, widget" in str(
            front.run("await asker_here().ask(ask_of(COLOUR))").error
        )
        front.run("os.environ['TOHLAB_ASKER'] = 'scripted'")
        assert "there is no script" in str(front.run("await asker_here().ask(ask_of(COLOUR))").error)
        run = front.run("told(await asker_here(script={'c': 'Red'}).ask(ask_of(COLOUR)))")
        assert run.text == "c:Red:None\n"
    finally:
        front.run("del os.environ['TOHLAB_ASKER']")


TOOL = """\
from tohlab.tools import AskUserTool
tool = AskUserTool(asker)
CALL = {"questions": [{"id": "c", "question": "Which colour?", "options": [{"label": "Red"}]}]}
"""


def test_the_tool_gives_the_model_what_the_person_chose(front: Front) -> None:
    front.run(TOOL)
    cell = front.start("print((await tool.call(CALL)).text)")
    front.form().submit(pick(0))
    assert front.finish(cell).text == '{"answers":[{"id":"c","selected":["Red"]}]}\n'


def test_the_tool_tells_the_model_that_the_person_dismissed_it(front: Front) -> None:
    front.run(TOOL)
    cell = front.start("print((await tool.call(CALL)).text)")
    front.form().dismiss()
    assert front.finish(cell).text == "Error: the user cancelled ask_user_question\n"


def test_an_interrupt_of_the_tool_closes_its_question(front: Front) -> None:
    front.run(TOOL)
    cell = front.start("await tool.call(CALL)")
    form = front.form()
    front.manager.interrupt_kernel()
    assert str(front.finish(cell).error).split(":")[0] in ("CancelledError", "KeyboardInterrupt")
    front.until(lambda: form.closed is not None)
    assert "interrupted" in str(form.closed)
    assert front.run("print(1 + 1)").text == "2\n"


def test_in_a_kernel_the_console_can_ask_by_its_input_line(front: Front) -> None:
    cell = front.start(
        "import os; os.environ['TOHLAB_ASKER'] = 'console'\ntold(await asker_here().ask(ask_of(COLOUR)))"
    )
    try:
        request = front.client.get_stdin_msg(timeout=30)
        assert request["content"]["prompt"] == "number or your own words> "
        front.client.input("2")
        assert front.finish(cell).text == "c:Blue:None\n"
    finally:
        front.run("del os.environ['TOHLAB_ASKER']")
