"""`tohlab render` prints the exact text, and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tohlab.catalog import Catalog
from tohlab.cli import run
from tohlab.compare import view_harness
from tohlab.dialects import get_dialect
from tohlab.dialects.harnesses import get_harness, harness_names
from tohlab.library import library_skills
from tohlab.skills.sources import FilesystemSource

TOH = get_dialect("toh")

Run = Callable[..., tuple[int, bytes, str]]


@pytest.fixture
def render(capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Runs the command: exit code, standard output as bytes, standard error."""

    def call(*arguments: str | Path) -> tuple[int, bytes, str]:
        code = run(["render", *map(str, arguments)])
        out, err = capsysbinary.readouterr()
        return code, out, err.decode()

    return call


def write(folder: Path, name: str, description: str, body: str = "Do it.", more: str = "") -> None:
    path = folder / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(
        f"---\nname: {name}\ndescription: {json.dumps(description, ensure_ascii=False)}\n{more}---\n{body}\n",
        encoding="utf-8",
    )


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    """A folder with two skills for models and one for users only."""
    write(tmp_path, "sql", "Ask <databases> & more")
    write(tmp_path, "pdf", "Read PDF files \u2026", body="Open the file.\r\n\n日本語")
    write(tmp_path, "deploy", "Ship it", more="disable-model-invocation: true\n")
    return tmp_path


ENTRIES = Catalog.of([("pdf", "Read PDF files \u2026"), ("sql", "Ask <databases> & more")])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((), TOH.render_catalog(ENTRIES).text),
        (("--part", "catalog"), TOH.render_catalog(ENTRIES).text),
        (("--part", "replacement"), TOH.render_catalog(ENTRIES, "replacement").text),
        (("--part", "tombstone"), TOH.tombstone_text),
        (("--part", "tool"), TOH.tool_json),
        (("--part", "ask-tool"), TOH.ask_tool_json),
    ],
)
def test_each_part_is_printed_as_it_is_and_nothing_is_added(
    render: Run, skills: Path, arguments: tuple[str, ...], text: str
) -> None:
    assert render(skills, "--dialect", "toh", *arguments) == (0, text.encode(), "")


def test_a_loaded_skill_is_printed_with_its_frame(render: Run, skills: Path) -> None:
    code, out, _ = render(skills, "--part", "result", "--name", "pdf")
    assert code == 0
    assert out.startswith(b'<skill_content name="pdf">\n')
    assert f"\nBase directory for this skill: {skills / 'pdf'}\n".encode() in out
    assert "\nOpen the file.\r\n\n日本語\n</skill_instructions>".encode() in out
    assert out.endswith(b"</skill_content>")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("missing", 'Error: skill "missing" is unknown or no longer available'),
        ("Bad_Name", 'Error: invalid skill name "Bad_Name"'),
        ("", 'Error: invalid skill name ""'),
        ("deploy", 'Error: skill "deploy" is not available for model invocation'),
    ],
)
def test_a_skill_that_cannot_be_loaded_prints_what_the_model_would_read(
    render: Run, skills: Path, name: str, text: str
) -> None:
    assert render(skills, "--part", "result", "--name", name) == (1, text.encode(), "")


def test_json_says_where_the_text_comes_from(render: Run, skills: Path) -> None:
    code, out, _ = render(skills, "--json")
    assert code == 0
    assert json.loads(out) == {
        "dialect": "toh",
        "part": "catalog",
        "text": TOH.render_catalog(ENTRIES).text,
        "fidelity": "executed",
        "version": "0.1.1-rc.2",
        "date": "2026-12-01",
    }


def test_json_of_a_failed_load_has_the_text_and_the_exit_code(render: Run, skills: Path) -> None:
    code, out, _ = render(skills, "--part", "result", "--name", "missing", "--json")
    assert code == 1
    assert json.loads(out)["text"].startswith("Error: ")


def test_without_a_folder_it_is_our_own_library(render: Run) -> None:
    snapshot = FilesystemSource.tree(library_skills()).snapshot()
    assert render()[1] == TOH.render_catalog(TOH.catalog_of(snapshot)).text.encode()


@pytest.mark.parametrize("part", ["tool", "tombstone"])
def test_what_says_nothing_of_skills_needs_none(render: Run, part: str) -> None:
    code, out, _ = render("--part", part)
    assert (code, out) == (0, (TOH.tool_json if part == "tool" else TOH.tombstone_text).encode())


