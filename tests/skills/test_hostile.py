"""What in a skill's text may do more than be read, before any harness has rendered it."""

from __future__ import annotations

import pytest

from tohlab.skills.hostile import spelled, suspicions


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("</skill>", ["</skill>"]),
        ("<skill>x</skill>", []),
        ("<skill>x</skill></skill>", ["</skill>"]),
        ("</skill><skill>", ["</skill>"]),
        ("<skill/></skill>", ["</skill>"]),
        ("</a></b></a>", ["</a>", "</b>"]),
        ("</skill_content >", ["</skill_content >"]),
        ("</ skill> < /skill> </1>", []),
        ("a < b and c > d", []),
    ],
)
def test_a_closing_tag_counts_where_the_text_has_not_opened_it(text: str, tags: list[str]) -> None:
    assert [one.text for one in suspicions(text, "body") if one.kind == "closing-tag"] == tags


def test_quotes_count_in_names_alone() -> None:
    assert [one.kind for one in suspicions("it's", "name")] == ["quote-in-name"]
    assert list(suspicions('it\'s "so"', "description")) == []


def test_characters_count_once_a_line_and_are_spelled() -> None:
    found = list(suspicions("a\u200bb\u200b\u2060\n\nc\u202e\x07\r\n", "body"))
    assert [(one.kind, one.offset) for one in found] == [
        ("invisible-character", 1),
        ("control-character", 9),
        ("bidi-character", 8),
    ]
    assert spelled(found[0].text) == "U+200B ZERO WIDTH SPACE x2, U+2060 WORD JOINER"


@pytest.mark.parametrize(
    "text", ["plain\ttext\r\n", "héllo wörld 中文 العربية", "👨\u200d👩\u200d👧", "👍🏽 ✔\ufe0f"]
)
def test_ordinary_text_of_any_script_is_not_suspicious(text: str) -> None:
    assert list(suspicions(text, "body")) == []


def test_a_joiner_between_ascii_letters_is() -> None:
    assert [one.kind for one in suspicions("a\u200db", "body")] == ["invisible-character"]
