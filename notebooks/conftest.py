"""Keeps a chapter's cells in their order under nbval, whatever plug-in shuffles tests."""

from __future__ import annotations

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the cells of each notebook back into the places that they hold, in the notebook's order."""
    places = [i for i, item in enumerate(items) if hasattr(item, "cell_num")]
    cells = sorted((items[i] for i in places), key=lambda item: (str(item.path), item.cell_num))  # type: ignore[attr-defined]  # nbval's items alone, which have it
    for place, cell in zip(places, cells, strict=True):
        items[place] = cell