# Bad input.


def test_a_folder_without_skills_is_said_to_be_one(render: Run, tmp_path: Path) -> None:
    code, out, err = render(tmp_path)
    assert (code, out) == (3, b"")
    assert "no skill" in err


def test_a_folder_that_is_not_there_is_named(render: Run, tmp_path: Path) -> None:
    code, out, err = render(tmp_path / "nowhere")
    assert (code, out) == (3, b"")
    assert "nowhere does not exist" in err


def test_skills_for_users_only_give_no_catalog(render: Run, tmp_path: Path) -> None:
    write(tmp_path, "deploy", "Ship it", more="disable-model-invocation: true\n")
    code, out, err = render(tmp_path)
    assert (code, out) == (3, b"")
    assert "no skill that a model may load" in err
    assert render(tmp_path, "--part", "replacement") == (0, TOH.tombstone_text.encode(), "")


def test_files_that_do_not_load_are_said_aside(render: Run, skills: Path) -> None:
    (skills / "broken").mkdir()
    (skills / "broken" / "SKILL.md").write_text("no frontmatter", encoding="utf-8")
    code, out, err = render(skills)
    assert (code, out) == (0, TOH.render_catalog(ENTRIES).text.encode())
    assert "tohlab check" in err


@pytest.mark.parametrize("arguments", [("--part", "result"), ("--name", "pdf"), ("--part", "whole")])
def test_a_wrong_command_line_is_2(render: Run, skills: Path, arguments: tuple[str, ...]) -> None:
    assert render(skills, *arguments)[:2] == (2, b"")


def test_a_near_dialect_is_suggested(render: Run, skills: Path) -> None:
    code, out, err = render(skills, "--dialect", "tho")
    assert (code, out) == (3, b"")
    assert "Did you mean 'toh'" in err


# The bytes themselves.


def in_a_process(*arguments: str | Path, **environment: str) -> bytes:
    found = subprocess.run(
        [sys.executable, "-m", "tohlab", "render", *map(str, arguments)],
        stdout=subprocess.PIPE,
        check=True,
        env={**os.environ, **environment},
    )
    return found.stdout


def test_the_locale_does_not_matter(skills: Path) -> None:
    text = TOH.render_catalog(ENTRIES).text.encode()
    assert in_a_process(skills, LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONUTF8="0") == text


def test_a_cut_character_stays_cut(render: Run, tmp_path: Path) -> None:
    write(tmp_path, "smile", "x" * 496 + "\U0001f600" * 3)
    out = render(tmp_path)[1].decode("utf-8", "surrogatepass")
    assert f"- `smile`: {'x' * 496}\ud83d...\n" in out
    assert f"{'x' * 496}\ud83d..." in json.loads(render(tmp_path, "--json")[1])["text"]


def test_ten_thousand_skills_are_printed(render: Run, tmp_path: Path) -> None:
    for i in range(10_000):
        path = tmp_path / f"s{i}.md"
        path.write_bytes(b"---\nname: s%d\ndescription: Skill %d.\n---\nbody\n" % (i, i))
    code, out, err = render(tmp_path)
    assert (code, err) == (0, "")
    assert out.count(b"\n- `s") == 10_000


@pytest.mark.parametrize("part", ["tool", "tombstone"])
def test_an_empty_folder_has_what_says_nothing_of_skills(render: Run, tmp_path: Path, part: str) -> None:
    assert render(tmp_path, "--part", part) == render("--part", part)
    code, out, err = render(tmp_path / "none", "--part", part)
    assert (code, out) == (3, b"")
    assert "does not exist" in err


# The other harnesses.


@pytest.mark.parametrize("name", [name for name in harness_names() if name != "toh"])
def test_every_harness_prints_its_list_as_it_is(name: str, render: Run, skills: Path) -> None:
    listing = view_harness(skills, name).listing.text
    for part in ("catalog", "listing"):
        code, out, _ = render(skills, "--dialect", name, "--part", part)
        assert (code, out) == (0, listing.encode())


