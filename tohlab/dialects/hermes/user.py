"""What a line that a user types becomes in Hermes Agent: `/name words`, up to five names in a row."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

from tohlab.dialects.harness import HarnessSkill, UserTurn
from tohlab.dialects.hermes import texts
from tohlab.dialects.hermes.view import ERRORS, Place, inside, substitute, view_value


def slug(name: str) -> str:
    """Return the command that a skill's name gives; empty where nothing is left of it."""
    text = re.sub(r"[^a-z0-9-]", "", name.lower().replace(" ", "-").replace("_", "-"))
    return re.sub(r"-{2,}", "-", text).strip("-")


def user_turn(text: str, place: Place) -> UserTurn:
    """Return what a line typed in the terminal becomes."""
    if not text.startswith("/") or "/" in text.split()[0][1:]:
        return UserTurn(texts=(text,))
    commands: dict[str, HarnessSkill] = {}
    seen: set[str] = set()
    for skill in place.loaded.skills:
        if skill.user_loads and skill.name not in seen:
            seen.add(skill.name)
            command = slug(skill.name)
            if command and command not in texts.COMMANDS | texts.CHAT_COMMANDS:
                commands.setdefault(f"/{command}", skill)
    line = text.strip()
    typed = line.lower().split()[0]
    known = frozenset(commands) | {f"/{command}" for command in texts.COMMANDS}
    if typed not in known:
        near = sorted((command for command in known if command.startswith(typed)), key=len)
        if not near or (len(near) > 1 and len(near[0]) == len(near[1])):
            return UserTurn(texts=(), sent=False, notes=(f"the program knows no command {typed}",))
        line = near[0] + line[len(typed) :]
        typed = near[0]
    if typed not in commands:
        return UserTurn(texts=(), sent=False, notes=(f"{typed} is a command of the program's own",))
    return _invoke(typed, line[len(typed) :].strip(), commands, place)


def _invoke(first: str, rest: str, commands: Mapping[str, HarnessSkill], place: Place) -> UserTurn:
    more: list[str] = []
    while len(more) < texts.MAX_STACKED - 1 and rest.lstrip().startswith("/"):
        parts = rest.lstrip().split(None, 1)
        key = f"/{parts[0].lstrip('/').replace('_', '-')}"
        if key not in commands or key in more:
            break
        more.append(key)
        rest = parts[1] if len(parts) > 1 else ""
    rest = rest.strip()
    keys = list(dict.fromkeys((first, *more)))
    blocks: list[tuple[str, Callable[[str, str], str]]] = []
    lost = []
    for key in keys:
        block = _block(commands[key], place)
        if block is None:
            lost.append(key[1:])
        else:
            blocks.append(block)
    if not blocks:
        return UserTurn(texts=(), sent=False, notes=(f"the program could not load {', '.join(keys)}",))
    if not more:
        [(name, block_of)] = blocks
        return UserTurn(texts=(block_of(texts.INVOKED.format(name=name), rest),))
    head = texts.STACKED.format(
        typed=" ".join((first, *more)), count=len(blocks), names=", ".join(n for n, _ in blocks)
    )
    head += texts.STACKED_MISSING.format(names=", ".join(lost)) if lost else ""
    head += texts.STACKED_WORDS.format(words=rest) if rest else ""
    parts_of = [block_of(texts.STACKED_PART.format(name=name), "") for name, block_of in blocks]
    return UserTurn(texts=("\n\n".join((head, *parts_of)),))


def _block(skill: HarnessSkill, place: Place) -> tuple[str, Callable[[str, str], str]] | None:
    # The skill's own lookup is used, so what that refuses is refused here.
    try:
        found = view_value(skill.directory, None, place, preprocess=False)
        json.dumps(found)
    except ERRORS:
        return None
    if not found["success"]:
        return None
    directory = PurePosixPath(found["path"]).parent
    relative = "" if str(directory) == "." else str(directory)
    absolute = place.setting.path_of(relative)
    files = [file for group in (found["linked_files"] or {}).values() for file in group]
    if not files:
        there = inside(relative, place.tree)
        files = [
            p
            for folder in ("references", "templates", "scripts", "assets")
            for p in there
            if p.startswith(f"{folder}/")
        ]

    def text_of(note: str, words: str) -> str:
        parts = [
            note,
            substitute(found["content"], relative, place.setting).strip(),
            texts.DIRECTORY.format(directory=absolute),
        ]
        if found["setup_needed"]:
            parts.append(texts.SETUP.format(note=found["setup_note"]))
        if files:
            rows = "\n".join(f"- {file}  ->  {absolute}/{file}" for file in files)
            parts.append(texts.SUPPORTING.format(files=rows, target=relative or ".", directory=absolute))
        if words:
            parts.append(texts.WORDS.format(words=words))
        return "\n\n".join(parts)

    return str(found["name"] or relative), text_of
