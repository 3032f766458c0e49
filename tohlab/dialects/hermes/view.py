"""What Hermes Agent's `skill_view` answers: JSON texts, made by Python's own `json`.

What that cannot write, such as a date in the frontmatter, is an error here as it is there.
"""

from __future__ import annotations

import fnmatch
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from tohlab.dialects.harness import Answer, FileTree, Loaded, Setting
from tohlab.dialects.hermes import texts
from tohlab.dialects.hermes.reading import folder_of, is_support, name_error, parse, read, runs_on

ERRORS: Final = (TypeError, ValueError, AttributeError, LookupError, OSError, RecursionError)
"""What the program catches where it reads values of any kind; its text is the answer."""
_VARIABLE: Final = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")
_TOKEN: Final = re.compile(r"\$\{(HERMES_SKILL_DIR|HERMES_SESSION_ID)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a skill is looked for."""

    loaded: Loaded
    """The skills, in the order in which the program walks to them."""
    tree: FileTree
    setting: Setting
    names: Callable[[], Sequence[Any]] = tuple
    """What a miss shows, in order; asked for when it is needed."""


def view(name: Any, file: Any, place: Place) -> Answer:
    """Return what `skill_view` answers for a name and, where one is given, a file of that skill.

    Args:
        name: the skill that is asked for, of any kind.
        file: the file that is asked for, of any kind; None for the skill itself.
        place: where the skill is looked for.
    """
    try:
        return answer(view_value(name, file, place))
    except ERRORS as error:
        return tool_error(error)


def answer(value: Mapping[str, Any]) -> Answer:
    """Return the answer as the program writes it: JSON with its text unescaped."""
    return Answer(text=json.dumps(value, ensure_ascii=False), is_error=not value["success"])


def tool_error(error: Exception) -> Answer:
    """Return the answer for what the program did not foresee."""
    return Answer(text=json.dumps({"error": str(error), "success": False}, ensure_ascii=False), is_error=True)


def _fail(error: str, **more: Any) -> dict[str, Any]:
    return {"success": False, "error": error, **more}


def view_value(name: Any, file: Any, place: Place, *, preprocess: bool = True) -> dict[str, Any]:
    """Return the value that `skill_view` writes as JSON.

    Args:
        name: the name asked for, of any kind.
        file: the path of a file of the skill, or None.
        place: where to look.
        preprocess: put values in for the program's own two placeholders.

    Raises:
        ERRORS: values of a kind that the program does not foresee either.
    """
    tree, setting = place.tree, place.setting
    if not isinstance(name, str):
        return _fail(texts.NOT_TEXT, hint=texts.LOOKUP_HINT)
    wrong = name_error(name)
    if wrong:
        return (
            _fail(wrong, hint=texts.LOOKUP_HINT)
            if wrong in (texts.NOT_RELATIVE, texts.TRAVERSAL)
            else _fail(wrong)
        )
    namespace, _, bare = name.partition(":")
    categorized = f"{namespace}/{bare}" if bare else None
    if categorized:
        wrong = name_error(categorized)
        if wrong in (texts.NOT_RELATIVE, texts.TRAVERSAL):
            return _fail(wrong, hint=texts.LOOKUP_HINT)
    found = _candidates(name, categorized, place)
    if len(found) > 1:
        matches = [setting.path_of(path) for path in found]
        return _fail(
            texts.AMBIGUOUS.format(name=name, count=len(found)), matches=matches, hint=texts.AMBIGUOUS_HINT
        )
    if not found:
        return _fail(
            texts.NOT_FOUND.format(name=name),
            available_skills=list(place.names()[: texts.MAX_NAMES]),
            hint=texts.NOT_FOUND_HINT,
        )
    [(path, directory)] = found.items()
    try:
        text = read(tree, path)
    except UnicodeDecodeError as error:
        return _fail(texts.UNREADABLE.format(name=name, error=error))
    fields = parse(text)[0]
    if not runs_on(fields, setting):
        return _fail(texts.OTHER_PLATFORM.format(name=name), readiness_status="unsupported")
    resolved = fields.get("name", folder_of(path, setting))
    if resolved in tuple(setting.options.get("disabled") or ()):
        return _fail(texts.DISABLED.format(name=resolved))
    if file and directory is not None:
        return _file(name, file, directory, tree, setting)
    if preprocess:
        text = substitute(text, directory, setting)
    return _found(text, fields, path, directory, tree, setting)


def _candidates(name: str, categorized: str | None, place: Place) -> dict[str, str | None]:
    # Every file that could be meant, with its folder; None for a flat file.
    paths = frozenset(place.tree)
    found: dict[str, str | None] = {}
    for asked in (name, categorized):
        if asked is None:
            continue
        direct = PurePosixPath(asked)
        relative = "" if str(direct) == "." else str(direct)
        file = f"{relative}/SKILL.md" if relative else "SKILL.md"
        if not is_support(relative, paths) and file in paths:
            found.setdefault(file, relative)
        elif relative and str(direct.with_suffix(".md")) in paths:
            flat = str(direct.with_suffix(".md"))
            if not is_support(flat, paths):
                found.setdefault(flat, None)
    for skill in place.loaded.skills:
        if folder_of(skill.path, place.setting) == name or skill.fields.get("name") == name:
            found.setdefault(skill.path, skill.directory)
    pattern = PurePosixPath(f"{name}.md").parts
    plain = not set("*?[") & set(name)
    ending = pattern[-1] if plain else ".md"
    for path in sorted(path for path in paths if path.endswith(ending)):
        parts = path.split("/")[-len(pattern) :]
        if parts[-1] == "SKILL.md" or len(parts) < len(pattern) or is_support(path, paths):
            continue
        if all(fnmatch.fnmatchcase(part, wanted) for part, wanted in zip(parts, pattern, strict=True)):
            found.setdefault(path, None)
    return found


def substitute(text: str, directory: str | None, setting: Setting) -> str:
    """Return the text with the skill's folder and the session's id in their places, once.

    Args:
        text: what may hold placeholders.
        directory: the skill's folder, relative to the root of the tree; None where there is none.
        setting: where the tree's root is, and the option `session_id`.
    """
    values = {
        "HERMES_SKILL_DIR": None if directory is None else setting.path_of(directory),
        "HERMES_SESSION_ID": setting.options.get("session_id"),
    }
    return _TOKEN.sub(lambda match: values[match[1]] or match[0], text)


def _file(name: str, file: Any, directory: str, tree: FileTree, setting: Setting) -> dict[str, Any]:
    if ".." in PurePosixPath(file).parts:
        return _fail(texts.FILE_TRAVERSAL, hint=texts.FILE_TRAVERSAL_HINT)
    base = PurePosixPath(setting.path_of(directory))
    target = base / file
    if not target.is_relative_to(base):
        error = texts.FILE_ESCAPES.format(path=target, directory=base)
        return _fail(error, hint=texts.FILE_TRAVERSAL_HINT)
    relative = str(target.relative_to(base))
    path = f"{directory}/{relative}" if directory else relative
    if path not in tree:
        if relative == "." or tree.below(path):
            raise IsADirectoryError(21, "Is a directory", str(target))
        files = _grouped(directory, tree)
        error = texts.FILE_NOT_FOUND.format(file=file, name=name)
        return _fail(error, available_files=files, hint=texts.FILE_NOT_FOUND_HINT)
    try:
        content = read(tree, path)
    except UnicodeDecodeError:
        content = texts.BINARY.format(name=target.name, size=len(tree[path]))
        return {"success": True, "name": name, "file": file, "content": content, "is_binary": True}
    return {"success": True, "name": name, "file": file, "content": content, "file_type": target.suffix}


def inside(directory: str, tree: FileTree) -> list[str]:
    """Return the files below a folder, relative to it, in path order."""
    return [path[len(directory) + 1 if directory else 0 :] for path in tree.below(directory)]


def _grouped(directory: str, tree: FileTree) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {name: [] for name in (*texts.SUPPORT, "other")}
    for path in inside(directory, tree):
        first, slash, _ = path.partition("/")
        if PurePosixPath(path).name == "SKILL.md":
            continue
        if slash and first in texts.SUPPORT:
            groups[first].append(path)
        elif PurePosixPath(path).suffix in texts.OTHER_SUFFIXES:
            groups["other"].append(path)
    return {name: paths for name, paths in groups.items() if paths}


def linked_files(directory: str | None, tree: FileTree) -> dict[str, list[str]]:
    """Return the files that a skill's answer names, by folder; in path order (the program has the disk's)."""
    if directory is None:
        return {}
    paths = inside(directory, tree)
    found: dict[str, list[str]] = {}
    for folder, (deep, endings) in texts.LINKED.items():
        here = [p for p in paths if p.startswith(f"{folder}/") and (deep or p.count("/") == 1)]
        files = [path for ending in endings for path in here if path.endswith(ending)]
        if files:
            found[folder] = files
    return found


def _found(
    text: str, fields: Mapping[str, Any], path: str, directory: str | None, tree: FileTree, setting: Setting
) -> dict[str, Any]:
    linked = linked_files(directory, tree)
    metadata = fields.get("metadata")
    own = _own(metadata)
    tags = _words(own.get("tags") or fields.get("tags", ""))
    related = _words(own.get("related_skills") or fields.get("related_skills", ""))
    pure = PurePosixPath(path)
    fallback = pure.stem if directory is None else PurePosixPath(setting.path_of(directory)).name
    variables = _variables(fields)
    there = frozenset(setting.options.get("variables") or ())
    missing = [v["name"] for v in variables if not v.get("optional") and v["name"] not in there]
    missing_files = _missing_files(fields, setting)
    needed = bool(missing or missing_files)
    result: dict[str, Any] = {
        "success": True,
        "name": fields.get("name", fallback),
        "description": fields.get("description", ""),
        "tags": tags,
        "related_skills": related,
        "content": text,
        "path": path,
        "skill_dir": None if directory is None else setting.path_of(directory),
        "linked_files": linked or None,
        "usage_hint": texts.USAGE_HINT if linked else None,
        "required_environment_variables": variables,
        "required_commands": [],
        "missing_required_environment_variables": missing,
        "missing_credential_files": missing_files,
        "missing_required_commands": [],
        "setup_needed": needed,
        "setup_skipped": False,
        "readiness_status": "setup_needed" if needed else "available",
    }
    help_text = next((variable["help"] for variable in variables if variable.get("help")), None)
    if help_text:
        result["setup_help"] = help_text
    if needed:
        items = [f"env ${variable}" for variable in missing] + [f"file {file}" for file in missing_files]
        note = texts.SETUP_NOTE.format(missing=", ".join(items))
        result["setup_note"] = f"{note} {help_text}" if help_text else note
    if fields.get("compatibility"):
        result["compatibility"] = fields["compatibility"]
    if isinstance(metadata, dict):
        result["metadata"] = metadata
    return result


def _own(metadata: Any) -> Any:
    return (metadata.get("hermes") or {}) if isinstance(metadata, dict) else {}


def _words(value: Any) -> list[str]:
    if not value:
        return []
    if isinstance(value, list):
        return [str(word).strip() for word in value if word]
    text = str(value).strip()
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    return [word.strip().strip("\"'") for word in text.split(",") if word.strip()]


def _variables(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    # Three places may ask for variables; the first that names one says how it is asked for.
    setup = fields.get("setup")
    setup = setup if isinstance(setup, dict) else {}
    setup_help = setup.get("help") if isinstance(setup.get("help"), str) else None
    asked: list[dict[str, Any]] = []
    required = fields.get("required_environment_variables")
    for item in required if isinstance(required, list) else [required]:
        if isinstance(item, str):
            asked += [{"name": item}] if isinstance(required, list) else []
        elif isinstance(item, dict):
            asked.append(item)
    secrets = setup.get("collect_secrets")
    for item in secrets if isinstance(secrets, list) else [secrets]:
        if not isinstance(item, dict):
            continue
        name = str(item.get("env_var") or "").strip()
        if name:
            url = str(item.get("provider_url") or item.get("url") or "").strip()
            prompt = str(item.get("prompt") or f"Enter value for {name}").strip()
            asked.append({"name": name, "prompt": prompt, "help": url or (setup_help or "").strip()})
    before = fields.get("prerequisites")
    legacy = before.get("env_vars") if isinstance(before, dict) else None
    for item in [legacy] if isinstance(legacy, str) else legacy or []:
        asked += [{"name": str(item)}] if str(item).strip() else []
    found: dict[str, dict[str, Any]] = {}
    for entry in asked:
        name = str(entry.get("name") or entry.get("env_var") or "").strip()
        if name in found or not _VARIABLE.match(name):
            continue
        found[name] = {"name": name, "prompt": str(entry.get("prompt") or f"Enter value for {name}").strip()}
        help_text = (
            entry.get("help") or entry.get("provider_url") or entry.get("url") or (setup_help or "").strip()
        )
        for key, value in (("help", help_text), ("required_for", entry.get("required_for"))):
            if isinstance(value, str) and value.strip():
                found[name][key] = value.strip()
        if entry.get("optional"):
            found[name]["optional"] = True
    return list(found.values())


def _missing_files(fields: Mapping[str, Any], setting: Setting) -> list[str]:
    there = frozenset(setting.options.get("credential_files") or ())
    required = fields.get("required_credential_files", [])
    missing = []
    for item in required if isinstance(required, list) else []:
        if isinstance(item, dict):
            item = item.get("path") or item.get("name") or ""
        if isinstance(item, str) and item.strip() and item.strip() not in there:
            missing.append(item.strip())
    return missing