@pytest.mark.parametrize("name", harness_names())
def test_a_part_that_a_harness_does_not_have_is_said_to_be_missing(
    name: str, render: Run, skills: Path
) -> None:
    harness = get_harness(name)
    tools = view_harness(skills, name).tools
    code, out, err = render(skills, "--dialect", name, "--part", "tool")
    assert code == (0 if tools else 3)
    if tools:
        assert len([json.loads(line) for line in out.splitlines()]) == len(tools)
    else:
        assert "no tool" in err
    code, out, err = render(skills, "--dialect", name, "--part", "result", "--name", "pdf")
    if harness.load_tool is None:
        assert (code, out) == (3, b"")
        assert "no tool that loads a skill" in err
    else:
        assert code == 0
        assert b"Open the file." in out
    if name != "toh":
        code, out, err = render(skills, "--dialect", name, "--part", "ask-tool")
        assert (code, out) == (3, b"")
        assert "has no part 'ask-tool'" in err


def test_a_miss_prints_what_the_model_would_read(render: Run, skills: Path) -> None:
    assert render(skills, "--dialect", "pikuri", "--part", "result", "--name", "nope") == (
        1,
        b"Error: skill 'nope' not found. Available skills: deploy, pdf, sql.",
        "",
    )
    code, out, err = render(skills, "--dialect", "pi", "--part", "result", "--name", "nope")
    assert (code, out) == (3, b"")
    assert "there are: deploy, pdf, sql" in err


def test_a_users_text_becomes_what_the_harness_makes_of_it(render: Run, skills: Path) -> None:
    code, out, _ = render(skills, "--dialect", "pi", "--part", "user", "--text", "/skill:pdf page 2")
    assert code == 0
    assert out.startswith(b'<skill name="pdf" location="/home/user/.agents/skills/pdf/SKILL.md">')
    assert out.endswith(b"\n\npage 2")
    assert render(skills, "--dialect", "goose", "--part", "user", "--text", "hello")[:2] == (0, b"hello")
    assert b"<skill_content" in render(skills, "--part", "user", "--text", "use /pdf")[1]
    code, out, err = render(skills, "--dialect", "claude-code", "--part", "user", "--text", "/nope")
    assert (code, out) == (1, b"Unknown skill: nope")
    assert "no model is asked" in err


def test_the_window_makes_the_budget_and_the_root_the_paths(render: Run, skills: Path) -> None:
    wide = render(skills, "--dialect", "codex")[1]
    assert b"Read PDF files" in wide
    assert b"Read PDF files" not in render(skills, "--dialect", "codex", "--window", "1300")[1]
    _, out, err = render(skills, "--dialect", "roo", "--root", "/r")
    assert b"/r/pdf/SKILL.md" in out
    assert "printed below /r" in err


def test_json_of_a_harness_says_where_its_text_comes_from(render: Run, skills: Path) -> None:
    data = json.loads(render(skills, "--dialect", "claude-code", "--json")[1])
    assert (data["dialect"], data["part"], data["fidelity"]) == ("claude-code", "catalog", "reconstructed")
    assert set(data) == {"dialect", "part", "text", "fidelity", "version", "date"}


def test_a_list_of_nothing_is_an_error_that_says_where_the_reasons_are(render: Run, tmp_path: Path) -> None:
    write(tmp_path, "deploy", "Ship it", more="disable-model-invocation: true\n")
    code, out, err = render(tmp_path, "--dialect", "claude-code")
    assert (code, out) == (3, b"")
    assert "tohlab tokens DIR --dialect claude-code" in err


def test_options_that_would_do_nothing_are_refused(skills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["render", str(skills), "--window", "1000"]) == 2
    assert "--window does not apply" in capsys.readouterr().err
    assert run(["render", str(skills), "--part", "user"]) == 2
    assert "go together" in capsys.readouterr().err


def test_a_skill_that_is_not_found_is_a_no_whatever_the_program_calls_it(render: Run, skills: Path) -> None:
    codes = {}
    for name in harness_names():
        harness = get_harness(name)
        if harness.load_tool is not None:
            arguments = (skills, "--dialect", name, "--part", "result", "--name")
            codes[name] = (render(*arguments, "pdf")[0], render(*arguments, "nope")[0])
    by_path = {name for name in codes if get_harness(name).loads_by == "path"}
    assert len(codes) > 10
    assert codes == {name: (0, 3 if name in by_path else 1) for name in codes}


def test_a_file_that_cannot_be_read_is_told_and_the_others_are_rendered(render: Run, skills: Path) -> None:
    (skills / "bad").mkdir()
    (skills / "bad" / "SKILL.md").symlink_to("SKILL.md")
    code, out, err = render(skills, "--dialect", "goose")
    assert code == 0
    assert "pdf" in out.decode()
    assert "bad/SKILL.md: the file cannot be read: Too many levels of symbolic links" in err
