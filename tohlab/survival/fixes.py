"""Repairs that were tried: a change is proposed only where loading the file anew shows what it is good for.

Every subset of the rules that change a file is loaded by itself in every harness. The one with which it loads
in most of the harnesses asked for is taken, of equals the smallest; one with which it fares worse anywhere is
never taken. A change that gives a file a name that another file has is tried in the whole folder by itself,
and then all changes at once: one that costs any file a harness is taken back.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Final

from tohlab.dialects.harness import FileTree, Harness
from tohlab.dialects.installed import Installed, Layout
from tohlab.errors import SkillError
from tohlab.survival.judging import fates_of
from tohlab.survival.look import chosen, survey_of
from tohlab.survival.meant import meant
from tohlab.survival.model import OUTCOMES, Fate, Fix
from tohlab.survival.repair import RULES
from tohlab.survival.trees import Folder, PatchedTree, Root, read_folder

_MOST_RULES: Final = 5
"""With more rules than this to choose from, only all of them and each by itself are tried."""


def fixes(
    directory: str | os.PathLike[str] | FileTree,
    dialects: Iterable[str | Harness] | None = None,
    *,
    layout: Layout = "auto",
    progress: Callable[[Iterable[str]], Iterable[str]] | None = None,
) -> tuple[Fix, ...]:
    """Return a repair for each file that a machine can make load where it does not; nothing is written.

    No repair makes the file fare worse in any harness, asked for or not, and none costs another file a
    harness. A description that is too long is not cut: only its author can do that.

    Args:
        directory: as `survey` takes it.
        dialects: the harnesses in which files are to load; all of them unless told otherwise.
        layout: as `survey` takes it.
        progress: wraps the paths that are worked on, as `tqdm` does.

    Raises:
        SkillError: there is no such folder.
        UnknownDialect: there is no such harness.
    """
    wanted = frozenset(harness.name for harness in chosen(dialects))
    harnesses = chosen(None)
    folder = read_folder(directory, layout)
    table = survey_of(folder, harnesses, findings=False)
    lost = [
        path
        for path, fates in table.by_file()
        if any(fate.outcome == "skipped" and fate.harness in wanted for fate in fates)
    ]
    places = {origin: (root, path) for root in folder.roots for path, origin in root.back.items()}
    proposed: dict[str, Fix] = {}
    for path in progress(lost) if progress else lost:
        if path in places and path not in folder.unreadable:
            fix = _best(path, folder, *places[path], harnesses, wanted)
            if fix is not None:
                proposed[path] = fix
    before = {(fate.path, fate.harness): fate for fate in table.fates}
    owners: dict[str, set[str]] = {}
    for fate in table.fates:
        if fate.name is not None:
            owners.setdefault(fate.name.lower(), set()).add(fate.path)
    for path, fix in list(proposed.items()):
        patched = _patched(folder, {path: _data(fix.after)})
        if owners.get(patched.meant[path].name.lower(), set()) - {path} and _losers(
            patched, harnesses, before
        ):
            del proposed[path]
    return _kept(folder, harnesses, proposed, before)


def _losers(
    patched: Folder, harnesses: tuple[Harness, ...], before: Mapping[tuple[str, str], Fate]
) -> set[str]:
    fates = survey_of(patched, harnesses, findings=False).fates
    return {
        fate.path
        for fate in fates
        if fate.outcome == "skipped" and before[fate.path, fate.harness].outcome != "skipped"
    }


def _best(
    path: str, folder: Folder, root: Root, placed: str, harnesses: tuple[Harness, ...], wanted: frozenset[str]
) -> Fix | None:
    before = _text(folder.tree[path])
    name = placed.split("/")[-2] if "/" in placed else ""

    def change(rules: Iterable[str]) -> str:
        text = before
        for rule in rules:
            try:
                text = RULES[rule](text, name)
            except RecursionError:  # nested too deep to be mended by these means
                continue
        return text

    def fare(text: str) -> dict[str, int]:
        tried = _alone(path, text, root, placed)
        return {h.name: OUTCOMES.index(fates_of(h, tried)[0][path].outcome) for h in harnesses}

    useful: list[str] = []
    text = before
    for rule in RULES:
        changed = change((*useful, rule))
        if changed != text:
            useful.append(rule)
            text = changed
    if not useful:
        return None
    skipped = OUTCOMES.index("skipped")
    now = fare(before)
    best: tuple[int, int, Fix] | None = None
    for rules in _subsets(useful):
        text = change(rules)
        if text == before:
            continue
        then = fare(text)
        gains = tuple(n for n in then if n in wanted and now[n] == skipped and then[n] != skipped)
        if not gains or any(then[name] > now[name] for name in then):
            continue
        rating = (-len(gains), len(rules))
        if best is None or rating < best[:2]:
            made = Fix(path=path, rules=tuple(rules), gains=gains, before=before, after=text)
            best = (*rating, made)
    return best[2] if best else None


def _subsets(rules: list[str]) -> Iterable[tuple[str, ...]]:
    if len(rules) > _MOST_RULES:
        return [*((rule,) for rule in rules), tuple(rules)]
    return [some for size in range(1, len(rules) + 1) for some in combinations(rules, size)]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _data(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _alone(path: str, text: str, root: Root, placed: str) -> Folder:
    # The file by itself in its root; the tree is one on disk as far as bad bytes go.
    tree = FileTree({placed: _data(text)})
    shown = tree.text(placed)
    return Folder(
        directory=root.setting.root,
        tree=tree,
        files=(path,),
        unreadable={},
        roots=(
            Root(
                placed=Installed(tree=tree, origin={placed: path}, moved=root.placed.moved),
                setting=root.setting,
                back={placed: path},
            ),
        ),
        meant={path: meant(shown, (path.split("/")[-2:-1] or root.setting.root.split("/")[-1:])[0])},
    )


def _kept(
    folder: Folder,
    harnesses: tuple[Harness, ...],
    proposed: dict[str, Fix],
    before: Mapping[tuple[str, str], Fate],
) -> tuple[Fix, ...]:
    while proposed:
        contents = {path: _data(fix.after) for path, fix in proposed.items()}
        patched = _patched(folder, contents)
        after = {(f.path, f.harness): f for f in survey_of(patched, harnesses, findings=False).fates}
        losers = {
            path
            for (path, harness), fate in after.items()
            if fate.outcome == "skipped" and before[path, harness].outcome != "skipped"
        }
        useless = {
            path
            for path, fix in proposed.items()
            if all(after[path, harness].outcome == "skipped" for harness in fix.gains)
        }
        if not losers and not useless:
            break
        names = {after[path, h.name].name or patched.meant[path].name for path in losers for h in harnesses}
        guilty = {path for path in proposed if path in losers or patched.meant[path].name in names}
        for path in (guilty | useless) or set(proposed):
            del proposed[path]
    else:
        return ()
    skipped = {key for key, fate in after.items() if fate.outcome == "skipped"}
    return tuple(
        Fix(
            path=fix.path,
            rules=fix.rules,
            gains=tuple(name for name in fix.gains if (fix.path, name) not in skipped),
            before=fix.before,
            after=fix.after,
        )
        for fix in proposed.values()
    )


def _patched(folder: Folder, contents: Mapping[str, bytes]) -> Folder:
    roots = []
    meants = dict(folder.meant)
    for root in folder.roots:
        here = {path: contents[origin] for path, origin in root.back.items() if origin in contents}
        tree = PatchedTree(root.placed.tree, here)
        placed = Installed(tree=tree, origin=root.placed.origin, moved=root.placed.moved)
        roots.append(Root(placed=placed, setting=root.setting, back=root.back))
        for path in here:
            origin = root.back[path]
            meants[origin] = meant(tree.text(path), (origin.split("/")[-2:-1] or [""])[0])
    return Folder(
        directory=folder.directory,
        tree=folder.tree,
        files=folder.files,
        unreadable=folder.unreadable,
        roots=tuple(roots),
        meant=meants,
    )


def write_fixes(proposed: Iterable[Fix], directory: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Write repairs into a folder and return the files written.

    Each file is replaced as a whole, so that no reader sees half of it; its mode stays, and a link keeps
    pointing to it.

    Args:
        proposed: what `fixes` gave for this folder.
        directory: the folder.

    Raises:
        SkillError: a file has changed since, or cannot be written; those before it are written.
    """
    written: list[Path] = []
    for fix in proposed:
        path = Path(directory, fix.path).resolve()
        if path in written:  # two paths to one file, which is mended now
            continue
        try:
            if path.read_bytes() != _data(fix.before):
                raise SkillError(f"{path} has changed since it was looked at; run the check again")
            _replace(path, _data(fix.after))
        except OSError as error:
            raise SkillError(
                f"{path} cannot be written: {error.strerror or error}; make it writable and run this again "
                f"({len(written)} files were written before it)"
            ) from error
        written.append(path)
    return tuple(written)


def _replace(path: Path, data: bytes) -> None:
    mode = stat.S_IMODE(path.stat().st_mode)
    if not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        # Putting another file in its place would go through, and nobody asked for that.
        raise PermissionError("it is read-only")
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
