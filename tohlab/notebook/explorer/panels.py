"""The explorer's panels: one function for each tab, from what a harness makes of a folder to plain data.

Three kinds of panel are enough: `texts` (blocks of exact text), `tables`, and `sides` (two texts side by
side). Every text is made legible: what could hide or reorder other text is spelled out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from tohlab.compare import HarnessView
from tohlab.dialects.harness import Harness, HarnessSkill, Place
from tohlab.dialects.harnesses import get_harness
from tohlab.ecma import json_stringify
from tohlab.notebook.explorer.parts import FIDELITY, Panel, block, some, sure, table, tables, texts
from tohlab.notebook.explorer.sides import sides
from tohlab.notebook.explorer.state import Choice, Explored, Tab, skill_names
from tohlab.notebook.record import legible

_PLACES: Final[Mapping[Place, str]] = {
    "system": "The list stands in the system prompt.",
    "developer": "The list stands in a developer message.",
    "user": "The list stands in a user message.",
    "tool-description": "The list stands in the description of the tool that loads a skill.",
    "none": "There is no list.",
}
_PARTS: Final = (
    ("load", "which files it takes"),
    ("listing", "list"),
    ("tools", "tools"),
    ("call", "what a call gives"),
    ("user", "what a user's text becomes"),
)


def shown(explored: Explored, choice: Choice) -> dict[str, Any]:
    """Return what stands around the panel: the settled choice, a sentence, numbers, counts for the tabs."""
    view = explored.view(choice.harness, choice.window_tokens)
    beside = explored.view(choice.other, choice.window_tokens) if choice.tab == "sides" else None
    return {
        "choice": choice.to_dict(),
        "summary": summary(view) + ("" if beside is None else f" Beside it: {summary(beside)}"),
        "numbers": [[name, value] for name, value in _numbers(view, choice)],
        "counts": {"lost": len(view.cut) + len(view.dropped) + len(view.hidden) + len(view.skipped)},
    }


def skills(explored: Explored, choice: Choice) -> list[list[str]]:
    """Return each skill's name, and the line that stands for it in the list of skills."""
    view = explored.view(choice.harness, choice.window_tokens)
    return [[name, f"{legible(name, 200)} · {said}"] for name, said in skill_names(view).items()]


def panel(explored: Explored, choice: Choice) -> Panel:
    """Return the open panel."""
    return _PANELS[choice.tab](explored, choice)


def summary(view: HarnessView) -> str:
    """Return one sentence about a view: how many skills, what they cost, what is missing."""
    own = sum(not entry.bundled for entry in view.entries)
    known = own + len(view.dropped) + len(view.hidden)
    bundled = len(view.entries) - own
    parts = [f"{view.title} tells the model of {own:,} of {some(known, 'skill')}"]
    if bundled:
        parts.append(f"and of {bundled:,} that it brings itself")
    parts.append(f"in {some(view.total_tokens, 'token')} of {view.meter}")
    lost = [
        (len(view.cut), "cut"),
        (len(view.dropped), "dropped"),
        (len(view.hidden), "not for the model"),
        (len(view.skipped), "skipped"),
    ]
    said = [f"{n:,} {word}" for n, word in lost if n]
    return f"{' '.join(parts)}: {', '.join(said) or 'nothing is cut or left out'}."


def _numbers(view: HarnessView, choice: Choice) -> Iterable[tuple[str, str]]:
    yield "tokens in the list", f"{view.listing_tokens:,}"
    yield "tokens of tools", f"{view.tools_tokens:,}"
    yield "tokens in all", f"{view.total_tokens:,}"
    yield "of the window", f"{100 * view.total_tokens / choice.window_tokens:.2f} %"
    mine = [entry.tokens for entry in view.entries if entry.name == choice.skill]
    if choice.skill is not None:
        yield f"tokens of {legible(choice.skill, 80)}", f"{sum(mine):,}" if mine else "none: not told"


