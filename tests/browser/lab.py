"""A real JupyterLab and what a person does in it."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

ROOT = Path(__file__).resolve().parents[2]
SLOW_MS = 120_000
"""How long a busy machine may take for what a kernel has to do first, in milliseconds."""
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
NEWS = '{"fetchNews": "false", "checkForUpdates": false}'
SETUP = """\
import asyncio
from tohlab.errors import AskError
from tohlab.notebook import asker_here
from tohlab.questions import AskRequest, Question, answers_to_json
def ask_of(*rows):
    return AskRequest.of([Question.from_wire(row) for row in rows])
asker = asker_here()
COLOUR = {"id": "colour", "header": "Colour", "question": "Which colour shall the button have?", "options": [
    {"label": "Blue (Recommended)", "description": "It is the colour of all other links."}, {"label": "Red"}]}
TOOLS = {"id": "tools", "question": "Which tools may I use?", "multiSelect": True, "options": [
    {"label": "read"}, {"label": "write"}, {"label": "run"}]}
NAME = {"id": "name", "question": "What is it called?"}
"""
ASK = "told = await asker.ask(ask_of(COLOUR, TOOLS, NAME))\nprint(answers_to_json(told))"
VIEW = "application/vnd.jupyter.widget-view+json"


def chromium() -> str:
    """Return the browser's path; without a browser the tests fail, they are not skipped."""
    executable = os.environ.get("TOHLAB_CHROMIUM") or shutil.which("chromium")
    if not executable:
        pytest.fail(
            "no browser: install one with `apt-get install chromium`, or name it in TOHLAB_CHROMIUM",
            pytrace=False,
        )
    return executable


@contextlib.contextmanager
def running_browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield browser
        browser.close()


class Lab:
    """A JupyterLab server in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notebooks = folder / "notebooks"
        self.notebooks.mkdir()
        self.token = secrets.token_hex(16)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.base = f"http://127.0.0.1:{probe.getsockname()[1]}"
        settings = folder / "settings" / "@jupyterlab" / "apputils-extension"
        settings.mkdir(parents=True)
        (settings / "notification.jupyterlab-settings").write_text(NEWS, encoding="utf-8")
        self._log = (folder / "lab.log").open("w", encoding="utf-8")
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1"),
                *(f"--port={self.base.rsplit(':', 1)[1]}", "--ServerApp.port_retries=0"),
                *(f"--IdentityProvider.token={self.token}", f"--ServerApp.root_dir={self.notebooks}"),
                *("--LabApp.expose_app_in_browser=True", "--KernelSpecManager.ensure_native_kernel=True"),
            ],
            env=self._environment(),
            stdout=self._log,
            stderr=self._log,
        )

    def _environment(self) -> dict[str, str]:
        keep = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "TOHLAB_", "JUPYTER"))}
        names = {
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_RUNTIME_DIR": "runtime",
            "JUPYTERLAB_SETTINGS_DIR": "settings",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
            "IPYTHONDIR": "ipython",
        }
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        return keep | {k: str(self.folder / v) for k, v in names.items()} | {"PYTHONPATH": path}

    def wait(self, timeout_s: float = 120) -> None:
        """Return when the server answers."""
        end = time.monotonic() + timeout_s
        while True:
            with contextlib.suppress(OSError), urllib.request.urlopen(self.url("/api/status"), timeout=2):
                return
            ended = self._process.poll() is not None
            if ended or time.monotonic() > end:
                self._log.flush()
                pytest.fail("JupyterLab did not start:\n" + (self.folder / "lab.log").read_text()[-4000:])
            time.sleep(0.1)

    def url(self, path: str) -> str:
        return f"{self.base}{path}?token={self.token}"

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()


class Window:
    """One browser window on JupyterLab; several notebooks are opened in it one after the other.

    Args:
        missing: an extension of JupyterLab that cannot be loaded, as on a server that lacks it.
    """

    def __init__(self, browser: Browser, lab: Lab, *, missing: str | None = None) -> None:
        self.lab = lab
        self.errors: list[str] = []
        self.context = browser.new_context(viewport={"width": 1000, "height": 900})
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(30_000)
        self.page.on("pageerror", self._error)
        self.page.on("dialog", self._dialog)
        if missing is not None:
            self.page.route(f"**/lab/extensions/{missing}/**", lambda route: route.abort())
        self.page.goto(lab.url("/lab") + "&reset", wait_until="domcontentloaded")
        self.settle()

    def settle(self) -> None:
        """Return when JupyterLab is there, without its left side."""
        self.page.wait_for_function("() => window.jupyterapp?.shell?.activateById", timeout=SLOW_MS)
        self.page.evaluate(
            "() => window.jupyterapp.restored.then(() => window.jupyterapp.shell.collapseLeft())"
        )

    def open(self, name: str) -> None:
        """Open a notebook, on its running kernel if it has one."""
        self.command("docmanager:open", {"path": name, "factory": "Notebook"})
        self.page.wait_for_function(
            "name => { const one = jupyterapp.shell.currentWidget;"
            " return one?.context?.path === name && one.context.isReady && one.sessionContext.isReady; }",
            arg=name,
            timeout=SLOW_MS,
        )
        self.wait_for_kernel()

    def open_without_kernel(self, name: str) -> None:
        self.command("docmanager:open", {"path": name, "factory": "Notebook", "kernel": {"canStart": False}})

    def close_current(self) -> None:
        """Close the notebook in front without saving it, and end its kernel."""
        self.page.evaluate(
            "async () => { const one = jupyterapp.shell.currentWidget, id = one?.sessionContext?.session?.id;"
            " one?.dispose(); if (id) await jupyterapp.serviceManager.sessions.shutdown(id); }"
        )

    def describe(self) -> str:
        """What stands in the window: its tabs, which of them is in front, and the text of the notebook."""
        return str(
            self.page.evaluate(
                "() => [...jupyterapp.shell.widgets('main')].map((one) => (one.isVisible ? '* ' : '  ')"
                " + one.title.label).join('\\n')"
                " + '\\n' + document.querySelector('.jp-Notebook')?.innerText"
            )
        )

    def _error(self, error: Any) -> None:
        # JupyterLab has errors of its own, as when a notebook is closed; a widget's module is a blob
        if "blob:" in (error.stack or ""):
            self.errors.append(f"{error}\n{error.stack}")

    def _dialog(self, dialog: Any) -> None:
        if dialog.type == "beforeunload":
            dialog.accept()
        else:
            self.errors.append(f"dialog: {dialog.message}")
            dialog.dismiss()

    def command(self, name: str, arguments: dict[str, Any] | None = None, *, wait: bool = True) -> None:
        """Run one of JupyterLab's commands; with `wait` until it is done."""
        call = "window.jupyterapp.commands.execute(name, arguments)"
        body = f"return {call}.then(() => null)" if wait else f"{call}"
        self.page.evaluate(f"([name, arguments]) => {{ {body} }}", [name, arguments or {}])

    def wait_for_kernel(self) -> None:
        self.page.wait_for_function(
            "() => jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'",
            timeout=SLOW_MS,
        )


