import pytest

from tohlab.skills.collation import collation_key


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("x", "x.md"),
        ("a-b", "a.b"),
        ("a_b", "a-b"),
        ("a9", "ab"),
        ("a", "A"),
        ("A", "b"),
        ("a b", "a-b"),
        ("cafe", "café"),
        ("café", "caff"),
        ("é", "è"),
        ("z", "я"),
        ("~", "0"),
    ],
)
def test_names_sort_as_locale_compare_sorts_them(first: str, second: str) -> None:
    assert collation_key(first) < collation_key(second)
