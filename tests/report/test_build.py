"""A report says what the rooms say, and accounts for every file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tohlab.dialects import get_dialect
from tohlab.errors import DatasetError, ReplayMiss, RoutingError, SkillError, StoreError
from tohlab.report import Report, build_report, replay
from tohlab.routing import ChatReply, ChatRequest, ReplyStore, load_cases, run_routing
from tohlab.skills.sources import FilesystemSource
from tohlab.tokens import get_meter

CASES = """\
{"id": "r1", "query": "Fill in the form in application.pdf", "expected": ["pdf-forms"]}
{"id": "r2", "query": "Clean the table sales.csv", "expected": ["csv-cleaner"]}
{"id": "r3", "query": "What does this clause mean?", "expected": []}
"""


def write_skill(folder: Path, name: str, description: str, *extra: str, body: str = "Do it.") -> Path:
    path = folder / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    head = "\n".join(["---", f"name: {name}", f"description: {description}", *extra, "---"])
    path.write_text(f"{head}\n{body}\n", encoding="utf-8")
    return path


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    folder = tmp_path / "skills"
    write_skill(folder, "pdf-forms", "Fills in forms in PDF files.")
    write_skill(folder, "csv-cleaner", "Cleans tables in CSV files & <spreadsheets>.", body="Read it. " * 50)
    write_skill(folder, "release-cut", "Cuts a release.", "disable-model-invocation: true")
    write_skill(folder, "broken", "Says: nothing: valid")
    other = write_skill(folder / "zz-old", "pdf-forms", "An older copy.")
    assert other.is_file()
    (folder / "README.md").write_text("# Our skills\n", encoding="utf-8")
    return folder


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_text(CASES, encoding="utf-8")
    return path


class Parrot:
    """A service that always answers the same, in words."""

    base_url = "http://127.0.0.1:9/v1"
    endpoint = ""

    async def complete(self, request: ChatRequest) -> ChatReply:
        message = {"role": "assistant", "content": "No skill fits this."}
        return ChatReply.from_raw({"choices": [{"message": message, "finish_reason": "stop"}]})


def test_the_catalog_is_the_dialect_s_text(skills: Path) -> None:
    report = build_report(skills)
    dialect = get_dialect("toh")
    catalog = dialect.catalog_of(FilesystemSource.tree(skills).snapshot())
    assert "".join(piece.text for piece in report.catalog) == dialect.render_catalog(catalog, "initial").text
    assert [piece.name for piece in report.catalog if piece.name] == ["csv-cleaner", "pdf-forms"]
    assert report.catalog_digest == catalog.digest
    assert report.title == "skills"
    assert report.command == f"tohlab render {skills}"


def test_the_parts_add_up_to_what_every_request_pays(skills: Path) -> None:
    report = build_report(skills)
    text = "".join(piece.text for piece in report.catalog)
    assert report.frame_tokens + sum(row.entry_tokens for row in report.skills) == report.catalog_tokens
    assert report.catalog_tokens == get_meter().count(text)
    assert sum(piece.tokens or 0 for piece in report.catalog) == report.catalog_tokens
    assert report.tool_tokens == get_meter().count(report.tool_schema)


def test_loading_a_skill_costs_the_text_that_the_model_then_reads(skills: Path) -> None:
    loaded = FilesystemSource.tree(skills).load("csv-cleaner")
    assert loaded is not None
    row = build_report(skills).skills[0]
    assert row.loaded_tokens == get_meter().count(get_dialect("toh").render_skill(loaded))


def test_every_file_is_accounted_for(skills: Path) -> None:
    report = build_report(skills)
    assert {file.path: file.status for file in report.files} == {
        "README.md": "not a skill",
        "broken/SKILL.md": "not loaded",
        "csv-cleaner/SKILL.md": "loaded",
        "pdf-forms/SKILL.md": "loaded",
        "release-cut/SKILL.md": "user only",
        "zz-old/pdf-forms/SKILL.md": "shadowed",
    }
    broken = next(file for file in report.files if file.path == "broken/SKILL.md")
    assert broken.problems[0].line == 3
    assert broken.problems[0].remedy
    for file in report.files:
        for problem in file.problems:
            assert str(skills) not in problem.message, "a page must not depend on where the folder lies"


def test_each_change_is_shown_now_and_in_the_next_session(skills: Path) -> None:
    changes = build_report(skills).changes
    assert [(c.change, c.situation) for c in changes] == [
        (change, situation)
        for change in ("add", "edit", "remove", "reorder")
        for situation in ("running session", "next session")
    ]
    edits = {c.situation: c for c in changes if c.change == "edit"}
    assert edits["running session"].lost_tokens == 0
    assert edits["next session"].lost_tokens > 0
    for change in changes:
        assert 0 <= change.strip.reused_share <= 1


def test_the_same_folder_elsewhere_gives_the_same_report(skills: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere" / "skills"
    moved.parent.mkdir()
    first = build_report(skills)
    skills.rename(moved)
    second = build_report(moved)
    strip = {"command", "skills"}  # the command names the path, and a loaded text names the skill's folder
    assert {k: v for k, v in first.to_dict().items() if k not in strip} == {
        k: v for k, v in second.to_dict().items() if k not in strip
    }


def test_without_labelled_requests_it_says_how_to_make_them(skills: Path) -> None:
    routing = build_report(skills).routing
    assert routing.runs == ()
    assert '"expected": []' in routing.note
    assert "--cases cases.jsonl" in routing.note


def test_labelled_requests_alone_give_the_baselines(skills: Path, cases: Path) -> None:
    routing = build_report(skills, cases=cases).routing
    labels = [run.label for run in routing.runs]
    assert labels[:5] == ["the commonest answer", "by chance", "names in the request", "BM25", "TF-IDF"]
    assert {run.kind for run in routing.runs} == {"baseline"}
    assert [run.label for run in routing.runs if run.confusion] == ["names in the request", "BM25"]
    assert all(run.n_total == run.n_scored == 3 for run in routing.runs)
    assert "no model was asked" in routing.note


def test_a_live_model_comes_first_and_its_errors_are_listed(skills: Path, cases: Path) -> None:
    routing = build_report(skills, cases=cases, client=Parrot(), model="parrot").routing
    run = routing.runs[0]
    assert (run.label, run.kind) == ("parrot", "model")
    assert run.exact.successes == 1
    assert run.no_skill is not None
    assert run.no_skill.value == 1
    assert [(t.case_id, t.label) for t in run.misses] == [("r1", "missed"), ("r2", "missed")]
    assert routing.source == Parrot.base_url
    assert run.confusion is not None
    assert run.confusion.counts[("pdf-forms", "(none)")] == 1


@pytest.mark.parametrize(
    ("choice", "temperature", "max_tokens", "replicates"),
    [("tools", 0.0, 256, 1), ("json", 0.7, 256, 3), ("tools", None, None, 2)],
)
def test_a_recording_is_replayed_however_the_model_was_asked(
    skills: Path,
    cases: Path,
    tmp_path: Path,
    choice: str,
    temperature: float | None,
    max_tokens: int | None,
    replicates: int,
) -> None:
    recording = tmp_path / "recorded.jsonl.gz"
    with ReplyStore(":memory:") as store:
        run_routing(
            load_cases(cases),
            FilesystemSource.tree(skills),
            Parrot(),
            model="parrot",
            store=store,
            mode="record",
            choice=choice,  # type: ignore[arg-type]  # both words of the Literal
            temperature=temperature,
            max_tokens=max_tokens,
            replicates=replicates,
        )
        store.export(recording)
    report = replay(load_cases(cases), FilesystemSource.tree(skills), recording)[0]
    assert (report.choice, report.replicates) == (choice, replicates)
    routing = build_report(skills, cases=cases, recording=recording).routing
    assert [run.label for run in routing.runs][:2] == ["parrot", "the commonest answer"]
    assert {"BM25", "names in the request", "TF-IDF"} <= {run.label for run in routing.runs}
    assert len({run.exact.n for run in routing.runs}) == 1
    assert routing.source == "the recording recorded.jsonl.gz"


def test_a_recording_of_other_skills_is_an_error_and_not_a_score(
    skills: Path, cases: Path, tmp_path: Path
) -> None:
    recording = tmp_path / "recorded.jsonl"
    with ReplyStore(":memory:") as store:
        source = FilesystemSource.tree(skills)
        run_routing(load_cases(cases), source, Parrot(), model="parrot", store=store, mode="record")
        store.export(recording)
    write_skill(skills, "csv-cleaner", "Another description.")
    with pytest.raises(ReplayMiss):
        build_report(skills, cases=cases, recording=recording)


def test_a_recording_that_is_not_there_is_an_error(skills: Path, cases: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no recording"):
        build_report(skills, cases=cases, recording=tmp_path / "none.jsonl")


def test_a_live_service_needs_the_name_of_a_model(skills: Path, cases: Path) -> None:
    with pytest.raises(RoutingError, match="--model"):
        build_report(skills, cases=cases, client=Parrot())


def test_a_case_that_expects_an_unknown_skill_is_an_error(skills: Path, tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"id": "r1", "query": "q", "expected": ["pdf-form"]}\n', encoding="utf-8")
    with pytest.raises(DatasetError, match="pdf-forms"):
        build_report(skills, cases=path)


def test_a_folder_without_a_skill_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Nothing here\n", encoding="utf-8")
    with pytest.raises(SkillError, match=r"SKILL\.md"):
        build_report(tmp_path)


def test_files_of_which_none_loads_give_a_report_of_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "SKILL.md").write_text("no frontmatter\n", encoding="utf-8")
    report = build_report(tmp_path)
    assert report.skills == report.catalog == report.changes == ()
    assert report.changes_note
    assert report.total_tokens == report.tool_tokens > 0
    assert report.n_problems == 1


def test_our_own_library_is_reported_with_its_requests(own_report: Report) -> None:
    assert len(own_report.skills) >= 24
    assert all(file.status in {"loaded", "user only"} for file in own_report.files)
    assert all(run.n_total >= 150 for run in own_report.routing.runs)
    assert {"BM25", "names in the request"} <= {run.label for run in own_report.routing.runs}


@pytest.fixture(scope="module")
def own_report() -> Report:
    return build_report()
