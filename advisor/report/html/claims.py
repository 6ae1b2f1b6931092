"""The survey on trial as the HTML report shows it: claims by verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.facts.verdict import Verdict
from advisor.knowledge.model import Knowledge
from advisor.report import words
from advisor.report.survey import claims
from advisor.survey.judged_claims import Judgement

_SYMBOLS = {
    Verdict.OVERTURNED: "↻", Verdict.CONFIRMED: "✓", Verdict.NO_DIFFERENCE: "=",
    Verdict.UNDECIDED: "?", None: "·",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ClaimGroup:
    """The claims of one verdict: claim, what was found, where it stands."""

    symbol: str
    word: str
    claims: tuple[tuple[str, str, str], ...]
    is_judged: bool


@dataclass(frozen=True, slots=True)
class Survey:
    summary: str
    verdicts: tuple[ClaimGroup, ...]
    notes: tuple[tuple[str, str], ...]
    """Sources, errata and scopes by the mark that the claims have"""


def survey_view(judged: Sequence[Judgement], knowledge: Knowledge) -> Survey:
    scopes = claims.scopes_of(judged)
    groups = ((verdict, [one for one in judged if one.verdict is verdict]) for verdict in claims.VERDICTS)
    verdicts = tuple(
        ClaimGroup(
            _SYMBOLS[verdict],
            claims.VERDICTS[verdict],
            tuple((one.claim.text, claims.evidence_words(one, scopes), claims.cited(one)) for one in group),
            verdict is not None,
        )
        for verdict, group in groups
        if group
    )
    keys = dict.fromkeys(source.split(" ")[0] for one in judged for source in one.claim.sources)
    notes = [(key, words.citation(knowledge, key)) for key in keys]
    corrected = dict.fromkeys(key for one in judged for key in one.claim.erratum if key in knowledge.errata)
    notes += [(f"erratum {key}", knowledge.errata[key].text) for key in corrected]
    notes += [(f"[{number}]", claims.scope_words(scope)) for scope, number in scopes.items()]
    return Survey(claims.summary(judged), verdicts, tuple(notes))
