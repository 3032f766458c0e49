"""Folders with skills for the tests of the comparison."""

from __future__ import annotations

from tohlab.dialects.harness import FileTree


def skill(name: str, description: str = "Does one thing well.", more: str = "", body: str = "Do it.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n{more}---\n{body}\n"


def folder(count: int, description: str = "Sorts the rows of a table by any of its columns.") -> FileTree:
    """A folder of plain skills: `skill-000`, `skill-001`, …"""
    return FileTree.of({f"skill-{i:03}/SKILL.md": skill(f"skill-{i:03}", description) for i in range(count)})


MIXED = FileTree.of(
    {
        "alpha/SKILL.md": skill("alpha", 'Reads <forms> & "tables" of it\'s kind.'),
        "beta/SKILL.md": skill("beta", "Only for people.", "disable-model-invocation: true\n"),
        "gamma/SKILL.md": "no frontmatter at all",
        "delta/SKILL.md": skill("delta", '"' + "long words " * 140 + '"'),
        "eps/SKILL.md": skill("other-name", ">-\n  folded\n  text"),
        "zeta/SKILL.md": skill("zeta", "[a, list]"),
        "twin-a/SKILL.md": skill("twin", "The first."),
        "twin-b/SKILL.md": skill("twin", "The second."),
        "deep/er/SKILL.md": skill("er", "Lies deeper."),
        "uni/SKILL.md": skill("uni", "日本語の説明 für größere Übersichten 😀"),
    }
)
"""A folder in which harnesses disagree about nearly every file."""
