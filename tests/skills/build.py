"""Small folders of skills for the tests."""

from __future__ import annotations

from pathlib import Path


def skill_text(
    name: str, description: str = "Does something.", body: str = "Do it.\n", more: str = ""
) -> str:
    return f"---\nname: {name}\ndescription: {description}\n{more}---\n\n{body}"


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def write_skill(folder: Path, name: str, description: str = "Does something.", **more: str) -> Path:
    return write(folder / "SKILL.md", skill_text(name, description, **more))
