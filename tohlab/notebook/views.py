"""Any result as a rich display: HTML where a notebook can show it, the same in plain text everywhere else.

The HTML is made of the report page's own parts, has no random id and no script, and is the same for the same
result, so that a stored notebook can be compared with a fresh run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from tohlab.catalog import Catalog
from tohlab.dialects import Dialect, get_dialect
from tohlab.errors import TohlabError
from tohlab.prefix import PrefixComparison
from tohlab.prefix.append_only import Allowed, AppendOnlyCheck, check_append_only
from tohlab.report.convert import pieces_of, run_of, run_of_baseline, strip_of
from tohlab.report.figures import confusion_figure, mistakes
from tohlab.report.html import asset, heat_scale
from tohlab.report.markup import environment, number, share
from tohlab.report.model import RateRow, RoutingRun, Strip, TextPiece
from tohlab.request import Request, TextBlock, ToolSchema
from tohlab.routing.comparison import RunComparison
from tohlab.routing.report import RoutingReport
from tohlab.session import Session
from tohlab.survival import Survey
from tohlab.survival.table import table_html, table_text
from tohlab.tokens import CatalogCost, RequestCost, TokenMeter, get_meter, share_out

_BAR_CHARS: Final = 24
_MOST_PAIRS: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A result made ready to be looked at."""

    text: str
    """For a terminal, a log and a reader of the raw notebook."""
    html: str
    """One `div` with its own style; deterministic, without script."""

    def __repr__(self) -> str:
        return self.text

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html

    def _repr_mimebundle_(
        self, include: Iterable[str] | None = None, exclude: Iterable[str] | None = None
    ) -> dict[str, str]:
        """Return both forms; a front end takes the richest that it can show."""
        bundle = {"text/plain": self.text, "text/html": self.html}
        if include is not None:
            wanted = set(include)
            bundle = {kind: value for kind, value in bundle.items() if kind in wanted}
        if exclude is not None:
            unwanted = set(exclude)
            bundle = {kind: value for kind, value in bundle.items() if kind not in unwanted}
        return bundle


def view(result: Any, *, dialect: str | Dialect = "toh", meter: TokenMeter | None = None) -> View:
    """Return `result` as a rich display.

    Args:
        result: a `Catalog` or `TextBlock` (as the model reads it, entries with their tokens), a `ToolSchema`,
            a `RequestCost` or `CatalogCost` (bars), a `PrefixComparison` or a sequence of them (strips and
            sentences), an `AppendOnlyCheck` (a badge), a `RoutingReport` or a sequence of them (table; one
            alone also its confusion), a `RunComparison` (verdict, and the cases that changed), or a `Survey`
            (counts, and a row for each file in trouble).
        dialect: whose wording, for a `Catalog`.
        meter: what counts the tokens of a text; `o200k_base` unless told otherwise.

    Raises:
        MissingExtra: jinja2 is not installed.
        TohlabError: there is no view of such a result; the message says of what there is.
    """
    if isinstance(result, View):
        return result
    if isinstance(result, Catalog):
        return _text_view(get_dialect(dialect).render_catalog(result, "initial"), meter or get_meter())
    if isinstance(result, TextBlock):
        return _text_view(result, meter or get_meter())
    if isinstance(result, ToolSchema):
        return _text_view(TextBlock(text=result.to_json()), meter or get_meter())
    kind, items = _one_kind(result)
    for known, make in _VIEWS.items():
        if kind is known:
            return make(items)
    names = ", ".join(known.__name__ for known in (Catalog, TextBlock, ToolSchema, *_VIEWS))
    raise TohlabError(f"there is no view of {type(result).__name__}; there is one of {names}")


def append_only_badge(
    conversation: Session | Iterable[Request],
    *,
    allow: Mapping[int, Allowed] | None = None,
    meter: TokenMeter | None = None,
) -> View:
    """Return a badge: `append-only: yes`, or `no` and where the first request breaks off.

    The word says it, so that it can be read without colours and by a screen reader.

    Args:
        conversation: a session, or requests in the order in which they were sent.
        allow: which requests may break off and why; see `assert_append_only`.
        meter: what counts; `o200k_base` unless told otherwise.

    Raises:
        PrefixError: fewer than two requests, or a wrong `allow`.
    """
    return view(check_append_only(conversation, allow=allow, meter=meter))


def _append_only_view(checks: Sequence[AppendOnlyCheck]) -> View:
    return _joined([_badge(check) for check in checks])


