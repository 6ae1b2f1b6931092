"""The survey on trial as the HTML report shows it: claims by verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.agent.trial import Judgement, TrialVerdict
from advisor.knowledge.model import Knowledge
from advisor.report import trial, words

_SYMBOLS = {
    TrialVerdict.OVERTURNED: "↻", TrialVerdict.CONFIRMED: "✓", TrialVerdict.NO_DIFFERENCE: "=",
    TrialVerdict.UNDECIDED: "?", TrialVerdict.NOT_JUDGED: "·",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verdict:
    """The claims of one verdict: claim, what was found, where it stands."""

    symbol: str
    word: str
    claims: tuple[tuple[str, str, str], ...]
    is_judged: bool


@dataclass(frozen=True, slots=True)
class Trial:
    summary: str
    verdicts: tuple[Verdict, ...]
    notes: tuple[tuple[str, str], ...]
    """Sources, errata and scopes by the mark that the claims have"""


def trial_view(judged: Sequence[Judgement], knowledge: Knowledge) -> Trial:
    scopes = trial.scopes_of(judged)
    groups = ((verdict, [one for one in judged if one.verdict is verdict]) for verdict in trial.VERDICTS)
    verdicts = tuple(
        Verdict(
            _SYMBOLS[verdict],
            trial.VERDICTS[verdict],
            tuple((one.claim.text, trial.evidence_words(one, scopes), trial.cited(one)) for one in group),
            verdict is not TrialVerdict.NOT_JUDGED,
        )
        for verdict, group in groups
        if group
    )
    keys = dict.fromkeys(source.split(" ")[0] for one in judged for source in one.claim.sources)
    notes = [(key, words.citation(knowledge, key)) for key in keys]
    corrected = dict.fromkeys(key for one in judged for key in one.claim.erratum if key in knowledge.errata)
    notes += [(f"erratum {key}", knowledge.errata[key].text) for key in corrected]
    notes += [(f"[{number}]", trial.scope_words(scope)) for scope, number in scopes.items()]
    return Trial(trial.summary(judged), verdicts, tuple(notes))
