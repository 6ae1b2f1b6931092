"""How long property tests search: `quick` for everybody, `ci` before a change lands, `whole` by `make test-all`,
`thorough` for a night.

pytest --hypothesis-profile=ci
"""

from __future__ import annotations

from fractions import Fraction

from hypothesis import HealthCheck, settings

LEAST = 5
DEFAULT = 100
"""Examples where a test names no number."""
SHARES = {"quick": Fraction(1, 4), "ci": Fraction(2, 5), "whole": Fraction(1), "thorough": Fraction(20)}
"""Of the examples that a test names, for each profile. `thorough` tries other ones on every run."""


def register_profiles() -> None:
    """Let hypothesis know them, and take `quick` where no option names another."""
    checks = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much]
    for name, share in SHARES.items():
        settings.register_profile(
            name,
            max_examples=int(DEFAULT * share),
            derandomize=name != "thorough",
            deadline=None,
            database=None,
            print_blob=False,
            report_multiple_bugs=False,
            suppress_health_check=checks,
        )
    settings.load_profile("quick")


def scaled(count: int) -> int:
    """A number of examples as the profile has it."""
    share = SHARES.get(settings.get_current_profile_name(), Fraction(1))
    return max(min(count, LEAST), int(count * share))


def examples(count: int) -> settings:
    """So many examples by `make test-all`, and as many of them elsewhere as the profile says."""
    return settings(max_examples=scaled(count))
