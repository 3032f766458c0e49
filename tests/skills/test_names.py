import pytest

from tohlab.skills.names import is_skill_name


@pytest.mark.parametrize("name", ["a", "7", "pdf-forms", "2-skill", "constructor", "x" * 500])
def test_words_of_lower_case_letters_and_digits_joined_by_hyphens_are_names(name: str) -> None:
    assert is_skill_name(name)


@pytest.mark.parametrize(
    "name", ["", "A", "a_b", "a.b", "-a", "a-", "a--b", " a", "a\n", "a\r", "né", "a１", "а", "a/b"]
)
def test_everything_else_is_no_name(name: str) -> None:
    assert not is_skill_name(name)
