"""Reports and requests for other tools: JUnit XML, an Inspect log, a promptfoo configuration.

`tohlab.frames.frame` gives the same as a DataFrame. Inspect's log is its format 2 as its own models declare
it (UKGovernmentBEIS/inspect_ai, src/inspect_ai/log/_log.py); promptfoo's configuration follows its reference
(promptfoo.dev/docs/configuration/reference). Both were read 2026-12-01 and neither program was run on the
files, so take these two as documented, not executed.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from tohlab.errors import RoutingError
from tohlab.routing.dataset import RoutingDataset
from tohlab.routing.prompts import prompter
from tohlab.routing.report import RoutingReport
from tohlab.routing.scoring import Trial
from tohlab.skills.model import SkillSource

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(report: RoutingReport) -> str:
    """Return a report as JUnit XML: a wrong answer is a failure, one that never came is an error."""
    trials = report.trials
    wrong = [t for t in trials if t.state != "service_error" and not _fine(t)]
    errors = [t for t in trials if t.state == "service_error"]
    suite = ET.Element(
        "testsuite",
        name=_xml(f"{report.model} on {report.dataset}"),
        tests=str(len(trials)),
        failures=str(len(wrong)),
        errors=str(len(errors)),
        skipped="0",
        time=f"{sum(t.latency_s or 0.0 for t in trials):.3f}",
    )
    for trial in trials:
        number = f" #{trial.replicate}" if report.replicates > 1 else ""
        case = ET.SubElement(
            suite,
            "testcase",
            classname=_xml(trial.case.group or report.dataset or "routing"),
            name=_xml(trial.case.id + number),
            time=f"{trial.latency_s or 0.0:.3f}",
        )
        if _fine(trial):
            continue
        kind = "error" if trial.state == "service_error" else "failure"
        said = ET.SubElement(case, kind, type=_xml(trial.label), message=_xml(_message(trial)))
        said.text = _xml(trial.case.query)
    ET.indent(suite)
    return ET.tostring(suite, encoding="unicode", xml_declaration=False) + "\n"


def to_inspect_log(report: RoutingReport, *, created: datetime | None = None) -> dict[str, Any]:
    """Return a report as the data of an Inspect log (JSON, format 2), one sample for each answer.

    A sample of a service error has an `error` and no score, so Inspect counts it as not completed. Inspect's
    own metrics would give other intervals; ours stand in `results.metadata`.

    Args:
        report: the report.
        created: when the run was; by default now.
    """
    when = (created or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")
    cases = {t.case.id: t.case for t in report.trials}
    scored = [t for t in report.trials if t.state != "service_error"]
    metrics = {"accuracy": report.exact.value, "low": report.exact.low, "high": report.exact.high}
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "run_id": "",
            "created": when,
            "task": "tohlab_routing",
            "task_id": "",
            "dataset": {"name": report.dataset, "samples": len(cases), "sample_ids": list(cases)},
            "model": report.model,
            "config": {"epochs": report.replicates},
            "metadata": {
                "dialect": report.dialect, "choice": report.choice, "placement": report.placement,
                "skills": list(report.skills),
            },
        },
        "results": {
            "total_samples": len(report.trials),
            "completed_samples": len(scored),
            "scores": [
                {
                    "name": "exact_set",
                    "scorer": "exact_set",
                    "metrics": {name: {"name": name, "value": value} for name, value in metrics.items()},
                }
            ],
            "metadata": {"interval": "95 % Wilson over cases", "n_cases": report.exact.n},
        },
        "samples": [_sample(trial) for trial in report.trials],
    }  # fmt: skip


def to_promptfoo(
    dataset: RoutingDataset,
    source: SkillSource,
    *,
    model: str,
    base_url: str | None = None,
    **asking: Any,
) -> dict[str, Any]:
    """Return a promptfoo configuration that asks what `tohlab route --choice tools` asks.

    promptfoo counts a request as passed if exactly the expected skills are loaded, each once. It has no
    notion of unlabelled cases, so those are left out; and a call that is written in the text passes there as
    no call.

    Args:
        dataset: the labelled requests.
        source: the skills.
        model: the model's name.
        base_url: the OpenAI-compatible service, without which promptfoo asks OpenAI.
        asking: `dialect`, `placement`, `temperature`, `seed`, `max_tokens`, as in `run_routing`.

    Raises:
        RoutingError: a text has `{{` or `{%`, which promptfoo would take for a template.
        DatasetError: an expected skill is not in the catalog, or there is no labelled case.
    """
    prompts = prompter(source, model=model, choice="tools", **asking)
    dataset.check_scorable(prompts.names, prompts.unloaded)
    tests = []
    body: dict[str, Any] = {}
    for case in dataset.cases:
        if case.expected is None:
            continue
        body = prompts.request(case.query).body()
        messages = json.dumps(body["messages"], ensure_ascii=False)
        if "{{" in messages or "{%" in messages:
            raise RoutingError(
                f"the case {case.id!r} or the catalog has {{{{ or {{%, which promptfoo takes for a template; "
                "leave it out"
            )
        tests.append(
            {
                "description": case.id,
                "vars": {
                    "messages": messages,
                    "expected": json.dumps(list(case.expected)),
                    "optional": json.dumps(list(case.optional)),
                },
            }
        )
    settings: dict[str, Any] = {"tools": body["tools"], "tool_choice": body["tool_choice"]}
    settings |= {key: body[key] for key in ("temperature", "seed", "max_tokens") if key in body}
    if base_url:
        settings["apiBaseUrl"] = base_url
    return {
        "description": f"{dataset.name}: is the right skill picked?",
        "prompts": ["{{messages}}"],
        "providers": [{"id": f"openai:chat:{model}", "config": settings}],
        "defaultTest": {"assert": [{"type": "javascript", "value": _ASSERTION % prompts.tool_name}]},
        "tests": tests,
    }


_ASSERTION: Final = """\
const calls = Array.isArray(output) ? output : [];
const loaded = [];
for (const call of calls) {
  if (!call.function || call.function.name !== '%s') return false;
  try { loaded.push(JSON.parse(call.function.arguments).name); } catch (error) { return false; }
}
if (new Set(loaded).size !== loaded.length) return false;
const optional = JSON.parse(context.vars.optional);
const wanted = JSON.parse(context.vars.expected);
const counted = loaded.filter((name) => !optional.includes(name));
return counted.length === wanted.length && wanted.every((name) => counted.includes(name));
"""


def _fine(trial: Trial) -> bool:
    return trial.right or trial.label == "avoided"


def _message(trial: Trial) -> str:
    case = trial.case
    wanted = "not " + ", ".join(case.not_expected) if case.expected is None else ", ".join(case.expected)
    detail = f" ({trial.detail})" if trial.detail else ""
    return (
        f"{trial.label}: expected {wanted or 'no skill'}, loaded {', '.join(trial.loaded) or 'none'}{detail}"
    )


def _sample(trial: Trial) -> Mapping[str, Any]:
    case = trial.case
    sample: dict[str, Any] = {
        "id": case.id,
        "epoch": trial.replicate + 1,
        "input": case.query,
        "target": list(case.expected or ()),
        "metadata": {
            "label": trial.label, "group": case.group, "not_expected": list(case.not_expected),
            "prompt_tokens": trial.usage.prompt, "completion_tokens": trial.usage.completion,
        },
    }  # fmt: skip
    if trial.state == "service_error":
        sample["error"] = {"message": trial.detail or trial.label, "traceback": "", "traceback_ansi": ""}
    else:
        sample["scores"] = {
            "exact_set": {
                "value": "C" if _fine(trial) else "I",
                "answer": ", ".join(trial.loaded),
                "explanation": trial.detail or trial.label,
            }
        }
    return sample


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
