"""Versions of packages: those that are pinned are admitted, and none with a known advisory is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from .oldest_versions import PYPROJECT, oldest_versions

PINNED = Path(__file__).parents[1] / "constraints.txt"
MENDED = {
    "aiohttp": "3.14.3",  # CVE-2026-69244, 69243, 54273
    "pillow": "13.0",  # CVE-2026-112392 and others of October 2026 (osv.dev)
    "torch": "2.10",  # CVE-2025-32434 (2.6), CVE-2025-3730 (2.8), CVE-2026-24747 (GHSA-63cw-57p8-fm3p)
    "jinja2": "3.1.6",  # CVE-2025-27516
    "skops": "0.13",  # CVE-2025-54412, 54413 (0.12), 54886
    "lightgbm": "4.6",  # CVE-2024-43598
    "pyyaml": "6.0.2",
    "scikit-learn": "1.5",  # CVE-2024-5206
}
"""The first version without the advisories known on 28 November 2026: those of aiohttp, pillow and torch were looked up."""


def requirements() -> list[Requirement]:
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    groups = project["optional-dependencies"].values()
    found = [Requirement(line) for line in [*project["dependencies"], *(line for group in groups for line in group)]]
    return [one for one in found if one.name != project["name"]]


@pytest.mark.parametrize("name", MENDED)
def test_no_version_with_a_known_advisory_is_admitted(name: str) -> None:
    assert Version(oldest_versions()[name]) >= Version(MENDED[name])


def test_what_is_pinned_is_admitted() -> None:
    lines = re.findall(r"^([\w.-]+)==(\S+)$", PINNED.read_text(encoding="utf-8"), re.MULTILINE)
    pinned = {canonicalize_name(name): Version(version) for name, version in lines}
    missing = [str(one) for one in requirements() if canonicalize_name(one.name) not in pinned]
    refused = [str(one) for one in requirements() if one.name in pinned and pinned[one.name] not in one.specifier]
    assert (missing, refused) == ([], [])
