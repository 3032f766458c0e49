"""What a harness's own answer says of each file: its fate, in one set of words for all harnesses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from tohlab.dialects.harness import Cut, Harness, HarnessSkill, Listing, Loaded
from tohlab.survival.meant import Meant
from tohlab.survival.model import OUTCOMES, Fate, Outcome
from tohlab.survival.trees import Folder, Root

_HIDING: Final = (
    "disable-model-invocation",
    "enabled",
    "disabled",
    "paths",
    "modeSlugs",
    "mode",
    "platforms",
    "environments",
)
"""Fields by which one harness or another keeps a skill from its model: the line of the first is named."""
_SHORT: Final = 60


class _Change(NamedTuple):
    outcome: Outcome
    code: str
    reason: str
    key: str  # whose line is named
    repair: str
    before: int | None = None
    after: int | None = None
    codes: tuple[str, ...] = ()


def fates_of(harness: Harness, folder: Folder) -> tuple[dict[str, Fate], tuple[str, ...]]:
    """Return each file's fate in one harness, and what the harness notes of the folder as a whole."""
    fates: dict[str, Fate] = {}
    general: dict[str, None] = {}
    for root in folder.roots:
        loaded = harness.load(root.placed.tree, root.setting)
        listing = harness.listing(loaded, root.setting)
        said, rest = _notes(harness, loaded, root)
        general |= dict.fromkeys([*rest, *(root.in_words(text) for text in listing.warnings)])
        if listing.spans and _names_alone(listing, loaded):
            general["the model is told names alone, without descriptions"] = None
        told = Counter(span.label for span in listing.spans)
        cuts: dict[str, list[Cut]] = {}
        for cut in listing.cut:
            cuts.setdefault(cut.name, []).append(cut)
        for skill in loaded.skills:
            path = root.back[skill.path]
            label = f'entry "{skill.name}"'
            is_told = skill.listed and told[label] > 0
            told[label] -= is_told
            mine = cuts.get(skill.name)
            cut_here = mine.pop(0) if mine and is_told else None
            notes = tuple(said.get(path, ()))
            change = _worst(skill, folder.meant[path], cut_here, listing, is_told=is_told)
            fates[path] = _fate(harness, path, skill, change, folder.meant[path], notes)
        for skipped in loaded.skipped:
            path = root.back.get(skipped.path, skipped.path)
            if path in folder.meant and path not in fates:
                fates[path] = Fate(
                    path=path,
                    harness=harness.name,
                    outcome="skipped",
                    code=skipped.code,
                    codes=(skipped.code,),
                    reason=root.in_words(skipped.reason),
                    line=skipped.line,
                    repair=root.in_words(skipped.repair),
                    silent=skipped.silent,
                    notes=tuple(said.get(path, ())),
                )
    for path in folder.files:
        if path in folder.unreadable:
            fates[path] = _unreadable(harness, path, folder.unreadable[path])
        elif path not in fates:
            fates[path] = _not_looked_at(harness, path, folder)
    return fates, tuple(general)


def _names_alone(listing: Listing, loaded: Loaded) -> bool:
    names = {skill.name for skill in loaded.skills}
    return all(listing.text[span.start : span.stop] in names for span in listing.spans)


def _notes(harness: Harness, loaded: Loaded, root: Root) -> tuple[dict[str, list[str]], list[str]]:
    # A note belongs to the files that it names, or to all that bear the name that it names.
    by_name: dict[str, list[str]] = {}
    for skill in loaded.skills:
        by_name.setdefault(skill.name, []).append(root.back[skill.path])
    spaced = [path for path in root.back if " " in path]
    said: dict[str, list[str]] = {}
    rest: list[str] = []
    for note in loaded.notes:
        head, colon, tail = note.partition(": ")
        text = root.in_words(note)
        if colon and head in root.back:
            paths, text = [root.back[head]], root.in_words(tail)
        else:
            words = {word.strip("\"'`,:;()") for word in note.split()}
            paths = [root.back[word] for word in sorted(words & root.back.keys())]
            paths += [root.back[path] for path in spaced if path in note]
        if not paths:
            paths = next((by_name[name] for name in by_name if f" named {name!r}:" in note), [])
            paths = paths or next((p for name, p in by_name.items() if note.startswith(f"{name} is ")), [])
        for path in paths:
            said.setdefault(path, []).append(text)
        if not paths:
            rest.append(text)
    for skipped in loaded.skipped:
        if skipped.code in ("duplicate-name", "shadowed") and skipped.path in root.back:
            who = f"of two skills with one name: {harness.duplicate}"
            said.setdefault(root.back[skipped.path], []).append(who)
    return said, rest


def _worst(
    skill: HarnessSkill, meant: Meant, cut: Cut | None, listing: Listing, *, is_told: bool
) -> _Change | None:
    changes = list(_changes(skill, meant, cut, listing, is_told=is_told))
    if not changes:
        return None
    changes.sort(key=lambda change: -OUTCOMES.index(change.outcome))
    first = changes[0]
    sized = next((change for change in changes if change.before is not None), first)
    return first._replace(
        reason="; ".join(change.reason for change in changes),
        before=sized.before,
        after=sized.after,
        codes=tuple(change.code for change in changes),
    )


