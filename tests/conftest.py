"""Property tests have no deadline for an example and leave nothing behind."""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings

# A shell starts background jobs with Ctrl-C ignored, and children inherit that: what tests start must hear it.
signal.signal(signal.SIGINT, signal.default_int_handler)

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