def _badge(check: AppendOnlyCheck) -> View:
    kept = f"{check.shared_tokens:,} of {check.before_tokens:,} tokens sent before were kept"
    kept += f" ({check.kept_share:.1%})"
    html = _html(
        '<p class="sentence"><strong style="border:1px solid currentColor;border-radius:4px;padding:0 6px">'
        "append-only: {{ word }}</strong> {{ rest }} {{ kept }}.</p>",
        word="yes" if check.append_only else "no",
        rest=check.sentence.split(", ", 1)[1].removesuffix(".") + ".",
        kept=kept,
    )
    return View(text=f"{check.sentence}\n{kept}", html=html)


def _one_kind(result: Any) -> tuple[type, tuple[Any, ...]]:
    if isinstance(result, Sequence) and not isinstance(result, str) and result:
        kinds = {type(item) for item in result}
        if len(kinds) == 1:
            return kinds.pop(), tuple(result)
    return type(result), (result,)


def _text_view(block: TextBlock, meter: TokenMeter) -> View:
    tokens = share_out(block.text, block.spans, meter)
    total = meter.count(block.text)
    pieces: tuple[TextPiece, ...] = pieces_of(block, tokens, total - sum(tokens))
    caption = f"{number(total)} tokens of {meter.name}"
    if block.spans:
        caption += f", {number(sum(tokens))} of them in {len(block.spans)} entries"
    html = _html(
        "{{ parts.catalog_text(pieces, 'What the model reads', heat, anchors=false) }}"
        '<p class="sentence">{{ caption }}</p>',
        pieces=pieces,
        heat=heat_scale(list(tokens)),
        caption=caption,
    )
    return View(text=f"{block.text}\n[{caption}]", html=html)


def _request_view(costs: Sequence[RequestCost]) -> View:
    return _joined([_bars(_request_rows(cost), _request_caption(cost)) for cost in costs])


def _request_rows(cost: RequestCost) -> list[tuple[str, str, int]]:
    return [(segment.path, segment.name or segment.kind, segment.tokens) for segment in cost.segments]


def _request_caption(cost: RequestCost) -> str:
    return f"{number(cost.total_tokens)} tokens of {cost.meter}, {cost.renderer} renderer"


def _catalog_cost_view(costs: Sequence[CatalogCost]) -> View:
    return _joined(
        [
            _bars(
                [(row.kind, row.name, row.tokens) for row in cost.rows],
                f"{number(cost.total_tokens)} tokens of {cost.encoding}, {cost.renderer} renderer, "
                "in every request",
            )
            for cost in costs
        ]
    )


def _bars(rows: list[tuple[str, str, int]], caption: str) -> View:
    most = max((tokens for _, _, tokens in rows), default=0)
    html = _html(
        "{{ parts.bars_table(rows, most, total, caption) }}",
        rows=rows,
        most=most,
        total=sum(tokens for _, _, tokens in rows),
        caption=caption,
    )
    width = max((len(f"{where} {name}") for where, name, _ in rows), default=0)
    lines = [caption]
    for where, name, tokens in rows:
        bar = "█" * round(_BAR_CHARS * tokens / most) if most else ""
        lines.append(f"{f'{where} {name}':<{width}}  {tokens:>7,}  {bar}".rstrip())
    return View(text="\n".join(lines), html=html)


def _prefix_view(comparisons: Sequence[PrefixComparison]) -> View:
    strips = [strip_of(comparison) for comparison in comparisons]
    html = _html(
        "{{ parts.strip_key() }}{% for s in strips %}{{ parts.strip_block(s) }}{% endfor %}", strips=strips
    )
    return View(text="\n\n".join(_strip_text(strip) for strip in strips), html=html)


def _strip_text(strip: Strip) -> str:
    kept = round(_BAR_CHARS * strip.reused_share)
    picture = "█" * kept + "░" * (_BAR_CHARS - kept)
    reused = f"{share(strip.reused_share)} of {number(strip.after_tokens)} tokens reused"
    return f"{picture}  {reused}\n{strip.sentence}"


