"""Who answers where, outside a kernel; inside one, see test_protocol.py."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tohlab.askers import DISMISS, Asker
from tohlab.errors import AskError, AskerUnavailable, ScriptError
from tohlab.notebook import AutoAsker, RecordedScript, WidgetAsker, asker_here
from tohlab.notebook import surface as place
from tohlab.notebook.pump import check_kernel, comm_pump, generation
from tohlab.questions import Answer, AskRequest, Question

NAME = AskRequest.of([Question.from_wire({"id": "n", "question": "Name?"})])


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOHLAB_ASKER", raising=False)
    monkeypatch.setattr(place, "running_kernel", lambda: None)
    monkeypatch.setattr(sys, "stdin", None)


def test_each_is_an_asker() -> None:
    for asker in (WidgetAsker(), AutoAsker(), RecordedScript({})):
        assert isinstance(asker, Asker)


async def test_outside_a_notebook_the_widget_names_what_to_use() -> None:
    with pytest.raises(
        AskerUnavailable, match=r"question 'n' \('Name\?'\).*use ScriptedAsker\(\{'n': ...\}\)"
    ):
        await WidgetAsker().ask(NAME)


async def test_with_a_script_the_same_code_runs_anywhere() -> None:
    assert await asker_here(script={"n": "me"}).ask(NAME) == (Answer(id="n", custom="me"),)


async def test_without_a_person_and_without_a_script_it_is_an_error_that_names_the_question() -> None:
    with pytest.raises(AskerUnavailable, match="question 'n'"):
        await asker_here().ask(NAME)


async def test_a_script_in_order_goes_on_from_question_to_question() -> None:
    asker = asker_here(script=["one", "two"])
    given = [(await asker.ask(NAME))[0].custom, (await asker.ask(NAME))[0].custom]
    assert given == ["one", "two"]
    with pytest.raises(ScriptError, match="ended after 2 answers"):
        await asker.ask(NAME)


async def test_a_posted_question_is_answered_by_the_script_at_once() -> None:
    pending = asker_here(script={"n": "me"}).post(NAME)
    assert pending.state == "answered"
    assert pending.answers == await pending == (Answer(id="n", custom="me"),)
    pending.close()
    assert pending.state == "answered"


async def test_a_script_that_dismisses_is_raised_where_the_answer_is_read() -> None:
    pending = asker_here(script={"n": DISMISS}).post(NAME)
    assert pending.state == "cancelled"
    for _ in range(2):
        with pytest.raises(AskError, match="cancelled"):
            await pending
        with pytest.raises(AskError, match="cancelled"):
            _ = pending.answers


async def test_an_empty_batch_is_refused_before_anybody_is_asked() -> None:
    for asker in (WidgetAsker(), AutoAsker({}), RecordedScript({})):
        with pytest.raises(AskError, match="at least one question"):
            await asker.ask(AskRequest.of([]))


@pytest.mark.parametrize("surface", sorted(place.INSTEAD))
def test_there_is_advice_for_every_place(surface: Any) -> None:
    assert "asked" in place.nobody_here(surface, NAME.questions[0])
    assert "{" not in place.INSTEAD[surface].format(id="n").replace("{'n'", "")


def test_marimo_is_known_and_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    marimo = ModuleType("marimo")
    vars(marimo)["running_in_notebook"] = lambda: True
    monkeypatch.setitem(sys.modules, "marimo", marimo)
    with pytest.raises(AskerUnavailable, match=r"mo\.ui\.form"):
        WidgetAsker().post(NAME)


def test_colab_is_known_and_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "running_kernel", SimpleNamespace)
    monkeypatch.setitem(sys.modules, "google.colab", ModuleType("google.colab"))
    with pytest.raises(AskerUnavailable, match="Colab"):
        WidgetAsker().post(NAME)


class Kernel74:
    async def dispatch_shell(
        self, msg: Any, /, subshell_id: Any = None, *, concurrent: bool = False
    ) -> None: ...


class Kernel70:
    _main_asyncio_lock = None

    async def dispatch_shell(self, msg: Any, /, subshell_id: Any = None) -> None: ...


class Kernel6:
    msg_queue = None
    session = None

    async def dispatch_shell(self, msg: Any) -> None: ...


class KernelOfAnother:
    pass


def test_a_kernel_is_known_by_what_it_can_do() -> None:
    kinds = [generation(kind()) for kind in (Kernel74, Kernel70, Kernel6, KernelOfAnother)]
    assert kinds == ["native", "losing", "queued", "unknown"]


async def test_a_kernel_that_would_lose_clicks_is_refused_with_what_to_install() -> None:
    with pytest.raises(AskerUnavailable, match=r"7\.0 to 7\.3.*ipykernel>=7\.4"):
        check_kernel(Kernel70())
    with pytest.raises(AskerUnavailable, match="not an ipykernel that tohlab knows"):
        async with comm_pump(KernelOfAnother()):
            pass
