"""The chapters in `notebooks/` run from top to bottom, offline, and give the numbers that are stored in them.

Each runs in a pytest of its own with nbval: cells of one notebook must keep their order and their kernel, and
a suite that shuffles its tests and spreads them over processes cannot promise that.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]


def run_nbval(path: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run every cell and compare its output with the stored one."""
    config = folder / "pytest.ini"
    config.write_text("[pytest]\n", encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
        "PYTHONHASHSEED": "0",
        "COLUMNS": "100",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "MPLCONFIGDIR": str(folder / "matplotlib"),
        "IPYTHONDIR": str(folder / "ipython"),
    }
    environment.pop("PYTEST_ADDOPTS", None)
    plugins = ["-p", "no:randomly", "-p", "no:xdist", "-p", "no:cacheprovider"]
    options = ["--nbval", "--nbval-current-env", "--nbval-cell-timeout=300", "-q", "--color=no"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-c", str(config), *plugins, *options, str(path)],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )


def test_the_chapters_are_there_in_their_order() -> None:
    assert [path.stem for path in CHAPTERS] == [
        "01-what-the-model-sees",
        "02-what-it-costs",
        "03-is-the-right-skill-picked",
        "04-ask-the-user",
        "05-the-same-skills-in-sixteen-harnesses",
        "06-route",
        "07-did-the-new-description-help",
        "08-what-an-edit-costs",
        "09-do-the-intervals-hold",
        "10-five-identical-descriptions",
    ]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_runs_and_gives_what_is_stored_in_it(path: Path, tmp_path: Path) -> None:
    done = run_nbval(path, tmp_path)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert f"{len(code_cells(read(path)))} passed" in done.stdout


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_was_run_whole_in_order_and_without_a_warning(path: Path) -> None:
    # nbval runs a cell that was never executed, but compares nothing
    notebook = read(path)
    nbformat.validate(notebook)
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert "widgets" not in notebook.metadata
    for cell in cells:
        for output in cell.outputs:
            assert output.output_type != "error"
            assert output.get("name") != "stderr", output.text


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_names_no_path_of_the_machine_it_was_run_on(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert str(ROOT) not in text
    assert str(Path.home()) not in text


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_points_only_to_chapters_that_are_there(path: Path) -> None:
    text = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    for name in re.findall(r"\]\(([^)#]+\.ipynb)", text):
        assert (path.parent / name).is_file(), name


@pytest.mark.parametrize("stem", ["06-", "07-", "09-", "10-"])
def test_each_figure_says_in_words_what_it_shows(stem: str) -> None:
    (path,) = (path for path in CHAPTERS if path.stem.startswith(stem))
    drawn = [c for c in code_cells(read(path)) if any("image/png" in o.get("data", {}) for o in c.outputs)]
    assert drawn
    for cell in drawn:
        assert len(cell.metadata.get("alt", "")) > 80, cell.source[:60]


def test_another_number_than_the_stored_one_is_noticed(tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook()
    cell = nbformat.v4.new_code_cell("print(6 * 7)", execution_count=1)
    cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text="43\n")]
    notebook.cells = [cell]
    path = tmp_path / "wrong.ipynb"
    nbformat.write(notebook, path)
    done = run_nbval(path, tmp_path)
    assert done.returncode == 1
    assert "1 failed" in done.stdout


def test_a_plugin_that_shuffles_tests_leaves_the_cells_in_order() -> None:
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "-q"]
    chapter = ROOT / "notebooks" / "04-ask-the-user.ipynb"
    done = subprocess.run(
        [
            *command,
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            "-o",
            "addopts=",
            "--collect-only",
            str(chapter),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    cells = [line.rsplit(" ", 1)[1] for line in done.stdout.splitlines() if "::Cell" in line]
    assert cells == [str(n) for n in range(len(cells))], done.stdout
    assert len(cells) > 5
