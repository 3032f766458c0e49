"""Sixteen renderings of one folder with their token counts: together, each alone, and the plain way."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.measuring import MismatchError, best, text

SKILLS = 1_000
QUICK_SKILLS = 100


class Row(NamedTuple):
    """What one way says of one harness."""

    harness: str
    listing: str
    tools: tuple[str, ...]
    listing_tokens: int
    tools_tokens: int
    shares: tuple[int, ...]


def make_folder(folder: str, count: int) -> None:
    """Write `count` skills of plain fields, which every reader takes alike."""
    rng = random.Random(20261201)
    for i in range(count):
        description = text(rng, 24).replace("\n", " ").replace('"', "").replace("\\", "")
        place = Path(folder, f"skill-{i:04}")
        place.mkdir()
        body = f'---\nname: skill-{i:04}\ndescription: "{description}"\n---\n{text(rng, 150)}\n'
        (place / "SKILL.md").write_text(body, encoding="utf-8")


def read_plainly(folder: str, parse: Callable[[str], Any]) -> list[Any]:
    """Return the skills of a folder as a person would write it in a dozen lines, in path order."""
    from tohlab.dialects.harness import HarnessSkill

    skills = []
    for here, folders, files in os.walk(folder):
        folders.sort()
        if "SKILL.md" not in files:
            continue
        path = Path(here, "SKILL.md")
        whole = path.read_text(encoding="utf-8")
        _, front, body = whole.split("---\n", 2)
        fields = parse(front)
        skills.append(
            HarnessSkill(
                name=fields["name"],
                description=fields["description"],
                body=body,
                path=path.relative_to(folder).as_posix(),
                text=whole,
                fields=fields,
            )
        )
    return skills


def ways(folder: str) -> tuple[Callable[[], Any], Callable[[bool], list[Row]], Callable[[Any], list[Row]]]:
    """Return three ways to the same texts and counts: together, each alone by our readers, plainly."""
    from tohlab.compare import compare_harnesses
    from tohlab.compare.view import ROOT, WINDOW_TOKENS, tool_json
    from tohlab.dialects.harness import FileTree, Loaded, Setting
    from tohlab.dialects.harnesses import get_harness, harness_names
    from tohlab.skills import sharing
    from tohlab.tokens import TiktokenMeter, load_encoding, share_out

    encoding, _ = load_encoding()
    harnesses = [get_harness(name) for name in harness_names()]
    setting = Setting(root=ROOT, window_tokens=WINDOW_TOKENS)
    # Some harnesses take the order of the disk: every way is given the one that `load` makes of it.
    places: Mapping[str, Mapping[str, int]] = {
        one.name: {skill.path: n for n, skill in enumerate(one.load(FileTree.at(folder), setting).skills)}
        for one in harnesses
    }

    def count(given: str) -> int:
        return len(encoding.encode_ordinary(given))

    def texts(harness: Any, loaded: Any) -> tuple[Any, tuple[str, ...]]:
        listing = harness.listing(loaded, setting)
        return listing, tuple(tool_json(tool, harness.title) for tool in harness.tools(loaded, setting))

    def together() -> Any:
        sharing.forget()
        return compare_harnesses(folder, meter=TiktokenMeter())

    def alone(with_shares: bool) -> list[Row]:
        rows = []
        for harness in harnesses:
            sharing.forget()
            listing, tools = texts(harness, harness.load(FileTree.at(folder), setting))
            meter = TiktokenMeter()
            shares = share_out(listing.text, listing.spans, meter) if with_shares else ()
            total = meter.count(listing.text) if with_shares else count(listing.text)
            rows.append(Row(harness.name, listing.text, tools, total, sum(map(count, tools)), shares))
        return rows

    def plainly(parse: Callable[[str], Any]) -> list[Row]:
        rows = []
        for harness in harnesses:
            place = places[harness.name]
            skills = sorted(read_plainly(folder, parse), key=lambda skill: place[skill.path])
            listing, tools = texts(harness, Loaded(skills=tuple(skills)))
            shares = tuple(count(listing.text[span.start : span.stop]) for span in listing.spans)
            total = count(listing.text)
            rows.append(Row(harness.name, listing.text, tools, total, sum(map(count, tools)), shares))
        return rows

    return together, alone, plainly


def rows_of(comparison: Any) -> list[Row]:
    """Return what `compare_harnesses` found, as the other ways give it."""
    from tohlab.compare.view import tool_json

    return [
        Row(
            view.harness,
            view.listing.text,
            tuple(tool_json(tool, view.title) for tool in view.tools),
            view.listing_tokens,
            view.total_tokens if view.place == "tool-description" else view.tools_tokens,
            tuple(entry.tokens for entry in view.entries),
        )
        for view in comparison.views
    ]


def check(ours: list[Row], others: list[Row], way: str, *, shares: bool = False) -> None:
    """Raise where another way gives other texts or counts.

    Raises:
        MismatchError: the two disagree.
    """
    for one, other in zip(ours, others, strict=True):
        if one[: 5 + shares] != other[: 5 + shares]:
            raise MismatchError(f"{one.harness}: together and {way} differ in their texts or counts")


def sixteen(quick: bool) -> dict[str, Any]:
    """All sixteen renderings and their counts by `compare_harnesses` against each of them the plain way."""
    import yaml

    with tempfile.TemporaryDirectory() as folder:
        count = QUICK_SKILLS if quick else SKILLS
        make_folder(folder, count)
        together, alone, plainly = ways(folder)
        (ours_s, found), (alone_s, plain), (shares_s, shared), (naive_s, naive) = best(
            together, lambda: alone(False), lambda: alone(True), lambda: plainly(yaml.safe_load), repeats=3
        )
        detail: dict[str, Any] = {"skills": count, "ours_s": ours_s, "naive_s": naive_s}
        rows = rows_of(found)
        check(rows, naive, "naively")
        check(rows, plain, "alone")
        check(rows, shared, "alone with shares", shares=True)
        if yaml.__with_libyaml__:
            (libyaml_s, fast), *_ = best(
                lambda: plainly(lambda front: yaml.load(front, Loader=yaml.CSafeLoader)), repeats=3
            )
            check(rows, fast, "naively with libyaml")
            detail |= {"naive_with_libyaml_s": libyaml_s, "ratio_to_naive_with_libyaml": libyaml_s / ours_s}
    return {
        "ratio": naive_s / ours_s,
        "what": "times faster than the plain way for each of sixteen harnesses: walk, yaml.safe_load each "
        "frontmatter, render, encode every text whole and every entry (CPU, same texts and totals)",
        "detail": {
            **detail,
            "alone_s": alone_s,
            "ratio_to_each_alone": alone_s / ours_s,
            "alone_with_shares_s": shares_s,
            "ratio_to_each_alone_with_shares": shares_s / ours_s,
            "alone": "each harness by itself with our own quick readers, its texts encoded whole",
            "shares": "what each skill costs in each list: exact in ours and in the second way alone, not in "
            "the first; the plain way encodes each entry by itself, which may differ from its share",
            "render": "every way renders by the same `listing` and `tools`",
            "total_tokens": sum(view.total_tokens for view in found.views),
        },
    }
