"""The page in a real browser: quiet, alone, as wide as its window, and usable by keyboard."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.report import samples
from tohlab.report import Report, write_html

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HOSTILE = (
    "<img src=http://127.0.0.1:1/x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    " a-very-long-word-" + "x" * 400
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    executable = os.environ.get("TOHLAB_CHROMIUM") or shutil.which("chromium")
    if not executable:
        pytest.fail(
            "no browser: install one with `apt-get install chromium`, or name it in TOHLAB_CHROMIUM",
            pytrace=False,
        )
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


class Visit:
    """One page opened at one width, with all that it said and asked for."""

    def __init__(self, browser: Browser, path: Path, width: int, scheme: str = "light") -> None:
        self.said: list[str] = []
        self.asked: list[str] = []
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]  # light and dark alone are given
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page: Page = context.new_page()
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())

    def tab_to(self, selector: str) -> None:
        """Press Tab until the element has the focus."""
        for _ in range(200):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        pytest.fail(f"{selector} cannot be reached by keyboard")


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return _write(samples.report(), tmp_path)


def _write(report: Report, folder: Path) -> Path:
    return write_html(report, folder / "page.html")


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_says_nothing_asks_for_nothing_and_fits(
    browser: Browser, tmp_path: Path, width: int, scheme: str
) -> None:
    path = _write(samples.report(description=HOSTILE, title="folder-" + "y" * 120), tmp_path)
    visit = Visit(browser, path, width, scheme)
    visit.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
    assert visit.said == []
    assert visit.asked == [path.as_uri()]
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    assert "owned" not in visit.page.title()


def test_on_a_phone_the_changes_stand_below_each_other_and_nothing_is_cut_off(
    browser: Browser, written: Path
) -> None:
    page = Visit(browser, written, 375).page
    boxes = page.evaluate(
        "[...document.querySelectorAll('.scroll:has(.changes)')].map(b => [b.scrollWidth, b.clientWidth])"
    )
    assert len(boxes) == 2
    assert all(inner <= outer for inner, outer in boxes)
    assert page.get_by_role("table").filter(has_text="While the session runs").get_by_role("row").count() == 5


def test_the_policy_stops_a_script_that_got_onto_the_page(browser: Browser, tmp_path: Path) -> None:
    path = _write(samples.report(), tmp_path)
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("<main", "<script>document.title='owned'</script><main", 1), encoding="utf-8"
    )
    visit = Visit(browser, path, 1280)
    assert "owned" not in visit.page.title()
    assert any("Content Security Policy" in line for line in visit.said)


def test_a_table_is_sorted_by_keyboard_and_says_so(browser: Browser, written: Path) -> None:
    visit = Visit(browser, written, 1280)
    page = visit.page

    def names() -> list[str]:
        return page.locator("table.tokens tbody th").all_inner_texts()

    assert names() == list(samples.NAMES)
    visit.tab_to("table.tokens thead th:nth-child(2) button")
    page.keyboard.press("Enter")
    assert names() == list(reversed(samples.NAMES))
    head = page.locator("table.tokens thead th").nth(1)
    assert head.get_attribute("aria-sort") == "descending"
    assert page.locator("#said").inner_text() == "Sorted by Catalog entry, descending"
    page.keyboard.press("Space")
    assert names() == list(samples.NAMES)
    assert head.get_attribute("aria-sort") == "ascending"


def test_what_cannot_be_read_sorts_below_every_number(browser: Browser, written: Path) -> None:
    page = Visit(browser, written, 1280).page
    page.get_by_role("button", name="When loaded").click()
    assert page.locator("table.tokens tbody th").last.inner_text() == "pdf-forms"


def test_the_catalog_is_copied_by_keyboard_exactly(browser: Browser, tmp_path: Path) -> None:
    report = samples.report(description="quotes \"'` & <b> and emoji 🦊")
    visit = Visit(browser, _write(report, tmp_path), 1280)
    visit.tab_to("button[data-copy=catalog]")
    visit.page.keyboard.press("Enter")
    visit.page.locator("button[data-copy=catalog]", has_text="Copied").wait_for()
    copied = visit.page.evaluate("navigator.clipboard.readText()")
    assert copied == "".join(piece.text for piece in report.catalog)


def test_the_skip_link_is_the_first_stop_and_leads_to_the_report(browser: Browser, written: Path) -> None:
    page = Visit(browser, written, 1280).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the report"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_a_skill_s_name_leads_to_its_entry(browser: Browser, written: Path) -> None:
    page = Visit(browser, written, 375).page
    page.get_by_role("link", name="pdf-forms").click()
    assert page.evaluate("document.querySelector('.entry:target').textContent").startswith("- `pdf-forms`")


def test_without_script_the_page_still_says_everything(browser: Browser, written: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(written.as_uri())
    assert page.get_by_role("button").count() == 0
    assert page.locator("table.tokens tbody tr").count() == len(samples.NAMES)


def test_printing_opens_what_is_closed(browser: Browser, written: Path) -> None:
    page = Visit(browser, written, 1280).page
    page.emulate_media(media="print")
    assert page.get_by_role("navigation").is_visible() is False
    assert page.get_by_text("Write down what changed since the last version").first.is_visible()
