"""Entries, their digest, and what a log's message says of them."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tohlab.catalog import Catalog, CatalogEntry, CatalogUpdate, Form, catalog_in, read_entries

# lone surrogates are texts too: a description cut inside a pair leaves one
TEXT = st.text(st.characters(), max_size=12) | st.text(st.sampled_from('a"\\\n\ud83d\ude00,[]'), max_size=6)
PAIRS = st.lists(st.tuples(TEXT, TEXT), max_size=4)


def test_the_digest_covers_one_json_array_per_line() -> None:
    catalog = Catalog.of([("a", "x"), ("b", "y")])
    assert catalog.canonical == '["a","x"]\n["b","y"]'
    assert catalog.digest == "d4bae0f93cf75044dad361fd44b9289067e0da554ef8ef383d846a38dea8b655"


def test_an_empty_catalog_has_the_digest_of_nothing() -> None:
    assert Catalog().digest == hashlib.sha256(b"").hexdigest()


def test_a_cut_character_is_escaped_in_the_digest_and_whole_ones_are_not() -> None:
    assert Catalog.of([("a", "\ud83d...")]).canonical == '["a","\\ud83d..."]'
    assert Catalog.of([("a", "\U0001f600\u2028/\x7f")]).canonical == '["a","\U0001f600\u2028/\x7f"]'


def test_order_counts() -> None:
    assert Catalog.of([("a", "x"), ("b", "y")]).digest != Catalog.of([("b", "y"), ("a", "x")]).digest


@given(PAIRS, PAIRS)
@example([("a", "b"), ("c", "d")], [("a", 'b"]\n["c","d')])
@example([("a", "\\ud83d")], [("a", "\ud83d")])
def test_entries_are_equal_exactly_where_digests_are(
    left: list[tuple[str, str]], right: list[tuple[str, str]]
) -> None:
    one, other = Catalog.of(left), Catalog.of(right)
    assert (one.entries == other.entries) == (one.digest == other.digest)
    assert (one == other) == (one.digest == other.digest)


def test_asking_for_the_digest_changes_neither_equality_nor_hash() -> None:
    asked, fresh = Catalog.of([("a", "x")]), Catalog.of([("a", "x")])
    assert asked.digest
    assert asked == fresh
    assert hash(asked) == hash(fresh)


def test_the_source_of_an_initial_catalog_says_nothing_of_an_update() -> None:
    update = CatalogUpdate(form="initial", catalog=Catalog.of([("a", "x")]))
    assert dict(update.source()) == {
        "kind": "skill-catalog",
        "form": "catalog",
        "entries": ({"name": "a", "description": "x"},),
    }


@pytest.mark.parametrize("form", ["replacement", "tombstone"])
def test_the_source_of_a_later_catalog_says_that_it_is_an_update(form: Form) -> None:
    update = CatalogUpdate(form=form, catalog=Catalog())
    assert update.source()["update"] is True
    assert list(update.source()) == ["kind", "form", "update", "entries"]


@given(PAIRS)
def test_what_an_update_logs_is_read_back(pairs: list[tuple[str, str]]) -> None:
    named = [(name or "x", description) for name, description in pairs]
    # stored as JSON in between, and side by side surrogates are one character by then
    update = CatalogUpdate(form="replacement", catalog=Catalog.of(named))
    stored = json.loads(json.dumps(dict(update.source())))
    read = catalog_in(stored)
    assert read is not None
    assert json.dumps([[e.name, e.description] for e in read.entries]) == json.dumps(named)


@pytest.mark.parametrize(
    "entries",
    [
        None,
        "text",
        3,
        {},
        [None],
        ["a"],
        [["a", "b"]],
        [{"name": "x"}],
        [{"description": "d"}],
        [{"name": "", "description": "d"}],
        [{"name": 1, "description": "d"}],
        [{"name": "a", "description": None}],
        [{"name": "a", "description": "d"}, {"name": "b"}],
    ],
)
def test_a_record_that_is_not_entries_cannot_be_read(entries: object) -> None:
    assert read_entries({"entries": entries}) is None


@pytest.mark.parametrize("source", [{}, {"kind": "skill-catalog"}, None, "text", []])
def test_a_record_without_entries_cannot_be_read(source: object) -> None:
    assert read_entries(source) is None


def test_an_empty_record_is_a_catalog_without_skills() -> None:
    assert read_entries({"entries": []}) == Catalog()


def test_names_in_a_record_are_not_checked_and_further_keys_are_ignored() -> None:
    read = read_entries({"entries": [{"name": "Bad_Name", "description": "d", "extra": 1}]})
    assert read == Catalog(entries=(CatalogEntry(name="Bad_Name", description="d"),))


def test_a_catalog_from_another_source_is_none_however_it_looks() -> None:
    entries = [{"name": "a", "description": "x"}]
    assert catalog_in({"kind": "plugin", "entries": entries}) is None
    assert catalog_in({"entries": entries}) is None
    assert catalog_in({"kind": "skill-catalog", "entries": entries}) == Catalog.of([("a", "x")])
