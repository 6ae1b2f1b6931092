"""Names by which parts of a rule base refer to each other: sources, errata, rules."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from advisor.errors import Problem, did_you_mean
from advisor.wording import shorten


def cited(citations: Iterable[str]) -> list[str]:
    """The keys of the sources in citations such as `KEY section 3`."""
    return [citation.split(" ")[0] for citation in citations]


def undeclared(
    where: str, who: str, names: Iterable[str], known: Collection[str], place: str = "sources.yaml"
) -> Iterator[Problem]:
    """A problem for each name that is not known; `who` is the beginning of the sentence: `rule a.b cites`."""
    for name in names:
        if name not in known:
            what = f"{who} {shorten(name)!r}, which {place} does not have."
            yield Problem(where, what, did_you_mean(name, known))
