"""The survey on trial, for the terminal, as Markdown and as JSON: each claim of the seed documents with its verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from advisor.facts.experiments import is_simulated
from advisor.facts.verdict import Verdict
from advisor.knowledge.claims import Basis, Reading
from advisor.knowledge.model import Knowledge
from advisor.report import changes, words
from advisor.report.changes import sentence
from advisor.report.markup import plain, table
from advisor.report.numbers import interval_words
from advisor.report.page import Page, Style
from advisor.report.proposed import with_facts
from advisor.survey.judged_claims import JudgedFigure, Judgement
from advisor.wording import join_names, shorten

SCHEMA = "advisor/survey-trial/1"

NOT_JUDGED = "not judged here"
VERDICTS: Mapping[Verdict | None, str] = {
    **{verdict: changes.VERDICTS[verdict] for verdict in (Verdict.OVERTURNED, *Verdict)},
    None: NOT_JUDGED,
}
"""In the order in which they are shown: news first."""
_STYLES: Mapping[Verdict | None, Style] = {Verdict.OVERTURNED: Style.CARE, Verdict.CONFIRMED: Style.GOOD}
JUDGED_BY = {
    Basis.PROBE: "measured here",
    Basis.MACHINE: "by what this machine is",
    Basis.ARITHMETIC: "by arithmetic",
    Basis.PUBLISHED: "by the published table",
    Basis.NEEDS: "by nothing yet",
}
_READINGS = {
    Reading.PRINTED: "As printed",
    Reading.CORRECTED: "Corrected",
    Reading.HERE: "Here",
}
_TITLE = "The survey on trial"
_LONGEST_REASON = 400
"""Characters; one may tell every condition of a measurement that does not count."""


def told_of(judgements: Sequence[Judgement], told: str) -> tuple[Judgement, ...]:
    """The same claims, where commands that could judge them repeat the options that told the facts."""
    return tuple(replace(one, why=with_facts(one.why, told)) for one in judgements)


def decided_here(judgements: Sequence[Judgement]) -> list[Judgement]:
    """Those that this machine has judged, by what was measured or by what it is."""
    here = (Basis.PROBE, Basis.MACHINE)
    judged = [one for one in judgements if one.claim.basis in here and one.verdict is not None]
    return [one for one in judged if not is_simulated(one.claim.probe)]


def claim_lines(page: Page, judgements: Sequence[Judgement], shown: Sequence[Judgement] | None = None) -> None:
    """The section of a terminal's page: all claims counted, those `shown` by verdict, what is not judged by its reason."""
    page.heading(_TITLE.upper())
    page.add(summary(judgements))
    judgements = judgements if shown is None else shown
    scopes = _scopes_of(judgements)
    for verdict, group in _by_verdict(judgements):
        page.apart((f"{VERDICTS[verdict].upper()} ({len(group)})", _STYLES.get(verdict, Style.STRONG)))
        if verdict is None:
            for reason, texts in words.gathered((one.why, one.claim.text) for one in group).items():
                page.add((shorten(reason, _LONGEST_REASON), Style.STRONG), first="  ")
                page.items(texts, "  - ")
            continue
        for judgement in group:
            page.add((judgement.claim.text, Style.STRONG), (f" [{cited(judgement)}]", Style.FAINT), first="- ")
            page.add(_evidence_words(judgement, scopes), first="  ")
    if scopes:
        page.blank()
        page.items(map(_scope_words, scopes), "[{}] ")


def summary(judgements: Sequence[Judgement]) -> str:
    """The number of claims that were judged, by judgement."""
    counts = {name: sum(one.verdict is verdict for one in judgements) for verdict, name in VERDICTS.items()}
    parts = [f"{count} {name}" for name, count in counts.items() if count]
    return f"{len(judgements)} claims of the seed documents: {join_names(parts) or 'none'}."


def _by_verdict(judgements: Sequence[Judgement]) -> list[tuple[Verdict | None, list[Judgement]]]:
    groups = ((verdict, [one for one in judgements if one.verdict is verdict]) for verdict in VERDICTS)
    return [(verdict, group) for verdict, group in groups if group]


def cited(judgement: Judgement) -> str:
    """The sources of a claim and its errata."""
    claim = judgement.claim
    errata = [f"erratum {key}" for key in claim.erratum]
    return "; ".join([*(source for source in claim.sources if source != "arithmetic"), *errata])


Scope = tuple[str, str, tuple[tuple[str, str], ...]]
"""The way it was found, the day, and the conditions."""


def _scope(judgement: Judgement) -> Scope | None:
    """The day and the conditions of what was measured for a claim."""
    if not judgement.date or judgement.verdict is None:
        return None
    how = "Simulated" if is_simulated(judgement.claim.probe) else "Measured on this machine"
    return how, judgement.date[:10], tuple(sorted(judgement.applies.items()))


def _scopes_of(judgements: Sequence[Judgement]) -> dict[Scope, int]:
    """Numbers for the different scopes, in the order in which they are first needed."""
    scopes = (scope for _, group in _by_verdict(judgements) for scope in map(_scope, group) if scope is not None)
    return {scope: number for number, scope in enumerate(dict.fromkeys(scopes), start=1)}