def _changes(
    skill: HarnessSkill, meant: Meant, cut: Cut | None, listing: Listing, *, is_told: bool
) -> Iterator[_Change]:
    if not is_told:
        yield _hidden(skill, meant, listing)
    if skill.name != meant.name:
        key = "name" if "name" in meant.lines else ""
        reason = f"it is called {_short(skill.name)} here and {_short(meant.name)} in the file"
        yield _Change("changed", "renamed", reason, key, _rename(skill, meant))
    here, there = " ".join((skill.description or "").split()), " ".join((meant.description or "").split())
    if cut is not None and cut.after_chars == 0:
        reason = f"of its {cut.before_chars:,} characters of description none is told: {cut.why}"
        repair = "shorten the descriptions, or install fewer skills"
        yield _Change("hidden", "names-only", reason, "description", repair, cut.before_chars, 0)
    elif cut is not None:
        reason = (
            f"the description is cut from {cut.before_chars:,} to {cut.after_chars:,} characters: {cut.why}"
        )
        repair = "say what matters first, or shorten it"
        yield _Change(
            "changed", "description-cut", reason, "description", repair, cut.before_chars, cut.after_chars
        )
    elif here != there:
        yield _altered(here, there)


def _rename(skill: HarnessSkill, meant: Meant) -> str:
    # A harness that takes a number or a truth for a name writes it in its own way: quotes keep it as it is.
    if "name" in meant.lines and not isinstance(skill.fields.get("name", ""), str):
        quoted = _plain(meant.name).replace("'", "''")
        return f"put the value of name in quotes: name: '{quoted}'"
    return f"write name: {_plain(skill.name)}"


def _altered(here: str, there: str) -> _Change:
    sizes = (len(there), len(here))
    if not there:
        reason = f"the file gives no description, and the harness takes {_short(here)}"
        repair = "add a line `description: …` to the frontmatter"
        return _Change("changed", "description-supplied", reason, "", repair, *sizes)
    if not here:
        reason = f"the description ({sizes[0]:,} characters) is lost"
    else:
        at = next((n for n, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), min(sizes))
        start = max(0, at - 10)
        reason = (
            f"the description ({sizes[0]:,} characters in the file, {sizes[1]:,} here) differs from "
            f"character {at + 1} on: {_short(here[start:])} instead of {_short(there[start:])}"
        )
    repair = "make the frontmatter plain YAML that every reader takes alike"
    return _Change("changed", "description-altered", reason, "description", repair, *sizes)


def _hidden(skill: HarnessSkill, meant: Meant, listing: Listing) -> _Change:
    key = next((key for key in _HIDING if key in skill.fields), "")
    if skill.listed:
        reason = "; ".join(listing.warnings) or "the list leaves it out"
        return _Change("hidden", "left-out", reason, "", "install fewer skills, or shorten descriptions")
    if skill.model_loads and skill.user_loads and not (skill.description or "").strip():
        repair = "give it a description"
        return _Change("hidden", "undescribed", "it has no description, so it is not listed", key, repair)
    value = f" ({key}: {_plain(_written(skill.fields[key]))})" if key else ""
    if skill.model_loads:
        code, reason = "unlisted", "the model can load it by name but is not told of it"
    elif skill.user_loads:
        code, reason = "user-only", "only a user can start it"
    else:
        code, reason = "switched-off", "neither the model nor a user can start it as things are"
    repair = f"remove {key}, if the model should know of it" if key else "look at the files beside it"
    return _Change("hidden", code, reason + value, key, repair)


def _fate(
    harness: Harness,
    path: str,
    skill: HarnessSkill,
    change: _Change | None,
    meant: Meant,
    notes: Sequence[str],
) -> Fate:
    if change is None:
        return Fate(
            path=path,
            harness=harness.name,
            outcome="loads",
            name=skill.name,
            description=skill.description,
            notes=tuple(notes),
        )
    return Fate(
        path=path,
        harness=harness.name,
        outcome=change.outcome,
        name=skill.name,
        description=skill.description,
        code=change.code,
        codes=change.codes,
        reason=change.reason,
        line=meant.lines.get(change.key),
        repair=change.repair,
        silent=True,
        before_chars=change.before,
        after_chars=change.after,
        notes=tuple(notes),
    )


def _not_looked_at(harness: Harness, path: str, folder: Folder) -> Fate:
    *above, name = path.split("/")
    if name != "SKILL.md" and name.lower() == "skill.md":
        reason, repair = "the file has to be named SKILL.md", "rename it to SKILL.md"
    elif not above:
        reason = "it is no SKILL.md in a folder of its own"
        repair = f"move it to {name.removesuffix('.md')}/SKILL.md"
    elif len(above) > 1:
        reason = "it lies deeper than the harness looks"
        repair = f"move the folder {'/'.join(above)} up, directly below the root"
    else:
        reason, repair = "the harness does not look into this folder", "move it"
    return Fate(
        path=path,
        harness=harness.name,
        outcome="skipped",
        code="not-looked-at",
        codes=("not-looked-at",),
        reason=reason,
        repair=repair,
        silent=True,
    )


def _unreadable(harness: Harness, path: str, why: str) -> Fate:
    return Fate(
        path=path,
        harness=harness.name,
        outcome="skipped",
        code="unreadable",
        codes=("unreadable",),
        reason=f"the file cannot be read: {why}",
        repair="make it a file that can be read",
    )


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…")


def _plain(text: str) -> str:
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"
