"""Plans as HTML: the report that people carry away, from a first page for a beginner to all sources; two side by side."""

from __future__ import annotations

from markupsafe import Markup

from advisor.facts.fact_base import Source
from advisor.inference.plan import Plan, Recommendation, Status
from advisor.knowledge.model import Knowledge
from advisor.knowledge.terms import terms_in
from advisor.report import contents, numbers, words
from advisor.report.changes import sentence
from advisor.report.contents import NOTHING, Evidence
from advisor.report.found.measured import newest_of
from advisor.report.html.machine import machine_view
from advisor.report.html.measurements import bets, charts, rates
from advisor.report.html.rendering import render, text_of
from advisor.report.page import Look
from advisor.report.plan.brief import summary
from advisor.report.plan.comparison import Comparison
from advisor.report.plan.explanation import explain
from advisor.report.plan.text import symbol
from advisor.report.survey import claims

UNICODE = Look(unicode=True)


def plan_html(
    plan: Plan, knowledge: Knowledge, date: str = "", evidence: Evidence = NOTHING, arguments: str = ""
) -> str:
    """The whole report, one file. A pure function: the date is the caller's, and may be left out."""
    outcomes = evidence.outcomes
    open_ends = list(contents.open_ends(plan, knowledge, arguments))
    judged = bets(plan, knowledge, outcomes)
    values = {
        "title": contents.title(plan),
        "date": date,
        "school": words.SCHOOL_WORDS[plan.school],
        "rule_base": knowledge.digest[:12] or "unnamed",
        "cards": list(summary(plan, knowledge, evidence.outlook)),
        "counts": [(status_words(status), count) for status, count in words.by_status(plan).items()],
        "next_steps": [end for end in open_ends if not end.is_question][:1],
        "bets": [bet for bet in judged if bet.basis is Source.MEASURED],
        "simulated": [bet for bet in judged if bet.basis is Source.SIMULATED],
        "charts": charts(plan, outcomes),
        "rates": rates(outcomes),
        "failed": [(outcome.probe, outcome.failure) for outcome in newest_of(outcomes) if outcome.failure],
        "skipped": evidence.skipped,
        "groups": grouped_topics(plan, knowledge),
        "left_out": list(contents.left_out(plan)),
        "figures": numbers.known_figures(plan),
        "numbers": numbers,
        "citation": lambda source: words.citation(knowledge, source),
        "batch_warning": numbers.memory_warning(plan),
        "uncomputed": numbers.uncomputed(plan),
        "facts": list(words.fact_rows(plan, knowledge)),
        "remarks": list(words.remarks_on(plan, knowledge, arguments)),
        "open_ends": open_ends,
        "survey": _survey(evidence, knowledge, arguments) if evidence.judged else None,
        "machine": machine_view(evidence.machine) if evidence.machine is not None else None,
        "errata": contents.errata(plan),
        "sources": contents.sources(plan, knowledge),
        "unverified": words.UNVERIFIED_MEANS,
    }
    body = render("plan_body.html.j2", **values)
    terms = sorted(terms_in(knowledge.phrases, text_of(body)), key=lambda term: term.term.casefold())
    return render("plan.html.j2", **values, body=Markup(body), terms=terms)  # noqa: S704 - a template made it


def comparison_html(comparison: Comparison, date: str = "") -> str:
    """Two plans: the facts, the advice and the numbers in which they differ."""
    return render("comparison.html.j2", title="Two plans side by side", date=date, comparison=comparison)


def _survey(evidence: Evidence, knowledge: Knowledge, arguments: str) -> dict[str, object]:
    judged = claims.told_of(evidence.judged, arguments)
    return {
        "summary": claims.summary(judged),
        "verdicts": claims.claim_rows(judged),
        "not_judged": claims.NOT_JUDGED,
        "notes": claims.claim_notes(judged, knowledge),
    }


# --- one recommendation ------------------------------------------------------------------------------------------


def status_words(status: Status) -> dict[str, str]:
    """A status by symbol and by word; the key names its colour, which nothing hangs on."""
    sign, _ = symbol(status, UNICODE)
    means = words.STATUS_MEANS.get(status, "")
    return {"key": status.value, "symbol": sign, "word": words.STATUS_WORDS[status], "means": means}


def grouped_topics(plan: Plan, knowledge: Knowledge) -> list[tuple[str, list[dict[str, object]]]]:
    """Every recommendation that says something, by group, as the values of its template."""
    return [(title, [_view(plan, knowledge, entry) for entry in entries]) for title, entries in words.grouped(plan)]


def _view(plan: Plan, knowledge: Knowledge, entry: Recommendation) -> dict[str, object]:
    """Everything in words. `lost` are rules that hold and were superseded: what they advised and why that lost."""
    explained = explain(plan, knowledge, entry.topic)
    return {
        "entry": entry,
        "anchor": f"topic-{entry.topic.replace('.', '-').replace('_', '-')}",
        "advice": words.advice_words(knowledge, entry),
        "status": status_words(entry.status),
        "grounds": explained.grounds,
        "lost": explained.lost,
        "notes": [
            (note, errata)
            for note, errata in contents.notes_on(knowledge, entry)
            if not any(f"{lost.rule} advised" in note for lost in explained.lost)
        ],
        "alternatives": [
            (
                words.value_words(knowledge, entry.topic, other.value, entry.unit),
                other.why_not,
                words.errata_quoted(knowledge, entry.topic, other.why_not),
            )
            for other in entry.alternatives
        ],
        "flips": [(flip.fact, *words.flip_words(knowledge, entry, flip)) for flip in entry.flips],
        "measured": _measured(knowledge, entry),
    }


def _measured(knowledge: Knowledge, entry: Recommendation) -> tuple[str, str] | None:
    """`Measured` or `Simulated`, and what was found; None without such."""
    if entry.measured is None:
        return None
    unit = words.compared_unit(knowledge, entry, entry.measured)
    return words.basis_word(entry.measured).capitalize(), sentence(entry.measured, unit)