def _list(explored: Explored, choice: Choice) -> Panel:
    view = explored.view(choice.harness, choice.window_tokens)
    notes = [f"{_PLACES[view.place]} Its text: {sure(view.provenance)}."]
    notes += [f"{view.title} warns its user: {legible(text, None)}" for text in view.listing.warnings]
    if not view.listing.text:
        return texts([*notes, f"{view.title} tells the model nothing of these skills."])
    label = f"The list of {view.title}"
    about = f"{some(view.listing_tokens, 'token')}, {some(len(view.listing.text), 'character')}"
    return texts(notes, block("The list", about, label, list(_pieces(view))))


def _pieces(view: HarnessView) -> Iterable[list[Any]]:
    text, at = view.listing.text, 0
    for span, entry in zip(view.listing.spans, view.entries, strict=True):
        if span.start > at:
            yield [legible(text[at : span.start], None), None]
        yield [legible(text[span.start : span.stop], None), entry.name]
        at = span.stop
    if at < len(text):
        yield [legible(text[at:], None), None]


def _tokens(explored: Explored, choice: Choice) -> Panel:
    view = explored.view(choice.harness, choice.window_tokens)
    rows: list[list[Any]] = [
        [legible(entry.name, 200), entry.characters, entry.tokens] for entry in view.entries
    ]
    names: list[str | None] = [entry.name for entry in view.entries]
    rows += [["frame of the list", "", view.frame_tokens], ["tools", "", view.tools_tokens]]
    columns = [["part", "text"], ["characters", "number"], ["tokens", "bar"]]
    about = f"{some(view.total_tokens, 'token')} of {view.meter} in every request"
    return tables([], table("What each part costs", about, columns, rows, [*names, None, None]))


def _lost(explored: Explored, choice: Choice) -> Panel:
    view = explored.view(choice.harness, choice.window_tokens)
    cut = [
        [legible(e.name, 200), e.before_chars or 0, e.after_chars or 0, legible(e.why, None)]
        for e in view.cut
    ]
    unlisted = [("dropped", one) for one in view.dropped] + [
        ("not for the model", one) for one in view.hidden
    ]
    skipped = [
        [
            legible(one.path, 400),
            "" if one.line is None else one.line,
            legible(one.reason, None),
            legible(one.repair, None),
            "nobody" if one.silent else "the user",
        ]
        for one in view.skipped
    ]
    given = [
        table(
            "Cut",
            "the model reads less of the description than the file says; characters",
            [["skill", "text"], ["in the file", "number"], ["told", "number"], ["why", "text"]],
            cut,
            [entry.name for entry in view.cut],
        ),
        table(
            "Left out",
            "the skill loads and the model is not told of it",
            [["skill", "text"], ["what", "text"], ["why", "text"], ["can the model load it?", "text"]],
            [
                [legible(one.name, 200), what, legible(one.why, None), "yes" if one.model_loads else "no"]
                for what, one in unlisted
            ],
            [one.name for _, one in unlisted],
        ),
        table(
            "Skipped",
            "the file gives no skill",
            [
                ["file", "code"],
                ["line", "number"],
                ["reason", "text"],
                ["repair", "text"],
                ["who is told", "text"],
            ],
            skipped,
            None,
        ),
    ]
    full = [table for table in given if table["rows"]]
    notes = [] if full else ["Every file gives a skill, and the model is told of each one, whole."]
    return tables(notes, *full)


