"""The front door: what `import tohlab` gives, and what it leaves alone."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import tohlab

HEAVY = (
    "pandas",
    "openai",
    "ipywidgets",
    "tiktoken",
    "matplotlib",
    "numpy",
    "scipy",
    "yaml",
    "jinja2",
    "rich",
)


def _loaded_by(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sorted(m.split('.')[0] for m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_tohlab_loads_nothing_heavy() -> None:
    assert not _loaded_by("import tohlab") & set(HEAVY)


def test_the_command_line_starts_without_anything_heavy() -> None:
    assert not _loaded_by("import tohlab.cli") & (set(HEAVY) - {"rich"})


def test_the_explorer_can_be_had_without_loading_widgets() -> None:
    assert not _loaded_by("from tohlab import Explorer, explore") & {"ipywidgets", "anywidget"}


@pytest.mark.parametrize("name", [n for n in tohlab.__all__ if n != "__version__"])
def test_every_public_name_can_be_had(name: str) -> None:
    value = getattr(tohlab, name)
    assert value.__name__ == name
    assert value.__doc__
    assert value.__doc__.strip()


def test_the_public_names_are_sorted_and_each_is_typed() -> None:
    names = tohlab.__all__[1:]
    assert names == sorted(names)
    tree = ast.parse(Path(tohlab.__file__).read_text(encoding="utf-8"))
    guarded = next(n for n in tree.body if isinstance(n, ast.If))
    typed = {a.asname for n in guarded.body if isinstance(n, ast.ImportFrom) for a in n.names}
    assert typed == set(names)


def test_a_name_that_does_not_exist_says_so() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = tohlab.nonsense
    assert "measure" in dir(tohlab)
