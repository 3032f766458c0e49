"""One look at a folder: every skill file in every harness."""

from __future__ import annotations

import os
from collections.abc import Iterable

from tohlab.dialects.file_tree import ReadableTree
from tohlab.dialects.harness import FileTree, Harness
from tohlab.dialects.harnesses import get_harness, harness_names
from tohlab.dialects.installed import Layout
from tohlab.survival.escapes import findings_of
from tohlab.survival.judging import fates_of
from tohlab.survival.model import Fate, Survey
from tohlab.survival.trees import Folder, read_folder


def survey(
    directory: str | os.PathLike[str] | FileTree,
    dialects: Iterable[str | Harness] | None = None,
    *,
    layout: Layout = "auto",
) -> Survey:
    """Return the survival table of a folder: what each harness makes of each of its skill files.

    Args:
        directory: a skills root, or any folder or repository with skills in it; or files held in memory.
        dialects: the harnesses' names, in the order of the columns; all of them unless told otherwise.
        layout: whether skills that lie deeper than one folder are laid side by side first, as `installed`
            does it. Two folders of one name then lie in two roots, and each root is looked at by itself.

    Raises:
        SkillError: there is no such folder.
        UnknownDialect: there is no such harness.
    """
    harnesses = chosen(dialects)
    return survey_of(read_folder(directory, layout), harnesses)


def chosen(dialects: Iterable[str | Harness] | None) -> tuple[Harness, ...]:
    """Return the harnesses of these names, each once; all of them for None."""
    wanted = harness_names() if dialects is None else tuple(dialects)
    return tuple({found.name: found for found in map(get_harness, wanted)}.values())


def survey_of(folder: Folder, harnesses: tuple[Harness, ...], *, findings: bool = True) -> Survey:
    """Return the table of a folder that was read already."""
    notes: dict[str, tuple[str, ...]] = {"": tuple(_notes_of(folder))}
    columns: list[dict[str, Fate]] = []
    for harness in harnesses:
        fates, notes[harness.name] = fates_of(harness, folder)
        columns.append(fates)
    return Survey(
        directory=folder.directory,
        moved=any(root.placed.moved for root in folder.roots),
        harnesses=tuple(harness.name for harness in harnesses),
        files=folder.files,
        fates=tuple(column[path] for path in folder.files for column in columns),
        findings=findings_of(folder, harnesses) if findings else (),
        notes=notes,
    )


def _notes_of(folder: Folder) -> Iterable[str]:
    if any(root.placed.moved for root in folder.roots):
        yield "each skill's folder was laid directly below one skills root, as a person would install it"
    again = sum(len(root.back) for root in folder.roots[1:])
    if again:
        example = next(iter(folder.roots[1].back.values()))
        yield (
            f"{again} skill files lie in a folder whose name an earlier one has ({example} is the first): "
            "they cannot be installed beside it and were looked at in a root of their own"
        )
    if isinstance(folder.tree, ReadableTree):
        for path, why in sorted(folder.tree.unreadable.items()):
            if path not in folder.unreadable:
                yield f"{path} cannot be read ({why}) and counts as empty"