class Notebook:
    """An open notebook with its own kernel."""

    def __init__(self, window: Window, name: str, cells: Sequence[str]) -> None:
        self.window = window
        self.page = window.page
        self.path = window.lab.notebooks / f"{name}.ipynb"
        spec = {"name": "python3", "display_name": "Python 3"}
        code = [nbformat.v4.new_code_cell(cell) for cell in cells]
        nbformat.write(nbformat.v4.new_notebook(cells=code, metadata={"kernelspec": spec}), self.path)
        window.open(self.path.name)

    # what is seen

    @property
    def cells(self) -> Locator:
        return self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook .jp-CodeCell")

    def cell(self, number: int) -> Locator:
        # JupyterLab draws only the cells near the window, so a position among the drawn ones says nothing
        front = ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook"
        return self.page.locator(f"{front} .jp-Cell[data-windowed-list-index='{number}']")

    def output(self, number: int) -> Locator:
        return self.cell(number).locator(".jp-OutputArea-output")

    def form(self, number: int) -> Locator:
        """The form below a cell, once it is there and scrolled to."""
        self.scroll_to(number)
        form = self.cell(number).locator(".tohlab-ask form").first
        form.wait_for(timeout=SLOW_MS)
        return form

    # what is done

    def run(self) -> None:
        self.window.command("notebook:run-all-cells", wait=False)

    def run_cell(self, number: int) -> None:
        """Start a cell and return once it was sent: the command looks late at which cell is active."""
        from playwright.sync_api import expect

        self.select(number)
        prompt = self.cell(number).locator(".jp-InputPrompt")
        before = prompt.inner_text()
        self.window.command("notebook:run-cell", wait=False)
        expect(prompt).not_to_have_text(before)

    def scroll_to(self, number: int) -> None:
        """Bring a cell near the window; others may not be drawn at all."""
        self.page.evaluate("n => jupyterapp.shell.currentWidget.content.scrollToItem(n)", number)

    def select(self, number: int) -> None:
        self.page.evaluate(
            "n => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = n; "
            "window.jupyterapp.shell.currentWidget.content.mode = 'command'; }",
            number,
        )

    def interrupt(self) -> None:
        self.window.command("notebook:interrupt-kernel")

    def save(self) -> Any:
        self.window.command("docmanager:save")
        return nbformat.read(self.path, as_version=4)

    def close(self) -> None:
        self.window.close_current()


Opener = Callable[..., Notebook]


def button(form: Locator, name: str) -> Locator:
    return form.get_by_role("button", name=name, exact=True)


def expect_text(notebook: Notebook, cell: int, text: str) -> None:
    from playwright.sync_api import expect

    notebook.scroll_to(cell)
    expect(notebook.output(cell).last).to_contain_text(text, timeout=SLOW_MS)


def expect_answers(notebook: Notebook, cell: int, *rows: dict[str, Any]) -> None:
    text = json.dumps({"answers": list(rows)}, ensure_ascii=False, separators=(",", ":"))
    expect_text(notebook, cell, text)
