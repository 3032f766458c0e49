"""Options and fixtures that every room's tests share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# a busy machine is slow, not wrong: no test of ours fails for the time that it took
settings.register_profile("tohlab", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tohlab")

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tohlab")
    group.addoption(
        "--vectors",
        metavar="FILE",
        default=None,
        help="conformance vectors to hold the dialects against (default: the project's own copies)",
    )
    group.addoption(
        "--update-golden",
        action="store_true",
        help="write the golden files anew; the difference is then reviewed as a change of behaviour",
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Spread tests over processes one by one, but keep those that drive JupyterLab together in one.

    `--dist=loadgroup` would do that, but pytest 9.2 no longer has the node ids that xdist 3.8 marks.
    """
    from xdist.scheduler import LoadScopeScheduling

    class BrowserTogether(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "tests/browser" if nodeid.startswith("tests/browser/") else nodeid

    return BrowserTogether(config, log) if config.option.dist == "load" else None


class Golden:
    """Compares a text with the file that holds it, byte for byte."""

    def __init__(self, *, update: bool) -> None:
        self._update = update

    def check(self, name: str, text: str) -> None:
        """Assert that `text` is what `tests/golden/<name>` holds; with --update-golden write it there."""
        path = GOLDEN / name
        if self._update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8", "surrogatepass"))
        assert path.is_file(), f"{path} is missing; write it with --update-golden and review it"
        assert text == path.read_bytes().decode("utf-8", "surrogatepass")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """The golden files."""
    return Golden(update=request.config.getoption("--update-golden"))
