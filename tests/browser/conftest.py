"""One browser, one JupyterLab and one window for all tests of this folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.lab import SETUP, Lab, Notebook, Opener, Window, running_browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="package")
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


@pytest.fixture(scope="package")
def windows(browser: Browser, lab: Lab) -> Windows:
    return Windows(browser, lab)


@pytest.fixture
def notebook(windows: Windows, request: pytest.FixtureRequest) -> Iterator[Opener]:
    """Open a notebook with the given cells below a first one that brings `asker` and three questions."""
    window = windows.get()
    window.errors.clear()
    opened: list[Notebook] = []

    def open_(*cells: str) -> Notebook:
        # With its file's name: two notebooks of one path would share a kernel, as JupyterLab has it.
        name = re.sub(r"\W+", "-", f"{request.node.path.stem} {request.node.name}")[:80] + f"-{len(opened)}"
        opened.append(Notebook(window, name, (SETUP, *cells)))
        return opened[-1]

    failed = request.session.testsfailed
    yield open_
    if request.session.testsfailed > failed:
        print("JupyterLab when the test failed:", window.describe(), window.errors, sep="\n")
        windows.throw_away()
        return
    for one in opened:
        one.close()
    assert window.errors == []
