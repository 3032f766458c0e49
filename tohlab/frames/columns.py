"""Every table that `frame` gives, with every column: its pandas type and what it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

Table = Literal[
    "segments",
    "catalog_cost",
    "catalog",
    "harnesses",
    "harness",
    "prefix",
    "edits",
    "trials",
    "skills",
    "confusion",
    "files",
    "survival",
    "findings",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of a table."""

    name: str
    dtype: Literal["string", "Int64", "Float64", "boolean"]
    meaning: str


def _columns(*rows: tuple[str, Literal["string", "Int64", "Float64", "boolean"], str]) -> tuple[Column, ...]:
    return tuple(Column(name=name, dtype=dtype, meaning=meaning) for name, dtype, meaning in rows)


def _rate_columns(name: str, of: str) -> tuple[tuple[str, Literal["Float64", "Int64"], str], ...]:
    return (
        (name, "Float64", f"{of}, 0 to 1"),
        (f"{name}_low", "Float64", "lower end of its 95 % Wilson interval"),
        (f"{name}_high", "Float64", "upper end"),
        (f"{name}_n", "Int64", "the cases it is a share of"),
    )


COLUMNS: Final[Mapping[str, tuple[Column, ...]]] = MappingProxyType(
    {
        "segments": _columns(
            ("path", "string", "the segment's address in the request"),
            ("kind", "string", "tool, system, tool-call, or the kind of its message"),
            ("name", "string", "the tool, or the named part of the text; frame for what lies between parts"),
            ("role", "string", "system, user, assistant or tool"),
            ("tokens", "Int64", "of the meter; the rows add up to the request"),
            ("characters", "Int64", "Python code points"),
            ("share", "Float64", "of the request's tokens, 0 to 1"),
        ),
        "catalog_cost": _columns(
            ("kind", "string", "tool, catalog (the text around the entries) or skill"),
            ("name", "string", "the tool, frame, or the skill"),
            ("tokens", "Int64", "paid in every request"),
            ("loaded_tokens", "Int64", "what loading the skill adds; NA where it was not asked for"),
            ("share", "Float64", "of the total, 0 to 1"),
        ),
        "catalog": _columns(
            ("position", "Int64", "counted from 0, in the order in which the model reads"),
            ("name", "string", "the skill"),
            ("description", "string", "normalised and cut, not escaped"),
            ("characters", "Int64", "of the description, Python code points"),
        ),
        "harnesses": _columns(
            ("harness", "string", "its name"),
            ("title", "string", "the program's own name"),
            ("fidelity", "string", "of the list: executed, source, documented or reconstructed"),
            ("version", "string", "of the program"),
            ("date", "string", "the day on which the texts were taken, ISO 8601"),
            ("place", "string", "where the list sits: system, developer, user, tool-description, none"),
            ("on_change", "string", "what a change of the skills does while a session runs"),
            ("listed", "Int64", "skills of the folder in the list"),
            ("bundled", "Int64", "skills in the list that the program brings itself"),
            ("cut", "Int64", "entries whose description was shortened or left out"),
            ("dropped", "Int64", "skills that a limit, a gate or another skill keeps out of the list"),
            ("hidden", "Int64", "skills that their own files keep out of the list"),
            ("skipped", "Int64", "files that give no skill"),
            ("tools_tokens", "Int64", "the tools, without the list where it sits in one"),
            ("listing_tokens", "Int64", "the list, encoded as one text"),
            ("bundled_tokens", "Int64", "of the list: the program's own skills"),
            ("total_tokens", "Int64", "tools and list, paid in every request"),
            ("ratio", "Float64", "total over that of the cheapest harness; NA where nothing is listed"),
        ),
        "harness": _columns(
            ("state", "string", "listed, cut, dropped, hidden or skipped"),
            ("name", "string", "the skill; NA for a file that gives none"),
            ("path", "string", "its file below the skills root; NA for the program's own"),
            ("source", "string", "its file in the folder that was given; NA for the program's own"),
            ("tokens", "Int64", "of its entry; NA where it has none"),
            ("characters", "Int64", "of its entry, Python code points"),
            ("before_chars", "Int64", "the description as the harness counts; NA where it was not cut"),
            ("after_chars", "Int64", "what was left of it; NA where it was not cut"),
            ("bundled", "boolean", "the program brings the skill itself"),
            ("why", "string", "why it was cut, dropped, hidden or skipped; empty where it was not"),
        ),
        "prefix": _columns(
            ("position", "Int64", "counted from 0, in the order given"),
            ("meter", "string", "which meter counted"),
            ("before_tokens", "Int64", "the earlier request"),
            ("after_tokens", "Int64", "the later request"),
            ("shared_tokens", "Int64", "their longest common prefix"),
            ("new_tokens", "Int64", "what the later request computes afresh"),
            ("lost_tokens", "Int64", "what the earlier request had and the later does not share"),
            ("reused_share", "Float64", "shared_tokens over after_tokens, 0 to 1"),
            ("path", "string", "the first difference as an address; NA where there is none"),
            ("label", "string", "the same for a person"),
            ("sentence", "string", "what happened"),
        ),
        "edits": _columns(
            ("edit", "string", "add, edit, remove or reorder"),
            ("skill", "string", "which skill was changed"),
            ("moment", "string", "running session or next session"),
            ("before_tokens", "Int64", "the request before the change"),
            ("after_tokens", "Int64", "the request after it"),
            ("shared_tokens", "Int64", "their longest common prefix"),
            ("new_tokens", "Int64", "what the request after the change computes afresh"),
            ("lost_tokens", "Int64", "what would be shared without the change and is not"),
            ("added_tokens", "Int64", "how much longer the request is than without the change"),
            ("reused_share", "Float64", "shared_tokens over after_tokens, 0 to 1"),
            ("where", "string", "the first difference; empty if only appended"),
            ("sentence", "string", "what happened"),
        ),
        "trials": _columns(
            ("case", "string", "the case's id"),
            ("query", "string", "what the user asks"),
            ("group", "string", "what the case belongs to, or empty"),
            ("replicate", "Int64", "counted from 0"),
            ("expected", "string", "skills joined by a blank, sorted; empty: none fits; NA: not labelled"),
            ("loaded", "string", "skills that the answer loads, joined by a blank, in its order"),
            ("invalid", "string", "names that are not in the catalog, joined by a blank"),
            ("label", "string", "the answer's one label, such as ok or wrong_skill"),
            ("state", "string", "scored, model_error (scored as wrong) or service_error (not scored)"),
            ("right", "boolean", "exactly the expected skills were loaded; NA where it was not scored"),
            ("detail", "string", "what is wrong, or empty"),
            ("latency_s", "Float64", "seconds of the answer when it was asked; NA without one"),
        ),
        "skills": _columns(
            ("name", "string", "the skill"),
            ("support", "Int64", "scored cases that expect it"),
            ("predicted", "Int64", "scored cases that loaded it"),
            *_rate_columns("precision", "of the cases that loaded it, those that expect it"),
            *_rate_columns("recall", "of the cases that expect it, those that loaded it"),
            ("f1", "Float64", "0 to 1; NA where no case expects or loads it"),
        ),
        "confusion": _columns(
            ("expected", "string", "a skill, or (none) where none fits"),
            ("predicted", "string", "a skill, (none), or (invalid) for an answer of no use"),
            ("n", "Int64", "answers"),
        ),
        "files": _columns(
            ("path", "string", "the file, as it was found"),
            ("name", "string", "the skill's name; NA where none could be read"),
            ("dialect", "string", "which harness"),
            ("loads", "boolean", "that harness takes the skill from this file"),
            ("problems", "Int64", "how many things are wrong with it"),
            ("codes", "string", "their codes joined by a blank, in order"),
        ),
        "survival": _columns(
            ("path", "string", "the file, below the folder that was looked at"),
            ("harness", "string", "its name"),
            ("outcome", "string", "loads, changed, hidden or skipped"),
            ("name", "string", "what the harness calls the skill; NA where there is none"),
            (
                "description",
                "string",
                "as the harness keeps it, before a list cuts it; NA where there is none",
            ),
            ("code", "string", "a stable word for the rule behind the outcome; empty for loads"),
            ("codes", "string", "the words for all that happened to it, joined by a blank, code first"),
            ("reason", "string", "what happened; empty for loads"),
            ("line", "Int64", "where in the file, from 1; NA where no line can be named"),
            ("repair", "string", "the smallest change that would mend it"),
            ("silent", "boolean", "the harness says nothing about it, not even in a log"),
            ("before_chars", "Int64", "the description as the harness counts; NA where it was not cut"),
            ("after_chars", "Int64", "what the model is told of it; NA where it was not cut"),
            ("notes", "string", "what is not certain about it, one a line"),
        ),
        "findings": _columns(
            ("path", "string", "the file, below the folder that was looked at"),
            ("line", "Int64", "in the file, from 1; NA where no line can be named"),
            ("kind", "string", "what kind of text it is, such as closing-tag"),
            ("place", "string", "name, description or body"),
            ("text", "string", "the tag, the name, or the characters' code points"),
            ("harness", "string", "one that lets it out of its block, or passes the characters through"),
            ("doors", "string", "where there: list, loaded or user, joined by a blank"),
            ("message", "string", "what it does, in a sentence"),
        ),
    }
)
"""Every table: its columns in order, each with its pandas type and meaning."""