def _routing_view(reports: Sequence[RoutingReport]) -> View:
    runs = [run_of(report) for report in reports]
    one = runs[0] if len(runs) == 1 else None
    if len(reports) == 1:
        runs += [run_of_baseline(row) for row in reports[0].baselines]
    html = _html(
        "{{ parts.runs_table(routing) }}"
        "{% if figure %}{{ parts.confusion_picture(figure, run.label) }}"
        "<details><summary>Pairs off the diagonal ({{ mistakes|length|n }})</summary>"
        "{{ parts.mistakes_table(mistakes, run.label) }}</details>{% endif %}",
        routing={"runs": runs, "cases": _cases(reports), "source": ""},
        run=one,
        figure=confusion_figure(one.confusion) if one and one.confusion else None,
        mistakes=mistakes(one.confusion) if one and one.confusion else (),
    )
    lines = [_run_text(run) for run in runs]
    if one and one.confusion:
        wrong = mistakes(one.confusion)
        lines += [f"expected {e}, picked {p}: {n}" for e, p, n in wrong[:_MOST_PAIRS]]
        if len(wrong) > _MOST_PAIRS:
            lines.append(f"and {len(wrong) - _MOST_PAIRS} further pairs")
    return View(text="\n".join(lines), html=html)


def _comparison_view(found: Sequence[RunComparison]) -> View:
    rows = [(f, name, c) for f in found for name, cs in (("gained", f.gained), ("lost", f.lost)) for c in cs]
    html = _html(
        "{% for found in all %}"
        '<p class="sentence">A: {{ found.a }}<br>B: {{ found.b }}<br>'
        "<strong>{{ found.sentence }}</strong></p>"
        "{% for note in found.notes %}<p>{{ note }}</p>{% endfor %}"
        "<table><thead><tr><th>change</th><th>case</th><th>request</th><th>expected</th><th>A</th>"
        "<th>B</th></tr></thead><tbody>"
        "{% for owner, name, c in rows if owner is sameas(found) %}"
        "<tr><td>{{ name }}</td><td>{{ c.case }}</td><td>{{ c.query }}</td>"
        "<td>{{ c.expected|join(', ') or 'none' }}</td>"
        "<td>{{ c.a_loaded|join(', ') or 'none' }} ({{ c.a_label }})</td>"
        "<td>{{ c.b_loaded|join(', ') or 'none' }} ({{ c.b_label }})</td></tr>{% endfor %}"
        "</tbody></table>{% endfor %}",
        all=found,
        rows=rows,
    )
    lines = []
    for comparison in found:
        lines += [f"A: {comparison.a}", f"B: {comparison.b}", comparison.sentence, *comparison.notes]
        lines += [f"{name}: {c.case} ({c.a_label} to {c.b_label})" for f, name, c in rows if f is comparison]
    return View(text="\n".join(lines), html=html)


def _cases(reports: Sequence[RoutingReport]) -> str:
    return " and ".join(
        dict.fromkeys(f"{report.n_cases:,} requests ({report.dataset})" for report in reports)
    )


def _run_text(run: RoutingRun) -> str:
    parts = [f"{run.label}: exact {_rate_text(run.exact)}"]
    if run.no_skill:
        parts.append(f"no skill fits and none picked {_rate_text(run.no_skill)}")
    parts.append(f"{number(run.n_model_error)} unusable answers")
    parts.append(f"{number(run.n_service_error)} service errors")
    return "; ".join(parts)


def _rate_text(rate: RateRow) -> str:
    return f"{share(rate.value)} [{share(rate.low)} to {share(rate.high)}], n = {number(rate.n)}"


def _survey_view(surveys: Sequence[Survey]) -> View:
    from markupsafe import Markup

    return _joined(
        [
            View(text=table_text(survey), html=_html("{{ table }}", table=Markup(table_html(survey))))
            for survey in surveys
        ]
    )


def _joined(views: Sequence[View]) -> View:
    return View(text="\n\n".join(v.text for v in views), html="".join(v.html for v in views))


def _html(template: str, **values: Any) -> str:
    from markupsafe import Markup

    env = environment()
    body = env.from_string('{% import "parts.html.jinja" as parts %}' + template).render(**values)
    style = asset("notebook.css", "parts.css").strip() + "\n}"
    # a plain str: joined with other text, a Markup would escape that text
    return str(Markup('<div class="tohlab"><style>{}</style>{}</div>').format(Markup(style), Markup(body)))


_VIEWS: Final[Mapping[type, Callable[[Sequence[Any]], View]]] = MappingProxyType(
    {
        RequestCost: _request_view,
        CatalogCost: _catalog_cost_view,
        PrefixComparison: _prefix_view,
        AppendOnlyCheck: _append_only_view,
        RoutingReport: _routing_view,
        RunComparison: _comparison_view,
        Survey: _survey_view,
    }
)