def _loaded(explored: Explored, choice: Choice) -> Panel:
    view = explored.view(choice.harness, choice.window_tokens)
    skill = next((one for one in view.loaded.skills if one.name == choice.skill), None)
    if choice.skill is None:
        return texts([f"{view.title} has no skill to load."])
    name = legible(choice.skill, 200)
    if skill is None:
        return texts([f"{name} is brought by {view.title} itself; its text is not part of tohlab."])
    harness = get_harness(choice.harness)
    notes = [] if skill.model_loads else [f"{name} is not for the model; what a call gives all the same:"]
    tool, arguments = call_for(harness, view, skill)
    if tool is None:
        notes.append(f"{view.title} has no tool for it: the model reads the file {skill.path} itself.")
        return texts(notes, _counted(explored, "The file", f"The file of {name}", skill.text))
    answer = harness.call(tool, arguments, view.loaded, explored.tree, view.setting)
    text = answer.text if answer.text is not None else json.dumps(answer.json, ensure_ascii=False, indent=2)
    notes += [legible(one, None) for one in answer.notes]
    said = f"{tool}({json.dumps(arguments, ensure_ascii=False)})"
    return texts(notes, _counted(explored, legible(said, 400), f"What the model reads of {name}", text))


def call_for(
    harness: Harness, view: HarnessView, skill: HarnessSkill
) -> tuple[str, dict[str, Any]] | tuple[None, None]:
    """Return the call by which a model loads a skill, or two None where it reads the file by itself.

    The tool's one required argument takes the skill: its file where the argument is a path, else its name.
    """
    for tool in view.tools:
        function = tool.get("function", tool)
        if function["name"] != harness.load_tool:
            continue
        schema = next(
            value for key, value in function.items() if isinstance(value, Mapping) and "properties" in value
        )
        first = [*schema.get("required", ()), *schema["properties"]][0]
        return function["name"], {first: view.setting.path_of(skill.path) if first == "path" else skill.name}
    return None, None


def _counted(explored: Explored, title: str, label: str, text: str) -> Panel:
    about = f"{some(explored.meter.count(text), 'token')}, {some(len(text), 'character')}"
    return block(title, about, label, [[legible(text, None), None]])


def _tools(explored: Explored, choice: Choice) -> Panel:
    view = explored.view(choice.harness, choice.window_tokens)
    if not view.tools:
        return texts([f"{view.title} has no tool that has to do with skills."])
    notes = [f"As the harness's API takes them: {sure(view.tools_provenance)}."]
    blocks = []
    for tool in view.tools:
        name = legible(str(tool.get("function", tool)["name"]), 200)
        text = json_stringify(dict(tool))
        pretty = json.dumps(json.loads(text), ensure_ascii=False, indent=2)
        blocks.append(block(name, "", f"The tool {name}", [[legible(pretty, None), None]]))
    return texts(notes, *blocks)


def _about(explored: Explored, choice: Choice) -> Panel:
    view, harness = explored.view(choice.harness, choice.window_tokens), get_harness(choice.harness)
    rows = []
    for part, name in _PARTS:
        source = harness.provenance_of(part)
        rows.append([name, source.fidelity, source.program, source.version, source.date, source.where])
    facts = [
        ["the list stands in", view.place],
        ["order of the entries", harness.order],
        ["a change while a session runs", harness.on_change],
        ["a change before a session is taken up again", harness.on_resume],
        ["longest description", _limit(harness)],
        ["looks for skills in", "\n".join(harness.roots) or "not told"],
        ["two skills of one name", harness.duplicate or "not told"],
        *(["note", legible(text, None)] for text in view.notes),
        *(["not measured", text] for text in view.not_measured),
    ]
    columns = [[name, "text"] for name in ("part", "fidelity", "program", "version", "date", "where")]
    said = "; ".join(f"{word}: {meaning}" for word, meaning in FIDELITY.items())
    return tables(
        [f"{said}."],
        table("Where the texts come from", "", columns, rows, None),
        table("What is known of it", "", [["what", "text"], ["as the harness has it", "text"]], facts, None),
    )


def _limit(harness: Harness) -> str:
    limit = harness.description_limit_chars
    return "no limit of its own" if limit is None else f"{limit:,} characters"


_PANELS: Final[Mapping[Tab, Callable[[Explored, Choice], Panel]]] = MappingProxyType(
    {
        "list": _list,
        "tokens": _tokens,
        "lost": _lost,
        "loaded": _loaded,
        "tools": _tools,
        "sides": sides,
        "about": _about,
    }
)
