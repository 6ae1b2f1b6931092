"""Property tests have no deadline for an example and leave nothing behind."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "advisor",
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=False,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
settings.load_profile("advisor")
