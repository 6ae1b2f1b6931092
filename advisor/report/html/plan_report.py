"""The report that people carry away, as HTML: a first page for a beginner, then everything with reasons and sources."""

from __future__ import annotations

from markupsafe import Markup

from advisor.inference.plan import Plan
from advisor.knowledge.model import Knowledge
from advisor.knowledge.terms import Term, terms_in
from advisor.report import contents, words
from advisor.report.evidence import NOTHING, Evidence
from advisor.report.found.measured import newest_of
from advisor.report.html.machine import machine_view
from advisor.report.html.measurements import bets, charts, rates
from advisor.report.html.rendering import render, text_of
from advisor.report.html.topics import grouped_topics, status_words
from advisor.report.numbers import (
    figure_words,
    formula_words,
    inputs_words,
    known_figures,
    too_large_a_batch,
    uncomputed,
)
from advisor.report.survey import claims
from advisor.wording import join_names

_TIMES = ("s", "hours")


def plan_html(plan: Plan, knowledge: Knowledge, date: str = "", evidence: Evidence = NOTHING) -> str:
    """The whole report, one file. A pure function: the date is the caller's, and may be left out."""
    outcomes = evidence.outcomes
    values = {
        "title": contents.title(plan),
        "date": date,
        "school": words.SCHOOL_WORDS[plan.school],
        "rule_base": knowledge.digest[:12] or "unnamed",
        "cards": _cards(plan, knowledge),
        "counts": _counts(plan),
        "next_steps": [end for end in contents.open_ends(plan, knowledge) if not end.is_question][:1],
        "bets": bets(plan, knowledge, outcomes),
        "charts": charts(plan, outcomes),
        "rates": rates(outcomes),
        "failed": [(outcome.probe, outcome.failure) for outcome in newest_of(outcomes) if outcome.failure],
        "skipped": evidence.skipped,
        "groups": grouped_topics(plan, knowledge),
        "left_out": list(contents.left_out(plan)),
        "figures": known_figures(plan),
        "figure_words": figure_words,
        "formula_words": formula_words,
        "inputs_words": inputs_words,
        "join_names": join_names,
        "citation": lambda source: words.citation(knowledge, source),
        "batch_warning": too_large_a_batch(plan),
        "uncomputed": uncomputed(plan),
        "facts": list(words.fact_rows(plan, knowledge)),
        "remarks": list(words.remarks_on(plan, knowledge)),
        "open_ends": list(contents.open_ends(plan, knowledge)),
        "survey": _survey(evidence, knowledge) if evidence.judged else None,
        "machine": machine_view(evidence.machine) if evidence.machine is not None else None,
        "errata": contents.errata(plan),
        "sources": contents.sources(plan, knowledge),
        "unverified": words.UNVERIFIED_MEANS,
    }
    body = render("plan_body.html.j2", **values)
    terms = _terms(knowledge, text_of(body))
    return render("plan.html.j2", **values, body=Markup(body), terms=terms)  # noqa: S704 - a template made it


def _cards(plan: Plan, knowledge: Knowledge) -> list[tuple[str, str]]:
    """The questions of the first page with their answers."""
    cards = list(contents.summary(plan, knowledge))
    cards.insert(3, ("How long", _how_long(plan)))
    return [*cards, ("How sure", contents.how_sure(plan))]


def _how_long(plan: Plan) -> str:
    """The times that are known, and the memory; else what would tell."""
    known = [figure for figure in known_figures(plan) if figure.headline]
    times = [f"{figure.title.lower()}: {figure_words(figure)}" for figure in known if figure.unit in _TIMES]
    said = "; ".join(times) or "not known until a training step was timed: `advisor probe`"
    memory = next((figure for figure in known if figure.name == "memory.training"), None)
    needs = f" It needs about {figure_words(memory)} of memory." if memory is not None else ""
    return f"{said[0].upper()}{said[1:]}.{needs}"


def _counts(plan: Plan) -> list[tuple[object, int]]:
    statuses = [entry.status for entry in plan.recommendations.values()]
    return [(status_words(status), statuses.count(status)) for status in words.STATUS_MEANS if status in statuses]


def _survey(evidence: Evidence, knowledge: Knowledge) -> dict[str, object]:
    return {
        "summary": claims.summary(evidence.judged),
        "verdicts": claims.claim_rows(evidence.judged),
        "not_judged": claims.NOT_JUDGED,
        "notes": claims.claim_notes(evidence.judged, knowledge),
    }


def _terms(knowledge: Knowledge, text: str) -> list[Term]:
    """The terms that a text uses, in the order of the alphabet."""
    return sorted(terms_in(knowledge.phrases, text), key=lambda term: term.term.casefold())