def _scope_words(scope: Scope) -> str:
    how, date, applies = scope
    conditions = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in applies)
    return f"{how} on {date} with: {conditions or 'conditions not stated'}."


def _evidence_words(judgement: Judgement, scopes: Mapping[Scope, int]) -> str:
    """The document's words, the finding, and its basis, in a few sentences."""
    said = judgement.claim.says
    scope = _scope(judgement)
    mark = f" [{scopes[scope]}]" if scope is not None else ""
    undecided = judgement.measured is not None and judgement.measured.verdict is Verdict.UNDECIDED
    why = "" if undecided else judgement.why  # the comparison has said so
    parts = [f"It says: {said}." if said else "", *_findings(judgement), why]
    told = " ".join(part for part in parts if part)
    if judgement.verdict is None:
        return told
    by = "simulated" if is_simulated(judgement.claim.probe) else JUDGED_BY[judgement.claim.basis]
    return f"{told} ({by}){mark}".strip()


def _findings(judgement: Judgement) -> Iterator[str]:
    """The comparison that was measured, then the figures, by reading."""
    if judgement.measured is not None:
        yield sentence(judgement.measured, judgement.unit)
    for reading, name in _READINGS.items():
        told = [figure_words(figure) for figure in judgement.figures if figure.reading is reading]
        if told:
            table = reading is Reading.PRINTED and judgement.claim.basis is Basis.PUBLISHED
            yield f"{'In the table' if table else name}: {'; '.join(told)}."


def figure_words(figure: JudgedFigure) -> str:
    """`four cards: 1.016 s`, or with the interval of what was measured: `to the GPU: 24.6 GB/s (24.1 GB/s to 25 GB/s)`.

    Seconds stand as the documents write them, so that the reader can compare; ratios have three digits.
    """
    values = (figure.value.median, figure.value.low, figure.value.high)
    if figure.unit == "s" and 0.1 <= figure.value.median < 60:
        median, low, high = (f"{value:.3f} s" for value in values)
    elif figure.unit == "times":
        median, low, high = (f"{value:.3g} times" for value in values)
    else:
        median, low, high = interval_words(*values, figure.unit)
    interval = f" ({low} to {high})" if figure.value.low != figure.value.high else ""
    return f"{figure.title}: {median}{interval}"


def claim_rows(judgements: Sequence[Judgement]) -> list[tuple[str, list[tuple[str, str, str]]]]:
    """The claims by verdict in words: each claim with what was found and where it stands."""
    scopes = _scopes_of(judgements)
    return [
        (VERDICTS[verdict], [(one.claim.text, _evidence_words(one, scopes), cited(one)) for one in group])
        for verdict, group in _by_verdict(judgements)
    ]


def claim_notes(judgements: Sequence[Judgement], knowledge: Knowledge) -> list[tuple[str, str]]:
    """Sources, errata and scopes by the mark that the claims have."""
    keys = dict.fromkeys(source.split(" ")[0] for one in judgements for source in one.claim.sources)
    errata = dict.fromkeys(key for one in judgements for key in one.claim.erratum if key in knowledge.errata)
    return [
        *((key, words.citation(knowledge, key)) for key in keys),
        *((f"erratum {key}", knowledge.errata[key].text) for key in errata),
        *((f"[{number}]", _scope_words(scope)) for scope, number in _scopes_of(judgements).items()),
    ]


def claims_markdown(judgements: Sequence[Judgement], knowledge: Knowledge) -> Iterator[str]:
    """The section of the Markdown report: a table for each verdict, then errata and where was measured."""
    yield from (f"## {_TITLE}", "", plain(summary(judgements)), "")
    for verdict, rows in claim_rows(judgements):
        yield f"### {verdict.capitalize()} ({len(rows)})"
        yield from table(["Claim", "Found", "Source"], rows)
    for mark, text in claim_notes(judgements, knowledge):
        yield f"- {plain(mark)}{'' if mark.startswith('[') else ':'} {plain(text)}"
    yield ""


def claims_json(judgements: Sequence[Judgement], knowledge: Knowledge) -> dict[str, Any]:
    """The document `advisor/survey-trial/1`: `survey` lists every claim in the order of the rule base."""
    return {"schema": SCHEMA, "survey": [_entry(judgement, knowledge) for judgement in judgements]}


def _entry(judgement: Judgement, knowledge: Knowledge) -> dict[str, Any]:
    claim, measured = judgement.claim, judgement.measured
    return {
        "id": claim.id, "claim": claim.text, "says": claim.says, "verdict": judgement.verdict or "not_judged",
        "why": judgement.why, "judged_by": "simulation" if is_simulated(claim.probe) else claim.basis.value,
        "figures": [
            {
                "title": figure.title, "value": figure.value.median, "low": figure.value.low, "high": figure.value.high,
                "unit": figure.unit, "says": figure.says, "reading": figure.reading.value,
            }
            for figure in judgement.figures
        ],
        "measured": measured.to_json() if measured is not None else None,
        "date": judgement.date, "applies": dict(judgement.applies), "warnings": list(judgement.warnings),
        "rules": {name: verdict.value for name, verdict in judgement.rules.items()},
        "sources": list(claim.sources),
        "errata": {key: knowledge.errata[key].text for key in claim.erratum if key in knowledge.errata},
    }  # fmt: skip
