"""`advisor profiles compare`: a machine at two times, or two machines."""

from __future__ import annotations

from datetime import UTC, datetime

from advisor.agent.machines import comparison
from advisor.agent.machines.comparison import MachinesCompared
from advisor.agent.remembered.memory import LAST
from advisor.cli.commands.profiles.kept import profile_of
from advisor.cli.commands.profiles.options import ProfilesCompare
from advisor.cli.completing import THIS
from advisor.cli.delivering import deliver_page
from advisor.errors import input_error
from advisor.report.html.machine import machines_html
from advisor.report.machine.compared import compared_json, compared_page
from advisor.wording import join_names, shorten


def compare(options: ProfilesCompare) -> None:
    first, second, since = options.first, options.second, options.since
    if second is not None and since is not None:
        what = "two machines and --since are two different questions"
        raise input_error("These do not go together", what, where="--since", remedy="Leave out one of them.")
    compared = _since(first, since) if second is None else _two(first, second)
    deliver_page(
        options.format_, options.output, options.force, as_json=lambda: compared_json(compared),
        as_html=lambda date: machines_html(compared, date),
        as_text=lambda look: compared_page(compared, look),
    )  # fmt: skip


def _since(name: str, since: str | None) -> MachinesCompared:
    profile = profile_of(name)
    day = comparison.last_day(profile) if since is None else _date(since)
    before, after = comparison.sides_of(profile, day)
    if not day or not before.outcomes or not after.outcomes:
        days = sorted({outcome.date[:10] for outcome in profile.outcomes})
        what = f"{shorten(profile.name if name == THIS else name)} was measured on {join_names(days[-10:]) or 'no day'} only"
        save = "" if profile.name in ("", LAST) else f" --save {profile.name}"
        remedy = f"Measure again on another day with `advisor probe{save}`"
        remedy += f", or name with --since a day after {days[0]} and not after {days[-1]}." if len(days) > 1 else "."
        raise input_error("There are no two times to compare", what, where="--since", remedy=remedy)
    return comparison.compare(before, after, same_machine=True)


def _two(first: str, second: str) -> MachinesCompared:
    mine, theirs = profile_of(first), profile_of(second)
    titles = ("", "") if mine.name != theirs.name else (first, second)
    sides = comparison.side_of(mine, titles[0]), comparison.side_of(theirs, titles[1])
    return comparison.compare(*sides, same_machine=comparison.one_machine_later(mine, theirs))


def _date(text: str) -> str:
    """A day or a time as measurements carry it (UTC). Raises InputError."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        remedy = "Write it as year, month and day: 2026-11-21."
        raise input_error("This is no date", f"{shorten(text)!r}", where="--since", remedy=remedy) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC).isoformat(timespec="seconds")
