"""Dialects are found by name."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tohlab.dialects import dialect_names, get_dialect
from tohlab.errors import TohlabError, UnknownDialect


def test_there_is_a_list_of_names_and_each_gives_its_dialect() -> None:
    assert dialect_names() == tuple(sorted(dialect_names()))
    assert [get_dialect(name).name for name in dialect_names()] == list(dialect_names())


def test_an_instance_is_given_back_as_it_is() -> None:
    toh = get_dialect("toh")
    assert get_dialect(toh) is toh


@pytest.mark.parametrize("name", ["tho", "TOH", "thoh"])
def test_a_near_name_is_suggested(name: str) -> None:
    with pytest.raises(UnknownDialect, match="Did you mean 'toh'") as caught:
        get_dialect(name)
    assert (caught.value.name, caught.value.nearest) == (name, "toh")
    assert isinstance(caught.value, TohlabError)


def test_a_name_that_is_near_none_lists_those_that_there_are() -> None:
    with pytest.raises(UnknownDialect, match=r"Known: .*toh") as caught:
        get_dialect("zzzzzz")
    assert caught.value.nearest is None
    assert "Did you mean" not in str(caught.value)


def test_a_dialect_is_loaded_when_it_is_asked_for() -> None:
    code = (
        "import sys, tohlab.dialects as d; assert 'tohlab.dialects.toh' not in sys.modules;"
        "d.dialect_names();"
        "assert 'tohlab.dialects.toh' not in sys.modules; d.get_dialect('toh');"
        "assert 'tohlab.dialects.toh' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", dialect_names())
def test_every_dialect_says_where_its_texts_come_from(name: str) -> None:
    dialect = get_dialect(name)
    for part in ("catalog", "replacement", "tombstone", "tool", "result"):
        origin = dialect.provenance_of(part)
        assert origin.fidelity in ("executed", "source", "documented", "reconstructed")
        assert origin.program
        assert origin.version
        assert len(origin.date) == len("2026-12-01")
    assert (dialect.fidelity, dialect.version, dialect.date) == (
        dialect.provenance.fidelity,
        dialect.provenance.version,
        dialect.provenance.date,
    )


@pytest.mark.parametrize("name", dialect_names())
def test_every_dialect_is_a_value(name: str) -> None:
    assert hash(get_dialect(name)) == hash(get_dialect(name))
    with pytest.raises(AttributeError):
        get_dialect(name).name = "other"  # type: ignore[misc]  # that it is refused is the point
